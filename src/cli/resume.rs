//! `--resume`: continues a run that was interrupted, from its report in JSON Lines.
//!
//! What such a report holds must be the beginning of the run: the same cases in the same order, of scenarios that say the
//! same. That is checked case by case, while the run passes over them, so before the first new case is run.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rulebook::diagnostic::Diagnostic;
use rulebook::identity::{Id, Key};
use rulebook::report::Head;
use rulebook::report::jsonl::{self, Reader, VERSION};
use rulebook::report::record::{Hash, Record};
use rulebook::scenario::Known;
use rulebook::source;
use rulebook::verdict::{CaseResult, Summary};

use super::exit::Trouble;
use super::files;

/// A report that is to be made whole, locked against other runs.
pub(crate) struct Resumed {
    path: PathBuf,
    file: File,
    /// What reads its cases, unless it is to be begun.
    reader: Option<Reader<BufReader<File>>>,
    /// The cases that were read in order, with the hashes of their scenarios.
    cases: Vec<(Key, Option<Hash>)>,
    /// The verdicts on all cases of a scenario together.
    together: HashSet<Key>,
}

/// The cases that a report holds.
#[derive(Default)]
pub(crate) struct Earlier {
    /// All of them.
    pub(crate) known: Known,
    /// Their verdicts, counted.
    pub(crate) summary: Summary,
    /// Whether it is that of a run that came to its end.
    pub(crate) is_whole: bool,
}

