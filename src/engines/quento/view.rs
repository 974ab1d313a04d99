//! What people see of a run.

use crate::engine::Unanswered;
use crate::grid::Pos;
use crate::trace::{Cell, Frame, Picture};
use crate::value::Value;

use super::paths::Path;
use super::rules::{Event, Setup, State};

/// The frame of an event.
pub(super) fn frame(setup: &Setup, state: &State, event: &Event) -> Frame {
    let step = state.walked as u64;
    let (rule, text) = match event {
        Event::Start => {
            let Setup { target, digits, .. } = setup;
            (
                "quento::start",
                format!("build {target} with {}", crate::diagnostic::count(*digits as u64, "digit")),
            )
        }
        Event::Walk { at, .. } => ("quento::walk", walk(setup, state, *at)),
        Event::Reached => ("quento::reached", format!("{} makes {}", expression(setup, state), state.value)),
        Event::NoPath => ("quento::no-path", format!("no path makes {}", setup.target)),
        Event::GaveUp => {
            ("quento::gave-up", format!("gave up after a search of {} digits", setup.rules.budget))
        }
    };
    Frame { step, rule: rule.to_owned(), text, boards: vec![picture(setup, state)] }
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
pub(super) fn path(path: &Path) -> Value {
    Value::List(path.places().map(square).collect())
}

/// Why there is no answer when the budget is spent.
pub(super) fn gave_up(setup: &Setup) -> Unanswered {
    Unanswered {
        code: "quento::budget",
        why: format!("the search gave up after it entered {} digits", setup.rules.budget),
        help: "raise the budget of the house rules, such as `rules = { budget = 1000000000 }`".to_owned(),
    }
}

/// Why paths are not listed when there are more than `most`.
pub(super) fn too_many(most: usize) -> Unanswered {
    Unanswered {
        code: "quento::too-many-paths",
        why: format!("more than {most} paths are solutions"),
        help: "ask for `solutions`, `solvable` or the output, which list none".to_owned(),
    }
}
