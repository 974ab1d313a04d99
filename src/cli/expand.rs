//! `expand`: scenarios as plain TOML.

use std::io::Write as _;
use std::ops::{ControlFlow, Range};

use rulebook::diagnostic::Diagnostic;
use rulebook::root::Bounds;
use rulebook::scenario::suite::Pieces;
use rulebook::scenario::{Case, Select, load};

use super::exit::{Exit, Trouble};
use super::output;

/// Prints the scenarios of `FILE` or `FILE::NAME`; of those that scripts make, the cases with these indices.
pub(crate) fn expand(scenario: &str, indices: Option<Range<u64>>, bounds: &Bounds) -> Result<Exit, Trouble> {
    let (files, select) = output::scenarios(scenario, bounds);
    let select = Select { indices, text: true, ..select };
    let (mut out, _) = output::stdout();
    let mut faults = Vec::new();
    let mut written = Ok(());
    let mut any = false;
    for piece in Pieces::new(files, select.indices.clone()).within(bounds.clone()) {
        let chunk = match piece.content {
            Ok(chunk) => chunk,
            Err(fault) => {
                faults.push(*fault);
                continue;
            }
        };
        let flow = load(&chunk, &piece.file, &select, &mut |case| {
            any = true;
            match expanded(case) {
                Ok(text) => written = out.write_all(text.as_bytes()),
                Err(more) => faults.extend(more),
            }
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if flow.is_break() {
            break;
        }
    }
    written?;
    out.flush()?;
    if !faults.is_empty() {
        return Err(Trouble::Faults(faults));
    }
    if !any {
        return Err(output::no_such_case(scenario));
    }
    Ok(Exit::Passed)
}

/// The case as a `[[scenario]]`, its name with its index.
fn expanded(case: Case) -> Result<String, Vec<Diagnostic>> {
    // A case that must be refused, or that fails, is one all the same; only what is no scenario is not.
    match case.toml {
        Some(toml) => Ok(format!("[[scenario]]\n{toml}\n")),
        None => Err(case.plan.err().unwrap_or_default()),
    }
}
