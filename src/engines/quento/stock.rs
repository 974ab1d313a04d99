//! How much the squares that are left can add, wherever they lie.

use super::rules::Board;

/// The digits and symbols of a board.
#[derive(Debug)]
pub(super) struct Stock {
    /// The digits' squares, each as a set, and their values; the largest first.
    digits: Vec<(u128, i64)>,
    plus: u128,
    minus: u128,
}

impl Stock {
    /// The stock of `board`.
    pub(super) fn new(board: &Board) -> Self {
        let mut stock = Self { digits: Vec::new(), plus: 0, minus: 0 };
        for (i, square) in board.squares().cells().iter().enumerate() {
            let set = 1 << i;
            match square.char() {
                '+' => stock.plus |= set,
                '-' => stock.minus |= set,
                _ => stock.digits.push((set, i64::from(square.digit()))),
            }
        }
        stock.digits.sort_by_key(|(_, digit)| -digit);
        stock
    }

    /// Whether `left` digits that are not in `seen` may add `sum`: every one takes a symbol of its own.
    #[inline]
    pub(super) fn suffices(&self, sum: i64, left: usize, seen: u128) -> bool {
        let pluses = left.min((self.plus & !seen).count_ones() as usize);
        let minuses = left.min((self.minus & !seen).count_ones() as usize);
        let is_free = |&&(set, _): &&(u128, i64)| seen & set == 0;
        // At most, the largest digits count one way and, for want of symbols, the smallest the other way.
        let most = |one_way: usize| {
            let largest = self.digits.iter().filter(is_free).take(one_way);
            let smallest = self.digits.iter().rev().filter(is_free).take(left - one_way);
            largest.map(|(_, digit)| digit).sum::<i64>() - smallest.map(|(_, digit)| digit).sum::<i64>()
        };
        pluses + minuses >= left && sum <= most(pluses) && -sum <= most(minuses)
    }
}
