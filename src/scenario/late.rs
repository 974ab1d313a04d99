//! Defaults that stand behind a scenario: no defaults at all.

use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

/// A key or an item of an array, by all keys that lead to it, and its place.
pub(super) type Late = (String, Range<usize>);

/// Takes what stands behind `start` out of a file's defaults, however deep it is: a late `[rules.points]` goes on with
/// the `[rules]` of the defaults.
pub(super) fn take(defaults: &mut DeTable<'_>, start: usize) -> Vec<Late> {
    let mut late = Vec::new();
    take_below(defaults, "", start, &mut late);
    late
}

fn take_below(table: &mut DeTable<'_>, above: &str, start: usize, late: &mut Vec<Late>) {
    let behind: Vec<_> = table.keys().filter(|key| key.span().start >= start).cloned().collect();
    for key in behind {
        table.remove(&key);
        late.push((format!("{above}{}", key.get_ref()), key.span()));
    }
    for (key, value) in table.iter_mut() {
        match value.get_mut() {
            DeValue::Table(inner) => take_below(inner, &format!("{above}{}.", key.get_ref()), start, late),
            DeValue::Array(items) => {
                for mut item in std::mem::replace(items, DeArray::new()) {
                    if item.span().start >= start {
                        late.push((format!("{above}{}", key.get_ref()), item.span()));
                        continue;
                    }
                    if let DeValue::Table(inner) = item.get_mut() {
                        take_below(inner, &format!("{above}{}.", key.get_ref()), start, late);
                    }
                    items.push(item);
                }
            }
            _ => {}
        }
    }
}
