//! The files that a command reads and writes: none of them is written over by another, and what is lost by writing is
//! known to be a former output.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use rulebook::diagnostic::Diagnostic;
use rulebook::root::{CHECKOUT, resolved};
use rulebook::source::{self, Span};
use same_file::Handle;

use super::exit::Trouble;

/// The outputs that a settings file names: they lie below its directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    /// The directory.
    pub(crate) directory: PathBuf,
    /// Their paths, each with the place that names it.
    pub(crate) places: BTreeMap<PathBuf, Span>,
}

impl Named {
    /// Returns the path to open for the output at `path`: without links, where a settings file names it.
    ///
    /// # Errors
    /// When it leads out of the directory of the settings file that names it.
    pub(crate) fn allowed(&self, path: &Path) -> Result<PathBuf, Trouble> {
        let Some(place) = self.places.get(path) else { return Ok(path.to_owned()) };
        let real = resolved(path).map_err(|error| unwritable(path, &error))?;
        let root = resolved(&self.directory).map_err(|error| unwritable(path, &error))?;
        let is_checkout = |part: Component<'_>| part.as_os_str() == CHECKOUT;
        let below = real.strip_prefix(&root).ok().filter(|below| !below.as_os_str().is_empty());
        if below.is_some_and(|below| !below.components().any(is_checkout)) {
            return Ok(real);
        }
        let title = format!("`{}` is outside of the directory of the settings file", path.display());
        let fault = Diagnostic::new("config::outside", title)
            .label(place.clone(), format!("expected a path below that directory, and not in `{CHECKOUT}`"))
            .help("name outputs elsewhere on the command line");
        Err(Trouble::Usage(fault))
    }

    fn has(&self, path: &Path) -> bool {
        self.places.contains_key(path)
    }
}

/// Files that are in use, whatever the paths are that lead to them.
#[derive(Debug, Default)]
pub(crate) struct Files {
    read: Vec<Handle>,
    /// Pipes and devices that are open, by their paths.
    open: BTreeMap<PathBuf, File>,
    /// The outputs, each as it was found until [`Self::empty`] is called.
    written: Vec<(PathBuf, Handle)>,
    named: Named,
    /// Whether an output may replace what is not a former one.
    force: bool,
}

impl Files {
    /// Returns a record without any file, for outputs of which a settings file names those in `named`.
    pub(crate) fn new(named: &Named, force: bool) -> Self {
        Self { named: named.clone(), force, ..Self::default() }
    }

    /// Takes note of a file that is read; `-` is standard input. One that is not there can be no other's.
    pub(crate) fn read(&mut self, path: &Path) {
        let handle = if path == Path::new("-") {
            Handle::stdin().ok()
        } else {
            // To open a pipe would wait for whoever writes it.
            path.is_file().then(|| Handle::from_path(path).ok()).flatten()
        };
        self.read.extend(handle);
    }

