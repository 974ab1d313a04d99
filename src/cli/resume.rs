//! `--resume`: goes on where a run ended that has left a report in JSON Lines.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use rulebook::diagnostic::{Diagnostic, count};
use rulebook::report::Head;
use rulebook::report::jsonl::{Reader, VERSION};
use rulebook::report::record::Record;
use rulebook::scenario::Cases;
use rulebook::source;
use rulebook::verdict::Summary;

use super::exit::Trouble;

/// A report that is to be made whole.
pub(crate) struct Resumed {
    path: PathBuf,
    reader: Reader<BufReader<File>>,
}

/// What a report holds.
#[derive(Default)]
pub(crate) struct Earlier {
    /// Its cases.
    pub(crate) cases: Cases,
    /// What they came to.
    pub(crate) summary: Summary,
    /// Whether it is that of a run that came to its end.
    pub(crate) is_whole: bool,
}

impl Resumed {
    /// Opens the report at `path`, which must be of a run that begins as `head` says; nothing if there is none yet, or an
    /// empty one.
    pub(crate) fn open(path: &Path, head: &Head) -> Result<Option<Self>, Trouble> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Trouble::Usage(unreadable(path, &error))),
        };
        let data = file.metadata().map_err(|error| Trouble::Usage(unreadable(path, &error)))?;
        if data.is_file() && data.len() == 0 {
            return Ok(None);
        }
        let reader = Reader::new(&path.display().to_string(), BufReader::new(file));
        let reader = reader.map_err(Trouble::Usage)?;
        match other(&reader.head, head) {
            None => Ok(Some(Self { path: path.to_owned(), reader })),
            Some((what, help)) => {
                let title = format!("`{}` is the report of another run", path.display());
                let fault = Diagnostic::new("report::other-run", title).label(reader.place(), what);
                Err(Trouble::Usage(fault.help(help)))
            }
        }
    }

    /// Reads what it holds, telling `each` of the cases.
    pub(crate) fn read(&mut self, mut each: impl FnMut(&Record<'_>)) -> Result<Earlier, Trouble> {
        let mut earlier = Earlier::default();
        loop {
            match self.reader.next_record() {
                Ok(Some(record)) => {
                    earlier.cases.insert(&record.file, &record.name, record.index);
                    record.count(&mut earlier.summary);
                    each(&record);
                }
                Ok(None) => {
                    earlier.is_whole = self.reader.end.as_ref().is_some_and(|end| !end.summary.stopped);
                    return Ok(earlier);
                }
                // That is what there is to go on with.
                Err(fault) if fault.code == "report::cut-off" => return Ok(earlier),
                Err(fault) => return Err(Trouble::Usage(fault)),
            }
        }
    }

    /// The file, cut off behind its last case, to be written on; the header is still there unless it is the first line that is
    /// cut off.
    pub(crate) fn cut(self) -> Result<(PathBuf, File, bool), Trouble> {
        let length = self.reader.length();
        let file = OpenOptions::new().write(true).open(&self.path);
        let cut = file.and_then(|mut file| {
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))?;
            Ok(file)
        });
        match cut {
            Ok(file) => Ok((self.path, file, length > 0)),
            Err(error) => {
                let title = format!("`{}` cannot be written", self.path.display());
                let fault = Diagnostic::new("usage::unwritable", title);
                Err(Trouble::Usage(fault.note(source::reason(&error))))
            }
        }
    }
}

impl Earlier {
    /// What is said of it.
    pub(crate) fn note(&self, path: &Path) -> String {
        let cases = count(self.summary.cases(), "case");
        let path = path.display();
        if self.is_whole {
            format!("`{path}` is whole, with {cases}: nothing is run")
        } else {
            format!("{cases} stand in `{path}` already")
        }
    }
}

/// What makes a report one that the run does not go on with, and what to do.
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
    } else {
        None
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let title = format!("`{}` cannot be read", path.display());
    Diagnostic::new("report::unreadable", title).note(source::reason(error))
}
