//! What did not pass when it was last run.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy as _, choose_base_strategy};
use rulebook::diagnostic::Diagnostic;
use rulebook::scenario::Cases;
use rulebook::source;
use rulebook::verdict::{Report, Verdict};
use serde::{Deserialize, Serialize};
use tempfile::Builder;
use xxhash_rust::xxh3::xxh3_64;

use super::exit::Trouble;

/// The version of the file's format.
const FORMAT: u32 = 1;
/// So many cases are remembered at the most.
const MOST: usize = 100_000;

/// The cases that did not pass, kept in a file from run to run: each until it passes.
pub(crate) struct State {
    path: PathBuf,
    failed: Cases,
    count: usize,
    changed: bool,
    /// Whether the user named the file.
    named: bool,
}

/// The file.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    failed: Vec<(String, String, Option<u64>)>,
}

impl State {
    /// What the file holds that the user names, or the one in the user's cache for the working directory; nothing where
    /// there is no cache.
    pub(crate) fn open(named: Option<&Path>) -> Result<Option<Self>, Trouble> {
        let Some(path) = named.map(Path::to_owned).or_else(cached) else { return Ok(None) };
        let named = named.is_some();
        let empty = Self { path: path.clone(), failed: Cases::default(), count: 0, changed: false, named };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound || !named => return Ok(Some(empty)),
            Err(error) => return Err(unreadable(&path, source::reason(&error))),
        };
        let stored = serde_json::from_str::<Stored>(&text).ok().filter(|stored| stored.format == FORMAT);
        let Some(stored) = stored else {
            // The cache is the program's own; any other file is somebody's, and not to be written over.
            let why = "it holds something else".to_owned();
            return if named { Err(unreadable(&path, why)) } else { Ok(Some(empty)) };
        };
        let mut failed = Cases::default();
        let mut count = 0;
        for (file, name, index) in &stored.failed {
            count += usize::from(failed.insert(file, name, *index));
        }
        Ok(Some(Self { failed, count, ..empty }))
    }

    /// The cases.
    pub(crate) fn failed(&self) -> &Cases {
        &self.failed
    }

    /// Notes what became of a case.
    pub(crate) fn note(&mut self, report: &Report) {
        let Report { file, name, index, .. } = report;
        match report.verdict {
            Verdict::Failed(_) | Verdict::Errored(_) => {
                if self.count < MOST && self.failed.insert(file, name, *index) {
                    self.count += 1;
                    self.changed = true;
                }
            }
            Verdict::Passed { .. } | Verdict::Skipped(_) if self.count == 0 => {}
            Verdict::Passed { .. } | Verdict::Skipped(_) => {
                // What all cases of a script failed together is theirs without an index, and comes behind them.
                for index in [*index, None] {
                    if self.failed.remove(file, name, index) {
                        self.count -= 1;
                        self.changed = true;
                    }
                }
            }
        }
    }

    /// Writes the file anew if anything has changed.
    pub(crate) fn save(&self) -> Result<(), Trouble> {
        if !self.changed {
            return Ok(());
        }
        match self.write() {
            // A cache that cannot be written is none; only who asks for the file is told.
            Err(error) if self.named => Err(Trouble::Usage(
                Diagnostic::new("usage::unwritable", format!("`{}` cannot be written", self.path.display()))
                    .note(source::reason(&error)),
            )),
            _ => Ok(()),
        }
    }

    fn write(&self) -> io::Result<()> {
        let failed = self.failed.sorted().into_iter();
        let failed = failed.map(|(file, name, index)| (file.to_owned(), name.to_owned(), index)).collect();
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = Builder::new().prefix(".rulebook-").suffix(".tmp").tempfile_in(folder)?;
        serde_json::to_writer(&mut file, &Stored { format: FORMAT, failed })?;
        file.write_all(b"\n")?;
        file.persist(&self.path)?;
        Ok(())
    }
}

fn unreadable(path: &Path, why: String) -> Trouble {
    let title = format!("`{}` is no record of what failed", path.display());
    Trouble::Usage(
        Diagnostic::new("usage::state", title)
            .note(why)
            .help("name a file that is not there yet, or remove it"),
    )
}

/// The file for the working directory.
fn cached() -> Option<PathBuf> {
    let cache = choose_base_strategy().ok()?.cache_dir();
    let here = std::env::current_dir().ok()?;
    let name = format!("{:016x}.json", xxh3_64(here.as_os_str().as_encoded_bytes()));
    Some(cache.join("rulebook").join("failed").join(name))
}
