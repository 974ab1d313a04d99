//! The statement's own input and output format.

use std::fmt::{Display, Write as _};

use crate::diagnostic::Diagnostic;
use crate::engine::Binder;
use crate::grid::Grid;
use crate::input::Input;
use crate::spanned::Spanned;

use super::legal::{self, Typed};
use super::rules::{Rules, Setup, Swap};

/// The legal start that `input` describes; pushes every fault that it finds.
pub(super) fn read(input: &mut Input, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    let rows = number(input, "the number of rows", binder)?;
    let cols = number(input, "the number of columns", binder)?;
    let colors = number(input, "the number of colors", binder)?;
    let swaps = number(input, "the number of swaps", binder)?;
    let size = rows.range.start..cols.range.end;
    let board_fits = legal::check_size(rows.value, cols.value, size, binder);
    let swaps_fit = legal::check_swaps(swaps.value.into(), swaps.range, binder);
    if !(board_fits && swaps_fit) {
        return None;
    }
    let (rows, cols) = (rows.value as usize, cols.value as usize);
    let board = grid(input, rows, cols, "the color of a piece", binder)?;
    let specials = grid(input, rows, cols, "the special effect of a piece, 0 for none", binder)?;
    let swaps = (1..=swaps.value).map(|number| swap(number, input, binder)).collect::<Option<Vec<_>>>();
    if swaps.is_some() {
        binder.ok(input.end());
    }
    let typed =
        Typed { colors: Some(colors), board: Some(board), whole: true, specials: Some(specials), swaps };
    legal::legal(typed, rules, binder)
}

fn number(input: &mut Input, what: impl Display, binder: &mut Binder<'_>) -> Option<Spanned<i64>> {
    let number = input.number(what);
    binder.ok(number)
}

fn grid(
    input: &mut Input,
    rows: usize,
    cols: usize,
    what: &str,
    binder: &mut Binder<'_>,
) -> Option<Grid<Spanned<i64>>> {
    let cells: Option<Vec<_>> = (0..rows * cols).map(|_| number(input, what, binder)).collect();
    Grid::from_cells(cols, cells?)
}

/// The swap of this number, from 1.
fn swap(of: i64, input: &mut Input, binder: &mut Binder<'_>) -> Option<Swap> {
    let mut numbers = [0; 4];
    let whats = ["the first row", "the first column", "the second row", "the second column"];
    for (slot, what) in numbers.iter_mut().zip(whats) {
        let Spanned { value, range } = number(input, format_args!("{what} of swap {of}"), binder)?;
        *slot = binder.ok(i32::try_from(value).map_err(|_| {
            let span = crate::source::Span::new(input.excerpt().source(), range);
            let fault = Diagnostic::new("match3::swap", "swap coordinates out of range");
            fault.label(span, format!("expected {what} of swap {of}"))
        }))?;
    }
    Some(Swap::new(numbers))
}

/// The start in the statement's input format.
pub(super) fn write(setup: &Setup) -> String {
    let mut text = String::new();
    let Setup { board, specials, colors, swaps, .. } = setup;
    let _ = writeln!(text, "{} {} {colors} {}", board.rows(), board.cols(), swaps.len());
    for row in board.iter_rows().chain(specials.iter_rows()) {
        for (col, cell) in row.iter().enumerate() {
            let _ = write!(text, "{}{cell}", if col == 0 { "" } else { " " });
        }
        text.push('\n');
    }
    for swap in swaps {
        let [row1, col1, row2, col2] = swap.numbers();
        let _ = writeln!(text, "{row1} {col1} {row2} {col2}");
    }
    text
}
