//! Writes what a run came to into the files of its authors, and touches nothing else.
//!
//! The runner says with each report what its author's values should be ([`Blessing`]). A [`File`] gathers that, for a
//! default is shared by many scenarios; [`File::revise`] makes new text of what the file says by then. A scenario is found again by its own text and the defaults above it: who changes another one of the
//! file meanwhile loses nothing.

mod drawing;
mod insertion;
mod notation;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

pub(crate) use self::drawing::Hand;
pub(crate) use self::insertion::insertion;
pub(crate) use self::notation::{LosesComment, rewrite, rewrite_words};
use super::split;
use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::source::Span;
use crate::tree::{self, Tree};
use crate::verdict::{Blessing, CaseResult, Claim, Edit, Verdict};

/// Why a value is left as it is.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "bless::matcher", about: "a matcher that does not hold is no value to be written" },
    CodeSpec { code: "bless::made", about: "a script made the expected value, and no author" },
    CodeSpec {
        code: "bless::shared",
        about: "a value is shared by cases that disagree, or that were not all run",
    },
    CodeSpec { code: "bless::comment", about: "a comment would be lost" },
    CodeSpec {
        code: "bless::no-place",
        about: "a scenario expects nothing and has no lines for an `expect`",
    },
    CodeSpec { code: "bless::changed", about: "a file has changed since it was run" },
    CodeSpec { code: "bless::unwritable", about: "a scenario file cannot be written" },
];

/// The faults that are about values: what is to be done about them a [`Blessing`] says.
const OF_VALUES: &[&str] =
    &["verdict::mismatch", "verdict::output", "verdict::signature", "verdict::expects-nothing"];

/// Returns the bytes of the scenario at `place` in its source, from its header to the next; `None` where a header begins
/// no scenario of the file, so that the whole file is one part.
pub(crate) fn own_text(place: &Span) -> Option<Range<usize>> {
    let source = &place.source;
    let (start, end) = (source.piece_start(), source.author_end());
    let at = place.range.start;
    if at < start || start == end {
        return None;
    }
    let piece = &source.text()[start..end];
    let own = split::scenarios(piece).map(|own| start + own.start..start + own.end);
    own.take_while(|own| own.start <= at).last()
}

/// Whether the author's value at `value` is also a word of other scenarios than the one at `place`.
pub(crate) fn is_default(value: &Span, place: &Span) -> bool {
    let whole_file = place.range.is_empty();
    let within = place.range.start <= value.range.start && value.range.end <= place.range.end;
    value.range.start < value.source.piece_start() && !whole_file && !within
}

/// A part of a file: a scenario by its line, or, without one, what stands above the first.
pub type Part = Option<usize>;

/// Bytes of a part: what stands in other parts does not move them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    part: Part,
    start: usize,
    end: usize,
}

/// Bytes of a part, and what is to stand there.
type Change = (Range<usize>, String);

/// What all cases together say of one value.
#[derive(Debug)]
struct Wanted {
    value: Span,
    count: u64,
    changes: Vec<Change>,
    /// Whether another case says otherwise.
    disputed: bool,
    voters: Voters,
}

/// Whose word a value needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voters {
    /// That of its scenario.
    One,
    /// That of all cases that a script makes of the scenario on this line.
    Cases(usize),
    /// That of all scenarios of the file.
    Scenarios,
}

/// A case that is not as expected.
#[derive(Debug)]
struct Bad {
    id: String,
    errored: bool,
    /// The values that would have to change.
    spots: Vec<Spot>,
    /// What cannot be written.
    left: Vec<Diagnostic>,
}

impl Bad {
    fn left(&self, why: Vec<Diagnostic>, stays: bool) -> Left {
        let parts = self.spots.iter().map(|spot| spot.part).collect();
        Left { id: self.id.clone(), why, errored: self.errored, stays, parts }
    }
}

/// What the cases of one file want to be written into it.
#[derive(Debug, Default)]
pub struct File {
    /// What stands above the first scenario, once anything is to be written.
    defaults: Option<String>,
    /// The texts of the scenarios in which something is to be written, by their lines, and what they are called.
    texts: BTreeMap<usize, (String, String)>,
    wanted: BTreeMap<Spot, Wanted>,
    /// The lines of the scenarios that were run, or skipped.
    seen: BTreeSet<usize>,
    /// Of the scenarios whose cases a script makes: how many were run, and how many there are.
    cases: BTreeMap<usize, (u64, u64)>,
    bad: Vec<Bad>,
}

impl File {
    /// Hears what came of a case.
    pub fn add(&mut self, report: &CaseResult) {
        self.seen.insert(report.line);
        let mut spots = Vec::new();
        if let Some(blessing) = &report.blessing {
            if let (Some(count), Some(_)) = (blessing.cases, report.index) {
                let (run, all) = self.cases.entry(report.line).or_default();
                (*run, *all) = (*run + 1, count);
            }
            spots = self.claims(blessing, report);
        }
        let (faults, errored) = match &report.verdict {
            Verdict::Failed(faults) => (faults, false),
            Verdict::Errored(faults) => (faults, true),
            Verdict::Passed { .. } | Verdict::Skipped(_) => return,
        };
        let own = report.blessing.iter().flat_map(|blessing| &blessing.left);
        let others = faults.iter().filter(|fault| !OF_VALUES.contains(&fault.code));
        let mut left: Vec<_> = own.chain(others).cloned().collect();
        if left.is_empty() && spots.is_empty() {
            left.clone_from(faults);
        }
        self.bad.push(Bad { id: report.id().to_string(), errored, spots, left });
    }

