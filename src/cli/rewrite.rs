//! Writes an author's file anew, whole or not at all.
//!
//! The new text is written beside the file and then changes places with it in one step, so that nobody ever sees half of
//! it. What was in the file until then is compared once more: an edit that was saved in between goes back in its place.
//! Several of this program take turns by a lock on the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use same_file::Handle;
use tempfile::{Builder, NamedTempFile};

use super::interrupt::unbroken;

/// What became of a file that was to be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rewritten {
    /// It holds the new text.
    Done,
    /// It is as it was found: it no longer held the old text.
    Changed,
}

/// Puts `new` into the place of `old`, which is all that the file at `path` is to hold, byte order mark included.
///
/// Of a link the file that it leads to is written. Permissions and, on Unix, owner and group stay as they are.
///
/// # Errors
/// When the file may not be written, or its owner, group or hard links could not be kept, or when nothing can be written
/// beside it; it then is as it was.
pub(crate) fn rewrite(path: &Path, old: &str, new: &str) -> io::Result<Rewritten> {
    let path = &fs::canonicalize(path)?;
    refuse_read_only(path)?;
    let mut file = locked(path)?;
    refuse_hard_links(&file)?;
    let mut found = Vec::with_capacity(old.len());
    file.rewind()?;
    file.read_to_end(&mut found)?;
    if found != old.as_bytes() {
        return Ok(Rewritten::Changed);
    }
    if old == new {
        return Ok(Rewritten::Done);
    }
    unbroken(|| {
        let beside = beside(path, |beside| {
            beside.write_all(new.as_bytes())?;
            keep_owner(&file, beside)?;
            beside.set_permissions(file.metadata()?.permissions())
        })?;
        exchange(beside, path, old.as_bytes(), new.as_bytes())
    })
}

/// Writes a file beside the one at `path`, and puts it into its place.
///
/// # Errors
/// When that cannot be; the file at `path` then is as it was.
pub(crate) fn persist(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    unbroken(|| {
        beside(path, write)?.persist(path)?;
        Ok(())
    })
}

/// Writes a file beside the one at `path`; it is removed when it is dropped.
fn beside(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<NamedTempFile> {
    let folder = path.parent().ok_or(io::ErrorKind::IsADirectory)?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut beside = Builder::new().prefix(".rulebook-").suffix(".tmp").tempfile_in(folder)?;
    write(beside.as_file_mut())?;
    beside.as_file().sync_all()?;
    Ok(beside)
}

/// Puts the file `beside`, which holds `new`, into the place of the one at `path` if that holds `old`.
fn exchange(beside: NamedTempFile, path: &Path, old: &[u8], new: &[u8]) -> io::Result<Rewritten> {
    match swap(beside.path(), path) {
        Ok(()) if fs::read(beside.path())? == old => Ok(Rewritten::Done),
        Ok(()) => {
            // Somebody saved an edit in between: it goes back, unless an even later one is there by now.
            swap(beside.path(), path)?;
            if fs::read(beside.path())? != new {
                swap(beside.path(), path)?;
            }
            Ok(Rewritten::Changed)
        }
        // Some editors move a file away before they save it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Rewritten::Changed),
        // Not all file systems can swap two files.
        Err(_) if fs::read(path)? != old => Ok(Rewritten::Changed),
        Err(_) => {
            beside.persist(path)?;
            Ok(Rewritten::Done)
        }
    }
}

/// Lets two files change places in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn swap(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).map_err(io::Error::from)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn swap(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Refuses a file that has several names: only one of them would lead to the new text.
#[cfg(unix)]
fn refuse_hard_links(file: &File) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    match file.metadata()?.nlink() {
        0 | 1 => Ok(()),
        links => {
            let reason = format!("it has {links} hard links, of which only one would change");
            Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
        }
    }
}

#[cfg(not(unix))]
fn refuse_hard_links(_: &File) -> io::Result<()> {
    Ok(())
}

/// Refuses a file that its owner has protected, even where the system would let it be written.
///
/// # Errors
/// When it is read-only, or not there.
pub(crate) fn refuse_read_only(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    Ok(())
}

