//! What did not pass when it was last run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy as _, choose_base_strategy};
use rulebook::diagnostic::Diagnostic;
use rulebook::identity::Name;
use rulebook::scenario::Cases;
use rulebook::source;
use rulebook::verdict::CaseResult;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::exit::Trouble;
use super::rewrite::{locked, persist};

/// The version of the file's format.
const FORMAT: u32 = 1;
/// Largest number of entries remembered. Beyond it, files with many failures are remembered as a whole.
const MOST: usize = 1000;

/// The cases that did not pass, kept in a file from run to run: each until it passes, or is gone.
pub(crate) struct State {
    path: PathBuf,
    /// Those that the file held; `None` where it was not read.
    failed: Option<Cases>,
    /// Whether more had failed than the file held.
    pub(crate) more: bool,
    /// Cases of this run that do not pass, and those remembered that do now.
    worse: Cases,
    better: Cases,
    count: usize,
    /// Whether there were more failures than entries, counting a whole file as one.
    overflows: bool,
    /// Files that cases were run of.
    files: BTreeSet<String>,
    extent: Extent,
    /// Whether the user named the file.
    named: bool,
}

/// The part of a scenario file that a run covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All cases of all scenarios: a remembered case that does not turn up is gone.
    Files,
    /// All cases of some scenarios: it becomes known that all of them together do not fail any more.
    Scenarios,
    /// Some cases.
    Cases,
}

/// The file.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    failed: Vec<(String, String, Option<u64>)>,
    #[serde(default)]
    more: bool,
}

impl State {
    /// Returns the state of the file that the user names, or of the one in the user's cache for the working directory;
    /// nothing where there is no cache.
    ///
    /// The file is read where it is `asked` for, by its name or by what is to be run, and where a part of a file is run, of
    /// which the rest is to be remembered.
    ///
    /// # Errors
    /// When the file that the user names is not a state, or cannot be read.
    pub(crate) fn open(named: Option<&Path>, extent: Extent, asked: bool) -> Result<Option<Self>, Trouble> {
        let Some(path) = named.map(Path::to_owned).or_else(cached) else { return Ok(None) };
        Self::at(path, named.is_some(), extent, asked || named.is_some()).map(Some)
    }

