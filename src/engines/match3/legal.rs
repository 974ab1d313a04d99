//! What makes a start legal, whether it came as a scenario or in the statement's input format.

use std::ops::{Range, RangeInclusive};

use crate::diagnostic::{Diagnostic, Label, count};
use crate::engine::Binder;
use crate::grid::{Grid, Pos};
use crate::spanned::Spanned;

use super::rules::{Rules, Setup, Swap};

/// Pieces that are marked of a line.
const MARKED: usize = 50;

/// Rows, and columns, that a board may have where the statement's limits are lifted.
pub(super) const MOST_SIDE: i64 = 2048;

/// The special effects, 0 for none.
pub(super) const SPECIALS: RangeInclusive<i64> = 0..=6;

/// How large things may be.
pub(super) struct Limits {
    /// Rows, and columns.
    pub(super) side: i64,
    /// Colors.
    pub(super) colors: i64,
    /// Swaps, at least and at most.
    pub(super) swaps: (u64, u64),
}

/// The limits of the statement, or those of this engine where the statement's are lifted.
pub(super) fn limits(binder: &Binder<'_>) -> Limits {
    if binder.size_limits() {
        Limits { side: 50, colors: 100, swaps: (1, 1000) }
    } else {
        Limits { side: MOST_SIDE, colors: 255, swaps: (0, 10_000_000) }
    }
}

/// A start as typed: numbers, and where they stand; `None` where a fault was pushed.
pub(super) struct Typed {
    pub(super) colors: Option<Spanned<i64>>,
    pub(super) board: Option<Grid<Spanned<i64>>>,
    /// Whether every cell of the board could be read; those that could not stand as 1.
    pub(super) whole: bool,
    /// All 0 where none were typed.
    pub(super) specials: Option<Grid<Spanned<i64>>>,
    pub(super) swaps: Option<Vec<Swap>>,
}

/// The legal start that was typed; pushes every fault that it finds.
pub(super) fn legal(typed: Typed, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    let bound = typed.colors.map(|colors| check_colors(&colors, binder));
    let colors = typed.board.as_ref().and_then(|board| read_colors(board, bound.flatten(), binder));
    if let (Some(board), Some(colors), true) = (&typed.board, &colors, typed.whole) {
        refuse_lines(colors, board, rules.line, binder);
    }
    let specials = typed.specials.as_ref().and_then(|specials| read_specials(specials, binder));
    if let (Some(board), Some(specials)) = (&typed.board, &typed.specials) {
        check_shape(specials, board, binder);
    }
    let start = typed.board.as_ref().and_then(|board| board.cells().first()).map(|cell| cell.range.clone());
    let (board, specials, swaps) = (colors?, specials?, typed.swaps?);
    let colors = match bound {
        Some(bound) => bound? as u8,
        None => board.cells().iter().copied().max().unwrap_or(1),
    };
    check_points(&board, &rules, start?, binder)?;
    Some(Setup { rules, colors, board, specials, swaps })
}

/// Refuses a start whose points could be too large for a number of a fact; `start` is where the board begins.
fn check_points(board: &Grid<u8>, rules: &Rules, start: Range<usize>, binder: &mut Binder<'_>) -> Option<()> {
    let cells = board.cells().len();
    if i64::try_from(rules.points.most(cells, rules.line)).is_ok() {
        return Some(());
    }
    let title = format!("the points on {} can go beyond 2^63 - 1", count(cells as u64, "cell"));
    let fault = binder.fault("match3::rule", title, start, "expected fewer cells, or lower points");
    fault.help.push("lower `combo` and `chain` in `rules.points`: both count for a square".to_owned());
    None
}

/// Whether a board of this size may be; `range` is what says so.
pub(super) fn check_size(rows: i64, cols: i64, range: Range<usize>, binder: &mut Binder<'_>) -> bool {
    let side = limits(binder).side;
    let fits = (1..=side).contains(&rows) && (1..=side).contains(&cols);
    if !fits {
        let title = format!("a board of {rows} x {cols} cells does not fit");
        let fault =
            binder.fault("match3::size", title, range, format!("expected 1 to {side} rows and columns"));
        lift(fault, side == 50);
    }
    fits
}

/// Whether there may be `number` swaps; `range` is what says so.
pub(super) fn check_swaps(number: i128, range: Range<usize>, binder: &mut Binder<'_>) -> bool {
    let (least, most) = limits(binder).swaps;
    let fits = (i128::from(least)..=i128::from(most)).contains(&number);
    if !fits {
        let title =
            format!("{number} swaps are too {}", if number < i128::from(least) { "few" } else { "many" });
        let fault = binder.fault("match3::size", title, range, format!("expected {least} to {most}"));
        lift(fault, most == 1000);
    }
    fits
}

fn lift(fault: &mut Diagnostic, can: bool) {
    if can {
        fault.help.push("`limits = \"none\"` lifts the statement's limits of size".to_owned());
    }
}

