//! Reports of several runs, or of the shards of one, read as one.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use super::jsonl::Reader;
use super::record::Record;
use super::signature::Signature;
use super::{End, Head};
use crate::diagnostic::{Diagnostic, count, names};
use crate::identity::Key;
use crate::verdict::Summary;

/// The reports that are read, and what is wrong with them.
pub struct Merge<R> {
    parts: Vec<Part<R>>,
    /// The file whose cases are under way: all of them, from every report, come before another file's.
    file: String,
    /// Where each case was seen: the number of the report, and the line.
    seen: HashMap<Key, (usize, usize)>,
    names: Vec<String>,
    head: Head,
    summary: Summary,
    signature: Signature,
    /// How many cases are in two reports.
    twice: u64,
    faults: Vec<Diagnostic>,
}

struct Part<R> {
    report: usize,
    reader: Reader<R>,
    next: Option<Record<'static>>,
    seconds: f64,
    stopped: bool,
}

impl<R: BufRead> Merge<R> {
    /// Reads the reports, each with its name.
    pub fn new(reports: impl IntoIterator<Item = (String, Result<R, Diagnostic>)>) -> Self {
        let mut merge = Self {
            parts: Vec::new(),
            file: String::new(),
            seen: HashMap::new(),
            names: Vec::new(),
            head: Head::default(),
            summary: Summary::default(),
            signature: Signature::default(),
            twice: 0,
            faults: Vec::new(),
        };
        for (report, (name, lines)) in reports.into_iter().enumerate() {
            match lines.and_then(|lines| Reader::new(&name, lines)) {
                Ok(reader) => {
                    merge.parts.push(Part { report, reader, next: None, seconds: 0.0, stopped: false });
                }
                Err(fault) => merge.faults.push(fault),
            }
            merge.names.push(name);
        }
        let signature = !merge.parts.is_empty() && merge.parts.iter().all(|part| part.reader.head.signature);
        let mut selections = merge.parts.iter().map(|part| part.reader.head.selection.clone());
        let first = selections.next().flatten();
        let selection = first.filter(|first| selections.all(|other| other.as_ref() == Some(first)));
        merge.head = Head::new(None, signature, selection);
        merge.check_shards();
        merge.check_signatures();
        for part in 0..merge.parts.len() {
            merge.fetch(part);
        }
        merge
    }