    /// Opens those of `outputs` that are pipes or devices, which may take their time: nothing is created before.
    ///
    /// # Errors
    /// When one cannot be opened.
    pub(crate) fn wait_for<'p>(
        &mut self,
        outputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Trouble> {
        for path in outputs {
            if !self.named.has(path) && path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
                let file = OpenOptions::new().write(true).open(path);
                self.open.insert(path.to_owned(), file.map_err(|error| unwritable(path, &error))?);
            }
        }
        Ok(())
    }

    /// Opens a file that results are written to, and makes the directories above it that are missing; `openings` is what
    /// former results begin with, one way or the other.
    ///
    /// # Errors
    /// When it cannot be written, or should not be.
    pub(crate) fn create(&mut self, path: &Path, openings: &[&str]) -> Result<File, Trouble> {
        refuse_sources(path)?;
        let real = self.named.allowed(path)?;
        let file = self.open(path, &real)?;
        // Devices and pipes take several.
        if !file.metadata().is_ok_and(|data| data.is_file()) {
            return Ok(file);
        }
        let handle = file.try_clone().and_then(Handle::from_file);
        let handle = handle.map_err(|error| unwritable(path, &error))?;
        let shown = path.display();
        let one_output = |title| Diagnostic::new("usage::one-output", title);
        if self.read.contains(&handle) {
            let fault = one_output(format!("`{shown}` is both an input and an output"));
            return Err(Trouble::Usage(fault.help("give the new report a file of its own")));
        }
        if self.written.iter().any(|(_, written)| *written == handle) {
            let fault = one_output(format!("two reports go to `{shown}`"));
            return Err(Trouble::Usage(fault.help("give each a file of its own")));
        }
        lock(&file, path)?;
        if !self.force && !is_former(&real, &handle, openings) {
            let title = format!("`{shown}` is not a former output of this kind");
            let fault = Diagnostic::new("usage::not-a-report", title);
            return Err(Trouble::Usage(fault.help("name another file, or give `--force` to replace it")));
        }
        self.written.push((path.to_owned(), handle));
        Ok(file)
    }

    /// Empties the outputs, once all of them are known to be writable.
    ///
    /// # Errors
    /// When one cannot be emptied.
    pub(crate) fn empty(&self) -> Result<(), Trouble> {
        for (path, handle) in &self.written {
            handle.as_file().set_len(0).map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }

    /// Opens the output at `path`, which leads to `real`.
    fn open(&mut self, path: &Path, real: &Path) -> Result<File, Trouble> {
        if let Some(file) = self.open.get(path) {
            return file.try_clone().map_err(|error| unwritable(path, &error));
        }
        let opened = || {
            if let Some(above) = real.parent().filter(|above| !above.as_os_str().is_empty()) {
                fs::create_dir_all(above)?;
            }
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            if !self.named.has(path) {
                return options.open(real);
            }
            let file = source::regular(source::at_once(&mut options).open(real)?)?;
            // A directory on the way may have become a link meanwhile.
            let same = Handle::from_file(file.try_clone()?)? == Handle::from_path(real)?;
            if same && resolved(real)? == real {
                Ok(file)
            } else {
                Err(io::Error::other("a directory above it changed"))
            }
        };
        opened().map_err(|error| unwritable(path, &error))
    }
}

/// Locks a file that a report is written to.
///
/// # Errors
/// When another run holds it. Where the file system has no locks, nothing is locked.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), Trouble> {
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let title = format!("`{}` is in use", path.display());
        let fault = Diagnostic::new("report::in-use", title).note("another run writes it");
        return Err(Trouble::Usage(fault.help("wait for its end, or give this run a file of its own")));
    }
    Ok(())
}

/// Refuses to write over scenarios and scripts.
pub(crate) fn refuse_sources(path: &Path) -> Result<(), Trouble> {
    let ends = |path: &Path| {
        let end = path.extension().and_then(OsStr::to_str).map(str::to_lowercase);
        end.is_some_and(|end| end == "toml" || end == "rhai")
    };
    if fs::canonicalize(path).is_ok_and(|real| ends(&real) || ends(path)) {
        let title = format!("`{}` is not written over", path.display());
        let fault = Diagnostic::new("usage::unwritable", title);
        return Err(Trouble::Usage(fault.note("scenarios and scripts have such names")));
    }
    Ok(())
}

/// Tells whether the file is empty, or begins as former results do; one that cannot be read does not.
fn is_former(path: &Path, handle: &Handle, openings: &[&str]) -> bool {
    let longest = openings.iter().map(|opening| opening.len()).max().unwrap_or(0);
    let begins = || {
        let found = Handle::from_path(path)?;
        let mut start = Vec::new();
        found.as_file().take(longest as u64).read_to_end(&mut start)?;
        let known = start.is_empty() || openings.iter().any(|opening| start.starts_with(opening.as_bytes()));
        Ok::<_, io::Error>(found == *handle && known)
    };
    begins().unwrap_or(false)
}

/// Why nothing can be written at `path`.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Trouble {
    let title = format!("`{}` cannot be written", path.display());
    Trouble::Usage(Diagnostic::new("usage::unwritable", title).note(source::reason(error)))
}
