//! `schema`: what editors know of scenario files.

use std::io::Write as _;

use rulebook::engines::Engines;
use rulebook::scenario::schema;

use super::exit::{Exit, Trouble};
use super::output;

/// Prints the JSON Schema of scenario files.
pub(crate) fn schema() -> Result<Exit, Trouble> {
    let (mut out, _) = output::stdout();
    writeln!(out, "{:#}", schema::schema(&Engines::builtin()))?;
    out.flush()?;
    Ok(Exit::Passed)
}
