//! Where files lie: what a path leads to, whose a file is, and which directory is the root of a suite.

use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};

/// Name of a suite's settings file, which is not a scenario file.
pub const CONFIG: &str = "rulebook.toml";

/// Returns the path without links and `..`, also where there is no file yet.
///
/// # Errors
/// When a link leads nowhere, or a directory on the way cannot be read.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
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
}
