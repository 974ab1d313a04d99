//! What people see and are told of a run. Solutions beyond the first are searched for only when a fact needs them.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use crate::diagnostic::count;
use crate::engine::{Engine, Unanswered};
use crate::grid::Pos;
use crate::trace::{Cell, Frame, Picture};

use super::Quento;
use super::paths::Path;
use super::rules::{Event, GaveUp, Outcome, Setup, State};

/// Most solutions that are listed.
const MOST_LISTED: usize = 10_000;

/// The frame of an event.
pub(super) fn frame(setup: &Setup, state: &State, event: &Event) -> Frame {
    let (rule, text) = match event {
        Event::Start => {
            let Setup { target, digits, .. } = setup;
            ("quento::start", format!("build {target} with {}", count(*digits as u64, "digit")))
        }
        Event::Walk { at, .. } => ("quento::walk", walk(setup, state, *at)),
        Event::Reached => ("quento::reached", format!("{} makes {}", expression(setup, state), state.value)),
        Event::NoPath => ("quento::no-path", format!("no path makes {}", setup.target)),
        Event::GaveUp => {
            ("quento::gave-up", format!("gave up after a search of {}", count(setup.rules.budget, "digit")))
        }
    };
    let boards = vec![picture(setup, state)];
    Frame { step: Quento::at(state), rule: rule.to_owned(), text, boards }
}

fn walk(setup: &Setup, state: &State, at: Pos) -> String {
    let expression = expression(setup, state);
    let Pos { row, col } = at;
    if state.walked % 2 == 1 {
        format!("to row {row}, column {col}: {expression} makes {}", state.value)
    } else {
        format!("to row {row}, column {col}: {expression}, so far {}", state.value)
    }
}

fn picture(setup: &Setup, state: &State) -> Picture {
    let walked: Vec<_> = state.walked().collect();
    let cell = |row, col| {
        let pos = Pos::new(row, col);
        Cell { text: setup.board.squares()[pos].char().to_string(), marked: walked.contains(&pos) }
    };
    let squares = setup.board.squares();
    let rows = (0..squares.rows()).map(|row| (0..squares.cols()).map(|col| cell(row, col)).collect());
    Picture { title: String::new(), rows: rows.collect() }
}

/// What stands along the squares that are walked.
pub(super) fn expression(setup: &Setup, state: &State) -> String {
    state.walked().map(|pos| setup.board.squares()[pos].char()).collect()
}

/// The outcome of a run, and what its facts have found of the other solutions.
#[derive(Debug)]
pub struct Answer {
    /// The outcome.
    pub outcome: Outcome,
    solutions: OnceCell<Result<Vec<Path>, Unlisted>>,
}

/// Why solutions are not listed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unlisted {
    GaveUp,
    TooMany,
}

impl From<Outcome> for Answer {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, solutions: OnceCell::new() }
    }
}

impl Answer {
    /// The path, if there is one.
    pub(super) fn path(&self, setup: &Setup) -> Result<Option<&Path>, Unanswered> {
        match &self.outcome {
            Outcome::Reached(path) => Ok(Some(path)),
            Outcome::NoPath => Ok(None),
            Outcome::GaveUp => Err(gave_up(setup)),
        }
    }

    /// All solutions, searched for when first asked for.
    fn listed(&self, setup: &Setup) -> Result<&[Path], Unlisted> {
        self.solutions.get_or_init(|| list(setup)).as_deref().map_err(|&why| why)
    }

    pub(super) fn solutions(&self, setup: &Setup) -> Result<&[Path], Unanswered> {
        self.listed(setup).map_err(|why| match why {
            Unlisted::GaveUp => gave_up(setup),
            Unlisted::TooMany => too_many(MOST_LISTED),
        })
    }

    /// The number of solutions, which are counted by themselves only where a list of them is no way to it.
    pub(super) fn count(&self, setup: &Setup) -> Result<u64, GaveUp> {
        if setup.board.classic().is_some() {
            return setup.count();
        }
        match self.listed(setup) {
            Ok(solutions) => Ok(solutions.len() as u64),
            Err(Unlisted::TooMany) => setup.count(),
            Err(Unlisted::GaveUp) => Err(GaveUp),
        }
    }
}

fn list(setup: &Setup) -> Result<Vec<Path>, Unlisted> {
    match listed(setup) {
        (paths, None) => Ok(paths),
        (_, Some(why)) => Err(why),
    }
}

/// Returns the first solutions, and why they are not all.
pub(super) fn listed(setup: &Setup) -> (Vec<Path>, Option<Unlisted>) {
    let cols = setup.board.squares().cols();
    let mut paths = Vec::new();
    let mut full = false;
    let searched = setup.each(|squares| {
        full = paths.len() == MOST_LISTED;
        if full {
            return ControlFlow::Break(());
        }
        paths.push(Path::new(cols, squares.to_vec()));
        ControlFlow::Continue(())
    });
    let why = match searched {
        Err(GaveUp) => Some(Unlisted::GaveUp),
        Ok(()) => full.then_some(Unlisted::TooMany),
    };
    (paths, why)
}

/// Why there is no answer when the budget is spent.
pub(super) fn gave_up(setup: &Setup) -> Unanswered {
    Unanswered {
        code: "quento::budget",
        why: format!("the search gave up after it entered {}", count(setup.rules.budget, "digit")),
        help: "raise the budget of the house rules, such as `rules = { budget = 1000000000 }`".to_owned(),
    }
}

/// Why paths are not listed when there are more than `most`.
fn too_many(most: usize) -> Unanswered {
    Unanswered {
        code: "quento::too-many-paths",
        why: format!("more than {most} paths are solutions"),
        help: "ask for `solutions`, `solvable` or the output, which list none".to_owned(),
    }
}
