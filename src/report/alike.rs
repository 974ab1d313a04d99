//! Failures that are alike, so that thousands of one kind are counted and not drawn one by one.

use std::collections::HashMap;

use crate::source::Span;
use crate::verdict::CaseResult;

/// Largest number of failures of one kind that are drawn.
const DRAWN: u64 = 3;

/// The kinds of failures so far.
#[derive(Debug, Default)]
pub struct Alike {
    /// The position of each kind in `seen`.
    kinds: HashMap<Kind, usize>,
    seen: Vec<Seen>,
}

/// Codes and places of a case's faults, whatever the actual values are.
type Kind = Vec<(&'static str, Vec<(String, usize, usize)>)>;

/// The failures of one kind.
#[derive(Debug)]
struct Seen {
    first: String,
    count: u64,
    /// The first and last that are not drawn.
    more: Option<(String, String)>,
}

/// Failures of one kind that were not drawn.
#[derive(Debug)]
pub struct More<'a> {
    /// The first one of the kind, which was drawn.
    pub like: &'a str,
    /// Their number.
    pub count: u64,
    /// The first and the last of them.
    pub range: (&'a str, &'a str),
}

impl Alike {
    /// Adds a failure; returns whether it is one of the first of its kind, to be drawn.
    pub fn add(&mut self, report: &CaseResult) -> bool {
        let kind = report.verdict.faults().iter().map(|fault| {
            let places: Vec<_> = fault.labels.iter().map(|label| place(&label.span)).collect();
            // Without a place it is the title that tells one fault from another.
            (fault.code, if places.is_empty() { vec![(fault.title.clone(), 0, 0)] } else { places })
        });
        let id = report.id().to_string();
        let at = *self.kinds.entry(kind.collect()).or_insert(self.seen.len());
        let Some(seen) = self.seen.get_mut(at) else {
            self.seen.push(Seen { first: id, count: 1, more: None });
            return true;
        };
        seen.count += 1;
        if seen.count <= DRAWN {
            return true;
        }
        match &mut seen.more {
            Some((_, last)) => *last = id,
            more => *more = Some((id.clone(), id)),
        }
        false
    }

    /// Returns the kinds of which some failures were not drawn, in the order of their first ones.
    pub fn more(&self) -> impl Iterator<Item = More<'_>> {
        self.seen.iter().filter_map(|Seen { first, count, more }| {
            let (from, to) = more.as_ref()?;
            Some(More { like: first, count: count - DRAWN, range: (from, to) })
        })
    }
}

/// Returns the file, line and column of a label. All text that a script made for a scenario is one place, since every
/// case has a text of its own.
fn place(span: &Span) -> (String, usize, usize) {
    let (line, column) = span.source.line_column(span.range.start);
    let name = span.source.name();
    if name == span.source.name_at(span.range.start) {
        (name.to_owned(), line, column)
    } else {
        (name.to_owned(), 0, 0)
    }
}
