//! `fmt`: boards with straight columns.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook::diagnostic::Diagnostic;
use rulebook::report::terminal;
use rulebook::root::Bounds;
use rulebook::scenario::{File, format, suite};
use rulebook::script::Scripts;
use rulebook::source::{self, Source};

use super::exit::{Exit, Trouble};
use super::output;
use super::rewrite::{Rewritten, rewrite};

/// Aligns the boards in the files of `paths`, or with `check` only says which would change; files with faults stay as
/// they are.
pub(crate) fn fmt(paths: &[PathBuf], check: bool, bounds: &Bounds) -> Result<Exit, Trouble> {
    let scripts = Arc::new(Scripts::within(bounds.clone()));
    if let [path] = paths
        && path == Path::new("-")
    {
        return standard_input(check, &scripts);
    }
    let (mut out, _) = output::stdout();
    let mut faults = Vec::new();
    let mut changed = false;
    for file in suite::files_within(paths, bounds) {
        let path = match file {
            Ok(path) => path,
            Err(piece) => {
                faults.extend(piece.content.err().map(|fault| *fault));
                continue;
            }
        };
        match one(&path, check, &scripts) {
            Ok(false) => {}
            Ok(true) => {
                changed = true;
                let name = terminal::line_safe(&path.display().to_string());
                writeln!(out, "{name}")?;
            }
            Err(more) => faults.extend(more),
        }
    }
    out.flush()?;
    if !faults.is_empty() {
        return Err(Trouble::Faults(faults));
    }
    Ok(if check && changed { Exit::Failed } else { Exit::Passed })
}

/// Whether the file changes.
fn one(path: &Path, check: bool, scripts: &Arc<Scripts>) -> Result<bool, Vec<Diagnostic>> {
    let name = path.display().to_string();
    let old = Text::new(&name, fs::File::open(path).and_then(source::bytes))?;
    let new = old.formatted(&File::new(path, scripts))?;
    if new == old.raw || check {
        return Ok(new != old.raw);
    }
    let left = match rewrite(path, &old.raw, &new) {
        Ok(Rewritten::Done) => return Ok(true),
        Ok(Rewritten::Changed) => "somebody else changed it meanwhile".to_owned(),
        Err(error) => source::reason(&error),
    };
    Err(vec![Diagnostic::new("fmt::unwritable", format!("`{name}` was not changed")).note(left)])
}

fn standard_input(check: bool, scripts: &Arc<Scripts>) -> Result<Exit, Trouble> {
    let old = Text::new("standard input", source::bytes(io::stdin().lock())).map_err(Trouble::Faults)?;
    let new = old.formatted(&File::new(Path::new("standard input"), scripts)).map_err(Trouble::Faults)?;
    if check {
        return Ok(if new == old.raw { Exit::Passed } else { Exit::Failed });
    }
    let (mut out, _) = output::stdout();
    out.write_all(new.as_bytes())?;
    out.flush()?;
    Ok(Exit::Passed)
}

/// What a file holds, and the same without a byte order mark.
struct Text {
    raw: String,
    source: Arc<Source>,
}

impl Text {
    fn new(name: &str, bytes: io::Result<Vec<u8>>) -> Result<Self, Vec<Diagnostic>> {
        let mark = bytes.as_ref().is_ok_and(|bytes| bytes.starts_with(MARK.as_bytes()));
        let text = source::text(bytes).map_err(|reason| {
            vec![Diagnostic::new("suite::unreadable", format!("`{name}` cannot be read")).note(reason)]
        })?;
        Ok(Self { raw: format!("{}{text}", if mark { MARK } else { "" }), source: Source::new(name, text) })
    }

    fn formatted(&self, file: &File) -> Result<String, Vec<Diagnostic>> {
        let mark = &self.raw[..self.raw.len() - self.source.text().len()];
        let text = format::formatted(&self.source, file)?;
        Ok(format!("{mark}{text}"))
    }
}

/// A byte order mark.
const MARK: &str = "\u{feff}";
