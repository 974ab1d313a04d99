//! Quento: find a path over digits and symbols whose value is a given number.
//!
//! [`paths`] are the paths of a board, whatever is written on it; [`rules`] has the board and the run. Every path of
//! `M` digits has the same length, so the smallest one is the first that a depth-first search finds.

mod classic;
mod doc;
mod facts;
mod legal;
pub mod paths;
mod reach;
mod room;
pub mod rules;
mod script;
pub mod search;
mod stdio;
mod steps;
mod stock;
mod view;

use serde::Serialize;

use crate::diagnostic::CodeSpec;
use crate::engine::{Binder, Engine, Fact, MomentFact, Native, Observer, Session, Unanswered};
use crate::input::Input;
use crate::trace::Frame;
use crate::value::FactSpec;

pub use self::doc::Doc;
use self::rules::{Event, Rules, Setup, Square, State};
pub use self::view::Answer;

/// The engine of Quento.
#[derive(Debug, Default)]
pub struct Quento;

impl Engine for Quento {
    const NAME: &'static str = "quento";
    const ABOUT: &'static str = "Quento: walk over digits and symbols to build a number";
    const EXAMPLE: &'static str = include_str!("example.toml");
    const STEP: &'static str = "square";
    const EVENTS: &'static [CodeSpec] = &[
        CodeSpec { code: "quento::start", about: "nothing is walked yet" },
        CodeSpec { code: "quento::walk", about: "the path goes on to a square" },
        CodeSpec { code: "quento::reached", about: "the path has its digits and its value is the target" },
        CodeSpec { code: "quento::no-path", about: "no path builds the target" },
        CodeSpec { code: "quento::gave-up", about: "the search spent its budget before it knew" },
    ];
    const CODES: &'static [CodeSpec] = &[
        CodeSpec { code: "quento::target", about: "the target is out of range" },
        CodeSpec { code: "quento::digits", about: "the number of digits is out of range" },
        CodeSpec { code: "quento::size", about: "the board has a wrong number of rows or columns" },
        CodeSpec { code: "quento::digit", about: "a digit square holds no digit from 1 to 9" },
        CodeSpec { code: "quento::symbol", about: "a symbol square holds neither `+` nor `-`" },
        CodeSpec { code: "quento::budget", about: "a search gave up before it knew the answer" },
        CodeSpec { code: "quento::too-many-paths", about: "too many paths are solutions to list them" },
    ];

    const NATIVES: &'static [Native] = script::NATIVES;

    type Doc = Doc;
    type Rules = Rules;
    type Setup = Setup;
    type State = State;
    type Event = Event;
    type Outcome = Answer;

    fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
        doc::bind(doc, rules, binder)
    }

    fn read_input(input: &mut Input, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
        stdio::read(input, rules, binder)
    }

    #[inline]
    fn run<O: Observer<State, Event>>(setup: &Setup, observer: &mut O) -> Answer {
        rules::run(setup, observer).into()
    }

    fn at(state: &State) -> u64 {
        state.walked as u64
    }

    fn step(event: &Event) -> Option<u64> {
        match event {
            Event::Walk { step, .. } => Some(*step),
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

    fn frame(setup: &Setup, state: &State, event: &Event) -> Frame {
        view::frame(setup, state, event)
    }

    fn write_input(setup: &Setup) -> String {
        stdio::write_input(setup)
    }

    fn write_output(setup: &Setup, answer: &Answer) -> Result<String, Unanswered> {
        answer.path(setup).map(stdio::write_output)
    }

    fn accepts_output(setup: &Setup, text: &str) -> bool {
        stdio::accepts_output(setup, text)
    }

    fn write_doc(setup: &Setup) -> impl Serialize {
        doc::write(setup)
    }

    fn rules(setup: &Setup) -> &Rules {
        &setup.rules
    }

    fn cell(_: &str, typed: &str) -> Option<String> {
        let mut chars = typed.chars();
        let square = chars.next().and_then(Square::new)?;
        chars.as_str().is_empty().then(|| square.char().to_string())
    }

    fn session(setup: &Setup) -> Option<Box<dyn Session>> {
        Some(Box::new(script::QuentoSession::new(setup)))
    }
}
