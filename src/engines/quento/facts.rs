//! The facts of a run. Solutions beyond the first are searched for only when a fact needs them.

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::engine::Unanswered;
use crate::value::Value;

use super::paths::Path;
use super::rules::{Order, Outcome, Setup};
use super::view;

/// Most solutions that are listed.
const MOST_LISTED: usize = 10_000;

/// The answer's path, if there is one.
pub(super) fn answer<'o>(setup: &Setup, outcome: &'o Outcome) -> Result<Option<&'o Path>, Unanswered> {
    match outcome {
        Outcome::Reached(path) => Ok(Some(path)),
        Outcome::NoPath => Ok(None),
        Outcome::GaveUp => Err(view::gave_up(setup)),
    }
}

/// The fact called `name`.
pub(super) fn fact(setup: &Setup, outcome: &Outcome, name: &str) -> Result<Value, Unanswered> {
    let answer = answer(setup, outcome)?;
    let expression = |path: &Path| Value::Text(setup.board.expression(path));
    let any = setup.rules.order == Order::Any;
    Ok(match (name, answer) {
        ("solvable", answer) => Value::Bool(answer.is_some()),
        ("solutions", None) => Value::Int(0),
        ("solutions", Some(_)) => {
            let count = setup.count().map_err(|_| view::gave_up(setup))?;
            Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
        }
        ("expressions" | "path", None) => Value::List(Vec::new()),
        ("expressions", Some(_)) => Value::List(solutions(setup)?.iter().map(expression).collect()),
        ("any_path", None) => Value::AnyOf(vec![Value::List(Vec::new())]),
        ("any_path", Some(_)) => any_path(setup)?,
        ("path", Some(_)) if any => any_path(setup)?,
        ("path", Some(path)) => view::path(path),
        (_, None) => Value::Text(String::new()),
        (_, Some(_)) if any => any_expression(setup)?,
        (_, Some(path)) => expression(path),
    })
}

fn solutions(setup: &Setup) -> Result<Vec<Path>, Unanswered> {
    let cols = setup.board.squares().cols();
    let mut paths = Vec::new();
    let mut too_many = false;
    let searched = setup.each(|squares| {
        too_many = paths.len() == MOST_LISTED;
        if too_many {
            return ControlFlow::Break(());
        }
        paths.push(Path::new(cols, squares.to_vec()));
        ControlFlow::Continue(())
    });
    match searched {
        Err(_) => Err(view::gave_up(setup)),
        Ok(()) if too_many => Err(view::too_many(MOST_LISTED)),
        Ok(()) => Ok(paths),
    }
}

fn any_path(setup: &Setup) -> Result<Value, Unanswered> {
    Ok(Value::AnyOf(solutions(setup)?.iter().map(view::path).collect()))
}

/// The expressions of all solutions, each once.
fn any_expression(setup: &Setup) -> Result<Value, Unanswered> {
    let mut seen = HashSet::new();
    let expressions = solutions(setup)?.into_iter().map(|path| setup.board.expression(&path));
    Ok(Value::AnyOf(expressions.filter(|text| seen.insert(text.clone())).map(Value::Text).collect()))
}
