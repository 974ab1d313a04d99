//! Values of scripts, of scenarios and of engines, made into one another.

use std::borrow::Cow;

use rhai::{Dynamic, Map};

use super::board::Board;
use crate::spanned::Spanned;
use crate::tree::{self, Node, Table, Tree};
use crate::value::Value;

/// How deep values may stand in one another.
const DEEPEST: usize = 16;

/// Most bytes of a board as a text of a scenario.
const LONGEST: usize = 1 << 26;

/// What a script's value is that means nothing where it stands, and by which keys it is reached.
pub(super) struct Wrong {
    pub(super) at: String,
    pub(super) found: String,
}

/// A script's map as the keys of a scenario.
pub(super) fn table(map: &Map) -> Result<Table<'static>, Wrong> {
    table_below(map, "", DEEPEST)
}

fn table_below(map: &Map, above: &str, levels: usize) -> Result<Table<'static>, Wrong> {
    let entries = map.iter().map(|(key, value)| {
        let at = if above.is_empty() { key.to_string() } else { format!("{above}.{key}") };
        Ok((
            Spanned { value: Cow::Owned(key.to_string()), range: 0..0 },
            Spanned { value: tree(value, &at, levels)?, range: 0..0 },
        ))
    });
    entries.collect()
}

fn tree(value: &Dynamic, at: &str, levels: usize) -> Result<Tree<'static>, Wrong> {
    let wrong = |found: String| Wrong { at: at.to_owned(), found };
    let Some(levels) = levels.checked_sub(1) else { return Err(wrong("something too deep".to_owned())) };
    if let Ok(number) = value.as_int() {
        return Ok(Tree::Int(number));
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Ok(Tree::Text(text.to_string().into()));
    }
    if let Ok(c) = value.as_char() {
        return Ok(Tree::Text(c.to_string().into()));
    }
    if let Ok(value) = value.as_bool() {
        return Ok(Tree::Bool(value));
    }
    if let Ok(items) = value.as_array_ref() {
        let item = |(index, item): (usize, &Dynamic)| {
            let value = tree(item, &format!("{at}[{index}]"), levels)?;
            Ok(Spanned { value, range: 0..0 })
        };
        return items.iter().enumerate().map(item).collect::<Result<_, _>>().map(Tree::Array);
    }
    if let Ok(map) = value.as_map_ref() {
        return table_below(&map, at, levels).map(Tree::Table);
    }
    match value.read_lock::<Board>() {
        Some(board) => match board.text(LONGEST) {
            Some(text) => Ok(Tree::Text(text.into())),
            None => Err(wrong(format!("a board of more than {LONGEST} bytes"))),
        },
        None => Err(wrong(kind(value))),
    }
}

/// `key = [values]` as TOML, the key dotted or not.
pub(super) fn written(key: &str, values: Vec<Dynamic>) -> Result<String, Wrong> {
    let (outer, inner) = key.split_once('.').map_or((key, None), |(outer, inner)| (outer, Some(inner)));
    let values = Dynamic::from(values);
    let value = match inner {
        None => values,
        Some(inner) => Map::from([(inner.into(), values)]).into(),
    };
    table(&Map::from([(outer.into(), value)])).map(|table| tree::write(&table))
}

/// What a value is, in words.
pub(super) fn kind(value: &Dynamic) -> String {
    match value.type_name() {
        "()" => "nothing".to_owned(),
        "i64" => "a whole number".to_owned(),
        "bool" => "true or false".to_owned(),
        "string" | "char" => "a text".to_owned(),
        "array" => "an array".to_owned(),
        "map" => "a map".to_owned(),
        "Fn" => "a function".to_owned(),
        "range" | "range=" => "a range".to_owned(),
        name if name.contains("Board") => "a board".to_owned(),
        name if name.contains("Chance") || name == "Rng" => "a generator of chance".to_owned(),
        name => format!("a value of type {name}"),
    }
}

/// A scenario's value for a script; boards are texts there, as they are typed.
pub(super) fn of_tree(node: &Node<'_>) -> Dynamic {
    match &node.value {
        Tree::Text(text) => text.as_ref().into(),
        Tree::Int(number) => (*number).into(),
        Tree::Bool(value) => (*value).into(),
        Tree::Array(items) => items.iter().map(of_tree).collect::<Vec<_>>().into(),
        Tree::Table(table) => of_table(table).into(),
        Tree::Float(_) | Tree::Huge | Tree::Date => Dynamic::UNIT,
    }
}

/// [`of_tree`] of a table.
pub(super) fn of_table(table: &Table<'_>) -> Map {
    table.iter().map(|(key, node)| (key.as_ref().into(), of_tree(node))).collect()
}

/// An engine's value for a script; of several right answers the first.
pub(super) fn of_value(value: &Value) -> Dynamic {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Int(number) => (*number).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Board(grid) => Dynamic::from(Board::of(grid)),
        Value::List(values) => values.iter().map(of_value).collect::<Vec<_>>().into(),
        Value::AnyOf(values) => values.first().map_or(Dynamic::UNIT, of_value),
    }
}

/// A script's value for an engine, if engines have such.
pub(super) fn value(from: &Dynamic) -> Result<Value, String> {
    if let Ok(number) = from.as_int() {
        return Ok(Value::Int(number));
    }
    if let Ok(value) = from.as_bool() {
        return Ok(Value::Bool(value));
    }
    if let Ok(text) = from.as_immutable_string_ref() {
        return Ok(Value::Text(text.to_string()));
    }
    if let Ok(c) = from.as_char() {
        return Ok(Value::Text(c.to_string()));
    }
    if let Ok(items) = from.as_array_ref() {
        return items.iter().map(value).collect::<Result<_, _>>().map(Value::List);
    }
    match from.read_lock::<Board>() {
        Some(board) => Ok(Value::Board(board.cells())),
        None => Err(format!("{} is no value of a game", kind(from))),
    }
}
