//! What a task must fulfil, whichever text it comes from.

use std::ops::{Range, RangeInclusive};

use crate::board::{self, Token};
use crate::diagnostic::count;
use crate::engine::Binder;
use crate::grid::{Grid, Pos};
use crate::spanned::Spanned;

use super::paths::{self, MAX_SIDE};
use super::rules::{Board, Rules, Setup, Square, is_digit_square};

/// The targets of the statement.
const TARGETS: RangeInclusive<i64> = 1..=45;
/// The targets without limits of size.
const ALL_TARGETS: RangeInclusive<i64> = -1_000_000..=1_000_000;
/// The numbers of digits of the statement.
const DIGITS: RangeInclusive<i64> = 2..=5;
/// Help where lifting the limits of size would do.
const LIFT: &str = "larger tasks are played with `limits = \"none\"`";

/// The setup of a task, or `None` with the faults pushed. A part that is `None` was at fault before.
pub(super) fn legal(
    target: Option<Spanned<i64>>,
    digits: Option<Spanned<i64>>,
    board: Option<Board>,
    rules: Rules,
    binder: &mut Binder<'_>,
) -> Option<Setup> {
    let limited = binder.size_limits();
    let targets = if limited { TARGETS } else { ALL_TARGETS };
    let most_digits = board.as_ref().map_or(i64::MAX, |board| board.digit_squares() as i64);
    let numbers = if limited { DIGITS } else { 1..=most_digits };
    let target = target.and_then(|target| in_range("quento::target", "target", target, &targets, binder));
    let digits =
        digits.and_then(|digits| in_range("quento::digits", "number of digits", digits, &numbers, binder));
    Setup::new(board?, target?, digits? as usize, rules)
}

fn in_range(
    code: &'static str,
    what: &str,
    number: Spanned<i64>,
    range: &RangeInclusive<i64>,
    binder: &mut Binder<'_>,
) -> Option<i64> {
    if range.contains(&number.value) {
        return Some(number.value);
    }
    let label = match *range.end() {
        i64::MAX => format!("expected at least {}", range.start()),
        end => format!("expected {} to {end}", range.start()),
    };
    let limited = binder.size_limits();
    let fault = binder.fault(code, format!("the {what} is {}", number.value), number.range, label);
    if limited {
        fault.help.push(LIFT.to_owned());
    }
    None
}

/// The board of these cells, which stand in `whole`.
pub(super) fn board(cells: &Grid<Token<'_>>, whole: Range<usize>, binder: &mut Binder<'_>) -> Option<Board> {
    let (rows, cols) = (cells.rows(), cells.cols());
    let fits = if binder.size_limits() { (rows, cols) == (3, 3) } else { paths::is_board(rows, cols) };
    if !fits {
        wrong_size(rows, cols, whole, binder);
        return None;
    }
    let mut squares = Vec::with_capacity(rows * cols);
    for (pos, token) in cells.iter() {
        match square(&token.text, pos) {
            Some(square) => squares.push(square),
            None => wrong_square(token, pos, binder),
        }
    }
    Grid::from_cells(cols, squares).and_then(Board::new)
}

fn wrong_size(rows: usize, cols: usize, whole: Range<usize>, binder: &mut Binder<'_>) {
    let limited = binder.size_limits();
    let label = if limited {
        "expected 3 rows of 3 squares".to_owned()
    } else {
        format!("expected odd numbers of rows and columns, up to {MAX_SIDE}")
    };
    let title = format!("a board of {} and {}", count(rows as u64, "row"), count(cols as u64, "column"));
    let fault = binder.fault("quento::size", title, whole, label);
    if limited {
        fault.help.push(LIFT.to_owned());
    }
}

/// Returns what stands in the square at `pos` if `typed` may stand there.
fn square(typed: &str, pos: Pos) -> Option<Square> {
    let mut chars = typed.chars();
    let square = chars.next().and_then(Square::new).filter(|_| chars.as_str().is_empty());
    square.filter(|square| square.is_digit() == is_digit_square(pos))
}

fn wrong_square(token: &Token<'_>, pos: Pos, binder: &mut Binder<'_>) {
    let Pos { row, col } = pos;
    let (code, kind, expected) = if is_digit_square(pos) {
        ("quento::digit", "digit", "a digit from 1 to 9")
    } else {
        ("quento::symbol", "symbol", "`+` or `-`")
    };
    let title = format!("`{}` stands in a {kind} square", token.text);
    let label = format!("row {row}, column {col} is a {kind} square: expected {expected}");
    let fault = binder.fault(code, title, token.range.clone(), label);
    board::suggest(fault, &token.text, |near| square(near, pos).is_some());
    fault.help.push(
        "rows and columns count from 0; squares whose row and column add up to an even number hold digits"
            .into(),
    );
}
