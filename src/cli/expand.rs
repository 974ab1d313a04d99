//! `expand`: scenarios as plain TOML.

use std::io::Write as _;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

use rulebook::diagnostic::Diagnostic;
use rulebook::engine::Referee;
use rulebook::scenario::suite::{self, Pieces};
use rulebook::scenario::{Case, Plan, Select, load};
use rulebook::value::Kind;

use super::exit::{Exit, Trouble};
use super::output;

/// Prints the scenarios of `FILE` or `FILE::NAME`; of those that scripts make, the cases with these indices.
pub(crate) fn expand(scenario: &str, indices: Option<Range<u64>>) -> Result<Exit, Trouble> {
    let (paths, name) = output::scenario(&[PathBuf::from(scenario)]);
    let select = Select { name, indices, text: true, ..Select::default() };
    let (mut out, _) = output::stdout();
    let mut faults = Vec::new();
    let mut written = Ok(());
    let mut any = false;
    for piece in Pieces::new(suite::files(&paths)) {
        let chunk = match piece.content {
            Ok(chunk) => chunk,
            Err(fault) => {
                faults.push(fault);
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
        let title = format!("`{scenario}` has no such case");
        return Err(Trouble::Usage(Diagnostic::new("usage::no-such-scenario", title)));
    }
    Ok(Exit::Passed)
}

/// The case as a `[[scenario]]`, its name with its index.
fn expanded(case: Case) -> Result<String, Vec<Diagnostic>> {
    let named = case.named.is_some();
    let index = case.made.as_ref().map(|made| made.index);
    // What was held against the signature of all cases alone has nothing to be held against by itself.
    let bare = case.plan.as_ref().is_ok_and(Plan::expects_nothing) && case.made.is_some();
    let facts = case.referee.map(Referee::facts).unwrap_or_default();
    let fact = facts.iter().find(|fact| fact.kind == Kind::INT).filter(|_| bare);
    let summary = fact.map(|fact| format!("summary = [\"{}\"]\n", fact.name)).unwrap_or_default();
    // A case that must be refused, or that fails, is one all the same; only what is no scenario is not.
    let Some(toml) = case.toml else { return Err(case.plan.err().unwrap_or_default()) };
    let Some(index) = index else { return Ok(format!("[[scenario]]\n{toml}\n")) };
    let rest: String =
        toml.split_inclusive('\n').filter(|line| !(named && line.starts_with("name = "))).collect();
    let name = if named { format!("{}#{index}", case.name) } else { format!("case {index}") };
    Ok(format!("[[scenario]]\nname = {}\n{summary}{rest}\n", toml::Value::from(name)))
}