    /// Takes the claims of a case; the spots of those that change something.
    fn claims(&mut self, blessing: &Blessing, report: &CaseResult) -> Vec<Spot> {
        let Blessing { place, cases, claims, .. } = blessing;
        if claims.is_empty() {
            return Vec::new();
        }
        let (source, own) = (&place.source, own_text(place));
        let mut changing = Vec::new();
        for Claim { value, count, edits } in claims {
            let own = own.as_ref().filter(|own| own.start <= value.range.start);
            let (part, base) = own.map_or((None, 0), |own| (Some(report.line), own.start));
            let place_of = |range: &Range<usize>| range.start - base..range.end - base;
            let Range { start, end } = place_of(&value.range);
            let spot = Spot { part, start, end };
            let change = |edit: &Edit| (place_of(&edit.span.range), edit.text.clone());
            let changes: Vec<_> = edits.iter().map(change).collect();
            if !changes.is_empty() {
                self.defaults.get_or_insert_with(|| source.text()[..source.piece_start()].to_owned());
                if let Some(own) = own {
                    let name =
                        || (report.id_of_scenario().to_string(), source.text()[own.clone()].to_owned());
                    self.texts.entry(report.line).or_insert_with(name);
                }
                changing.push(spot.clone());
            }
            let voters = match cases {
                _ if is_default(value, place) => Voters::Scenarios,
                Some(_) => Voters::Cases(report.line),
                None => Voters::One,
            };
            let wanted =
                Wanted { value: value.clone(), count: *count, changes: Vec::new(), disputed: false, voters };
            match self.wanted.entry(spot) {
                Entry::Vacant(entry) => drop(entry.insert(Wanted { changes, ..wanted })),
                Entry::Occupied(mut entry) => entry.get_mut().disputed |= entry.get().changes != changes,
            }
        }
        changing
    }

    /// Whether there is anything to say of the file.
    pub fn is_right(&self) -> bool {
        self.bad.is_empty()
    }

    /// The same where nobody knows what the file says.
    pub fn unread(&self) -> Revised {
        let left = self.bad.iter().map(|bad| bad.left(bad.left.clone(), true));
        Revised { revisions: Vec::new(), left: left.collect() }
    }

    /// What is to be written into the file, which says `text` by now, and what is not.
    pub fn revise(&self, text: &str) -> Revised {
        let now = Now::new(text);
        let mut refused = BTreeMap::new();
        let mut parts: BTreeMap<Part, (u64, Vec<Change>)> = BTreeMap::new();
        for (spot, wanted) in
            self.wanted.iter().filter(|(_, wanted)| wanted.disputed || !wanted.changes.is_empty())
        {
            if let Some(why) = self.refusal(wanted, &now) {
                refused.insert(spot, why);
                continue;
            }
            let (count, changes) = parts.entry(spot.part).or_default();
            *count += wanted.count;
            changes.extend(wanted.changes.iter().cloned());
        }
        let mut revisions = Vec::new();
        for (part, (count, changes)) in parts {
            let place = self.find(part, &now);
            let found = place.and_then(|place| Some((apply(&text[place.range.clone()], changes)?, place)));
            if let Some((after, Place { line, range: place })) = found {
                let id = part.and_then(|line| self.texts.get(&line)).map(|(id, _)| id.clone());
                revisions.push(Revision { part, id, line, place, after, count });
                continue;
            }
            let first = Spot { part, start: 0, end: 0 };
            for (spot, _) in self.wanted.range(first..).take_while(|(spot, _)| spot.part == part) {
                let what = if part.is_some() { "the scenario" } else { "the text above the first scenario" };
                let fault = Diagnostic::new("bless::changed", format!("{what} has changed since it was run"));
                refused.entry(spot).or_insert_with(|| fault.help("run it again"));
            }
        }
        let mut shown = BTreeSet::new();
        let left = self.bad.iter().map(|bad| {
            let refusals = bad.spots.iter().filter_map(|spot| Some((spot, refused.get(spot)?)));
            // What keeps a shared value from being written is said once.
            let news = refusals.clone().filter(|(spot, _)| shown.insert((*spot).clone()));
            let why = bad.left.iter().cloned().chain(news.map(|(_, why)| why.clone())).collect();
            bad.left(why, !bad.left.is_empty() || refusals.count() > 0)
        });
        let left = left.collect();
        Revised { revisions, left }
    }

