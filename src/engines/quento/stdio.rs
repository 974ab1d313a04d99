//! The statement's own input and output format.

use std::fmt::Write as _;
use std::ops::Range;

use crate::board::Token;
use crate::diagnostic::count;
use crate::engine::Binder;
use crate::grid::{Grid, Pos};
use crate::input::Input;
use crate::spanned::Spanned;

use super::legal;
use super::paths::Path;
use super::rules::{Board, Order, Rules, Setup};

/// The legal start that `input` describes.
pub(super) fn read(input: &mut Input, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    let target = input.number("the number to build");
    let target = binder.ok(target);
    let digits = input.number("the number of digits");
    let digits = binder.ok(digits);
    let board = board(input, binder);
    legal::legal(target, digits, board, rules, binder)
}

fn board(input: &mut Input, binder: &mut Binder<'_>) -> Option<Board> {
    let lines = lines(input, binder)?;
    let (first, last) = (lines.first()?, lines.last()?);
    let (cols, whole) = (first.len(), first.first()?.range.start..last.last()?.range.end);
    for (row, line) in lines.iter().enumerate().filter(|(_, line)| line.len() != cols) {
        let title = format!("line {} of the board has {}", row + 1, count(line.len() as u64, "square"));
        let label = format!("expected {}, as in the board's first line", count(cols as u64, "square"));
        binder.fault("quento::size", title, line.first()?.range.start..line.last()?.range.end, label);
    }
    if lines.iter().any(|line| line.len() != cols) {
        return None;
    }
    let cells = Grid::from_cells(cols, lines.into_iter().flatten().collect())?;
    legal::board(&cells, whole, binder)
}

/// The cells of the board's lines: three, or without limits of size as many as there are.
fn lines(input: &mut Input, binder: &mut Binder<'_>) -> Option<Vec<Vec<Token<'static>>>> {
    let mut lines = Vec::new();
    while !(binder.size_limits() && lines.len() == 3) {
        let word = input.word("a line of the board");
        if word.is_err() && !binder.size_limits() && !lines.is_empty() {
            return Some(lines);
        }
        lines.push(binder.ok(word.map(cells))?);
    }
    binder.ok(input.end());
    Some(lines)
}

/// The cells of a line; if it stands in its source letter by letter, each at its own place.
fn cells(line: Spanned<&str>) -> Vec<Token<'static>> {
    let Spanned { value, range } = line;
    let place = |start: usize, length: usize| -> Range<usize> {
        if range.len() == value.len() {
            range.start + start..range.start + start + length
        } else {
            range.clone()
        }
    };
    let cell =
        |(start, c): (usize, char)| Token { text: c.to_string().into(), range: place(start, c.len_utf8()) };
    value.char_indices().map(cell).collect()
}

/// The start in the statement's input format.
pub(super) fn write_input(setup: &Setup) -> String {
    let mut text = format!("{} {}\n", setup.target, setup.digits);
    for row in setup.board.squares().iter_rows() {
        text.extend(row.iter().map(|square| square.char()));
        text.push('\n');
    }
    text
}

/// The answer in the statement's output format.
pub(super) fn write_output(path: Option<&Path>) -> String {
    let Some(path) = path else { return "0\n".to_owned() };
    let mut text = String::from("1\n");
    for pos in path.places() {
        let _ = writeln!(text, "{} {}", pos.row, pos.col);
    }
    text
}

/// Whether `text` says `1` and then a path that solves the task, where the house takes any.
pub(super) fn accepts_output(setup: &Setup, text: &str) -> bool {
    if setup.rules.order == Order::Lexicographic {
        return false;
    }
    let numbers: Option<Vec<usize>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some([1, squares @ ..]) = numbers.as_deref() else { return false };
    let (places, []) = squares.as_chunks() else { return false };
    let places: Vec<_> = places.iter().map(|&[row, col]| Pos::new(row, col)).collect();
    // The number of squares is checked first: a text may hold far more than any board.
    places.len() == 2 * setup.digits - 1
        && setup.board.path(&places).is_some_and(|path| setup.is_solution(&path))
}
