//! Where an `expect` goes that a scenario does not have yet.

use std::ops::Range;

use super::drawing::Hand;
use super::notation::{indent, line, line_end};
use super::own_text;
use crate::source::Span;
use crate::tree::{self, Key, Node, Table, Tree};
use crate::value::Value;
use crate::verdict::Edit;

/// The change that makes the scenario at `place` expect these facts; `None` where it has no lines of its own.
///
/// It goes behind the scenario's last own key, above its tables; into an `expect` that is there and empty.
pub(crate) fn insertion(place: &Span, facts: &[(&str, Value)], hand: &Hand<'_>) -> Option<Edit> {
    let text = place.source.text();
    let own = own_text(place).unwrap_or(0..place.source.piece_start());
    let root = tree::parse(&text[own.clone()])?;
    let table = match root.get("scenario").map(|scenarios| &scenarios.value) {
        Some(Tree::Array(scenarios)) => {
            let at = place.range.start - own.start;
            let scenario = scenarios.iter().find(|scenario| scenario.range.start == at)?;
            if !is_header(&text[own.clone()], at) {
                return None;
            }
            scenario.value.as_table()?
        }
        Some(_) => return None,
        None => &root,
    };
    let body = Body { text: &text[own.clone()] };
    let eol = line_end(text);
    let edit = |range: Range<usize>, text: String| Edit {
        span: Span::new(&place.source, own.start + range.start..own.start + range.end),
        text,
    };
    let above = |at: usize, prefix: &str, indent: &str| {
        let line = |(name, value): &(&str, Value)| {
            format!("{indent}{}", line(&format!("{prefix}{name}"), value, hand, indent, eol))
        };
        let lines: Vec<_> = facts.iter().map(line).collect();
        match body.text[at..].find('\n') {
            Some(newline) => edit(at + newline + 1..at + newline + 1, lines.join(eol) + eol),
            None => edit(body.text.len()..body.text.len(), format!("{eol}{}", lines.join(eol))),
        }
    };
    if let Some((key, expect)) = table.iter().find(|(key, _)| key.value == "expect") {
        if is_header(body.text, key.range.start) {
            return Some(above(key.range.end, "", indent(body.text, key.range.start)));
        }
        let inner: Vec<_> = facts.iter().map(|(name, value)| line(name, value, hand, "", eol)).collect();
        return (body.text[expect.range.clone()].starts_with('{') && expect.value.as_table()?.is_empty())
            .then(|| edit(expect.range.clone(), format!("{{ {} }}", inner.join(", "))));
    }
    match body.last(table) {
        Some((start, end)) => Some(above(end, "expect.", indent(body.text, start))),
        // Nothing but its header.
        None => Some(above(place.range.start - own.start, "expect.", "")),
    }
}

/// Whether the byte `at` stands on the line of a table's header.
fn is_header(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].trim_start_matches([' ', '\t']).starts_with('[')
}

/// The lines of one scenario.
struct Body<'t> {
    text: &'t str,
}

impl Body<'_> {
    /// Where the last key begins that stands in `table` under no header of its own, and where its value ends.
    fn last(&self, table: &Table<'_>) -> Option<(usize, usize)> {
        let own = |(key, _): &&(Key<'_>, Node<'_>)| !is_header(self.text, key.range.start);
        table
            .iter()
            .filter(own)
            .filter_map(|(key, node)| self.end(key.range.start, node))
            .max_by_key(|(_, end)| *end)
    }

    fn end(&self, start: usize, node: &Node<'_>) -> Option<(usize, usize)> {
        match &node.value {
            // Dotted keys make a table without braces.
            Tree::Table(table) if !self.text[node.range.start..].starts_with('{') => self.last(table),
            _ => Some((start, node.range.end)),
        }
    }
}
