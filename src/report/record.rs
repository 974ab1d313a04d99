//! A case and its verdict as data: what every format is written from.
//!
//! A [`Record`] is made of a [`CaseResult`] without copying, or read back from the JSON Lines of an earlier run.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde::{Deserialize as Read, Serialize as Write};

use crate::diagnostic::{Diagnostic, Label, count};
use crate::identity::{Id, Key, Name};
use crate::value::Value;
use crate::verdict::{CaseResult, Summary, Verdict, Word};

/// A case and what became of it.
#[derive(Clone, Debug, Write, Read, JsonSchema)]
pub struct Record<'a> {
    /// The scenario file, as the user wrote its path.
    pub file: Cow<'a, str>,
    /// The scenario's name, or `line N` without one; empty where the file itself is at fault.
    pub name: Cow<'a, str>,
    /// Which of the cases that a script makes of the scenario, from 0, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The line that the scenario begins on, from 1.
    pub line: usize,
    /// The engine; absent where it is not known.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub engine: Cow<'a, str>,
    /// The tags, the file's first.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub tags: Cow<'a, [String]>,
    /// What became of it.
    pub verdict: Word,
    /// Whether it passed because it failed as its author said it would.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known_failure: bool,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'a, str>>,
    /// A hash of the scenario with its file's defaults, as far as they can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario_hash: Option<Hash>,
    /// The time of its generator, its policy, its start, the run and the verdict, in seconds.
    pub seconds: f64,
    /// The facts that the scenario asks for and what they came to.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts<'a>,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault<'a>>,
    /// What its scripts have printed.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub printed: Cow<'a, str>,
    /// A hash of the verdict and of all facts that the engine has, if a signature was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Hash>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Write, Read, JsonSchema)]
pub struct Fault<'a> {
    /// The stable code, as `area::what`.
    pub code: Cow<'a, str>,
    /// What is wrong.
    pub title: Cow<'a, str>,
    /// Which places are meant; the first is where it happened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Mark<'a>>,
    /// Facts that explain it; may hold several lines.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub notes: Cow<'a, [String]>,
    /// What to do.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub help: Cow<'a, [String]>,
    /// All of it as drawn in a terminal, without colors; absent in the middle of many faults of one case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub drawing: String,
}

/// A marked place and the words about it.
#[derive(Clone, Debug, PartialEq, Eq, Write, Read, JsonSchema)]
pub struct Mark<'a> {
    /// The file that it stands in, or what made the text that it stands in.
    pub file: Cow<'a, str>,
    /// The line that it begins on, from 1.
    pub line: usize,
    /// The column that it begins at, in characters, from 1.
    pub column: usize,
    /// The line that it ends on.
    pub end_line: usize,
    /// The column behind its last character.
    pub end_column: usize,
    /// The words.
    pub text: Cow<'a, str>,
}

/// Facts by name, in the order in which the scenario asks for them.
#[derive(Clone, Debug)]
pub enum Facts<'a> {
    /// Those of a run.
    Run(&'a [(Cow<'static, str>, Value)]),
    /// Those that were read back.
    Read(Vec<(String, serde_json::Value)>),
}

/// A hash in 64 bits, written in hexadecimal: numbers as large are not safe in all readers of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(pub u64);

impl<'a> Record<'a> {
    /// The record of a report.
    pub fn new(report: &'a CaseResult) -> Self {
        let reason = match &report.verdict {
            Verdict::Skipped(reason) => Some(Cow::Borrowed(reason.as_str())),
            _ => None,
        };
        Self {
            file: Cow::Borrowed(&report.file),
            name: report.name.text(),
            index: report.index,
            line: report.line,
            engine: Cow::Borrowed(&*report.engine),
            tags: Cow::Borrowed(&report.tags),
            verdict: report.verdict.word(),
            known_failure: matches!(report.verdict, Verdict::Passed { known_failure: true }),
            reason,
            scenario_hash: report.scenario_hash.map(Hash),
            seconds: report.elapsed.as_secs_f64(),
            facts: Facts::Run(&report.facts),
            faults: faults(report.verdict.faults()),
            printed: Cow::Borrowed(&report.printed),
            outcome: report.outcome.map(Hash),
        }
    }

    /// Returns the scenario's name, told apart from those that have the same text.
    pub fn name(&self) -> Name {
        Name::recorded(&self.name, self.line)
    }

    /// Returns the identity of the case, as people read it.
    pub fn id(&self) -> String {
        Id { file: &self.file, name: &self.name(), index: self.index }.to_string()
    }

    /// Returns the identity of the case within its run.
    pub fn key(&self) -> Key {
        Key::new(Id { file: &self.file, name: &self.name(), index: self.index }, self.line)
    }

    /// Counts the case.
    pub fn count(&self, summary: &mut Summary) {
        summary.count(self.verdict, self.known_failure);
    }

    /// Returns the drawings of the faults one below the other, the middle of many counted.
    pub fn drawing(&self) -> String {
        let mut text = drawn(&self.faults, |fault| fault.drawing.clone());
        text.pop();
        text
    }
}

/// Largest number of faults of one case that are drawn.
const DRAWN: usize = 20;

/// Returns the positions of those of so many faults that are not drawn. The last one is: it says how to run the case alone.
fn hidden(faults: usize) -> Range<usize> {
    if faults > DRAWN { DRAWN - 1..faults - 1 } else { 0..0 }
}

