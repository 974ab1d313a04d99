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
use crate::engine::{Binder, Engine, Native, Observer, Session, Unanswered};
use crate::input::Input;
use crate::trace::{Frame, Table};
use crate::value::{FactSpec, Kind, Value};

use self::score::HandKind;

/// The engine.
#[derive(Debug)]
pub struct Match3;

/// What is gathered for facts that need the course of a game.
#[derive(Clone, Debug, Default)]
pub struct Course {
    running: Vec<i64>,
    skipped: Vec<&'static str>,
    primary: Vec<Vec<i64>>,
    hands: Vec<HandKind>,
}

impl Engine for Match3 {
    const NAME: &'static str = "match3";
    const ABOUT: &'static str = "Texas Match-3: swaps, lines, specials, cascades and poker hands, scored";
    const EXAMPLE: &'static str = include_str!("example.toml");
    const STEP: &'static str = "swap";

    const FACTS: &'static [FactSpec] = &[
        FactSpec::new("score", Kind::INT, "all points together"),
        FactSpec::new("elimination", Kind::INT, "elimination points of the game"),
        FactSpec::new("chain", Kind::INT, "chain points of the game"),
        FactSpec::new("combo", Kind::INT, "combo points of the game"),
        FactSpec::new("hands", Kind::INT, "points of all hands"),
        FactSpec::new("endgame", Kind::INT, "endgame points"),
        FactSpec::new("valid_swaps", Kind::INT, "number of swaps that were not skipped"),
        FactSpec::new("rounds", Kind::INT, "number of rounds of elimination in the game"),
        FactSpec::new("cleared", Kind::BOOL, "whether the board is empty at the end"),
        FactSpec::new("board", Kind::BOARD, "the colours at the end, `.` where a cell is empty"),
        FactSpec::of_course(
            "running",
            Kind::INT.list(),
            "after each swap, skipped or not: elimination, chain and combo points so far",
        ),
        FactSpec::of_course(
            "primary",
            Kind::INT.list().list(),
            "of each valid swap: its one or two primary colours, the lower first",
        ),
        FactSpec::of_course(
            "hand_kinds",
            Kind::TEXT.list(),
            "of each hand, its kind: `high-card`, `one-pair`, `two-pairs`, `three-of-a-kind`, `full-house`, \
             `four-of-a-kind` or `five-of-a-kind`",
        ),
        FactSpec::of_course(
            "skipped",
            Kind::TEXT.list(),
            "of each swap: empty if it was valid, else why it was skipped: `off-board`, `same-cell`, \
             `not-adjacent`, `empty-cell` or `no-match`",
        ),
    ];

    const ANSWER: &'static [&'static str] = &["score"];
    const MOMENTS: &'static [FactSpec] = &[
        FactSpec::new("board", Kind::BOARD, "the colours after the swap, `.` where a cell is empty"),
        FactSpec::new("specials", Kind::BOARD, "the special effects after the swap, `.` for none"),
        FactSpec::new("score", Kind::INT, "elimination, chain, combo and hand points so far"),
        FactSpec::new("running", Kind::INT, "elimination, chain and combo points so far"),
        FactSpec::new("rounds", Kind::INT, "rounds of this swap, 0 if it was skipped"),
        FactSpec::new("primary", Kind::INT.list(), "the swap's primary colours, the lower first"),
        FactSpec::new(
            "skipped",
            Kind::TEXT,
            "empty if the swap was valid, else why it was skipped: `off-board`, `same-cell`, `not-adjacent`, \
             `empty-cell` or `no-match`",
        ),
    ];

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
        CodeSpec { code: "match3::special-color", about: "a special takes every piece of its colour" },
        CodeSpec { code: "match3::fall", about: "what was eliminated is gone, the rest falls" },
        CodeSpec { code: "match3::hand", about: "five valid swaps make a hand" },
        CodeSpec { code: "match3::swap-scored", about: "a valid swap is over" },
        CodeSpec { code: "match3::all-valid", about: "the game is over, every swap was valid" },
        CodeSpec { code: "match3::cleared", about: "the game is over, the board is empty" },
    ];

    const CODES: &'static [CodeSpec] = &[
        CodeSpec { code: "match3::size", about: "too many or too few rows, columns or swaps" },
        CodeSpec { code: "match3::colors", about: "a number of colours out of range" },
        CodeSpec { code: "match3::cell", about: "a cell of the board is no colour" },
        CodeSpec { code: "match3::above-colors", about: "a colour above the number of colours" },
        CodeSpec { code: "match3::special", about: "a cell of the specials is no special effect" },
        CodeSpec { code: "match3::specials-shape", about: "the specials have another shape than the board" },
        CodeSpec { code: "match3::starts-with-line", about: "a line stands on the board at the start" },
        CodeSpec { code: "match3::swap", about: "a swap is not four numbers of rows and columns" },
        CodeSpec { code: "match3::rule", about: "house rules under which points can be too large" },
    ];

    const SEEN: &'static [CodeSpec] = script::SEEN;
    const NATIVES: &'static [Native] = script::NATIVES;

    type Doc = Doc;
    type Rules = Rules;
    type Setup = Setup;
    type State = State;
    type Event = Event;
    type Outcome = Outcome;
    type Course = Course;

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

    fn gather(course: &mut Course, state: &State, event: &Event) {
        let step = state.step();
        match event {
            Event::Hand { hand } => course.hands.push(hand.kind),
            Event::Skipped { reason, .. } => course.skipped.push(reason.name()),
            Event::SwapScored { .. } => {
                course.skipped.push("");
                course.primary.push(ascending(step.primary));
            }
            _ => return,
        }
        if Self::step(event).is_some() {
            course.running.push(state.tally().running());
        }
    }

    fn fact(_: &Setup, outcome: &Outcome, course: &Course, name: &str) -> Result<Value, Unanswered> {
        let tally = outcome.tally();
        let text = |text: &str| Value::Text(text.to_owned());
        Ok(match name {
            "score" => Value::Int(tally.score()),
            "elimination" => Value::Int(tally.elimination),
            "chain" => Value::Int(tally.chain),
            "combo" => Value::Int(tally.combo),
            "hands" => Value::Int(tally.hands),
            "endgame" => Value::Int(tally.endgame),
            "valid_swaps" => Value::Int(tally.valid_swaps as i64),
            "rounds" => Value::Int(tally.rounds as i64),
            "cleared" => Value::Bool(outcome.is_cleared()),
            "board" => Value::board(&outcome.board(), |&color| view::cell(color)),
            "running" => Value::ints(course.running.iter().copied()),
            "primary" => {
                Value::List(course.primary.iter().map(|colors| Value::ints(colors.clone())).collect())
            }
            "hand_kinds" => Value::List(course.hands.iter().map(|kind| text(kind.name())).collect()),
            "skipped" => Value::List(course.skipped.iter().map(|reason| text(reason)).collect()),
            _ => unreachable!("a fact that is not listed: {name}"),
        })
    }

    fn moment(_: &Setup, state: &State, _: &Event, name: &str) -> Value {
        let (step, tally) = (state.step(), state.tally());
        match name {
            "board" => Value::board(&state.board(), |&color| view::cell(color)),
            "specials" => Value::board(&state.specials(), |&special| view::cell(special)),
            "score" => Value::Int(tally.score()),
            "running" => Value::Int(tally.running()),
            "rounds" => Value::Int(step.rounds as i64),
            "primary" => Value::ints(ascending(step.primary)),
            "skipped" => Value::Text(step.skipped.map_or("", |reason| reason.name()).to_owned()),
            _ => unreachable!("a moment that is not listed: {name}"),
        }
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

fn ascending(primary: [u8; 2]) -> Vec<i64> {
    let mut colors: Vec<_> = primary.into_iter().filter(|&color| color != 0).map(i64::from).collect();
    colors.sort_unstable();
    colors
}
