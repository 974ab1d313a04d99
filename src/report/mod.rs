//! Verdicts as text, one file a format.
//!
//! [`terminal`] is for people who wait for the verdicts. Every [`Format`] is for what comes after: it is made of
//! [`record::Record`]s, which a run makes and [`jsonl`] brings back, so reports of many machines become one.

pub mod alike;
pub mod diff;
pub mod github;
pub mod html;
pub mod jsonl;
pub mod junit;
pub mod markdown;
pub mod merge;
pub mod record;
pub mod signature;
pub mod slowest;
pub mod tap;
pub mod terminal;
pub mod text;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::record::Record;
use crate::diagnostic::CodeSpec;
use crate::verdict::Summary;

/// What can be wrong with reports that are read back.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "report::unreadable", about: "a report cannot be read" },
    CodeSpec { code: "report::no-report", about: "a file is no report in JSON Lines" },
    CodeSpec { code: "report::newer-format", about: "a report was written by a newer release" },
    CodeSpec { code: "report::bad-line", about: "a report has a line that is not one of a report" },
    CodeSpec { code: "report::cut-off", about: "an incomplete report: its run did not finish" },
    CodeSpec { code: "report::missing-shard", about: "the report of a shard is not among those given" },
    CodeSpec { code: "report::same-shard", about: "the report of a shard is given twice" },
    CodeSpec { code: "report::other-shards", about: "reports are of runs that were shared out differently" },
    CodeSpec { code: "report::same-case", about: "a case is in two reports, or twice in one" },
    CodeSpec {
        code: "report::other-run",
        about: "a report is of another run than the one that is to go on, or than the others",
    },
    CodeSpec { code: "report::in-use", about: "another run writes the report" },
    CodeSpec { code: "report::no-signature", about: "a report has no hashes to make a signature of" },
    CodeSpec { code: "report::not-whole", about: "a report could not be written to its end" },
];

/// A way to write down what became of the cases of a run.
pub trait Format {
    /// Returns what every report of this format begins with, by which a former one is known.
    fn opening(&self) -> &'static str;

    /// Begins.
    ///
    /// # Errors
    /// Those of `out`, as for the others.
    fn begin(&mut self, head: &Head, out: &mut dyn Write) -> io::Result<()> {
        let _ = (head, out);
        Ok(())
    }

    /// A case has its verdict.
    ///
    /// # Errors
    /// Those of `out`.
    fn case(&mut self, record: &Record<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// All cases were told.
    ///
    /// # Errors
    /// Those of `out`.
    fn end(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()>;
}

/// What is known of a run before its first case.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// The release that ran it.
    pub rulebook: Cow<'static, str>,
    /// The version of this format.
    pub format: u32,
    /// Of a run that was shared out: which share this is, from 1, and of how many.
    pub shard: Option<(u64, u64)>,
    /// Whether the cases have outcomes, of which a signature is made.
    #[serde(default)]
    pub signature: bool,
    /// Which scenarios the run was asked for; absent for reports of several runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
}

/// The words that a run was asked with for scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// The files, directories, globs and names.
    pub paths: Vec<String>,
    /// The only index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The text that `FILE::NAME` contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The filter expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The only engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The only tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The seed of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<u64>,
}

/// The words as they are typed, without quotes.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { paths, index, name, filter, engine, tag, shuffle } = self;
        f.write_str(&paths.join(" "))?;
        let number = |number: &Option<u64>| number.map(|number| number.to_string());
        let flags = [
            ("index", number(index)),
            ("name", name.clone()),
            ("filter", filter.clone()),
            ("engine", engine.clone()),
            ("tag", tag.clone()),
            ("shuffle", number(shuffle)),
        ];
        flags
            .iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)))
            .try_for_each(|(name, value)| write!(f, " --{name} {value}"))
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// How many cases came to what.
    #[serde(flatten)]
    pub summary: Summary,
    /// How long the run took, in seconds.
    pub seconds: f64,
    /// The signature, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// How many cases of each file came to what, in the order of the files.
#[derive(Clone, Debug, Default)]
struct ByFile {
    files: Vec<(String, Summary, f64)>,
    places: HashMap<String, usize>,
}

impl ByFile {
    /// Counts the case; the place of its file among them.
    fn add(&mut self, record: &Record<'_>) -> usize {
        let last = self.files.last().is_some_and(|(file, ..)| *file == record.file);
        let place = if last { Some(self.files.len() - 1) } else { self.places.get(&*record.file).copied() };
        let place = place.unwrap_or_else(|| {
            self.files.push((record.file.to_string(), Summary::default(), 0.0));
            self.places.insert(record.file.to_string(), self.files.len() - 1);
            self.files.len() - 1
        });
        let (_, summary, seconds) = &mut self.files[place];
        record.count(summary);
        *seconds += record.seconds;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::record::Record;
    use super::*;
    use crate::diagnostic::Diagnostic;
    use crate::verdict::CaseResult;

    #[test]
    fn many_faults_of_a_case_are_counted_in_every_format() {
        let formats: [fn() -> Box<dyn Format>; 5] = [
            || Box::new(github::Github::default()),
            || Box::new(html::Html::default()),
            || Box::new(junit::Junit::default()),
            || Box::new(markdown::Markdown::default()),
            || Box::new(tap::Tap::default()),
        ];
        for (faults, more) in
            [(1, None), (20, None), (21, Some("1 more fault ")), (900, Some("880 more faults "))]
        {
            let fault = |i| Diagnostic::new("a::b", format!("fault {i}."));
            let report = CaseResult::of_file("a.toml".into(), (1..=faults).map(fault).collect());
            let data = serde_json::to_string(&Record::new(&report)).expect("a record");
            let read: Record<'_> = serde_json::from_str(&data).expect("a record");
            assert_eq!(read.faults.len(), faults);
            let drawn = read.faults.iter().filter(|fault| !fault.drawing.is_empty());
            assert_eq!(drawn.count(), faults.min(20));

            let mut texts = vec![terminal::case(&report, false, false), terminal::record(&read, false)];
            for format in formats {
                let mut out = Vec::new();
                let mut format = format();
                format.case(&read, &mut out).expect("memory");
                format.end(&End::default(), &mut out).expect("memory");
                texts.push(String::from_utf8(out).expect("text"));
            }
            for text in texts {
                assert_eq!(text.matches("error[a::b]").count(), faults.min(20), "{text}");
                assert!(text.contains(&format!("fault {}.", faults.min(19))), "{text}");
                assert!(text.contains(&format!("fault {faults}.")), "{text}");
                match more {
                    Some(more) => assert_eq!(text.matches(more).count(), 1, "{text}"),
                    None => assert!(!text.contains("more fault"), "{text}"),
                }
            }
        }
    }
}
