//! How deep values stand in one another: whatever reads or copies them goes down as deep, and a stack has an end.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The parser's own bound, which dotted keys within nested tables get around.
const DEEPEST: usize = 80;

/// The place of a value in `table` that stands too deep, if there is one.
pub(super) fn too_deep(table: &DeTable<'_>) -> Option<Range<usize>> {
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