    /// What is known before the first case.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The next case of them all, in the order of a run of all: by file, line and index.
    pub fn next_record(&mut self) -> Option<Record<'static>> {
        let heads = self.parts.iter().enumerate().filter_map(|(i, part)| Some((i, part.next.as_ref()?)));
        let (first, _) = heads.min_by(|(_, a), (_, b)| order(&self.file, a, b))?;
        let record = self.parts[first].next.take()?;
        if *record.file != self.file {
            self.file = record.file.to_string();
        }
        self.fetch(first);
        record.count(&mut self.summary);
        self.signature.add(&record);
        Some(record)
    }

    /// What all cases came to, and what is wrong with the reports; the cases were told as far as they can be read.
    pub fn end(mut self) -> (End, Vec<Diagnostic>) {
        if let Some(more) = self.twice.checked_sub(SHOWN).filter(|more| *more > 0) {
            let title = format!(
                "{} in two reports",
                if more == 1 { "1 more case is".into() } else { format!("{more} more cases are") }
            );
            self.faults.push(Diagnostic::new("report::same-case", title));
        }
        let stopped = self.parts.iter().any(|part| part.stopped);
        let seconds = self.parts.iter().map(|part| part.seconds).sum();
        let signature = self.head.signature.then(|| self.signature.to_string());
        (End { summary: Summary { stopped, ..self.summary }, seconds, signature }, self.faults)
    }

    /// Reads on in a report, to the next case that was not told yet.
    fn fetch(&mut self, index: usize) {
        let part = &mut self.parts[index];
        loop {
            part.next = match part.reader.next_record() {
                Ok(next) => next,
                Err(fault) => {
                    self.faults.push(fault);
                    None
                }
            };
            let Some(record) = &part.next else { break };
            let here = (part.report, part.reader.number());
            let Some((report, line)) = self.seen.insert(record.key(), here) else { return };
            // Every shard sees that a file cannot be read, for several reasons if there are.
            match record.name.is_empty() {
                true if report == part.report => return,
                true => continue,
                false => {}
            }
            self.twice += 1;
            if self.twice > SHOWN {
                continue;
            }
            let title = format!("`{}` is in two reports", crate::visible::line_safe(&record.id()));
            let fault = Diagnostic::new("report::same-case", title)
                .label(part.reader.place(), "here again")
                .note(format!("line {line} of `{}` has it, too; that one is kept", self.names[report]))
                .help("merge the reports of runs that have no case in common, such as shards of one");
            self.faults.push(fault);
        }
        if let Some(end) = &part.reader.end {
            part.seconds = end.seconds;
            part.stopped = end.summary.stopped;
        }
    }

    fn check_shards(&mut self) {
        let Some(first) = self.parts.first() else { return };
        let many = first.reader.head.shard.map(|(_, many)| many);
        let mut reports: HashMap<u64, usize> = HashMap::new();
        for part in &self.parts {
            let shard = part.reader.head.shard;
            let name = &self.names[part.report];
            if shard.map(|(_, many)| many) != many {
                let said = |many: Option<u64>| {
                    many.map_or("a whole run".to_owned(), |many| format!("one of {}", count(many, "shard")))
                };
                let label = format!("`{}` is of {}", self.names[first.report], said(many));
                let title = format!("`{name}` is of {}", said(shard.map(|(_, many)| many)));
                self.faults.push(
                    Diagnostic::new("report::other-shards", title)
                        .label(part.reader.place(), "expected a report of the same sharding")
                        .note(label),
                );
                continue;
            }
            let Some((shard, many)) = shard else { continue };
            if part.reader.head.selection != first.reader.head.selection {
                let said = |part: &Part<R>| match &part.reader.head.selection {
                    Some(selection) => format!("`{selection}`"),
                    None => "several runs".to_owned(),
                };
                let title = format!("`{name}` is the report of another run");
                self.faults.push(
                    Diagnostic::new("report::other-run", title)
                        .label(
                            part.reader.place(),
                            format!("this is of {}, expected {}", said(part), said(first)),
                        )
                        .note(format!("`{}` is the first", self.names[first.report]))
                        .help("merge the shards of one run"),
                );
            }
            if let Some(earlier) = reports.insert(shard, part.report) {
                let title = format!("shard {shard}/{many} is there twice");
                self.faults.push(
                    Diagnostic::new("report::same-shard", title)
                        .label(part.reader.place(), "here again")
                        .note(format!("`{}` is of it, too", self.names[earlier])),
                );
            }
        }
        let Some(many) = many else { return };
        let here = reports.keys().filter(|shard| (1..=many).contains(*shard)).count() as u64;
        let missing = many.saturating_sub(here);
        if missing > 0 {
            let absent = (1..=many).filter(|shard| !reports.contains_key(shard));
            let mut absent: Vec<_> = absent.take(NAMED).map(|shard| format!("{shard}/{many}")).collect();
            if missing > NAMED as u64 {
                absent.push("…".to_owned());
            }
            let title = format!(
                "{} of {many} {} missing",
                count(missing, "shard"),
                if missing == 1 { "is" } else { "are" }
            );
            self.faults.push(
                Diagnostic::new("report::missing-shard", title)
                    .note(format!("no report is of {}", names(&absent)))
                    .help("`rulebook run --shard I/N` with the same paths runs it again"),
            );
        }
    }

    /// A signature is made of all reports or of none.
    fn check_signatures(&mut self) {
        if self.head.signature || !self.parts.iter().any(|part| part.reader.head.signature) {
            return;
        }
        for part in self.parts.iter().filter(|part| !part.reader.head.signature) {
            let title = format!("`{}` has no signature, other reports have", self.names[part.report]);
            self.faults.push(
                Diagnostic::new("report::no-signature", title)
                    .label(part.reader.place(), "made without `--signature`")
                    .help("run it again with `--signature`"),
            );
        }
    }
}

/// Only so many cases that are there twice are drawn.
const SHOWN: u64 = 5;

/// Only so many missing shards are named, whatever number a report claims.
const NAMED: usize = 20;

/// The file under way first; else by path, as folders are walked; in a file by line and index.
fn order(under_way: &str, a: &Record<'_>, b: &Record<'_>) -> Ordering {
    let file = |record: &Record<'_>| record.file != under_way;
    let place = |record: &Record<'_>| (record.line, record.index);
    file(a)
        .cmp(&file(b))
        .then_with(|| Path::new(&*a.file).cmp(Path::new(&*b.file)))
        .then_with(|| place(a).cmp(&place(b)))
}
