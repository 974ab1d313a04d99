//! Texas Match-3: a game of swaps, lines that vanish, falls and poker hands, and what it scores.
//!
//! The rules are in [`rules`] (what a game is made of), [`cascade`] (how it goes), `special` (effects) and
//! [`score`] (points); `columns` and `lines` are why they are fast.

mod blocks;
pub mod cascade;
mod columns;
mod doc;
mod event;
mod exchange;
mod facts;
mod fall;
mod legal;
mod lines;
mod losses;
pub mod rules;
pub mod score;
mod script;
mod special;
mod stdio;
mod view;
mod work;

#[cfg(test)]
mod tests;

pub use self::cascade::State;
pub use self::doc::Doc;
pub use self::event::{Event, Outcome};
pub use self::rules::{Rules, Setup};
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use self::work::work;

use serde::Serialize;

use crate::diagnostic::CodeSpec;
use crate::engine::{Binder, Engine, Fact, MomentFact, Native, Observer, Session, Unanswered};
use crate::input::Input;
use crate::trace::{Frame, Table};
use crate::value::FactSpec;

/// The engine.
#[derive(Debug)]
pub struct Match3;

impl Engine for Match3 {
    const NAME: &'static str = "match3";
    const ABOUT: &'static str = "Texas Match-3: swaps, lines, specials, cascades and poker hands, scored";
    const EXAMPLE: &'static str = include_str!("example.toml");
    const STEP: &'static str = "swap";

    const EVENTS: &'static [CodeSpec] = &[
        CodeSpec { code: "match3::start", about: "the game begins" },
        CodeSpec { code: "match3::swap", about: "two pieces change places" },
        CodeSpec { code: "match3::skipped", about: "a swap is skipped" },
        CodeSpec { code: "match3::line-matched", about: "a round begins with lines" },
        CodeSpec { code: "match3::combo", about: "matched pieces are a block larger than a line" },
        CodeSpec { code: "match3::special-row", about: "a special takes its row" },
        CodeSpec { code: "match3::special-column", about: "a special takes its column" },
        CodeSpec { code: "match3::special-cross", about: "a special takes its row and column" },
        CodeSpec {
            code: "match3::special-small-square",
            about: "a special takes the small square around it",
        },
        CodeSpec {
            code: "match3::special-large-square",
            about: "a special takes the large square around it",
        },
        CodeSpec { code: "match3::special-color", about: "a special takes every piece of its color" },
        CodeSpec { code: "match3::fall", about: "what was eliminated is gone, the rest falls" },
        CodeSpec { code: "match3::hand", about: "five valid swaps make a hand" },
        CodeSpec { code: "match3::swap-scored", about: "a valid swap is over" },
        CodeSpec { code: "match3::all-valid", about: "the game is over, every swap was valid" },
        CodeSpec { code: "match3::cleared", about: "the game is over, the board is empty" },
    ];

    const CODES: &'static [CodeSpec] = &[
        CodeSpec { code: "match3::size", about: "too many or too few rows, columns or swaps" },
        CodeSpec { code: "match3::colors", about: "a number of colors out of range" },
        CodeSpec { code: "match3::cell", about: "a cell of the board is no color" },
        CodeSpec { code: "match3::above-colors", about: "a color above the number of colors" },
        CodeSpec { code: "match3::special", about: "a cell of the specials is no special effect" },
        CodeSpec { code: "match3::specials-shape", about: "the specials have another shape than the board" },
        CodeSpec { code: "match3::starts-with-line", about: "a line stands on the board at the start" },
        CodeSpec { code: "match3::swap", about: "a swap is not four numbers of rows and columns" },
        CodeSpec { code: "match3::rule", about: "house rules under which points can be too large" },
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
        cascade::play(setup, observer)
    }

    fn at(state: &State) -> u64 {
        state.step().number
    }

    fn step(event: &Event) -> Option<u64> {
        match event {
            Event::Skipped { number, .. } | Event::SwapScored { number, .. } => Some(*number),
            _ => None,
        }
    }

    fn facts() -> &'static [Fact<Self>] {
        &facts::FACTS
    }

    fn moments() -> &'static [MomentFact<Self>] {
        &facts::MOMENTS
    }

    fn seen() -> Vec<FactSpec> {
        facts::STATE.iter().map(|field| field.spec().clone()).collect()
    }

    fn frame(_: &Setup, state: &State, event: &Event) -> Frame {
        view::frame(state, event)
    }

    fn write_input(setup: &Setup) -> String {
        stdio::write(setup)
    }

    fn write_output(_: &Setup, outcome: &Outcome) -> Result<String, Unanswered> {
        Ok(format!("{}\n", outcome.tally().score()))
    }

    fn write_doc(setup: &Setup) -> impl Serialize {
        doc::write(setup)
    }

    fn rules(setup: &Setup) -> &Rules {
        setup.rules()
    }

    fn cell(fact: &str, typed: &str) -> Option<String> {
        let number = match fact {
            "specials" => doc::special(typed).filter(|special| legal::SPECIALS.contains(special)),
            _ => doc::color_or_empty(typed),
        };
        number.and_then(|number| u8::try_from(number).ok()).map(view::cell)
    }

    fn ledger(setup: &Setup) -> Option<Table> {
        Some(view::ledger(setup))
    }

    fn session(setup: &Setup) -> Option<Box<dyn Session>> {
        Some(Box::new(script::Match3Session::new(setup)))
    }
}
