//! What is known of the files that are watched, and which scenario files a change of some touches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What tells a file from an earlier state of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// There is none.
    Missing,
    /// It is another than it was when it was read.
    Stale,
    Of {
        modified: Option<SystemTime>,
        length: u64,
        /// What the system knows beyond that.
        identity: [i64; 3],
    },
}

impl Stamp {
    /// That of the file at `path`, or of the one that a link there leads to.
    pub(super) fn of(path: &Path) -> Self {
        let Ok(data) = fs::metadata(path) else { return Self::Missing };
        Self::Of { modified: data.modified().ok(), length: data.len(), identity: identity(&data) }
    }

    /// Whether the file was written between two times.
    fn is_of(&self, since: SystemTime, until: SystemTime) -> bool {
        matches!(self, Self::Of { modified: Some(at), .. } if (since..=until).contains(at))
    }
}

/// A file that another was renamed to, or whose rights have changed, may be as long and as old as before.
#[cfg(unix)]
fn identity(data: &Metadata) -> [i64; 3] {
    use std::os::unix::fs::MetadataExt as _;
    [data.ino() as i64, data.ctime(), data.ctime_nsec()]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [i64; 3] {
    [0; 3]
}

/// The files of the runs so far.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The scenario files, and those that each needs.
    needs: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// All of them, as they were at the last look.
    stamps: BTreeMap<PathBuf, Stamp>,
    /// Scenario files that were to be run and were not, or not to their end.
    due: BTreeSet<PathBuf>,
}

/// What a look has found to be new.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Scenario files that have changed, or need one that has.
    pub(super) touched: BTreeSet<PathBuf>,
    /// Scenario files that are no longer there.
    pub(super) gone: BTreeSet<PathBuf>,
}

impl Known {
    /// Looks at all files, the scenario files being these; what is new since the last look.
    pub(super) fn look(&mut self, files: &BTreeSet<PathBuf>, stamp: impl Fn(&Path) -> Stamp) -> Changes {
        let gone: BTreeSet<_> = self.needs.keys().filter(|file| !files.contains(*file)).cloned().collect();
        self.needs.retain(|file, _| files.contains(file));
        self.due.retain(|file| files.contains(file));
        let mut touched = BTreeSet::new();
        for file in files {
            if !self.needs.contains_key(file) {
                self.needs.insert(file.clone(), BTreeSet::new());
                touched.insert(file.clone());
            }
        }
        let paths: BTreeSet<_> = self.files().map(Path::to_owned).collect();
        let stamps: BTreeMap<_, _> = paths.into_iter().map(|path| (path.clone(), stamp(&path))).collect();
        let changed = |path: &PathBuf| self.stamps.get(path) != stamps.get(path);
        for (file, needs) in &self.needs {
            if changed(file) || needs.iter().any(changed) {
                touched.insert(file.clone());
            }
        }
        if !touched.is_empty() {
            touched.append(&mut self.due);
        }
        self.stamps = stamps;
        Changes { touched, gone }
    }

    /// Notes what a run that began at `since` was found to need; `whole` are the scenario files of which it ran all that
    /// is selected, `due` those that it did not come to the end of.
    pub(super) fn ran(
        &mut self,
        found: &BTreeMap<PathBuf, BTreeSet<PathBuf>>,
        whole: &BTreeSet<PathBuf>,
        due: &BTreeSet<PathBuf>,
        since: SystemTime,
        stamp: impl Fn(&Path) -> Stamp,
    ) {
        let until = SystemTime::now();
        for (file, needs) in &mut self.needs {
            if whole.contains(file) {
                needs.clear();
            }
            needs.extend(found.get(file).into_iter().flatten().cloned());
        }
        let new = found.values().flatten();
        for path in new {
            if !self.stamps.contains_key(path) {
                let stamp = stamp(path);
                // Who wrote it while the run went on may have come too late.
                let stamp = if stamp.is_of(since, until) { Stamp::Stale } else { stamp };
                self.stamps.insert(path.clone(), stamp);
            }
        }
        self.due.retain(|file| !whole.contains(file));
        self.due.extend(due.iter().cloned());
    }

    /// All scenario files.
    pub(super) fn scenario_files(&self) -> BTreeSet<PathBuf> {
        self.needs.keys().cloned().collect()
    }

