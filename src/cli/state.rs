//! What did not pass when it was last run.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy as _, choose_base_strategy};
use rulebook::diagnostic::Diagnostic;
use rulebook::scenario::Cases;
use rulebook::source;
use rulebook::verdict::Report;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::exit::Trouble;
use super::rewrite::{locked, persist};

/// The version of the file's format.
const FORMAT: u32 = 1;
/// So many cases are remembered at the most.
const MOST: usize = 100_000;

/// The cases that did not pass, kept in a file from run to run: each until it passes.
pub(crate) struct State {
    path: PathBuf,
    /// Those that the file held.
    failed: Cases,
    /// What this run has found out: cases that do not pass, and those that do now.
    worse: Cases,
    better: Cases,
    count: usize,
    /// Whether all cases of a scenario are run: then it is known when all of them together do not fail any more.
    whole: bool,
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
    pub(crate) fn open(named: Option<&Path>, whole: bool) -> Result<Option<Self>, Trouble> {
        let Some(path) = named.map(Path::to_owned).or_else(cached) else { return Ok(None) };
        let named = named.is_some();
        let failed = match fs::File::open(&path).and_then(source::bytes) {
            Ok(bytes) => match read(&bytes) {
                Some(failed) => failed,
                // The cache is the program's own; any other file is somebody's, and not to be written over.
                None if named => return Err(unreadable(&path, "it holds something else".to_owned())),
                None => Cases::default(),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound || !named => Cases::default(),
            Err(error) => return Err(unreadable(&path, source::reason(&error))),
        };
        let (worse, better) = (Cases::default(), Cases::default());
        Ok(Some(Self { path, failed, worse, better, count: 0, whole, named }))
    }

    /// The cases that the file held.
    pub(crate) fn failed(&self) -> &Cases {
        &self.failed
    }

    /// Notes what became of a case.
    pub(crate) fn note(&mut self, report: &Report) {
        let Report { file, name, index, .. } = report;
        if report.verdict.word().is_bad() {
            if self.count < MOST && self.worse.insert(file, name, *index) {
                self.count += 1;
            }
            self.better.remove(file, name, *index);
        } else if !self.failed.is_empty() {
            // What all cases of a script failed together is theirs without an index, and comes behind them.
            let together = index.is_some().then_some(None).filter(|_| self.whole);
            for index in [Some(*index), together].into_iter().flatten() {
                if self.failed.holds(file, name, index) {
                    self.better.insert(file, name, index);
                }
            }
        }
        // The file as such is no more what is wrong.
        if !name.is_empty() && self.failed.holds(file, "", None) {
            self.better.insert(file, "", None);
        }
    }

    /// Writes the file anew if anything has changed, with what others have written into it meanwhile.
    ///
    /// # Errors
    /// When the file cannot be written that the user names.
    pub(crate) fn save(&mut self, stopped: bool) -> Result<(), Trouble> {
        if stopped {
            // Of a scenario that was left midway it is not known what all its cases come to.
            for (file, name, index) in self.better.clone().sorted() {
                if index.is_none() && !name.is_empty() {
                    self.better.remove(file, name, index);
                }
            }
        }
        let known =
            self.worse.sorted().into_iter().all(|(file, name, index)| self.failed.holds(file, name, index));
        if known && self.better.is_empty() {
            return Ok(());
        }
        match self.write() {
            // A cache that cannot be written is none; only who asks for the file is told.
            Err(error) if self.named => {
                let title = format!("`{}` cannot be written", self.path.display());
                Err(Diagnostic::new("usage::unwritable", title).note(source::reason(&error)).into())
            }
            _ => Ok(()),
        }
    }

    fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        OpenOptions::new().create(true).append(true).open(&self.path)?;
        let mut file = locked(&self.path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut failed = read(&bytes).unwrap_or_default();
        for (file, name, index) in self.better.sorted() {
            failed.remove(file, name, index);
        }
        for (file, name, index) in self.worse.sorted() {
            failed.insert(file, name, index);
        }
        let all = failed.sorted().into_iter().take(MOST);
        let failed = all.map(|(file, name, index)| (file.to_owned(), name.to_owned(), index)).collect();
        let text = serde_json::to_string(&Stored { format: FORMAT, failed })?;
        persist(&self.path, |beside| writeln!(beside, "{text}"))
    }
}

/// What a file holds; one that is new holds nothing.
fn read(bytes: &[u8]) -> Option<Cases> {
    let mut failed = Cases::default();
    if bytes.is_empty() {
        return Some(failed);
    }
    let stored = serde_json::from_slice::<Stored>(bytes).ok().filter(|stored| stored.format == FORMAT)?;
    for (file, name, index) in &stored.failed {
        failed.insert(file, name, *index);
    }
    Some(failed)
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
