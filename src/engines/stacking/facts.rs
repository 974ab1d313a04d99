//! The facts of a game, each a row: name, meaning and answer.

use std::sync::LazyLock;

use crate::engine::{self, Answer};
use crate::grid::{Dir, Grid};

use super::rules::State;
use super::{Stacking, gave_up, turn, view};

type Fact = engine::Fact<Stacking>;
type MomentFact = engine::MomentFact<Stacking>;

/// A fact of a position, and of the number of moves that led to it.
struct OfPosition<T> {
    name: &'static str,
    about: &'static str,
    answer: fn(&State, u64) -> T,
}

impl<T: Answer + 'static> OfPosition<T> {
    /// Returns the fact of the last position, which is played again from the start: the path to a turn keeps none.
    fn at_the_end(self) -> Fact {
        let Self { name, about, answer } = self;
        Fact::fallible(name, about, move |run| {
            let last = run.outcome.last(run.setup).ok_or_else(|| gave_up(run.outcome))?;
            Ok(answer(&last.state, last.moves))
        })
    }

    /// Returns the fact of the position after a turn.
    fn after_a_turn(self) -> MomentFact {
        let Self { name, about, answer } = self;
        MomentFact::new(name, about, move |now| answer(now.state, now.state.moves()))
    }
}

const STACKS: OfPosition<Grid<String>> = OfPosition {
    name: "stacks",
    about: "the pieces on each square, from bottom to top, joined by `-`; `.` where nobody stands",
    answer: |state, _| view::stacks(state),
};
const MOVES: OfPosition<u64> = OfPosition {
    name: "moves",
    about: "how often a piece, with those it carried counted once, changed squares",
    answer: |_, moves| moves,
};
const FACINGS: OfPosition<Vec<&'static str>> = OfPosition {
    name: "facings",
    about: "where each piece faces: `right`, `left`, `up` or `down`",
    answer: |state, _| state.facings().map(Dir::name).collect(),
};
const PLACES: OfPosition<Vec<Vec<usize>>> = OfPosition {
    name: "places",
    about: "`[row, column]` of each piece, from 1",
    answer: |state, _| {
        let places = (0..state.facings().len()).map(|piece| state.place(piece));
        places.map(|at| vec![at.row + 1, at.col + 1]).collect()
    },
};

/// The facts of a run.
pub(super) static FACTS: LazyLock<Vec<Fact>> = LazyLock::new(|| {
    vec![
        Fact::fallible("turn", "the turn in which the game ended; -1 if not within the turn limit", |run| {
            turn(run.outcome)
        })
        .asked_first(),
        STACKS.at_the_end(),
        MOVES.at_the_end(),
        FACINGS.at_the_end(),
        PLACES.at_the_end(),
    ]
});

/// The facts after a turn.
pub(super) static MOMENTS: LazyLock<Vec<MomentFact>> = LazyLock::new(|| {
    vec![
        STACKS.after_a_turn(),
        MOVES.after_a_turn(),
        FACINGS.after_a_turn(),
        PLACES.after_a_turn(),
        MomentFact::new("tallest", "the number of pieces in the highest stack", |now| now.state.tallest().1),
    ]
});
