//! What people see and are told of a run. Solutions beyond the first are searched for only when a fact needs them.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use crate::diagnostic::count;
use crate::engine::{Engine, Unanswered};
use crate::grid::Pos;
use crate::trace::{Cell, Frame, Picture};
use crate::value::Value;

use super::Quento;
use super::paths::{Path, place};
use super::rules::{Event, GaveUp, Order, Outcome, Setup, State};

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

/// `[row, col]`.
pub(super) fn square(pos: Pos) -> Value {
    Value::ints([pos.row as i64, pos.col as i64])
}

/// The squares of a path.
pub(super) fn squares(path: &Path) -> Value {
    Value::List(path.places().map(square).collect())
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
enum Unlisted {
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

    fn solutions(&self, setup: &Setup) -> Result<&[Path], Unanswered> {
        self.listed(setup).map_err(|why| match why {
            Unlisted::GaveUp => gave_up(setup),
            Unlisted::TooMany => too_many(MOST_LISTED),
        })
    }

    /// The number of solutions, which are counted by themselves only where a list of them is no way to it.
    fn count(&self, setup: &Setup) -> Result<u64, GaveUp> {
        if setup.board.classic().is_some() {
            return setup.count();
        }
        match self.listed(setup) {
            Ok(solutions) => Ok(solutions.len() as u64),
            Err(Unlisted::TooMany) => setup.count(),
            Err(Unlisted::GaveUp) => Err(GaveUp),
        }
    }

    /// All solutions, in their order.
    fn any_path(&self, setup: &Setup) -> Result<Value, Unanswered> {
        Ok(Value::AnyOf(self.solutions(setup)?.iter().map(squares).collect()))
    }

    /// The expressions of all solutions, in the order of [`Self::any_path`].
    fn any_expression(&self, setup: &Setup) -> Result<Value, Unanswered> {
        let expressions = self.solutions(setup)?.iter().map(|path| setup.board.expression(path));
        Ok(Value::AnyOf(expressions.map(Value::Text).collect()))
    }
}

/// Returns the answer for the moment called `name`; where any path is right, one for each of the solutions that are
/// listed, in the order of the facts.
pub(super) fn moment(setup: &Setup, state: &State, event: &Event, name: &str) -> Value {
    match (event, &state.path) {
        (Event::Walk { .. }, Some(_)) if setup.rules.order == Order::Any => {
            let rivals = state.rivals.get_or_init(|| listed(setup).0);
            Value::AnyOf(rivals.iter().map(|path| after(setup, path, state.walked, name)).collect())
        }
        (Event::Walk { .. }, Some(path)) => after(setup, path, state.walked, name),
        _ => match name {
            "value" => Value::Int(state.value),
            "square" => Value::List(Vec::new()),
            _ => Value::Text(expression(setup, state)),
        },
    }
}

/// Returns the answer for the moment called `name` after `walked` squares of `path`, at least one.
fn after(setup: &Setup, path: &Path, walked: usize, name: &str) -> Value {
    let squares = &path.squares()[..walked];
    let cols = setup.board.squares().cols();
    match name {
        "value" => {
            let digits = squares.len().div_ceil(2) * 2 - 1;
            Value::Int(setup.board.value(&Path::new(cols, squares[..digits].to_vec())))
        }
        "square" => square(place(cols, squares[walked - 1])),
        _ => Value::Text(squares.iter().map(|&square| setup.board.square(square).char()).collect()),
    }
}

/// The fact called `name`.
pub(super) fn fact(setup: &Setup, answer: &Answer, name: &str) -> Result<Value, Unanswered> {
    let expression = |path: &Path| Value::Text(setup.board.expression(path));
    let any = setup.rules.order == Order::Any;
    Ok(match (name, answer.path(setup)?) {
        ("solvable", path) => Value::Bool(path.is_some()),
        ("solutions", None) => Value::Int(0),
        ("solutions", Some(_)) => {
            // A search finds no more than the digits that it may enter, and those are a number that was typed.
            Value::Int(answer.count(setup).map_err(|_| gave_up(setup))? as i64)
        }
        ("expressions" | "path", None) => Value::List(Vec::new()),
        ("expressions", Some(_)) => Value::List(answer.solutions(setup)?.iter().map(expression).collect()),
        ("any_path", None) => Value::AnyOf(vec![Value::List(Vec::new())]),
        ("any_path", Some(_)) => answer.any_path(setup)?,
        ("path", Some(_)) if any => answer.any_path(setup)?,
        ("path", Some(path)) => squares(path),
        (_, None) => Value::Text(String::new()),
        (_, Some(_)) if any => answer.any_expression(setup)?,
        (_, Some(path)) => expression(path),
    })
}

fn list(setup: &Setup) -> Result<Vec<Path>, Unlisted> {
    match listed(setup) {
        (paths, None) => Ok(paths),
        (_, Some(why)) => Err(why),
    }
}

/// Returns the first solutions, and why they are not all.
fn listed(setup: &Setup) -> (Vec<Path>, Option<Unlisted>) {
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
