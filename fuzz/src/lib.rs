//! A suite of one text, run in memory.

use rulebook::{CaseResult, Options, Suite};

/// Path of the text; there is no such directory, so that scenarios reach no other file.
pub const PATH: &str = "nowhere/fuzz.toml";

/// Returns the results of the scenarios in `text`, in their order.
pub fn run(text: &str, options: &Options) -> Vec<CaseResult> {
    let mut results = Vec::new();
    let summary =
        Suite::from_toml(PATH, text).run(options, &mut |case: &CaseResult| results.push(case.clone()));
    summary.expect("room for a worker");
    results
}
