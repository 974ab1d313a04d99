//! `import`: judge data, NAME.in + NAME.out, into a scenario file.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook::diagnostic::Diagnostic;
use rulebook::engine::{Game, Place, Referee};
use rulebook::input::Input;
use rulebook::source::{self, Excerpt, Source};

use super::exit::{Exit, Trouble};
use super::output;

/// Writes the pairs in `dir` as one scenario file; those with faults are drawn and left out.
pub(crate) fn import(engine: &str, dir: &Path, raw: bool) -> Result<Exit, Trouble> {
    let engine = output::engine(engine)?;
    let pairs = pairs(dir)?;
    if pairs.is_empty() {
        let title = format!("`{}` has no file ending in `.in`", dir.display());
        let fault =
            Diagnostic::new("usage::no-pairs", title).help("expected pairs such as `1.in` and `1.out`");
        return Err(Trouble::Usage(fault));
    }
    let (mut out, _) = output::stdout();
    writeln!(out, "engine = {}", quoted(engine.name()))?;
    let mut faults = Vec::new();
    for (name, pair) in &pairs {
        match scenario(engine, &name.to_string_lossy(), pair, raw) {
            Ok(text) => out.write_all(text.as_bytes())?,
            Err(more) => faults.extend(more),
        }
    }
    out.flush()?;
    if faults.is_empty() { Ok(Exit::Passed) } else { Err(Trouble::Faults(faults)) }
}

/// The files of one case.
#[derive(Default)]
struct Pair {
    input: Option<PathBuf>,
    outputs: Vec<PathBuf>,
}

/// The pairs in `dir` by name; files without a partner among them.
fn pairs(dir: &Path) -> Result<BTreeMap<OsString, Pair>, Diagnostic> {
    let unreadable = |error: std::io::Error| {
        Diagnostic::new("suite::unreadable", format!("`{}` cannot be read", dir.display()))
            .note(source::reason(&error))
    };
    let mut pairs = BTreeMap::<OsString, Pair>::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_stem().map(OsStr::to_owned).unwrap_or_default();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("in") => pairs.entry(name).or_default().input = Some(path),
            Some("out" | "ans") => pairs.entry(name).or_default().outputs.push(path),
            _ => {}
        }
    }
    Ok(pairs)
}

fn scenario(engine: &dyn Referee, name: &str, pair: &Pair, raw: bool) -> Result<String, Vec<Diagnostic>> {
    let half = |there: &Path, missing: &str| {
        let title = format!("`{}` has no partner", there.display());
        let help = format!("expected `{name}.{missing}` beside it");
        vec![Diagnostic::new("import::no-partner", title).help(help)]
    };
    let (input, output) = match (&pair.input, pair.outputs.as_slice()) {
        (Some(input), [output]) => (read(input)?, read(output)?),
        (Some(input), []) => return Err(half(input, "out")),
        (None, [output, ..]) => return Err(half(output, "in")),
        _ => {
            let fault = Diagnostic::new("import::two-outputs", format!("`{name}.in` has two outputs"));
            return Err(vec![fault.help(format!("keep `{name}.out` or `{name}.ans`"))]);
        }
    };
    let bind = |size_limits| -> Result<Box<dyn Game>, Vec<Diagnostic>> {
        let place = Place { source: &input, size_limits, thorough: true };
        engine.read(&mut Input::new(Excerpt::all(&input)), None, &place)
    };
    // What only the limits of size refuse is imported without them.
    let (game, lifted) = match bind(true) {
        Ok(game) => (game, false),
        Err(faults) => (bind(false).map_err(|_| faults)?, true),
    };
    let mut text = format!("\n[[scenario]]\nname = {}\n", quoted(name));
    if lifted {
        text += "limits = \"none\"\n";
    }
    if raw {
        text += &format!("input = {}\n", quoted(input.text()));
    } else {
        text += &game.doc();
    }
    text += &format!("expect.output = {}\n", quoted(output.text()));
    Ok(text)
}

/// A file of a pair, its line ends those of TOML.
fn read(path: &Path) -> Result<Arc<Source>, Vec<Diagnostic>> {
    let source = Source::read(path).map_err(|reason| {
        let title = format!("`{}` cannot be read", path.display());
        vec![Diagnostic::new("suite::unreadable", title).note(reason)]
    })?;
    Ok(Source::new(source.name(), source.text().replace("\r\n", "\n")))
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