fn check_colors(colors: &Spanned<i64>, binder: &mut Binder<'_>) -> Option<i64> {
    let most = limits(binder).colors;
    if (1..=most).contains(&colors.value) {
        return Some(colors.value);
    }
    let title = format!("{} is no number of colors", colors.value);
    binder.fault("match3::colors", title, colors.range.clone(), format!("expected 1 to {most}"));
    None
}

fn read_colors(board: &Grid<Spanned<i64>>, bound: Option<i64>, binder: &mut Binder<'_>) -> Option<Grid<u8>> {
    let most = limits(binder).colors;
    let bad = |cell: &&Spanned<i64>| !(1..=bound.unwrap_or(most)).contains(&cell.value);
    let mut clean = true;
    for cell in board.cells().iter().filter(bad) {
        clean = false;
        let (value, range) = (cell.value, cell.range.clone());
        match bound {
            _ if value < 1 => {
                let label = "expected a color, from 1: at the start every cell has a piece";
                binder.fault("match3::cell", format!("`{value}` is no color"), range, label);
            }
            Some(bound) => {
                let label = format!("expected at most {bound}, the number of colors");
                binder.fault("match3::above-colors", format!("there is no color {value}"), range, label);
            }
            None => {
                let label = format!("expected at most {most}");
                binder.fault("match3::above-colors", format!("there is no color {value}"), range, label);
            }
        }
    }
    clean.then(|| board.map(|cell| cell.value as u8))
}

fn read_specials(specials: &Grid<Spanned<i64>>, binder: &mut Binder<'_>) -> Option<Grid<u8>> {
    let mut clean = true;
    let bad = |cell: &&Spanned<i64>| !SPECIALS.contains(&cell.value);
    for cell in specials.cells().iter().filter(bad) {
        clean = false;
        let title = format!("there is no special effect {}", cell.value);
        binder.fault("match3::special", title, cell.range.clone(), "expected 1 to 6, or 0 for none");
    }
    clean.then(|| specials.map(|cell| cell.value as u8))
}

fn check_shape(specials: &Grid<Spanned<i64>>, board: &Grid<Spanned<i64>>, binder: &mut Binder<'_>) {
    if (specials.rows(), specials.cols()) != (board.rows(), board.cols()) {
        let size = |grid: &Grid<Spanned<i64>>| format!("{} x {}", grid.rows(), grid.cols());
        let title = format!("the specials are {} cells, the board {}", size(specials), size(board));
        let label = "expected as many rows and columns as the board has";
        binder.fault("match3::specials-shape", title, whole(specials), label);
    }
}

/// From the first cell of a board to its last.
fn whole(grid: &Grid<Spanned<i64>>) -> Range<usize> {
    let cells = grid.cells();
    cells[0].range.start..cells[cells.len() - 1].range.end
}

/// Refuses a board on which lines stand already.
fn refuse_lines(colors: &Grid<u8>, board: &Grid<Spanned<i64>>, line: usize, binder: &mut Binder<'_>) {
    for cells in standing(colors, line) {
        let pieces = count(cells.len() as u64, "piece");
        let title = format!("a line of {pieces} stands on the board at the start");
        let range = |pos: Pos| board[pos].range.clone();
        let label = format!("this and the others marked are of color {}", colors[cells[0]]);
        let others: Vec<_> = cells[1..].iter().take(MARKED).map(|&pos| binder.span(range(pos))).collect();
        let fault = binder.fault("match3::starts-with-line", title, range(cells[0]), label);
        fault.labels.extend(others.into_iter().map(|span| Label { span, text: String::new() }));
        fault.help.push(format!("change a piece: no {line} equal pieces may stand side by side"));
    }
}

/// The lines that stand on a board, 0 where it is empty: those along rows first.
pub(super) fn standing(colors: &Grid<u8>, line: usize) -> impl Iterator<Item = Vec<Pos>> {
    let (rows, cols) = (colors.rows(), colors.cols());
    let lines = (0..rows).flat_map(move |row| runs(cols, line, move |col| Pos::new(row, col), colors));
    let upright = (0..cols).flat_map(move |col| runs(rows, line, move |row| Pos::new(row, col), colors));
    lines.chain(upright).filter(|cells| colors[cells[0]] != 0)
}

/// The lines among the places 0 to `length` - 1 of a row or column.
fn runs(
    length: usize,
    line: usize,
    pos: impl Fn(usize) -> Pos + Copy,
    colors: &Grid<u8>,
) -> impl Iterator<Item = Vec<Pos>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        while start < length {
            let color = colors[pos(start)];
            let end = (start + 1..length).find(|&at| colors[pos(at)] != color).unwrap_or(length);
            let begin = std::mem::replace(&mut start, end);
            if end - begin >= line {
                return Some((begin..end).map(pos).collect());
            }
        }
        None
    })
}
