//! What happens in a game, and how it ends.

use crate::grid::{Grid, Pos};

use super::cascade::State;
use super::rules::{Skip, Swap};
use super::score::{Hand, Tally};

/// Something that happened. Cells come in reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The game begins.
    Start,
    /// The pieces on two cells changed places.
    Swap {
        /// The swap.
        swap: Swap,
    },
    /// A swap was skipped: it is over.
    Skipped {
        /// The swap's number, from 1.
        number: u64,
        /// The swap.
        swap: Swap,
        /// Why.
        reason: Skip,
    },
    /// A round begins: lines are matched.
    LineMatched {
        /// The pieces of all lines.
        cells: Vec<Pos>,
    },
    /// Matched pieces are a block larger than a line.
    Combo {
        /// The pieces of the block.
        cells: Vec<Pos>,
        /// What it is worth.
        points: i64,
    },
    /// A special piece was eliminated and acts.
    Special {
        /// Its effect, from 1 to 6.
        effect: u8,
        /// Where it lies.
        at: Pos,
        /// The pieces that it eliminates and that were not eliminated before.
        cells: Vec<Pos>,
    },
    /// A round ends: what was eliminated is gone, the rest fell.
    Fall {
        /// Pieces eliminated in the round.
        lost: usize,
        /// The round's elimination points.
        points: i64,
    },
    /// Five valid swaps made a hand.
    Hand {
        /// The hand.
        hand: Hand,
    },
    /// A valid swap is over and scored.
    SwapScored {
        /// The swap's number, from 1.
        number: u64,
        /// The swap.
        swap: Swap,
        /// Its elimination points.
        elimination: i64,
        /// Its chain points.
        chain: i64,
        /// Its combo points.
        combo: i64,
    },
    /// The game is over, and every swap was valid.
    AllValid {
        /// What that is worth.
        points: i64,
    },
    /// The game is over, and the board is empty.
    Cleared {
        /// What that is worth.
        points: i64,
    },
}

/// How a game ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub(super) state: State,
}

impl Outcome {
    /// The points and counts of the game.
    pub fn tally(&self) -> &Tally {
        self.state.tally()
    }

    /// The colors left on the board, 0 where it is empty.
    pub fn board(&self) -> Grid<u8> {
        self.state.board()
    }

    /// Whether the board is empty.
    pub fn is_cleared(&self) -> bool {
        self.state.is_cleared()
    }
}