    /// All files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.needs.iter().flat_map(|(file, needs)| [file].into_iter().chain(needs)).map(PathBuf::as_path)
    }

    /// The number of files.
    pub(super) fn count(&self) -> usize {
        self.files().collect::<BTreeSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn set(paths: &[&str]) -> BTreeSet<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    fn written(seconds: u64) -> Stamp {
        let modified = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        Stamp::Of { modified, length: 1, identity: [0; 3] }
    }

    /// Files that were all run once: `a.toml` needs `game.rhai`, `b.toml` that and `in.txt`.
    fn known() -> Known {
        let mut known = Known::default();
        let files = set(&["a.toml", "b.toml"]);
        known.look(&files, |_| written(1));
        let found =
            [("a.toml".into(), set(&["game.rhai"])), ("b.toml".into(), set(&["game.rhai", "in.txt"]))].into();
        known.ran(&found, &files, &set(&[]), SystemTime::now(), |_| written(1));
        known
    }

    /// What is touched when the file at a path is another.
    fn touched_by(known: &mut Known, changed: &str, stamp: &Stamp) -> BTreeSet<PathBuf> {
        let stamp = |path: &Path| if path == Path::new(changed) { stamp.clone() } else { written(1) };
        known.look(&known.scenario_files(), stamp).touched
    }

    #[test]
    fn a_change_touches_who_needs_the_file() {
        assert_eq!(touched_by(&mut known(), "a.toml", &written(2)), set(&["a.toml"]));
        assert_eq!(touched_by(&mut known(), "in.txt", &written(2)), set(&["b.toml"]));
        assert_eq!(touched_by(&mut known(), "in.txt", &Stamp::Missing), set(&["b.toml"]));
        assert_eq!(touched_by(&mut known(), "game.rhai", &written(2)), set(&["a.toml", "b.toml"]));
        assert_eq!(touched_by(&mut known(), "other.toml", &written(2)), set(&[]));
    }

    #[test]
    fn a_change_is_seen_once() {
        let mut known = known();
        assert_eq!(touched_by(&mut known, "in.txt", &written(2)), set(&["b.toml"]));
        assert_eq!(touched_by(&mut known, "in.txt", &written(2)), set(&[]));
    }

    #[test]
    fn files_come_and_go() {
        let mut known = known();
        let changes = known.look(&set(&["b.toml", "c.toml"]), |_| written(1));
        assert_eq!(changes, Changes { touched: set(&["c.toml"]), gone: set(&["a.toml"]) });
        assert_eq!(known.count(), 4);
        let changes = known.look(&set(&["b.toml", "c.toml"]), |_| written(1));
        assert_eq!(changes, Changes::default());
    }

    #[test]
    fn what_is_needed_no_more_is_forgotten_after_a_whole_run_only() {
        for (whole, left) in [(set(&["b.toml"]), set(&[])), (set(&[]), set(&["b.toml"]))] {
            let mut known = known();
            known.ran(&BTreeMap::new(), &whole, &set(&[]), SystemTime::now(), |_| written(1));
            assert_eq!(touched_by(&mut known, "in.txt", &written(2)), left);
        }
    }

    #[test]
    fn what_was_not_run_to_its_end_is_run_with_the_next_change() {
        let mut known = known();
        known
            .ran(&BTreeMap::new(), &set(&[]), &set(&["a.toml", "b.toml"]), SystemTime::now(), |_| written(1));
        known.ran(&BTreeMap::new(), &set(&[]), &set(&[]), SystemTime::now(), |_| written(1));
        assert_eq!(touched_by(&mut known, "other", &written(1)), set(&[]));
        assert_eq!(touched_by(&mut known, "in.txt", &written(2)), set(&["a.toml", "b.toml"]));
        assert_eq!(touched_by(&mut known, "in.txt", &written(3)), set(&["b.toml"]));
    }

    #[test]
    fn what_is_written_while_it_may_be_read_is_read_again() {
        let mut known = known();
        let now = SystemTime::now();
        let stamp = Stamp::Of { modified: Some(now), length: 1, identity: [0; 3] };
        let found = [("a.toml".into(), set(&["new.rhai"]))].into();
        known.ran(&found, &set(&["a.toml"]), &set(&[]), now, |_| stamp.clone());
        assert_eq!(touched_by(&mut known, "new.rhai", &stamp), set(&["a.toml"]));
        assert_eq!(touched_by(&mut known, "new.rhai", &stamp), set(&[]));
    }
}