impl Resumed {
    /// Opens the report at `path`, which must be of a run that begins as `head` says; one that is missing, empty or cut off
    /// within its header is to be begun.
    pub(crate) fn open(path: &Path, head: &Head) -> Result<Self, Trouble> {
        let unreadable = |error: io::Error| Trouble::Faults(vec![unreadable(path, &error)]);
        let mut file = open(path).map_err(unreadable)?;
        files::lock(&file, path)?;
        let mut header = Vec::new();
        jsonl::write_head(head, &mut header).map_err(unreadable)?;
        let mut start = Vec::new();
        (&file).take(header.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
        let is_begun = start.len() == header.len() || !header.starts_with(&start);
        if !is_begun {
            files::refuse_sources(path)?;
            return Ok(Self {
                path: path.to_owned(),
                file,
                reader: None,
                cases: Vec::new(),
                together: HashSet::new(),
            });
        }
        let lines = BufReader::new(file.try_clone().map_err(unreadable)?);
        let reader = Reader::new(&path.display().to_string(), lines)?;
        match other(&reader.head, head) {
            None => Ok(Self {
                path: path.to_owned(),
                file,
                reader: Some(reader),
                cases: Vec::new(),
                together: HashSet::new(),
            }),
            Some((what, help)) => Err(other_run(path).label(reader.place(), what).help(help).into()),
        }
    }

    /// Reads the cases, telling `each` of them; nothing of a report that is to be begun.
    pub(crate) fn read(&mut self, mut each: impl FnMut(&Record<'_>)) -> Result<Option<Earlier>, Trouble> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let mut earlier = Earlier::default();
        // The scenario under way, if a script made its cases.
        let mut made = None;
        loop {
            match reader.next_record() {
                Ok(Some(record)) => {
                    let key = record.key();
                    // Of a file as such there may be several faults.
                    if !earlier.known.cases.insert(key) && !record.name.is_empty() {
                        let title = format!("`{}` is in the report twice", record.id());
                        let fault = Diagnostic::new("report::same-case", title);
                        return Err(fault.label(reader.place(), "here again").help(AGAIN).into());
                    }
                    let name = record.name();
                    let scenario = Key::new(Id { file: &record.file, name: &name, index: None }, record.line);
                    let goes_on = made == Some(scenario);
                    // The verdict on all cases together follows them, and is found again only with all of them.
                    if goes_on && record.index.is_none() {
                        self.together.insert(key);
                    } else {
                        self.cases.push((key, record.scenario_hash));
                    }
                    if !goes_on {
                        earlier.known.closed.extend(made);
                        made = record.index.map(|_| scenario);
                    }
                    earlier.known.last = Some(key);
                    earlier.known.open = Some(scenario);
                    record.count(&mut earlier.summary);
                    each(&record);
                }
                Ok(None) => {
                    earlier.is_whole = reader.end.as_ref().is_some_and(|end| !end.summary.stopped);
                    return Ok(Some(earlier));
                }
                // That is what there is to continue with.
                Err(fault) if fault.code == "report::cut-off" => return Ok(Some(earlier)),
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    /// Returns the report to be written on after its last case, and the check of what it holds.
    pub(crate) fn split(self) -> io::Result<(Rest, Check)> {
        let length = self.reader.as_ref().map_or(0, Reader::length);
        let Self { path, file, cases, together, .. } = self;
        let check = Check { path, file: file.try_clone()?, cases, together, met: 0, fault: None };
        Ok((Rest { file, length, is_cut: false }, check))
    }
}

/// Opens the file at `path`, which is made if it is missing.
fn open(path: &Path) -> io::Result<File> {
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        fs::create_dir_all(above)?;
    }
    source::regular(OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?)
}

const AGAIN: &str = "begin again, with a report of its own";

/// The end of a report: what is after its last case goes when the next one is written.
pub(crate) struct Rest {
    file: File,
    length: u64,
    is_cut: bool,
}

impl Write for Rest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_cut {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::Start(self.length))?;
            self.is_cut = true;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether a report is of the run that is under way, found out case by case.
pub(crate) struct Check {
    /// The path of the report.
    pub(crate) path: PathBuf,
    file: File,
    /// The cases that the report holds.
    cases: Vec<(Key, Option<Hash>)>,
    /// The verdicts on all cases of a scenario that it holds, too.
    together: HashSet<Key>,
    /// How many of them the run has passed over.
    met: usize,
    fault: Option<Diagnostic>,
}

impl Check {
    /// Hears of a case of the run, and whether the report holds it; breaks if it is not the next one there.
    pub(crate) fn case(&mut self, report: &CaseResult, is_known: bool) -> ControlFlow<()> {
        let here = (Key::new(report.id(), report.line), report.scenario_hash.map(Hash));
        if self.together.contains(&here.0) {
            return ControlFlow::Continue(());
        }
        let what = match self.cases.get(self.met) {
            None if is_known => format!("`{}` comes twice in this run", report.id()),
            None => return ControlFlow::Continue(()),
            Some(there) if *there == here => {
                self.met += 1;
                return ControlFlow::Continue(());
            }
            Some((key, _)) if *key == here.0 => format!("`{}` has changed since", report.id()),
            Some(_) => format!("this run has `{}` in its place", report.id()),
        };
        self.fault = Some(self.other(&what));
        ControlFlow::Break(())
    }

    /// Returns what makes the report one of another run; cases are missing only if the run came to its end.
    pub(crate) fn end(&mut self, stopped: bool) -> Option<Diagnostic> {
        let is_short = self.met < self.cases.len() && !stopped;
        self.fault.take().or_else(|| is_short.then(|| self.other("this run has no such case")))
    }

    /// Returns the fault at the next case of the report.
    fn other(&mut self, what: &str) -> Diagnostic {
        let fault = other_run(&self.path);
        let place = self.place();
        let fault = match place {
            Some(place) => fault.label(place, what),
            None => fault.note(what),
        };
        fault.help("scenarios must say the same as when the run was begun").help(AGAIN)
    }

    fn place(&mut self) -> Option<source::Span> {
        self.file.rewind().ok()?;
        let mut reader = Reader::new(&self.path.display().to_string(), BufReader::new(&self.file)).ok()?;
        for _ in 0..=self.met.min(self.cases.len().saturating_sub(1)) {
            reader.next_record().ok()?;
        }
        Some(reader.place())
    }
}

fn other_run(path: &Path) -> Diagnostic {
    let title = format!("`{}` is the report of another run", path.display());
    Diagnostic::new("report::other-run", title)
}

/// What makes a report one that the run does not continue, and what to do.
fn other(there: &Head, wanted: &Head) -> Option<(String, &'static str)> {
    let said = |shard: Option<(u64, u64)>| {
        shard.map_or("the whole suite".to_owned(), |(index, count)| format!("shard {index} of {count}"))
    };
    if there.shard != wanted.shard {
        let what = format!("this is of {}, expected {}", said(there.shard), said(wanted.shard));
        Some((what, "give the same `--shard` as in the run that was ended"))
    } else if there.signature != wanted.signature {
        let (has, expected) = if there.signature { ("with", "without") } else { ("without", "with") };
        let what = format!("this is {has} hashes for a signature, expected {expected}");
        Some((what, "give `--signature`, or leave it out, as in the run that was ended"))
    } else if there.format != VERSION || there.rulebook != wanted.rulebook {
        let what = format!("release {} wrote it, this is {}", there.rulebook, wanted.rulebook);
        Some((what, "begin again: verdicts of two releases are not of one run"))
    } else if there.selection != wanted.selection {
        let said = |head: &Head| match &head.selection {
            Some(selection) => format!("`{selection}`"),
            None => "several runs".to_owned(),
        };
        let what = format!("this is of {}, expected {}", said(there), said(wanted));
        Some((what, "give the same paths and filters as in the run that was ended"))
    } else {
        None
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let title = format!("`{}` cannot be read", path.display());
    Diagnostic::new("report::unreadable", title).note(source::reason(error))
}