    fn at(path: PathBuf, named: bool, extent: Extent, asked: bool) -> Result<Self, Trouble> {
        if extent == Extent::Files && !asked {
            return Ok(Self::new(path, None, false, extent, named));
        }
        let (failed, more) = match source::open(&path).and_then(source::bytes) {
            Ok(bytes) => match read(&bytes) {
                Some(held) => held,
                // The cache is the program's own; any other file is somebody's, and not to be written over.
                None if named => return Err(unreadable(&path, "it holds something else".to_owned())),
                None => Default::default(),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound || !named => Default::default(),
            Err(error) => return Err(unreadable(&path, source::reason(&error))),
        };
        Ok(Self::new(path, Some(failed), more, extent, named))
    }

    fn new(path: PathBuf, failed: Option<Cases>, more: bool, extent: Extent, named: bool) -> Self {
        Self {
            path,
            failed,
            more,
            worse: Cases::default(),
            better: Cases::default(),
            count: 0,
            overflows: false,
            files: BTreeSet::new(),
            extent,
            named,
        }
    }

    /// The cases that the file held, as far as it was read.
    pub(crate) fn failed(&self) -> Option<&Cases> {
        self.failed.as_ref()
    }

    /// Notes what became of a case.
    pub(crate) fn note(&mut self, report: &CaseResult) {
        let CaseResult { file, name, index, .. } = report;
        if self.extent == Extent::Files && !self.files.contains(&**file) {
            self.files.insert(file.to_string());
        }
        if report.verdict.word().is_bad() {
            if !self.worse.has(file, name, *index) && self.worse.insert(file, name, *index) {
                self.count += 1;
                if self.count > 2 * MOST {
                    self.overflows |= narrow(&mut self.worse);
                    self.count = self.worse.len();
                }
            }
            self.better.remove(file, name, *index);
        } else if let Some(failed) = self.failed.as_ref().filter(|failed| !failed.is_empty()) {
            // What all cases of a script failed together is theirs without an index, and comes after them.
            let together = index.is_some().then_some(None).filter(|_| self.extent != Extent::Cases);
            for index in [Some(*index), together].into_iter().flatten() {
                if failed.holds(file, name, index) {
                    self.better.insert(file, name, index);
                }
            }
        }
    }

    /// Writes the file anew if anything has changed, with what others have written into it meanwhile.
    ///
    /// # Errors
    /// When the file cannot be written that the user names.
    pub(crate) fn save(&mut self, stopped: bool) -> Result<(), Trouble> {
        if stopped {
            self.extent = Extent::Cases;
            // Of a scenario that was left midway it is not known what all its cases come to.
            for (file, name, index) in self.better.clone().sorted() {
                if index.is_none() && *name != Name::File {
                    self.better.remove(file, name, index);
                }
            }
        }
        let changes = match &self.failed {
            Some(failed) => self.updated(failed.clone(), self.more) != (failed.clone(), self.more),
            None => !self.worse.is_empty() || self.path.metadata().is_ok_and(|data| data.len() > 0),
        };
        if !changes {
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

    /// Returns what is to be remembered where `failed` was, and whether `more` had failed.
    fn updated(&self, mut failed: Cases, more: bool) -> (Cases, bool) {
        if self.extent == Extent::Files {
            self.files.iter().for_each(|file| failed.remove_file(file));
        }
        for (file, name, index) in self.better.sorted() {
            failed.remove(file, name, index);
        }
        for (file, name, index) in self.worse.sorted() {
            if !failed.has(file, name, index) {
                failed.insert(file, name, index);
            }
        }
        failed.retain_files(|file| Path::new(file).exists());
        let overflows = narrow(&mut failed) | self.overflows;
        let more = (more || overflows) && !failed.is_empty();
        (failed, more)
    }

    fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        OpenOptions::new().create(true).append(true).open(&self.path)?;
        let mut file = locked(&self.path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (failed, more) = match read(&bytes) {
            Some(held) => held,
            None if self.named => return Err(io::Error::other("it holds something else by now")),
            None => Default::default(),
        };
        let (failed, more) = self.updated(failed, more);
        if failed.is_empty() {
            // An empty file is read by nobody.
            return persist(&self.path, |_| Ok(()));
        }
        let all = failed.sorted().into_iter();
        let failed = all.map(|(file, name, index)| (file.to_owned(), name.to_string(), index)).collect();
        let text = serde_json::to_string(&Stored { format: FORMAT, failed, more })?;
        persist(&self.path, |beside| writeln!(beside, "{text}"))
    }
}

/// Narrows `failed` to [`MOST`] entries, replacing the cases of the files that have the most by the whole file;
/// returns whether that was not enough, and some were dropped.
fn narrow(failed: &mut Cases) -> bool {
    let mut files = BTreeMap::<String, usize>::new();
    for (file, ..) in failed.sorted() {
        match files.get_mut(file) {
            Some(count) => *count += 1,
            None => drop(files.insert(file.to_owned(), 1)),
        }
    }
    let mut total: usize = files.values().sum();
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(_, count)| usize::MAX - count);
    for (file, count) in files {
        if total <= MOST {
            return false;
        }
        failed.remove_file(&file);
        failed.insert(&file, &Name::File, None);
        total -= count - 1;
    }
    let mut kept = Cases::default();
    for (file, name, index) in failed.sorted().into_iter().take(MOST) {
        kept.insert(file, name, index);
    }
    *failed = kept;
    total > MOST
}

/// What a file holds, and whether more had failed; one that is new holds nothing.
fn read(bytes: &[u8]) -> Option<(Cases, bool)> {
    let mut failed = Cases::default();
    if bytes.is_empty() {
        return Some((failed, false));
    }
    let stored = serde_json::from_slice::<Stored>(bytes).ok().filter(|stored| stored.format == FORMAT)?;
    for (file, name, index) in &stored.failed {
        failed.insert(file, &Name::parse(name), *index);
    }
    Some((failed, stored.more))
}

fn unreadable(path: &Path, why: String) -> Trouble {
    let title = format!("`{}` is not a rulebook state file", path.display());
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

#[cfg(test)]
mod tests {
    use rulebook::verdict::Verdict;

    use super::*;

    #[test]
    fn a_run_of_whole_files_that_asks_for_nothing_reads_nothing() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("state.json");
        let text = r#"{"format":1,"failed":[["a.toml","x",null]],"more":false}"#;
        for (extent, asked, is_read) in [
            (Extent::Files, false, false),
            (Extent::Files, true, true),
            (Extent::Scenarios, false, true),
            (Extent::Cases, false, true),
        ] {
            fs::write(&path, text).expect("a file");
            let state = State::at(path.clone(), false, extent, asked).expect("a state");
            assert_eq!(state.failed().is_some(), is_read, "{extent:?}, asked for: {asked}");
        }
    }

    #[test]
    fn a_run_that_passes_forgets_what_failed_in_its_files_and_no_more() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("state.json");
        let file = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a.toml", "b.toml"] {
            fs::write(file(name), "").expect("a file");
        }
        let held = [(file("a.toml"), "x", None::<u64>), (file("b.toml"), "y", None)];
        let text = serde_json::json!({ "format": 1, "failed": held }).to_string();
        fs::write(&path, &text).expect("a file");
        let passes = |names: &[&str], text: &str| {
            let mut state = State::at(path.clone(), false, Extent::Files, false).expect("a state");
            for name in names {
                let mut report = CaseResult::of_file(file(name).into(), Vec::new());
                report.verdict = Verdict::Passed { known_failure: false };
                state.note(&report);
            }
            assert!(state.save(false).is_ok());
            let left = fs::read_to_string(&path).expect("a file");
            assert_eq!(left.matches(".toml").count(), text.len(), "{left}");
        };
        passes(&["a.toml"], "b");
        passes(&["a.toml"], "b");
        passes(&["b.toml"], "");
        assert_eq!(fs::metadata(&path).expect("a file").len(), 0);
    }
}
