//! Defaults that stand behind a scenario: no defaults at all.

use crate::spanned::Spanned;
use crate::tree::{Key, Table, Tree};

/// Takes what stands behind `start` out of a file's defaults, however deep it is: a late `[rules.points]` goes on with
/// the `[rules]` of the defaults.
pub(super) fn take(defaults: &mut Table<'_>, start: usize) -> Vec<Key<'static>> {
    let mut late = Vec::new();
    take_below(defaults, "", start, &mut late);
    late
}

fn take_below(table: &mut Table<'_>, above: &str, start: usize, late: &mut Vec<Key<'static>>) {
    for (key, _) in table.take(|key| key.range.start >= start) {
        late.push(Spanned { value: format!("{above}{}", key.value).into(), range: key.range });
    }
    for (key, value) in table.iter_mut() {
        match &mut value.value {
            Tree::Table(inner) => take_below(inner, &format!("{above}{}.", key.value), start, late),
            Tree::Array(items) => {
                for item in items.extract_if(.., |item| item.range.start >= start) {
                    late.push(Spanned { value: format!("{above}{}", key.value).into(), range: item.range });
                }
                for item in items {
                    if let Tree::Table(inner) = &mut item.value {
                        take_below(inner, &format!("{above}{}.", key.value), start, late);
                    }
                }
            }
            _ => {}
        }
    }
}
