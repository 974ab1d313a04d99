//! Where files lie: what a path leads to, whose a file is, and which directory is the root of a suite.
//!
//! A suite may come from anybody, so what its files name is read below its root only. The root is the directory of the
//! settings file in force, if the scenario file lies below that. Otherwise it is the nearest directory above the
//! scenario file that holds a `rulebook.toml`, or else the nearest that holds a `.git`. Without any of them it is the
//! working directory, if the file lies below that, and the directory that holds the `scenarios` that the file lies in.
//! The file's own directory is always part of it; the root of the file system is so only where a settings file says it.

use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf, absolute};
use std::sync::{Mutex, PoisonError};

use same_file::Handle;

use crate::source;

/// Name of a suite's settings file, which is not a scenario file.
pub const CONFIG: &str = "rulebook.toml";

/// Name of the directory in which scenarios are looked for by default.
pub const SCENARIOS: &str = "scenarios";

/// Name of what marks a checkout, and holds what its author has no hand in.
pub const CHECKOUT: &str = ".git";

/// Limits of what the files of a suite may name.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The directory of the settings file in force, without links.
    pub settings: Option<PathBuf>,
    /// Whether files outside of the suite's root may be named, too.
    pub outside: bool,
}

/// Why a file is out of reach for a suite.
#[derive(Clone, Debug)]
pub enum Beyond {
    /// It is not below this directory, the suite's root.
    Outside(PathBuf),
    /// It is hidden, or in a hidden directory.
    Hidden,
}

/// What the suites of a run reach.
#[derive(Debug, Default)]
pub struct Reach {
    bounds: Bounds,
    /// By the directory of a scenario file: the roots of its suite, without links.
    roots: Mutex<HashMap<PathBuf, Vec<PathBuf>>>,
}

impl Bounds {
    /// Returns the roots of the suite whose scenario file is in `directory`, which has no links; the highest is the first.
    fn roots(&self, directory: &Path) -> Vec<PathBuf> {
        let own = directory.to_owned();
        if let Some(settings) = self.settings.as_deref().filter(|settings| directory.starts_with(settings)) {
            return vec![settings.to_owned(), own];
        }
        let holding = |name: &str| {
            let is_trusted = |path: PathBuf| path.symlink_metadata().is_ok_and(|data| is_trusted(&data));
            directory.ancestors().find(|above| is_trusted(above.join(name)))
        };
        if let Some(root) = holding(CONFIG).or_else(|| holding(CHECKOUT)) {
            return vec![root.to_owned(), own];
        }
        let working = env::current_dir().and_then(|working| working.canonicalize()).ok();
        let working = working.filter(|working| directory.starts_with(working));
        let scenarios = directory.ancestors().find(|above| above.file_name() == Some(OsStr::new(SCENARIOS)));
        let suite = scenarios.and_then(Path::parent).map(Path::to_owned);
        let mut roots: Vec<_> = working.into_iter().chain(suite).collect();
        roots.retain(|root| root.parent().is_some());
        roots.push(own);
        // Each lies above the file, so the shorter is the higher.
        roots.sort_by_key(|root| root.components().count());
        roots
    }
}

impl Reach {
    /// Returns the reach of suites within `bounds`.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, roots: Mutex::default() }
    }

    /// Tells whether a scenario file in `directory` may name the file at `path`, be there one or not.
    ///
    /// # Errors
    /// Why it may not.
    pub fn check(&self, directory: &Path, path: &Path) -> Result<(), Beyond> {
        // What leads nowhere cannot be opened either.
        let Ok(real) = resolved(path) else { return Ok(()) };
        if self.bounds.outside {
            return Ok(());
        }
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        if !roots.contains_key(directory) {
            let own = resolved(directory).map_err(|_| Beyond::Outside(directory.to_owned()))?;
            roots.insert(directory.to_owned(), self.bounds.roots(&own));
        }
        let roots = &roots[directory];
        let below: Vec<_> = roots.iter().filter_map(|root| real.strip_prefix(root).ok()).collect();
        let hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        if below.iter().any(|rest| !rest.components().any(hidden)) {
            Ok(())
        } else if below.is_empty() {
            Err(Beyond::Outside(roots[0].clone()))
        } else {
            Err(Beyond::Hidden)
        }
    }

    /// Opens the regular file at `path`, which [`Self::check`] has allowed.
    ///
    /// # Errors
    /// When it cannot be opened, or has been replaced since.
    pub fn open(&self, directory: &Path, path: &Path) -> io::Result<File> {
        let file = source::open(path)?;
        // No byte is read of what a link leads to that was changed meanwhile.
        let real = resolved(path)?;
        let same = Handle::from_file(file.try_clone()?)? == Handle::from_path(&real)?;
        if same && self.check(directory, &real).is_ok() {
            Ok(file)
        } else {
            Err(io::Error::other("it was replaced while it was opened"))
        }
    }
}

