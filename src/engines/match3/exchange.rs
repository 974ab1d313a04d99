//! The exchange of two pieces: whether a swap makes a line, and which swaps do.

use super::columns::{Columns, PAD};
use super::lines;
use super::rules::{Skip, Spot, Swap};
use super::score::Primary;

/// Exchanges the pieces on the swap's cells and answers its primary colors; leaves the board alone if there is no
/// line. `PLAIN` when a line is three pieces, whatever `line` says.
#[inline]
pub(super) fn exchange<const PLAIN: bool>(
    board: &mut Columns,
    swap: Swap,
    line: usize,
) -> Result<Primary, Skip> {
    let [a, b] = on_board(board, swap)?.map(|(col, row)| board.at(col, row));
    let Swap { first, second } = swap;
    match first.row.abs_diff(second.row) + first.col.abs_diff(second.col) {
        0 => return Err(Skip::SameCell),
        1 => {}
        _ => return Err(Skip::NotAdjacent),
    }
    if board.colors[a] == 0 || board.colors[b] == 0 {
        return Err(Skip::EmptyCell);
    }
    let matched = exchange_colors::<PLAIN>(board, [a, b], line);
    if matched == [false; 2] {
        board.colors.swap(a, b);
        return Err(Skip::NoMatch);
    }
    board.specials.swap(a, b);
    Ok(match matched {
        [true, true] => [board.colors[a], board.colors[b]],
        [true, false] => [board.colors[a], 0],
        _ => [board.colors[b], 0],
    })
}

/// Exchanges the colors of two cells; for each, whether a line runs through it then.
#[inline]
fn exchange_colors<const PLAIN: bool>(board: &mut Columns, [a, b]: [usize; 2], line: usize) -> [bool; 2] {
    board.colors.swap(a, b);
    let makes_line = |cell| {
        if PLAIN { lines::makes_three(board, cell) } else { lines::makes_line(board, cell, line) }
    };
    [makes_line(a), makes_line(b)]
}

/// The swaps that make a line, each of a cell and its right or lower neighbour: in reading order of the cell, right
/// before down. No line stands on the board.
pub(super) fn matching<const PLAIN: bool>(board: &Columns, line: usize) -> Vec<Swap> {
    let mut board = board.clone();
    let mut swaps = Vec::new();
    for row in 0..board.rows() {
        for col in 0..board.cols() {
            let cell = board.at(col + PAD, board.rows() - 1 - row);
            // To the right of the board and below it all is empty.
            for (other, down, right) in [(cell + board.stride(), 0, 1), (cell - 1, 1, 0)] {
                let [color, next] = [cell, other].map(|cell| board.colors[cell]);
                if color == 0 || next == 0 || color == next {
                    continue;
                }
                let matched = exchange_colors::<PLAIN>(&mut board, [cell, other], line);
                board.colors.swap(cell, other);
                if matched != [false; 2] {
                    let first = Spot { row: row as i32 + 1, col: col as i32 + 1 };
                    let second = Spot { row: first.row + down, col: first.col + right };
                    swaps.push(Swap { first, second });
                }
            }
        }
    }
    swaps
}

/// Column and row of a swap's cells, if they lie on the board.
pub(super) fn on_board(board: &Columns, swap: Swap) -> Result<[(usize, usize); 2], Skip> {
    let place = |spot: Spot| {
        let (row, col) = (spot.row.wrapping_sub(1) as usize, spot.col.wrapping_sub(1) as usize);
        let inside = row < board.rows() && col < board.cols();
        if inside { Ok((col + PAD, board.rows() - 1 - row)) } else { Err(Skip::OffBoard) }
    };
    Ok([place(swap.first)?, place(swap.second)?])
}
