//! `export`: the scenarios of a file as judge data, NAME.in + NAME.out.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use rulebook::diagnostic::Diagnostic;
use rulebook::scenario::suite::{self, Pieces};
use rulebook::scenario::{Case, Select, load};

use super::exit::{Exit, Trouble};

/// Writes every scenario of `file` that has a start into `dir`; the faults of others are drawn.
pub(crate) fn export(file: &Path, dir: &Path) -> Result<Exit, Trouble> {
    fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
    let mut faults = Vec::new();
    let mut names = HashSet::new();
    for piece in Pieces::new(suite::files(&[file.to_owned()]), None) {
        let chunk = match piece.content {
            Ok(chunk) => chunk,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let _ = load(&chunk, &piece.file, &Select::default(), &mut |case| {
            let name = file_name(&case.name);
            if names.insert(name.clone()) {
                faults.extend(write(case, &dir.join(name)).err().into_iter().flatten());
            } else {
                let title = format!("two scenarios would be written to `{name}.in`");
                faults.push(
                    Diagnostic::new("export::same-file", title).help("give them names that differ more"),
                );
            }
            ControlFlow::Continue(())
        });
    }
    if faults.is_empty() { Ok(Exit::Passed) } else { Err(Trouble::Faults(faults)) }
}

fn write(case: Case, stem: &Path) -> Result<(), Vec<Diagnostic>> {
    let plan = case.plan?;
    if plan.error.is_some() {
        // What must be refused is no start that could be written.
        return Ok(());
    }
    if let Some(rules) = plan.rules {
        let fault = Diagnostic::new("export::house-rules", "the scenario is played by house rules")
            .label(rules, "the statement's format has no place for them")
            .help("export the scenarios that are played by the statement's rules");
        return Err(vec![fault]);
    }
    let game = plan.game?;
    let output = match &plan.output {
        Some(expected) => expected.excerpt.text().to_owned(),
        None => game
            .output()
            .map_err(|reason| vec![Diagnostic::new(reason.code, reason.why).help(reason.help)])?,
    };
    for (extension, text) in [("in", game.input()), ("out", output)] {
        let path = stem.with_added_extension(extension);
        // Nothing that stands there is lost.
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| vec![unwritable(&path, &error)])?;
    }
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let fault = Diagnostic::new("export::unwritable", format!("`{}` cannot be written", path.display()));
    if error.kind() == io::ErrorKind::AlreadyExists {
        fault.note("it exists already").help("remove it, or choose another folder")
    } else {
        fault.note(error.to_string())
    }
}

/// A name that is a file name everywhere.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { '-' } else { c };
    let name: String = name.chars().map(safe).take(60).collect();
    let name = name.trim().trim_start_matches('.');
    if name.is_empty() { "scenario".to_owned() } else { name.to_owned() }
}
