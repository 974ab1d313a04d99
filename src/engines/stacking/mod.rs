//! New Game 2: pieces on a colored board move in turns, pile up, and end the game when a stack is tall.
//!
//! The rules are in `rules`, a faster form of the statement's own in `packed`, and in `cycle` what makes any turn
//! limit affordable: the same position twice means that the game never ends.

mod cycle;
mod doc;
mod facts;
mod legal;
mod packed;
mod rules;
mod script;
mod stdio;
#[cfg(test)]
mod tests;
mod view;

pub use cycle::{Ending, Last, Outcome};
pub use doc::{Doc, PieceDoc};
pub use rules::{Blocked, Color, Ends, Event, MAX_TURNS, Movers, Piece, Red, Rules, Setup, State, What};

use serde::Serialize;

use crate::diagnostic::{CodeSpec, count};
use crate::engine::{Binder, Engine, Fact, MomentFact, Native, Observer, Unanswered};
use crate::input::Input;
use crate::trace::Frame;

/// The engine of New Game 2.
#[derive(Debug)]
pub struct Stacking;

impl Engine for Stacking {
    const NAME: &'static str = "stacking";
    const ABOUT: &'static str = "New Game 2: pieces move, pile up and are reversed until four are in a stack";
    const EXAMPLE: &'static str = include_str!("example.toml");
    const STEP: &'static str = "turn";
    const EVENTS: &'static [CodeSpec] = view::EVENTS;
    const CODES: &'static [CodeSpec] = &[
        CodeSpec { code: "stacking::color", about: "an unknown square color" },
        CodeSpec { code: "stacking::not-square", about: "a board has more or fewer rows than columns" },
        CodeSpec { code: "stacking::board-size", about: "a board is too small or too large" },
        CodeSpec { code: "stacking::piece-count", about: "there are too few or too many pieces" },
        CodeSpec { code: "stacking::piece", about: "a piece lacks a key, or its place is no row and column" },
        CodeSpec { code: "stacking::facing", about: "an unknown direction" },
        CodeSpec { code: "stacking::off-board", about: "a piece starts off the board" },
        CodeSpec { code: "stacking::shared-square", about: "two pieces start on the same square" },
        CodeSpec { code: "stacking::gave-up", about: "a game was given up before its end was known" },
    ];

    const NATIVES: &'static [Native] = script::NATIVES;

    type Doc = Doc;
    type Rules = Rules;
    type Setup = Setup;
    type State = State;
    type Event = Event;
    type Outcome = Outcome;

    fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
        doc::bind(doc, rules, binder)
    }

    fn read_input(input: &mut Input, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
        stdio::read(input, rules, binder)
    }

    fn run<O: Observer<State, Event>>(setup: &Setup, observer: &mut O) -> Outcome {
        cycle::play(setup, observer)
    }

    fn at(state: &State) -> u64 {
        state.turn()
    }

    fn step(event: &Event) -> Option<u64> {
        matches!(event.what, What::TurnOver | What::TallStack { .. }).then_some(event.turn)
    }

    fn facts() -> &'static [Fact<Self>] {
        &facts::FACTS
    }

    fn moments() -> &'static [MomentFact<Self>] {
        &facts::MOMENTS
    }

    fn frame(setup: &Setup, state: &State, event: &Event) -> Frame {
        view::frame(setup, state, event)
    }

    fn write_input(setup: &Setup) -> String {
        stdio::write(setup)
    }

    fn write_output(_: &Setup, outcome: &Outcome) -> Result<String, Unanswered> {
        turn(outcome).map(|turn| format!("{turn}\n"))
    }

    fn write_doc(setup: &Setup) -> impl Serialize {
        doc::write(setup)
    }

    fn rules(setup: &Setup) -> &Rules {
        setup.rules()
    }

    /// `.` for an empty square, typed as `.` or `0`; else the numbers of the pieces, joined by `-`.
    fn cell(_: &str, typed: &str) -> Option<String> {
        if matches!(typed, "." | "0") {
            return Some(".".to_owned());
        }
        let is_piece = |number: &str| {
            !number.starts_with('0') && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        typed.split('-').all(is_piece).then(|| typed.to_owned())
    }
}

fn turn(outcome: &Outcome) -> Result<i64, Unanswered> {
    match outcome.ending {
        Ending::Tall { turn } => Ok(turn as i64),
        Ending::Cycle { .. } | Ending::TurnLimit => Ok(-1),
        Ending::Undecided { .. } => Err(gave_up(outcome)),
    }
}

fn gave_up(outcome: &Outcome) -> Unanswered {
    let played = match outcome.ending {
        Ending::Undecided { turn } => turn,
        _ => 0,
    };
    Unanswered {
        code: "stacking::gave-up",
        why: format!(
            "after {} there is neither a tall stack nor a position that came back",
            count(played, "turn")
        ),
        help: "raise `budget` or lower `turn_limit` of the house rules".to_owned(),
    }
}
