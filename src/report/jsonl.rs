//! JSON Lines: a header, a line for each case, a summary; `docs/reports.md` describes them.
//!
//! The lines are written as cases end, so a run that is killed leaves the whole lines of those that had. They hold all
//! that any other format needs: reports of earlier runs are read back from them.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _, Write};

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use super::record::Record;
use super::{End, Format, Head, Selection};
use crate::diagnostic::{Diagnostic, count};
use crate::source::{self, Source, Span};
use crate::verdict::Summary;
use crate::visible;

/// The most bytes of a line that are read.
const LONGEST: usize = 256 << 20;

/// The version of the format.
pub const VERSION: u32 = 1;

/// Beginning of every report in this format.
const OPENING: &str = "{\"rulebook\":\"";

/// Writes JSON Lines.
#[derive(Debug, Default)]
pub struct JsonLines {
    line: Vec<u8>,
}

/// Any line of a report.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Line<'a> {
    /// The first line.
    Head(Head),
    /// A case.
    Case(Record<'a>),
    /// The last line of a run that came to its end, or was ended in good order.
    Last(Last),
}

/// What is sure of a first line, whatever the version.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Last {
    /// What the run came to.
    pub summary: End,
}

/// The JSON Schema of a line, made from the types that write it.
pub fn schema() -> Schema {
    schema_for!(Line<'_>)
}

impl JsonLines {
    fn write(&mut self, value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
        self.line.clear();
        visible::write_json(&mut self.line, value)?;
        self.line.push(b'\n');
        out.write_all(&self.line)
    }
}

impl Format for JsonLines {
    fn opening(&self) -> &'static str {
        OPENING
    }

    fn begin(&mut self, head: &Head, out: &mut dyn Write) -> io::Result<()> {
        self.write(head, out)
    }

    fn case(&mut self, record: &Record<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.write(record, out)
    }

    fn end(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        self.write(&Last { summary: end.clone() }, out)
    }
}

/// Writes the header of a report.
///
/// # Errors
/// Those of `out`.
pub fn write_head(head: &Head, out: &mut dyn Write) -> io::Result<()> {
    JsonLines::default().begin(head, out)
}

/// Reads a report back, line by line.
#[derive(Debug)]
pub struct Reader<R> {
    name: String,
    lines: R,
    /// The line that was read last, without its end.
    line: String,
    /// Its number, from 1.
    number: usize,
    /// Bytes up to the end of the last whole line.
    bytes: u64,
    /// Bytes up to the end of the last case, or of the header.
    length: u64,
    /// What the cases came to that were read.
    counted: Summary,
    /// What the first line said.
    pub head: Head,
    /// What the last line said, once it was read.
    pub end: Option<End>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the first line of the report that is called `name`.
    ///
    /// # Errors
    /// When it cannot be read, or is not that of a report of this version or an older one.
    pub fn new(name: &str, lines: R) -> Result<Self, Diagnostic> {
        let mut reader = Self {
            name: name.to_owned(),
            lines,
            line: String::new(),
            number: 0,
            bytes: 0,
            length: 0,
            counted: Summary::default(),
            head: Head::default(),
            end: None,
        };
        let got = reader.advance()?;
        let no_report = |reader: &Self, note: String| {
            let title = format!("`{name}` is no report in JSON Lines");
            reader
                .fault("report::no-report", title, "expected the header of a report")
                .note(note)
                .help("`rulebook run --report jsonl=FILE` writes one")
        };
        if got == Got::Nothing {
            let title = format!("`{name}` is empty");
            return Err(Diagnostic::new("report::no-report", title)
                .help("`rulebook run --report jsonl=FILE` writes a report"));
        }
        let version = serde_json::from_str::<Version>(&reader.line);
        let version = version.map_err(|error| no_report(&reader, error.to_string()))?;
        if version.format > VERSION {
            let title = format!("`{name}` is of format {}", version.format);
            let label = format!("expected a format up to {VERSION}");
            return Err(reader
                .fault("report::newer-format", title, &label)
                .help("a newer release of rulebook reads it"));
        }
        reader.head =
            serde_json::from_str(&reader.line).map_err(|error| no_report(&reader, error.to_string()))?;
        reader.length = reader.bytes;
        Ok(reader)
    }