/// Returns the faults as data, all but the middle of many with a drawing.
fn faults(faults: &[Diagnostic]) -> Vec<Fault<'_>> {
    let hidden = hidden(faults.len());
    let numbered = faults.iter().enumerate();
    numbered.map(|(i, fault)| Fault::new(fault, !hidden.contains(&i))).collect()
}

/// A fault of a case that is drawn, or the number of those left out.
pub(super) enum Shown<F> {
    Fault(F),
    /// In words.
    More(String),
}

/// Returns the faults of a case in their order, as many as are drawn.
pub(super) fn shown<F>(faults: &[F]) -> impl Iterator<Item = Shown<&F>> {
    let hidden = hidden(faults.len());
    let more = (!hidden.is_empty()).then(|| {
        let more = count(hidden.len() as u64, "more fault");
        Shown::More(format!("{more} of this case: a report in JSON Lines lists all"))
    });
    let (before, behind) = (&faults[..hidden.start], &faults[hidden.end..]);
    before.iter().map(Shown::Fault).chain(more).chain(behind.iter().map(Shown::Fault))
}

/// Returns the faults of a case drawn one below the other.
pub(super) fn drawn<F>(faults: &[F], draw: impl Fn(&F) -> String) -> String {
    let draw = |shown| match shown {
        Shown::Fault(fault) => draw(fault) + "\n",
        Shown::More(more) => format!("… {more}\n\n"),
    };
    shown(faults).map(draw).collect()
}

impl<'a> Fault<'a> {
    fn new(fault: &'a Diagnostic, is_drawn: bool) -> Self {
        Self {
            code: Cow::Borrowed(fault.code),
            title: Cow::Borrowed(&fault.title),
            labels: fault.labels.iter().map(Mark::new).collect(),
            notes: Cow::Borrowed(&fault.notes),
            help: Cow::Borrowed(&fault.help),
            drawing: if is_drawn { fault.draw(false) } else { String::new() },
        }
    }
}

impl<'a> Mark<'a> {
    fn new(label: &'a Label) -> Self {
        let Label { span, text } = label;
        let (line, column) = span.source.line_column(span.range.start);
        let marked = span.text();
        let end_line = line + marked.matches('\n').count();
        let end_column = match marked.rsplit_once('\n') {
            Some((_, last)) => last.chars().count() + 1,
            None => column + marked.chars().count(),
        };
        let file = Cow::Borrowed(span.source.name_at(span.range.start));
        Self { file, line, column, end_line, end_column, text: Cow::Borrowed(text) }
    }
}

impl Facts<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Run(facts) => facts.is_empty(),
            Self::Read(facts) => facts.is_empty(),
        }
    }
}

impl Default for Facts<'_> {
    fn default() -> Self {
        Self::Run(&[])
    }
}

impl Serialize for Facts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Run(facts) => serializer.collect_map(facts.iter().map(|(name, value)| (name, value))),
            Self::Read(facts) => serializer.collect_map(facts.iter().map(|(name, value)| (name, value))),
        }
    }
}

impl<'de> Deserialize<'de> for Facts<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Vec<(String, serde_json::Value)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("facts by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut facts = Vec::new();
                while let Some(fact) = map.next_entry()? {
                    facts.push(fact);
                }
                Ok(facts)
            }
        }

        deserializer.deserialize_map(Pairs).map(Self::Read)
    }
}

impl JsonSchema for Facts<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Facts".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": { "type": ["boolean", "integer", "string", "array"] },
        })
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map(Self).map_err(de::Error::custom)
    }
}

impl JsonSchema for Hash {
    fn schema_name() -> Cow<'static, str> {
        "Hash".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-f]{16}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Source, Span};

    #[test]
    fn a_mark_counts_characters_over_lines() {
        let source = Source::new("a.toml", "ä = 日本\nx = \"\"\"\n1 2\n\"\"\"\n");
        let label = |range| Label { span: Span::new(&source, range), text: "here".into() };
        let one_line = label(5..11);
        let mark = Mark::new(&one_line);
        assert_eq!((mark.line, mark.column, mark.end_line, mark.end_column), (1, 5, 1, 7));
        let lines = label(16..27);
        let mark = Mark::new(&lines);
        assert_eq!((mark.line, mark.column, mark.end_line, mark.end_column), (2, 5, 4, 4));
    }

    #[test]
    fn a_record_comes_back_as_it_went() {
        let facts = [(Cow::Borrowed("z"), Value::ints([1, 2])), (Cow::Borrowed("a"), Value::Bool(true))];
        let record = Record {
            file: "a.toml".into(),
            name: "\u{0}\"".into(),
            index: Some(3),
            line: 7,
            engine: "".into(),
            tags: vec!["t".to_owned()].into(),
            verdict: Word::Failed,
            known_failure: false,
            reason: None,
            scenario_hash: Some(Hash(1)),
            seconds: 0.25,
            facts: Facts::Run(&facts),
            faults: Vec::new(),
            printed: "".into(),
            outcome: Some(Hash(0xab)),
        };
        let text = serde_json::to_string(&record).expect("JSON");
        let expected = r#"{"file":"a.toml","name":"\u0000\"","index":3,"line":7,"tags":["t"],"verdict":"failed","scenario_hash":"0000000000000001","seconds":0.25,"facts":{"z":[1,2],"a":true},"outcome":"00000000000000ab"}"#;
        assert_eq!(text, expected);
        let back: Record<'_> = serde_json::from_str(&text).expect("a record");
        assert_eq!(serde_json::to_string(&back).expect("JSON"), text);
    }
}
