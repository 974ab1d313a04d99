//! `export`: scenarios as judge data, NAME.in + NAME.out.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::ops::{ControlFlow, Range};
use std::path::Path;

use rulebook::diagnostic::{Diagnostic, count};
use rulebook::root::Bounds;
use rulebook::scenario::suite::Pieces;
use rulebook::scenario::{Case, Select, load};

use super::exit::{Exit, Trouble};
use super::output;

/// Writes the cases of `FILE` or `FILE::NAME` that have a start into `dir`, of generated scenarios those with these
/// indices; the faults of others are drawn.
pub(crate) fn export(
    scenario: &str,
    indices: Option<Range<u64>>,
    dir: &Path,
    bounds: &Bounds,
) -> Result<Exit, Trouble> {
    let (files, select) = output::scenarios(scenario, bounds);
    let select = Select { indices, ..select };
    fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
    let mut faults = Vec::new();
    let mut names = HashSet::new();
    let mut written = 0;
    let mut left_out = 0;
    for piece in Pieces::new(files, select.indices.clone()).within(bounds.clone()) {
        let chunk = match piece.content {
            Ok(chunk) => chunk,
            Err(fault) => {
                faults.push(*fault);
                continue;
            }
        };
        let _ = load(&chunk, &piece.file, &select, &mut |case| {
            if has_no_start(&case) {
                left_out += 1;
                return ControlFlow::Continue(());
            }
            let name = file_name(&case);
            if names.insert(name.clone()) {
                match write(case, &dir.join(name)) {
                    Ok(()) => written += 1,
                    Err(more) => faults.extend(more),
                }
            } else {
                let title = format!("two scenarios would be written to `{name}.in`");
                faults.push(
                    Diagnostic::new("export::same-file", title).help("give them names that differ more"),
                );
            }
            ControlFlow::Continue(())
        });
    }
    if faults.is_empty() && written + left_out == 0 {
        return Err(output::no_such_case(scenario));
    }
    // The exit code tells of faults, even where standard error is closed.
    let _ = tell(written, left_out);
    if faults.is_empty() { Ok(Exit::Passed) } else { Err(Trouble::Faults(faults)) }
}

/// Prints on standard error how many cases were exported, and how many were not for having no start.
fn tell(written: u64, left_out: u64) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "note: {} exported", count(written, "case"))?;
    if left_out > 0 {
        write!(stderr, ", {left_out} left out: skipped, or expected to be refused")?;
    }
    writeln!(stderr)
}

/// Whether the author wants the case not to be run, or its start to be refused.
fn has_no_start(case: &Case) -> bool {
    case.skip.is_some() || case.plan.as_ref().is_ok_and(|plan| plan.error.is_some())
}

fn write(case: Case, stem: &Path) -> Result<(), Vec<Diagnostic>> {
    let plan = case.plan?;
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

/// A name that is a file name everywhere; that of a generated case ends in its index, padded so that names sort.
fn file_name(case: &Case) -> String {
    let safe = |c: char| if c.is_control() || "/\\:*?\"<>|#".contains(c) { '-' } else { c };
    let name: String = case.name.text().chars().map(safe).take(60).collect();
    let name = name.trim().trim_start_matches('.');
    let name = if name.is_empty() { "scenario" } else { name };
    match &case.made {
        None => name.to_owned(),
        Some(made) => {
            let width = made.count.saturating_sub(1).to_string().len();
            format!("{name}-{:0width$}", made.index)
        }
    }
}
