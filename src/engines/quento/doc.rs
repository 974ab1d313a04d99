//! A task as an author types it in a scenario.

use schemars::JsonSchema;
use serde::Serialize;

use crate::board::BoardText;
use crate::engine::Binder;
use crate::spanned::Spanned;

use super::legal;
use super::rules::{Rules, Setup};

/// The keys of a task of Quento.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// The number to build, 1 to 45; without limits of size -1000000 to 1000000.
    target: Option<Spanned<i64>>,
    /// How many digits to use, 2 to 5; without limits of size 1 to all digits of the board.
    digits: Option<Spanned<i64>>,
    /// The squares, from the top row down: digits from 1 to 9 where row and column, counted from 0, add up to an
    /// even number, else `+` or `-`. 3 rows and columns; without limits of size odd numbers of them, up to 9.
    board: Option<Spanned<BoardText>>,
}

/// The legal start that `doc` describes.
pub(super) fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    if doc.target.is_none() {
        binder.missing("target", "say which number to build, such as `target = 7`");
    }
    if doc.digits.is_none() {
        binder.missing("digits", "say how many digits to use, such as `digits = 2`");
    }
    if doc.board.is_none() {
        binder.missing("board", "draw the squares, such as `board = [\"4+3\", \"-5-\", \"9-2\"]`");
    }
    let board = doc.board.and_then(|board| {
        let cells = binder.board(&board)?;
        legal::board(&cells, board.range.clone(), binder)
    });
    legal::legal(doc.target, doc.digits, board, rules, binder)
}

/// The start as typed.
#[derive(Serialize)]
pub(super) struct Written {
    target: i64,
    digits: usize,
    board: String,
}

pub(super) fn write(setup: &Setup) -> Written {
    let mut board = String::new();
    for row in setup.board.squares().iter_rows() {
        board.extend(row.iter().map(|square| square.char()));
        board.push('\n');
    }
    Written { target: setup.target, digits: setup.digits, board }
}