impl fmt::Display for Beyond {
    /// Writes what was expected of the path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(root) => write!(f, "expected a file below `{}`", seen_from_here(root).display()),
            Self::Hidden => f.write_str("expected a file that is not hidden, in directories that are not"),
        }
    }
}

/// Returns the directory as it is reached from the working directory: by a short path if one lies above the other.
fn seen_from_here(directory: &Path) -> PathBuf {
    let here = env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    if let Ok(down) = here.strip_prefix(directory) {
        let up: PathBuf = down.components().map(|_| Component::ParentDir).collect();
        return if up.as_os_str().is_empty() { PathBuf::from(".") } else { up };
    }
    directory.strip_prefix(&here).map_or_else(|_| directory.to_owned(), Path::to_owned)
}

/// Returns the path without links and `..`, also where there is no file yet; an empty one is the working directory's.
///
/// # Errors
/// When a link leads nowhere, or a directory on the way cannot be read.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let mut real = PathBuf::new();
    for part in absolute(path)?.components() {
        if part == Component::ParentDir {
            real.pop();
            continue;
        }
        real.push(part);
        if real.is_symlink() {
            real = real.canonicalize()?;
        }
    }
    // The system's own spelling of what is there, so that two paths can be compared.
    for above in real.ancestors() {
        match above.canonicalize() {
            Ok(there) => {
                return Ok(real.strip_prefix(above).map_or_else(|_| real.clone(), |rest| join(there, rest)));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(real)
}

/// Joins without the trailing separator that an empty rest would leave.
fn join(there: PathBuf, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { there } else { there.join(rest) }
}

/// Tells whether the file belongs to the user who runs this process, or to root, who could replace the process itself.
///
/// Where the system knows no Unix owners, every file does.
#[cfg(unix)]
pub fn is_trusted(data: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    is_trusted_owner(data.uid(), rustix::process::geteuid().as_raw())
}

#[cfg(unix)]
fn is_trusted_owner(owner: u32, user: u32) -> bool {
    owner == user || owner == 0
}

/// Tells whether the file belongs to the user who runs this process, or to root, who could replace the process itself.
///
/// Where the system knows no Unix owners, every file does.
#[cfg(not(unix))]
pub fn is_trusted(_: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_the_user_and_root_are_trusted() {
        assert!(is_trusted_owner(1000, 1000) && is_trusted_owner(0, 1000) && is_trusted_owner(0, 0));
        assert!(!is_trusted_owner(1001, 1000) && !is_trusted_owner(1000, 0));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_resolved_as_the_system_would() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path().canonicalize().unwrap();
        fs::create_dir_all(here.join("a/b")).unwrap();
        symlink("a/b", here.join("link")).unwrap();
        symlink("../new", here.join("a/nowhere")).unwrap();
        for (path, leads_to) in [
            ("x", Some("x")),
            ("new/../x", Some("x")),
            ("new/./deep/../../a/", Some("a")),
            ("a/b/../../x", Some("x")),
            ("link/x", Some("a/b/x")),
            ("link/../x", Some("a/x")),
            ("link/../../x", Some("x")),
            ("new/../link/../x", Some("a/x")),
            ("a/nowhere", None),
            ("a/nowhere/x", None),
        ] {
            let found = resolved(&here.join(path)).ok();
            assert_eq!(found, leads_to.map(|path| here.join(path)), "{path}");
            // The system comes to the same file, where it can.
            if let Ok(real) = here.join(path).canonicalize() {
                assert_eq!(found, Some(real), "{path}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_changes_after_the_check_is_not_read() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let suite = directory.path().join("suite");
        fs::create_dir(&suite).unwrap();
        fs::write(suite.join("good"), "good").unwrap();
        fs::write(directory.path().join("evil"), "evil").unwrap();
        let link = suite.join("link");
        let reach = Reach::new(Bounds { settings: Some(suite.canonicalize().unwrap()), outside: false });
        symlink("good", &link).unwrap();
        reach.check(&suite, &link).unwrap();
        assert!(reach.open(&suite, &link).is_ok());
        fs::remove_file(&link).unwrap();
        symlink("../evil", &link).unwrap();
        assert!(reach.open(&suite, &link).is_err());
        assert!(matches!(reach.check(&suite, &link), Err(Beyond::Outside(_))));
    }
}
