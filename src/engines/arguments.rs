//! What scripts hand to the functions of an engine.

use crate::board::Token;
use crate::diagnostic::count;
use crate::engine::Binder;
use crate::grid::Grid;
use crate::source::Source;
use crate::value::Value;

/// The values, as many as a function takes.
pub(super) fn all<const N: usize>(values: &[Value]) -> Result<&[Value; N], String> {
    let wrong = || format!("there are {}: expected {N}", count(values.len() as u64, "argument"));
    values.try_into().map_err(|_| wrong())
}

/// The board that `value` is.
pub(super) fn board(value: &Value) -> Result<&Grid<String>, String> {
    match value {
        Value::Board(board) => Ok(board),
        _ => Err(format!("`{value}` is no board")),
    }
}

/// The whole number that `value`, the argument `name`, is.
pub(super) fn int(value: &Value, name: &str) -> Result<i64, String> {
    match value {
        Value::Int(number) => Ok(*number),
        _ => Err(format!("`{name}` is `{value}`: expected a whole number")),
    }
}

/// The values of the list that `value` is; `expected` says of what.
pub(super) fn list<'v>(value: &'v Value, expected: &str) -> Result<&'v [Value], String> {
    match value {
        Value::List(values) => Ok(values),
        _ => Err(format!("`{value}` is no list: expected {expected}")),
    }
}

/// The whole numbers that `value` lists, `N` of them; `None` if it does not.
pub(super) fn ints<const N: usize>(value: &Value) -> Option<[i64; N]> {
    let Value::List(values) = value else { return None };
    let values: &[Value; N] = values.as_slice().try_into().ok()?;
    let mut numbers = [0; N];
    for (number, value) in numbers.iter_mut().zip(values) {
        let Value::Int(value) = value else { return None };
        *number = *value;
    }
    Some(numbers)
}

/// The cells of a board as they would be read of a scenario.
pub(super) fn tokens(board: &Grid<String>) -> Grid<Token<'static>> {
    board.map(|cell| Token { text: cell.clone().into(), range: 0..0 })
}

/// What `bind` binds with the statement's limits of size lifted; else its first fault in one line.
pub(super) fn bound<T>(bind: impl FnOnce(&mut Binder<'_>) -> Option<T>) -> Result<T, String> {
    let source = Source::new("", "");
    let mut binder = Binder::new(&source, false);
    let value = bind(&mut binder);
    match (value, binder.into_faults().into_iter().next()) {
        (Some(value), None) => Ok(value),
        (_, Some(fault)) => Err(match fault.labels.into_iter().next() {
            Some(label) => format!("{}: {}", fault.title, label.text),
            None => fault.title,
        }),
        (None, None) => Err("there is nothing to play".to_owned()),
    }
}
