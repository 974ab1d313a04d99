//! What a game of Texas Match-3 is made of: the house rules, the swaps, a legal start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::grid::Grid;

use super::score::Points;

/// The house rules of Texas Match-3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// How many equal pieces in a row or column are a line, at least 2. Default: 3.
    #[schemars(range(min = 2, max = 10_000))]
    pub line: usize,
    /// How many cells special 4 reaches in every direction. Default: 1, a square of 3 x 3.
    #[schemars(range(min = 0, max = 10_000))]
    pub small_square: usize,
    /// How many cells special 5 reaches in every direction. Default: 2, a square of 5 x 5.
    #[schemars(range(min = 0, max = 10_000))]
    pub large_square: usize,
    /// What joins matched pieces of one color to a block for the combo points: `edges`, or `corners` too.
    /// Default: `edges`.
    pub blocks_join: Join,
    /// Which valid swaps make a hand: `fives` (1 to 5, 6 to 10, ...) or `sliding` (from the fifth on, after each one
    /// the last five). Default: `fives`.
    pub hands: Hands,
    /// Which color counts of a swap with two primary colors: `most-points` (the choice for all five swaps together
    /// that is worth most) or `first-color` (the one that the swap brought to its first cell). With one primary
    /// color there is no choice. Default: `most-points`.
    pub hand_choice: HandChoice,
    /// What everything is worth, each from 0 to 1000000000.
    pub points: Points,
}

/// What joins matched pieces of one color to a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// A common edge.
    #[default]
    Edges,
    /// A common edge or corner.
    Corners,
}

/// Which swaps make a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hands {
    /// Valid swaps 1 to 5, 6 to 10 and so on.
    #[default]
    Fives,
    /// From the fifth valid swap on, after each one the last five.
    Sliding,
}

/// Which color of a swap with two primary colors counts in a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandChoice {
    /// The choice for all five swaps together that is worth most points; among equals the better kind.
    #[default]
    MostPoints,
    /// The color that the swap brought to its first cell.
    FirstColor,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            line: 3,
            small_square: 1,
            large_square: 2,
            blocks_join: Join::Edges,
            hands: Hands::Fives,
            hand_choice: HandChoice::MostPoints,
            points: Points::default(),
        }
    }
}

impl Rules {
    /// Whether lines and blocks are those of the statement, for which the fast ways are built.
    pub(super) fn is_plain(&self) -> bool {
        self.line == 3 && self.blocks_join == Join::Edges
    }
}

/// A cell as the statement numbers it, row and column from 1; it may lie off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Row, from the top.
    pub row: i32,
    /// Column, from the left.
    pub col: i32,
}

/// An operation: the pieces on two cells are to change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The cell named first.
    pub first: Spot,
    /// The cell named second.
    pub second: Spot,
}

impl Swap {
    /// The swap `[row1, col1, row2, col2]`.
    pub const fn new([row1, col1, row2, col2]: [i32; 4]) -> Self {
        Self { first: Spot { row: row1, col: col1 }, second: Spot { row: row2, col: col2 } }
    }

    /// `[row1, col1, row2, col2]`.
    pub const fn numbers(self) -> [i32; 4] {
        [self.first.row, self.first.col, self.second.row, self.second.col]
    }
}

/// Why a swap is skipped; of several reasons the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// A cell lies off the board.
    OffBoard,
    /// Both cells are the same.
    SameCell,
    /// The cells share no edge.
    NotAdjacent,
    /// A cell has no piece.
    EmptyCell,
    /// No line would come about.
    NoMatch,
}

impl Skip {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OffBoard => "off-board",
            Self::SameCell => "same-cell",
            Self::NotAdjacent => "not-adjacent",
            Self::EmptyCell => "empty-cell",
            Self::NoMatch => "no-match",
        }
    }
}

/// A legal start: every cell has a piece and no line stands on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    pub(super) rules: Rules,
    /// The bound on colors: `k` of the statement.
    pub(super) colors: u8,
    /// Colors, from 1.
    pub(super) board: Grid<u8>,
    /// Special effects, 0 for none; the shape of the board.
    pub(super) specials: Grid<u8>,
    pub(super) swaps: Vec<Swap>,
}

impl Setup {
    /// The swaps to be made.
    pub fn swaps(&self) -> &[Swap] {
        &self.swaps
    }

    /// The house rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}
