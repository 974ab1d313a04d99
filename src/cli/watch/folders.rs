//! Folders in which the system tells of changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use rulebook::source;

/// So long nothing more must happen before a change is looked at: who saves a file often does so in several steps.
const QUIET: Duration = Duration::from_millis(100);
/// So long is waited for that at the most.
const LONGEST: Duration = Duration::from_secs(1);

/// Folders that are watched until this is dropped.
pub(super) struct Folders {
    /// Nothing where the system has none.
    _watcher: Option<RecommendedWatcher>,
    events: Receiver<()>,
    settling: Settling,
    /// What goes unnoticed, and why.
    pub(super) unseen: Vec<String>,
}

impl Folders {
    /// Watches all that is below `roots`, and the folders of `files`; links are followed.
    pub(super) fn watch<'a>(roots: &'a [PathBuf], files: impl Iterator<Item = &'a Path>) -> Self {
        let (sender, events) = mpsc::channel();
        let heard = move |event: notify::Result<Event>| {
            if event.as_ref().map_or(true, is_change) {
                // Who does not listen any more need not be told.
                let _ = sender.send(());
            }
        };
        let mut unseen = Vec::new();
        // The watcher panics where there is no room for its thread.
        let room = thread::Builder::new().spawn(|| ()).map_err(notify::Error::io);
        let mut watcher = room
            .and_then(|_| notify::recommended_watcher(heard))
            .map_err(|error| unseen.push(format!("changes go unnoticed: {}", reason(&error))))
            .ok();
        if let Some(watcher) = &mut watcher {
            for (folder, mode) in folders(roots, files) {
                // One that has gone meanwhile is missed by the folder above it.
                if let Err(error) = watcher.watch(&folder, mode)
                    && folder.exists()
                {
                    unseen.push(format!(
                        "changes in `{}` go unnoticed: {}",
                        folder.display(),
                        reason(&error)
                    ));
                }
            }
        }
        Self { _watcher: watcher, events, settling: Settling::default(), unseen }
    }

    /// Whether something has changed, and things are quiet again.
    pub(super) fn have_changed(&mut self) -> bool {
        let now = Instant::now();
        if self.events.try_iter().count() > 0 {
            self.settling.hear(now);
        }
        self.settling.is_over(now)
    }
}

fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::Io(error) => source::reason(error),
        ErrorKind::MaxFilesWatch => {
            "the system watches no more (on Linux, `fs.inotify.max_user_watches`)".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Whether a file may be another after it: that somebody reads one is no change.
fn is_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

/// The folders that are to be watched, and whether with all below them. What is not there is to come into being in the
/// nearest folder above that is.
fn folders<'a>(
    roots: &'a [PathBuf],
    files: impl Iterator<Item = &'a Path>,
) -> BTreeMap<PathBuf, RecursiveMode> {
    let deep = roots.iter().filter(|root| root.is_dir()).filter_map(|root| root.canonicalize().ok());
    let deep: BTreeSet<_> = deep.collect();
    let mut flat = BTreeSet::new();
    let mut watch_above = |path: &Path| {
        let there = path.ancestors().skip(1).map(named).find(|folder| folder.is_dir());
        flat.extend(there.and_then(|folder| folder.canonicalize().ok()));
    };
    for path in roots.iter().map(PathBuf::as_path).chain(files) {
        watch_above(path);
        // What a link leads to changes elsewhere.
        if let Ok(real) = path.canonicalize() {
            watch_above(&real);
        }
    }
    let covered = |folder: &PathBuf| deep.iter().any(|root| folder.starts_with(root));
    let flat = flat.iter().filter(|folder| !covered(folder)).cloned();
    let flat = flat.map(|folder| (folder, RecursiveMode::NonRecursive)).collect::<Vec<_>>();
    deep.into_iter().map(|folder| (folder, RecursiveMode::Recursive)).chain(flat).collect()
}

/// The folder above a bare name is the working directory.
fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// When changes come to rest.
#[derive(Debug, Default)]
struct Settling(Option<(Instant, Instant)>);

impl Settling {
    /// Something changes.
    fn hear(&mut self, now: Instant) {
        let first = self.0.map_or(now, |(first, _)| first);
        self.0 = Some((first, now));
    }

    /// Whether something has changed and may be looked at.
    fn is_over(&self, now: Instant) -> bool {
        self.0.is_some_and(|(first, last)| now >= last + QUIET || now >= first + LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_waited_for_until_they_rest_but_not_for_ever() {
        let start = Instant::now();
        let after = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut settling = Settling::default();
        assert!(!settling.is_over(after(5000)));
        settling.hear(start);
        assert!(!settling.is_over(after(99)));
        assert!(settling.is_over(after(100)));
        for time in (50..=950).step_by(50) {
            settling.hear(after(time));
            assert!(!settling.is_over(after(time + 40)), "{time}");
        }
        assert!(settling.is_over(after(1000)));
    }

    #[test]
    fn folders_of_files_and_above_what_is_missing_are_watched() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let path = |name: &str| root.join(name);
        std::fs::create_dir_all(path("suite/deep")).unwrap();
        let files = [path("suite/deep/a.toml"), path("suite/../inputs/far/in.txt"), path("one.toml")];
        let found = folders(&[path("suite"), path("one.toml")], files.iter().map(PathBuf::as_path));
        let expected =
            [(root.clone(), RecursiveMode::NonRecursive), (path("suite"), RecursiveMode::Recursive)];
        assert_eq!(found, expected.into());
    }
}
