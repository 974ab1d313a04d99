//! The special effects: which pieces each one hits.

use super::columns::{Columns, WORD};
use super::losses::Losses;
use super::rules::Rules;

/// Every piece of the row.
pub(super) const ROW: u8 = 1;
/// Every piece of the column.
pub(super) const COLUMN: u8 = 2;
/// Every piece of the row and of the column.
pub(super) const CROSS: u8 = 3;
/// Every piece of a small square around it.
pub(super) const SMALL_SQUARE: u8 = 4;
/// Every piece of a large square around it.
pub(super) const LARGE_SQUARE: u8 = 5;
/// Every piece of its own color.
pub(super) const COLOR: u8 = 6;

/// Takes what the special piece on `cell` hits.
pub(super) fn act(board: &Columns, losses: &mut Losses, cell: usize, rules: &Rules) {
    let (col, row) = board.place(cell);
    match board.specials[cell] {
        ROW => take_row(board, losses, row),
        COLUMN => losses.take_rows(board, col, 0, board.rows()),
        CROSS => {
            take_row(board, losses, row);
            losses.take_rows(board, col, 0, board.rows());
        }
        SMALL_SQUARE => take_square(board, losses, col, row, rules.small_square),
        LARGE_SQUARE => take_square(board, losses, col, row, rules.large_square),
        _ => take_color(board, losses, board.colors[cell]),
    }
}

fn take_row(board: &Columns, losses: &mut Losses, row: usize) {
    board.range().for_each(|col| losses.take_cell(board, col, row));
}

fn take_square(board: &Columns, losses: &mut Losses, col: usize, row: usize, reach: usize) {
    let cols = board.range();
    for col in cols.start.max(col.saturating_sub(reach))..cols.end.min(col + reach + 1) {
        losses.take_rows(board, col, row.saturating_sub(reach), row + reach + 1);
    }
}

/// Goes through the board, but only while a piece of the color is left: that is once in a game for each color.
fn take_color(board: &Columns, losses: &mut Losses, color: u8) {
    for col in board.range() {
        for word in 0..usize::from(board.heights[col]).div_ceil(WORD) {
            if losses.live[usize::from(color)] == 0 {
                return;
            }
            let start = board.at(col, word * WORD);
            let cells = board.colors[start..start + WORD].iter().enumerate();
            let bits = cells.fold(0, |bits, (i, &cell)| bits | u64::from(cell == color) << i);
            losses.take(board, col, word, bits);
        }
    }
}
