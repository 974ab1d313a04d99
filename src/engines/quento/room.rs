//! Whether enough squares are left to walk on, for boards whose digits are nearly all wanted.

use super::rules::Board;

/// Sees when the squares that are left cannot hold the rest of a path.
#[derive(Debug)]
pub(super) struct Room {
    digits: u128,
    symbols: u128,
    /// The board without its first column, and without its last.
    not_first: u128,
    not_last: u128,
    cols: u32,
}

impl Room {
    /// The room of `board`, or `None` where so few of its digits are wanted that looking does not pay.
    pub(super) fn new(board: &Board, digits: usize) -> Option<Self> {
        if digits * 4 < board.digit_squares() * 3 {
            return None;
        }
        let grid = board.squares();
        let set = |wanted: &dyn Fn(usize) -> bool| {
            (0..grid.cells().len()).filter(|&square| wanted(square)).fold(0, |set, square| set | 1 << square)
        };
        let cols = grid.cols();
        Some(Self {
            digits: set(&|square| square % 2 == 0),
            symbols: set(&|square| square % 2 == 1),
            not_first: set(&|square| square % cols != 0),
            not_last: set(&|square| square % cols != cols - 1),
            cols: cols as u32,
        })
    }

    /// The neighbours of a set's squares, by the direction in which they lie.
    #[inline]
    fn around(&self, set: u128) -> [u128; 4] {
        // What is shifted off the board lies behind its last square, or is gone.
        [set << self.cols, set >> self.cols, set << 1 & self.not_first, set >> 1 & self.not_last]
    }

    /// Whether a path that stands on the digit `at` may go on to `left` more digits without the squares in `seen`.
    #[inline]
    pub(super) fn is_enough(&self, at: u8, left: usize, seen: u128) -> bool {
        let at = 1 << at;
        let left = left as u32;
        let free = self.digits & !seen;
        // A symbol is walked between two digits.
        let [a, b, c, d] = self.around(free | at);
        let bridges = self.symbols & !seen & (a & b | c & d | (a | b) & (c | d));
        let (mut digits, mut symbols) = (at, 0);
        loop {
            let [a, b, c, d] = self.around(digits);
            let more = bridges & (a | b | c | d);
            if more == symbols {
                break;
            }
            symbols = more;
            let [a, b, c, d] = self.around(symbols);
            digits |= free & (a | b | c | d);
        }
        digits &= free;
        if symbols.count_ones() < left {
            return false;
        }
        // A digit next to one symbol only can be walked last, and only one is last.
        let [a, b, c, d] = self.around(symbols);
        let ends = digits & !(a & b | c & d | (a | b) & (c | d));
        digits.count_ones() - ends.count_ones().saturating_sub(1) >= left
    }
}
