//! The files that a command reads and writes: none of them is written over by another.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use rulebook::diagnostic::Diagnostic;
use rulebook::source;
use same_file::Handle;

use super::exit::Trouble;

/// Files that are in use, whatever the paths are that lead to them.
#[derive(Debug, Default)]
pub(crate) struct Files {
    read: Vec<Handle>,
    written: Vec<Handle>,
}

impl Files {
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

    /// A file that results are written to: opened before the first case is run, and empty.
    ///
    /// # Errors
    /// When it cannot be written, or should not be: it then is as it was.
    pub(crate) fn create(&mut self, path: &Path) -> Result<File, Trouble> {
        let shown = path.display();
        let real = fs::canonicalize(path);
        let ends = |path: &Path| {
            let end = path.extension().and_then(OsStr::to_str).map(str::to_lowercase);
            end.is_some_and(|end| end == "toml" || end == "rhai")
        };
        if real.is_ok_and(|real| ends(&real) || ends(path)) {
            let fault = Diagnostic::new("usage::unwritable", format!("`{shown}` is not written over"));
            return Err(Trouble::Usage(fault.note("scenarios and scripts have such names")));
        }
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|error| unwritable(path, &error))?;
        // Devices and pipes take several.
        if file.metadata().is_ok_and(|data| data.is_file()) {
            let handle = file.try_clone().and_then(Handle::from_file);
            let handle = handle.map_err(|error| unwritable(path, &error))?;
            let one_output = |title| Diagnostic::new("usage::one-output", title);
            if self.read.contains(&handle) {
                let fault = one_output(format!("`{shown}` is to be read and written"));
                return Err(Trouble::Usage(fault.help("give the new report a file of its own")));
            }
            if self.written.contains(&handle) {
                let fault = one_output(format!("two reports go to `{shown}`"));
                return Err(Trouble::Usage(fault.help("give each a file of its own")));
            }
            file.set_len(0).map_err(|error| unwritable(path, &error))?;
            self.written.push(handle);
        }
        Ok(file)
    }
}

/// Why nothing can be written at `path`.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Trouble {
    let title = format!("`{}` cannot be written", path.display());
    Trouble::Usage(Diagnostic::new("usage::unwritable", title).note(source::reason(error)))
}
