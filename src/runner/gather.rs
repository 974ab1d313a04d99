//! What all cases of a scenario come to together: the spread of facts, and one signature.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::bless;
use crate::diagnostic::Diagnostic;
use crate::engine::{Answers, AnyEngine};
use crate::scenario::Made;
use crate::spread::Spread;
use crate::value::Value;
use crate::verdict::{CaseResult, Verdict, Word};

/// What one case adds.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub(super) made: Option<Made>,
    /// The facts of the summary, by name.
    pub(super) facts: Vec<(String, Option<Value>)>,
    /// The hash of all facts, if a signature is expected.
    pub(super) outcome: Option<u64>,
}

/// The spread of facts over the cases of one scenario, or over the plain scenarios of one file.
#[derive(Debug, Serialize)]
pub struct Statistics {
    /// The file.
    #[serde(serialize_with = "as_text")]
    pub file: Arc<str>,
    /// The scenario whose cases a script made; nothing for the plain scenarios of the file.
    pub scenario: Option<String>,
    /// The number of cases that came to an end.
    pub cases: u64,
    /// The number of cases that ended in an error: they are left out of the spreads.
    pub errored: u64,
    /// Each fact and its spread.
    pub facts: Vec<(String, Spread)>,
}

fn as_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// The spread, if one is wanted, and the report of the signature, if it is not as expected.
pub(super) type Gathered = (Option<Statistics>, Option<CaseResult>);

/// The cases under way.
pub(super) struct Gathering {
    line: usize,
    statistics: Statistics,
    last: CaseResult,
    made: Option<Made>,
    /// The index of the next case, as long as all before it were there.
    next: Option<u64>,
    signature: Xxh3,
}

impl Gathering {
    /// Whether the case belongs to the same scenario, or also is a plain one of the same file.
    fn takes(&self, report: &CaseResult, share: &Share) -> bool {
        Arc::ptr_eq(&self.statistics.file, &report.file)
            && self.made.is_some() == share.made.is_some()
            && (share.made.is_none() || self.line == report.line)
    }

    fn new(report: &CaseResult, share: &Share) -> Self {
        let scenario = share.made.as_ref().map(|_| report.name.to_string());
        Self {
            line: report.line,
            statistics: Statistics {
                file: Arc::clone(&report.file),
                scenario,
                cases: 0,
                errored: 0,
                facts: Vec::new(),
            },
            last: CaseResult {
                verdict: Verdict::Skipped(String::new()),
                printed: String::new(),
                facts: Vec::new(),
                outcome: None,
                blessing: None,
                ..report.clone()
            },
            made: share.made.clone(),
            next: Some(0),
            signature: Xxh3::new(),
        }
    }

    fn add(&mut self, share: Share, is_errored: bool) {
        self.statistics.errored += u64::from(is_errored);
        self.statistics.cases += u64::from(!share.facts.is_empty() && !is_errored);
        for (name, value) in share.facts {
            let facts = &mut self.statistics.facts;
            let index = facts.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                facts.push((name, Spread::default()));
                facts.len() - 1
            });
            if !is_errored {
                facts[index].1.add(value.as_ref());
            }
        }
        let index = share.made.as_ref().map(|made| made.index);
        self.next = match (share.outcome, index) {
            (Some(outcome), Some(index)) if self.next == Some(index) => {
                self.signature.update(&outcome.to_le_bytes());
                Some(index + 1)
            }
            _ => None,
        };
    }

    /// The spread, if one is wanted, and the report of the signature, if it is not as expected.
    fn end(self) -> Gathered {
        let Self { statistics, last, made, next, signature, .. } = self;
        let statistics = (!statistics.facts.is_empty()).then_some(statistics);
        let whole = made.as_ref().is_some_and(|made| next == Some(made.count));
        let expected = made.and_then(|made| made.signature).filter(|_| whole);
        let wrong = expected.and_then(|expected| {
            let actual = format!("xxh3:{:032x}", signature.digest128());
            (expected.text != actual).then(|| {
                let title = format!("the signature of all cases is `{actual}`");
                let fault = Diagnostic::new("verdict::signature", title)
                    .label(expected.span.clone(), "expected this one")
                    .note("some fact of some case is another than it was when the signature was taken");
                (fault, bless::signature(&expected, actual))
            })
        });
        let report = wrong.map(|(wrong, blessing)| CaseResult {
            verdict: Verdict::Failed(vec![wrong]),
            index: None,
            blessing: Some(blessing),
            ..last
        });
        (statistics, report)
    }
}

/// Gathers cases as they come, in order.
#[derive(Default)]
pub(super) struct Gatherer {
    /// The plain scenarios of the file.
    plain: Option<Gathering>,
    /// The scenario whose cases a script makes.
    made: Option<Gathering>,
    /// The scenario of which nothing more is heard, for its script is broken.
    broken: Option<(Arc<str>, usize)>,
}

impl Gatherer {
    /// Whether the case comes behind one at which a script of its scenario was found to be broken.
    pub(super) fn is_past(&self, report: &CaseResult, share: &Share) -> bool {
        let same = |(file, line): &(Arc<str>, usize)| Arc::ptr_eq(file, &report.file) && *line == report.line;
        share.made.is_some() && self.broken.as_ref().is_some_and(same)
    }

    /// Takes a case; what was gathered before it and is complete now.
    pub(super) fn add(&mut self, report: &CaseResult, share: Share) -> Vec<Gathered> {
        if share.made.as_ref().is_some_and(|made| made.ends) {
            self.broken = Some((Arc::clone(&report.file), report.line));
        }
        let ends = |open: &Option<Gathering>, same: bool| {
            open.as_ref().is_some_and(|open| !(same && open.takes(report, &share)))
        };
        let same_file = |open: &Gathering| Arc::ptr_eq(&open.statistics.file, &report.file);
        let mut done = Vec::new();
        if ends(&self.made, share.made.is_some()) {
            done.extend(self.made.take().map(Gathering::end));
        }
        if self.plain.as_ref().is_some_and(|open| !same_file(open)) {
            done.extend(self.plain.take().map(Gathering::end));
        }
        let slot = if share.made.is_some() { &mut self.made } else { &mut self.plain };
        let is_errored = matches!(report.verdict, Verdict::Errored(_));
        if share.made.is_some() || !share.facts.is_empty() || is_errored {
            slot.get_or_insert_with(|| Gathering::new(report, &share)).add(share, is_errored);
        }
        done
    }

    /// What is gathered still.
    pub(super) fn end(&mut self) -> Vec<Gathered> {
        self.made.take().into_iter().chain(self.plain.take()).map(Gathering::end).collect()
    }
}

/// The hash of all facts of a case: XXH3 with 64 bits of the lines `NAME=VALUE`, values as JSON.
pub(super) fn outcome(engine: &dyn AnyEngine, answers: &Answers, first: usize) -> u64 {
    let mut text = String::new();
    for (fact, answer) in engine.facts().iter().zip(&answers.facts[first..]) {
        text += &fact.name;
        text.push('=');
        match answer {
            // A value of a fact is never without a JSON.
            Ok(value) => text += &serde_json::to_string(value).unwrap_or_default(),
            Err(reason) => text += reason.code,
        }
        text.push('\n');
    }
    xxh3_64(text.as_bytes())
}

/// The hash of a verdict and of the hash of all facts, if there were any.
pub(super) fn whole(word: Word, facts: Option<u64>) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(word.as_str().as_bytes());
    if let Some(facts) = facts {
        hash.update(&facts.to_le_bytes());
    }
    hash.digest()
}
