//! `--summary-json`: how facts spread, as an array in a file.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use rulebook::diagnostic::Diagnostic;
use rulebook::runner::Statistics;
use rulebook::source;
use rulebook::visible;

use super::exit::Trouble;
use super::files::Files;
use super::output::Leavable;

/// Beginning of a file that spreads were written to, or that has room for none.
const OPENINGS: &[&str] = &["[{\"file\":", "[]\n"];

/// The file, written while scenarios end.
pub(crate) struct Spreads {
    path: PathBuf,
    to: BufWriter<Leavable<File>>,
    count: u64,
    trouble: Option<io::Error>,
}

impl Spreads {
    /// Opens the file.
    pub(crate) fn create(path: &Path, files: &mut Files) -> Result<Self, Trouble> {
        let to = BufWriter::new(Leavable(files.create(path, OPENINGS)?));
        Ok(Self { path: path.to_owned(), to, count: 0, trouble: None })
    }

    /// Writes one more.
    pub(crate) fn add(&mut self, statistics: &Statistics) {
        let between: &[u8] = if self.count == 0 { b"[" } else { b",\n" };
        self.count += 1;
        if self.trouble.is_none() {
            let written = self.to.write_all(between);
            let written = written.and_then(|()| visible::write_json(&mut self.to, statistics));
            self.trouble = written.err();
        }
    }

    /// Ends the array.
    ///
    /// # Errors
    /// Why the file is not whole.
    pub(crate) fn end(mut self) -> Result<(), Trouble> {
        let end: &[u8] = if self.count == 0 { b"[]\n" } else { b"]\n" };
        let written = self.trouble.map_or(Ok(()), Err);
        written.and_then(|()| self.to.write_all(end)).and_then(|()| self.to.flush()).map_err(|error| {
            let title = format!("`{}` cannot be written", self.path.display());
            Diagnostic::new("usage::unwritable", title).note(source::reason(&error)).into()
        })
    }
}