    /// Why a value must not be written.
    fn refusal(&self, wanted: &Wanted, now: &Now<'_>) -> Option<Diagnostic> {
        let all_run = |(run, all): &(u64, u64)| run == all;
        let (complete, who) = match wanted.voters {
            Voters::One => return None,
            Voters::Cases(line) => (self.cases.get(&line).is_none_or(all_run), "cases"),
            Voters::Scenarios => {
                (self.seen.len() == now.scenarios && self.cases.values().all(all_run), "scenarios")
            }
        };
        let fault = |title: String| {
            let place = wanted.value.clone();
            Diagnostic::new("bless::shared", title).label(place, format!("shared by several {who}"))
        };
        if wanted.disputed {
            Some(
                fault(format!("{who} disagree on this value"))
                    .help(format!("expect it of each of the {who} alone")),
            )
        } else if complete {
            None
        } else {
            Some(fault(format!("not all {who} were run that share this value")).help("run the whole file"))
        }
    }

    /// Returns where a part is by now, if it is there as it was run.
    fn find(&self, part: Part, now: &Now<'_>) -> Option<Place> {
        if self.defaults.as_deref() != Some(&now.text[..now.head]) {
            return None;
        }
        let Some(line) = part else { return Some(Place { line: 1, range: 0..now.head }) };
        let (_, own) = self.texts.get(&line)?;
        let same = now.own.get(own.as_str())?;
        match same.as_slice() {
            [only] => Some(only.clone()),
            // Of several that say the same, the one that has not moved.
            several => {
                several.binary_search_by_key(&line, |place| place.line).ok().map(|i| several[i].clone())
            }
        }
    }
}

/// Bytes of a file, and the line that they begin on.
#[derive(Clone, Debug)]
struct Place {
    line: usize,
    range: Range<usize>,
}

/// What a file says by now, cut into its parts once.
struct Now<'t> {
    text: &'t str,
    /// The length of what is above the first scenario.
    head: usize,
    /// Where the scenarios are, by their texts, in the order of the file.
    own: HashMap<&'t str, Vec<Place>>,
    /// The number of scenarios.
    scenarios: usize,
}

impl<'t> Now<'t> {
    fn new(text: &'t str) -> Self {
        let mut own: HashMap<_, Vec<_>> = HashMap::new();
        let mut head = None;
        let (mut line, mut at) = (1, 0);
        for range in split::scenarios(text) {
            head.get_or_insert(range.start);
            line += text[at..range.start].matches('\n').count();
            at = range.start;
            own.entry(&text[range.clone()]).or_default().push(Place { line, range });
        }
        Self { text, head: head.unwrap_or(text.len()), own, scenarios: scenarios(text) }
    }
}

/// The number of scenarios in a file.
fn scenarios(text: &str) -> usize {
    let plain = split::scenarios(text).count();
    if plain > 0 {
        return plain;
    }
    match tree::parse(text).as_ref().and_then(|root| root.get("scenario")).map(|scenarios| &scenarios.value) {
        Some(Tree::Array(scenarios)) => scenarios.len(),
        _ => 1,
    }
}

/// `text` with the changes; `None` where they overlap or stand outside.
fn apply(text: &str, mut changes: Vec<Change>) -> Option<String> {
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for (range, insert) in changes {
        new += text.get(done..range.start)?;
        new += &insert;
        done = range.end;
    }
    new += text.get(done..)?;
    Some(new)
}

/// A part of a file, and how it is to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Which part.
    pub part: Part,
    /// `FILE::NAME` of the scenario; the defaults have none.
    pub id: Option<String>,
    /// The line of the file that it begins on by now, from 1.
    pub line: usize,
    /// Where it stands by now.
    pub place: Range<usize>,
    /// The new text of the part.
    pub after: String,
    /// How many values are written.
    pub count: u64,
}

/// A case that is not as expected, and what keeps it from being so.
#[derive(Debug)]
pub struct Left {
    /// `FILE::NAME`, with `#INDEX` behind it for one of many cases.
    pub id: String,
    /// Why something is left as it is; what was said of another case is not said again.
    pub why: Vec<Diagnostic>,
    /// Whether the case could not be run.
    pub errored: bool,
    /// Whether something is left.
    stays: bool,
    /// The parts that must be written for it.
    parts: Vec<Part>,
}

impl Left {
    /// Whether something is left, whatever is written.
    pub fn stays(&self) -> bool {
        self.stays
    }

    /// Whether the case is as expected once these parts are written.
    pub fn is_settled(&self, written: &BTreeSet<Part>) -> bool {
        !self.stays && self.parts.iter().all(|part| written.contains(part))
    }
}

/// What is to be written into a file, and what stays as it is.
#[derive(Debug)]
pub struct Revised {
    /// The parts that change, in the order of the file.
    pub revisions: Vec<Revision>,
    /// The cases that are not as expected.
    pub left: Vec<Left>,
}

impl Revised {
    /// `text`, which was revised, with the changes of the `wanted` parts; `None` if that is no TOML, which is a bug.
    pub fn text(&self, text: &str, wanted: &BTreeSet<Part>) -> Option<String> {
        let wanted = self.revisions.iter().filter(|revision| wanted.contains(&revision.part));
        let changes = wanted.map(|revision| (revision.place.clone(), revision.after.clone()));
        apply(text, changes.collect()).filter(|new| tree::parse(new).is_some() || tree::parse(text).is_none())
    }
}

#[cfg(test)]
mod tests;
