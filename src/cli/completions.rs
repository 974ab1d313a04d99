//! `completions`: what a shell needs to complete commands and flags.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::args::Args;
use super::exit::{Exit, Trouble};
use super::output;

/// Prints the completions for `shell`.
pub(crate) fn completions(shell: Shell) -> Result<Exit, Trouble> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "rulebook", &mut text);
    let (mut out, _) = output::stdout();
    out.write_all(&text)?;
    out.flush()?;
    Ok(Exit::Passed)
}
