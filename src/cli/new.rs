//! `new`: a scenario to start from.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;

use rulebook::visible;

use super::exit::{Exit, Trouble};
use super::output;

/// Prints a scenario of the engine `typed`, which may be the path of a game in rhai: with a word on every key, and it passes.
pub(crate) fn new(typed: &str) -> Result<Exit, Trouble> {
    let engine = output::engine_or_game(typed)?;
    let example = engine.example().map_err(Trouble::Faults)?;
    let (mut out, _) = output::stdout();
    writeln!(out, "# {}", visible::visible(engine.about()))?;
    // The path of a game is taken from the scenario file's folder.
    let name = Path::new(typed).file_name().and_then(OsStr::to_str).unwrap_or(typed);
    if name != typed {
        writeln!(out, "# Save it beside {}.", visible::visible(name))?;
    }
    writeln!(out, "engine = {}\n{}", visible::quoted(name), visible::visible_lines(&example))?;
    out.flush()?;
    Ok(Exit::Passed)
}
