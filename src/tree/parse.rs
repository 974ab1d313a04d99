//! Any TOML text, by the toml crate.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Node, Table, Tree, usual};
use crate::spanned::Spanned;

/// How deep values may stand in one another: whatever reads or copies them goes down as deep, and a stack has an end.
/// It is the toml crate's own bound, which dotted keys within nested tables get around.
const DEEPEST: usize = 80;

/// What `text` says; `None` where it is not TOML, or too deep.
pub fn parse(text: &str) -> Option<Table<'_>> {
    usual::parse(text).or_else(|| any(text))
}

/// What `text` says from the byte `start` on, which is a whole text there; places are those in `text`.
pub fn parse_behind(text: &str, start: usize) -> Option<Table<'_>> {
    usual::parse_behind(text, start).or_else(|| {
        let mut table = any(&text[start..])?;
        shift(&mut table, start);
        Some(table)
    })
}

fn shift(table: &mut Table<'_>, by: usize) {
    for (key, value) in &mut table.0 {
        key.range = key.range.start + by..key.range.end + by;
        shift_value(value, by);
    }
}

fn shift_value(value: &mut Node<'_>, by: usize) {
    value.range = value.range.start + by..value.range.end + by;
    match &mut value.value {
        Tree::Table(table) => shift(table, by),
        Tree::Array(items) => items.iter_mut().for_each(|item| shift_value(item, by)),
        _ => {}
    }
}

/// [`parse`] for any spelling.
pub(super) fn any(text: &str) -> Option<Table<'_>> {
    let root = DeTable::parse(text).ok().filter(|root| too_deep(root.get_ref()).is_none());
    root.map(|root| table(root.into_inner()))
}

/// The place of a value in `table` that stands too deep, if there is one.
pub fn too_deep(table: &DeTable<'_>) -> Option<Range<usize>> {
    table.values().find_map(|value| below(value, DEEPEST))
}

fn below(value: &toml::Spanned<DeValue<'_>>, levels: usize) -> Option<Range<usize>> {
    let Some(left) = levels.checked_sub(1) else { return Some(value.span()) };
    match value.get_ref() {
        DeValue::Table(table) => table.values().find_map(|inner| below(inner, left)),
        DeValue::Array(items) => items.iter().find_map(|inner| below(inner, left)),
        _ => None,
    }
}

fn table(table: DeTable<'_>) -> Table<'_> {
    let key = |key: toml::Spanned<_>| Spanned { range: key.span(), value: key.into_inner() };
    let mut entries: Vec<_> = table.into_iter().map(|(name, value)| (key(name), node(value))).collect();
    entries.sort_by_key(|(key, _)| key.range.start);
    Table(entries)
}

fn node(value: toml::Spanned<DeValue<'_>>) -> Node<'_> {
    let range = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Tree::Text(text),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Tree::Huge, Tree::Int)
        }
        DeValue::Float(number) => number.as_str().parse().map_or(Tree::Huge, Tree::Float),
        DeValue::Boolean(value) => Tree::Bool(value),
        DeValue::Datetime(_) => Tree::Date,
        DeValue::Array(items) => Tree::Array(items.into_iter().map(node).collect()),
        DeValue::Table(inner) => Tree::Table(table(inner)),
    };
    Spanned { value, range }
}