    /// The next case; nothing behind the last one.
    ///
    /// # Errors
    /// When a line is not one of a report, or the report is cut off.
    pub fn next_record(&mut self) -> Result<Option<Record<'static>>, Diagnostic> {
        if self.end.is_some() {
            return Ok(None);
        }
        let got = self.advance()?;
        if got == Got::Nothing {
            let title = format!("`{}` ends without a summary", self.name);
            return Err(self.cut_off(title, "the last line"));
        }
        let error = match serde_json::from_str::<Record<'static>>(&self.line) {
            Ok(record) if got == Got::Whole => {
                self.length = self.bytes;
                record.count(&mut self.counted);
                return Ok(Some(record));
            }
            Ok(_) => None,
            Err(error) => match serde_json::from_str::<Last>(&self.line) {
                Ok(last) => {
                    let counted = Summary { stopped: last.summary.summary.stopped, ..self.counted };
                    if counted != last.summary.summary {
                        let title = format!("the cases of `{}` do not add up to its summary", self.name);
                        let fault = self.fault("report::bad-line", title, "expected what was counted above");
                        return Err(fault.note(format!("{} were read", count(counted.cases(), "case"))));
                    }
                    self.end = Some(last.summary);
                    return self.expect_end().map(|()| None);
                }
                Err(_) => Some(error),
            },
        };
        if got == Got::Half {
            let title = format!("`{}` ends in the middle of a line", self.name);
            return Err(self.cut_off(title, "goes no further"));
        }
        let title = format!("`{}` has a line that is not one of a report", self.name);
        let fault = self.fault("report::bad-line", title, "expected a case or the summary");
        Err(error.into_iter().fold(fault, |fault, error| fault.note(error.to_string())))
    }

    /// How many bytes the header and the cases have that were read: a summary, and what is cut off, stand behind them.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The number of the line that was read last, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The beginning of the line that was read last.
    pub fn place(&self) -> Span {
        const SHOWN: usize = 100;
        let shown: String = self.line.chars().take(SHOWN).collect();
        let length = shown.len();
        Span::new(&Source::piece(self.name.as_str(), "", &shown, self.number.saturating_sub(1)), 0..length)
    }

    fn expect_end(&mut self) -> Result<(), Diagnostic> {
        if self.advance()? == Got::Nothing {
            return Ok(());
        }
        let title = format!("`{}` goes on behind its summary", self.name);
        let fault = self.fault("report::bad-line", title, "expected the end of the report");
        Err(fault.help("give each report as a file of its own"))
    }

    fn cut_off(&self, title: String, label: &str) -> Diagnostic {
        let fault = self.fault("report::cut-off", title, label);
        fault
            .note("the run was killed, or is still going on: cases are missing")
            .help("run it again, and merge the new report")
    }

    fn fault(&self, code: &'static str, title: String, label: &str) -> Diagnostic {
        Diagnostic::new(code, title).label(self.place(), label)
    }

    /// Reads the next line; where there is none, the last one stays to be pointed at.
    fn advance(&mut self) -> Result<Got, Diagnostic> {
        let mut bytes = Vec::new();
        let read = (&mut self.lines).take(LONGEST as u64).read_until(b'\n', &mut bytes);
        read.map_err(|error| {
            let title = format!("`{}` cannot be read", self.name);
            Diagnostic::new("report::unreadable", title).note(source::reason(&error))
        })?;
        if bytes.is_empty() {
            return Ok(Got::Nothing);
        }
        self.number += 1;
        if bytes.len() == LONGEST {
            let title = format!("`{}` has a line of more than {} MiB", self.name, LONGEST >> 20);
            return Err(
                Diagnostic::new("report::bad-line", title).note(format!("it is line {}", self.number))
            );
        }
        let read = bytes.len() as u64;
        let got = if bytes.pop_if(|byte| *byte == b'\n').is_some() { Got::Whole } else { Got::Half };
        if got == Got::Whole {
            self.bytes += read;
        }
        match String::from_utf8(bytes) {
            Ok(line) => self.line = line,
            // The half of a line may end in the middle of a character.
            Err(error) if got == Got::Whole => {
                self.line = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let title = format!("`{}` is not UTF-8 text", self.name);
                return Err(self.fault("report::bad-line", title, "expected a case or the summary"));
            }
            Err(error) => self.line = String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
        Ok(got)
    }
}

/// What stood where a line was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Got {
    Whole,
    /// Without an end.
    Half,
    Nothing,
}

impl Head {
    /// Returns that of this release.
    pub fn new(shard: Option<(u64, u64)>, signature: bool, selection: Option<Selection>) -> Self {
        let rulebook = Cow::Borrowed(env!("CARGO_PKG_VERSION"));
        Self { rulebook, format: VERSION, shard, signature, selection }
    }
}
