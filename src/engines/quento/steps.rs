//! The steps of a path: from a digit over a symbol to the next digit.

use crate::grid::Pos;

use super::rules::{Board, is_digit_square};

/// From a digit over a symbol to another digit.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Both squares, as a set.
    pub squares: u128,
    /// What the step adds to the value.
    pub term: i64,
    /// The symbol's square.
    pub symbol: u8,
    /// The square of the digit that is entered.
    pub square: u8,
    /// The number of the [`Entry`] that the step makes.
    pub entry: u16,
}

/// A digit and the symbol that it is entered from.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The symbol's square.
    pub symbol: u8,
    /// The digit's square.
    pub square: u8,
}

/// All steps of a board.
#[derive(Debug)]
pub(super) struct Steps {
    /// By the square that they leave, in lexicographic order.
    from: Vec<Vec<Step>>,
    /// Every way to enter a digit.
    pub entries: Vec<Entry>,
}

impl Steps {
    /// The steps of `board`.
    pub(super) fn new(board: &Board) -> Self {
        let grid = board.squares();
        let number = |pos: Pos| (pos.row * grid.cols() + pos.col) as u8;
        let mut entries = Vec::new();
        let mut first_entry = vec![0; grid.cells().len()];
        for (pos, _) in grid.iter().filter(|(pos, _)| !is_digit_square(*pos)) {
            let symbol = number(pos);
            first_entry[usize::from(symbol)] = entries.len();
            entries.extend(grid.neighbours(pos).map(|digit| Entry { symbol, square: number(digit) }));
        }
        let over = |from: Pos, symbol: Pos| {
            let entry = first_entry[usize::from(number(symbol))];
            let digits = grid.neighbours(symbol).enumerate().filter(move |(_, digit)| *digit != from);
            digits.map(move |(i, digit)| {
                let (symbol, square) = (number(symbol), number(digit));
                Step {
                    squares: 1 << symbol | 1 << square,
                    term: board.term(symbol, square),
                    symbol,
                    square,
                    entry: (entry + i) as u16,
                }
            })
        };
        let leaving = |pos: Pos| grid.neighbours(pos).flat_map(|symbol| over(pos, symbol)).collect();
        let from = grid.iter().map(|(pos, _)| if is_digit_square(pos) { leaving(pos) } else { Vec::new() });
        Self { from: from.collect(), entries }
    }

    /// The steps that leave `square`, in lexicographic order.
    #[inline]
    pub(super) fn from(&self, square: u8) -> &[Step] {
        &self.from[usize::from(square)]
    }
}