/// The file at `path`, locked until it is dropped.
///
/// # Errors
/// When it cannot be opened for reading and writing, or not be locked.
pub(crate) fn locked(path: &Path) -> io::Result<File> {
    loop {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        file.lock()?;
        // Whoever held the lock before may have put another file in its place.
        if Handle::from_file(file.try_clone()?)? == Handle::from_path(path)? {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn keep_owner(from: &File, to: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let (from, now) = (from.metadata()?, to.metadata()?);
    let other = |wanted: u32, now: u32| (wanted != now).then_some(wanted);
    match (other(from.uid(), now.uid()), other(from.gid(), now.gid())) {
        (None, None) => Ok(()),
        (owner, group) => fchown(to, owner, group)
            .map_err(|error| io::Error::new(error.kind(), "its owner or group could not be kept")),
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_new_text_takes_the_place_of_the_old_one_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, "\u{feff}a\r\n").unwrap();
        assert_eq!(rewrite(&path, "a\r\n", "b").unwrap(), Rewritten::Changed);
        assert_eq!(fs::read_to_string(&path).unwrap(), "\u{feff}a\r\n");
        assert_eq!(rewrite(&path, "\u{feff}a\r\n", "b").unwrap(), Rewritten::Done);
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
        assert_eq!(names(folder.path()), ["a.toml"]);
        assert_eq!(
            rewrite(&folder.path().join("no.toml"), "", "b").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert_eq!(names(folder.path()), ["a.toml"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_links_are_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.toml"), folder.path().join("link.toml"));
        fs::write(&path, "a").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o641)).unwrap();
        symlink("a.toml", &link).unwrap();
        assert_eq!(rewrite(&link, "a", "b").unwrap(), Rewritten::Done);
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o641);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn an_edit_that_an_editor_saves_is_never_lost() {
        let folder = tempfile::tempdir().unwrap();
        let (path, saved) = (folder.path().join("a.toml"), folder.path().join("saved"));
        fs::write(&path, "E0.").unwrap();
        let ends = AtomicBool::new(false);
        let written = AtomicUsize::new(0);
        let lost = thread::scope(|scope| {
            scope.spawn(|| {
                while !ends.load(Ordering::SeqCst) {
                    let Ok(old) = fs::read_to_string(&path) else { continue };
                    let edit = old.split('.').next().unwrap();
                    let new = format!("{edit}.{}", written.load(Ordering::SeqCst));
                    if rewrite(&path, &old, &new).unwrap() == Rewritten::Done {
                        written.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
            let lost = (1..=400).find(|edit| {
                let before = written.load(Ordering::SeqCst);
                fs::write(&saved, format!("E{edit}.")).unwrap();
                fs::rename(&saved, &path).unwrap();
                // By then the file was rewritten from what was there before, or from the edit.
                while written.load(Ordering::SeqCst) < before + 2 {
                    thread::yield_now();
                }
                !fs::read_to_string(&path).unwrap().starts_with(&format!("E{edit}."))
            });
            ends.store(true, Ordering::SeqCst);
            lost
        });
        assert_eq!(lost, None, "an edit is lost");
        assert!(written.into_inner() >= 400);
        assert_eq!(names(folder.path()), ["a.toml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_several_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.toml"), folder.path().join("b.toml"));
        fs::write(&path, "a").unwrap();
        fs::hard_link(&path, &other).unwrap();
        let error = rewrite(&path, "a", "b").unwrap_err();
        assert!(error.to_string().contains("2 hard links"), "{error}");
        assert_eq!(fs::read_to_string(&other).unwrap(), "a");
        assert_eq!(names(folder.path()), ["a.toml", "b.toml"]);
    }

    #[test]
    fn two_at_once_lose_no_edit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, "").unwrap();
        let (writers, edits) = (4, 50);
        let edit = || {
            for _ in 0..edits {
                loop {
                    let old = fs::read_to_string(&path).unwrap();
                    if rewrite(&path, &old, &format!("{old}x")).unwrap() == Rewritten::Done {
                        break;
                    }
                }
            }
        };
        thread::scope(|scope| (0..writers).for_each(|_| drop(scope.spawn(edit))));
        assert_eq!(fs::read_to_string(&path).unwrap().len(), writers * edits);
    }
}
