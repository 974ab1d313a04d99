//! Which files scenario files need beside themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::root::Bounds;
use crate::script::Scripts;

/// The files that the scenarios of a run have opened, or have tried to open: inputs, scripts, and what these import.
///
/// What a run has noted holds for that run: its scripts are compiled once, so the next run is to have a new one.
#[derive(Debug, Default)]
pub struct Needs {
    scripts: Arc<Scripts>,
    opened: Mutex<BTreeMap<PathBuf, BTreeSet<PathBuf>>>,
}

impl Needs {
    /// Returns a record without any file, for a run whose suites reach files within `bounds`.
    pub fn within(bounds: Bounds) -> Self {
        Self { scripts: Arc::new(Scripts::within(bounds)), ..Self::default() }
    }

    /// The scripts of the run.
    pub(super) fn scripts(&self) -> &Arc<Scripts> {
        &self.scripts
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
        for paths in files.values_mut() {
            let imported: Vec<_> = paths.iter().flat_map(|path| self.scripts.imported_by(path)).collect();
            paths.extend(imported);
        }
        files
    }
}
