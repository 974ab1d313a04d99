//! Which files scenario files need beside themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::script::Scripts;

/// The files that the scenarios of a run have opened, or have tried to open: inputs, scripts, and what these import.
///
/// A record is of one run, which may have several parts.
#[derive(Debug, Default)]
pub struct Needs {
    scripts: Mutex<Vec<Arc<Scripts>>>,
    opened: Mutex<BTreeMap<PathBuf, BTreeSet<PathBuf>>>,
}

impl Needs {
    /// Scenarios open `scripts`.
    pub(super) fn opened_by(&self, scripts: &Arc<Scripts>) {
        let mut known = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        if known.last().is_none_or(|last| !Arc::ptr_eq(last, scripts)) {
            known.push(Arc::clone(scripts));
        }
    }

    /// A scenario of `file` opens the file at `path`.
    pub(super) fn note(&self, file: &Path, path: &Path) {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        match opened.get_mut(file) {
            Some(paths) if paths.contains(path) => {}
            Some(paths) => drop(paths.insert(path.to_owned())),
            None => drop(opened.insert(file.to_owned(), BTreeSet::from([path.to_owned()]))),
        }
    }

    /// Each scenario file that needs others, and those: also the ones that there are not.
    pub fn files(&self) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let mut files = self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        for paths in files.values_mut() {
            let imported = |path: &PathBuf| {
                scripts.iter().flat_map(|scripts| scripts.imported_by(path)).collect::<Vec<_>>()
            };
            let imported: Vec<_> = paths.iter().flat_map(imported).collect();
            paths.extend(imported);
        }
        files
    }
}
