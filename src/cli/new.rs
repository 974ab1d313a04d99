//! `new`: a scenario to start from.

use std::io::Write as _;

use super::exit::{Exit, Trouble};
use super::output;

/// Prints a scenario of `engine`, which may be the path of a game in rhai: with a word on every key, and it passes.
pub(crate) fn new(engine: &str) -> Result<Exit, Trouble> {
    let referee = output::engine_or_game(engine)?;
    let example = referee.example().map_err(Trouble::Faults)?;
    let (mut out, _) = output::stdout();
    writeln!(out, "# {}", referee.about())?;
    writeln!(out, "engine = {}\n{example}", toml::Value::from(engine))?;
    out.flush()?;
    Ok(Exit::Passed)
}
