//! `solve`: the statement's input to the statement's output.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use rulebook::diagnostic::Diagnostic;
use rulebook::engine::Place;
use rulebook::input::Input;
use rulebook::source::{self, Excerpt, Source};

use super::exit::{Exit, Trouble};
use super::output;

/// Solves `path`, or standard input for `-`.
pub(crate) fn solve(engine: &str, path: &Path, size_limits: bool) -> Result<Exit, Trouble> {
    let engine = output::engine(engine)?;
    let source = read(path)?;
    let place = Place { source: &source, size_limits, thorough: true };
    let game = engine.read(&mut Input::new(Excerpt::all(&source)), None, &place).map_err(Trouble::Faults)?;
    let text = game.output().map_err(|reason| Diagnostic::new(reason.code, reason.why).help(reason.help))?;
    let (mut out, _) = output::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Passed)
}

fn read(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let (name, source) = if path == Path::new("-") {
        let name = "standard input";
        let text = source::text(source::bytes(std::io::stdin().lock()));
        (name.to_owned(), text.map(|text| Source::new(name, text)))
    } else {
        let name = path.display().to_string();
        let text = source::text(File::open(path).and_then(source::bytes));
        (name.clone(), text.map(|text| Source::new(name, text)))
    };
    source.map_err(|reason| {
        Diagnostic::new("suite::unreadable", format!("`{name}` cannot be read")).note(reason)
    })
}
