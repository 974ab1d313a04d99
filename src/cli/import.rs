//! `import`: judge data, NAME.in + NAME.out, into a scenario file.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook::diagnostic::{Diagnostic, count, names};
use rulebook::engine::{AnyEngine, Place, Start};
use rulebook::input::Input;
use rulebook::root::{Bounds, Reach};
use rulebook::source::{self, Excerpt, Source};
use rulebook::visible::{self, Lines, is_plain};

use super::exit::{Exit, Trouble};
use super::output;

/// Writes the pairs in `dir` as one scenario file, in natural order; those with faults are drawn and left out, and
/// files that are not of a pair are warned of.
pub(crate) fn import(engine: &str, dir: &Path, raw: bool, bounds: &Bounds) -> Result<Exit, Trouble> {
    let reach = Reach::new(bounds.clone());
    let engine = output::engine(engine)?;
    let Found { pairs, strays } = find(dir)?;
    if pairs.is_empty() {
        let title = format!("`{}` has no pair of files", dir.display());
        let fault =
            Diagnostic::new("usage::no-pairs", title).help("expected pairs such as `1.in` and `1.out`");
        return Err(Trouble::Usage(fault));
    }
    let (mut out, _) = output::stdout();
    writeln!(out, "engine = {}", quoted(engine.name()))?;
    let mut faults = Vec::new();
    let mut imported = 0_u64;
    for (name, pair) in &pairs {
        match scenario(&*engine, name, pair, raw, &reach) {
            Ok(text) => {
                out.write_all(text.as_bytes())?;
                imported += 1;
            }
            Err(more) => faults.extend(more),
        }
    }
    out.flush()?;
    // The exit code tells of faults, even where standard error is closed.
    let _ = tell(imported, &strays);
    if faults.is_empty() { Ok(Exit::Passed) } else { Err(Trouble::Faults(faults)) }
}

/// Prints on standard error how many pairs were imported, and which files were not.
fn tell(imported: u64, strays: &[String]) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    if !strays.is_empty() {
        let files = count(strays.len() as u64, "file");
        let more = if strays.len() > SHOWN { ", …" } else { "" };
        let shown = names(&strays[..strays.len().min(SHOWN)]);
        writeln!(stderr, "warning: {files} without a partner: {shown}{more}")?;
    }
    writeln!(stderr, "note: {} imported", count(imported, "pair"))
}

/// Largest number of files listed in a warning.
const SHOWN: usize = 5;

/// The contents of a directory.
struct Found {
    /// Pairs by name, in natural order.
    pairs: Vec<(String, Pair)>,
    /// Names of files that are not of a pair, in natural order.
    strays: Vec<String>,
}

/// The files of one case: an input, and outputs of which there should be one.
struct Pair {
    input: PathBuf,
    outputs: Vec<PathBuf>,
}

/// Finds the pairs in `dir`; names that begin with a dot are ignored.
fn find(dir: &Path) -> Result<Found, Diagnostic> {
    let unreadable = |error: io::Error| {
        Diagnostic::new("suite::unreadable", format!("`{}` cannot be read", dir.display()))
            .note(source::reason(&error))
    };
    let (mut inputs, mut outputs) = (Vec::new(), HashMap::<OsString, Vec<PathBuf>>::new());
    let mut strays = Vec::new();
    let shown = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let stem = path.file_stem().map(OsStr::to_owned).unwrap_or_default();
        match path.extension().and_then(OsStr::to_str) {
            _ if shown(&path).starts_with('.') => {}
            Some("in") => inputs.push((stem, path)),
            Some("out" | "ans") => outputs.entry(stem).or_default().push(path),
            _ => strays.push(shown(&path)),
        }
    }
    let mut pairs = Vec::new();
    for (stem, input) in inputs {
        match outputs.remove(&stem) {
            Some(outputs) => pairs.push((stem.to_string_lossy().into_owned(), Pair { input, outputs })),
            None => strays.push(shown(&input)),
        }
    }
    strays.extend(outputs.values().flatten().map(|path| shown(path)));
    pairs.sort_by(|(a, _), (b, _)| natural(a, b));
    strays.sort_by(|a, b| natural(a, b));
    Ok(Found { pairs, strays })
}

/// Compares names so that 2 comes before 10.
fn natural(a: &str, b: &str) -> Ordering {
    alphanumeric_sort::compare_str(a, b).then_with(|| a.cmp(b))
}

fn scenario(
    engine: &dyn AnyEngine,
    name: &str,
    pair: &Pair,
    raw: bool,
    reach: &Reach,
) -> Result<String, Vec<Diagnostic>> {
    let [output] = pair.outputs.as_slice() else {
        let fault = Diagnostic::new("import::two-outputs", format!("`{name}.in` has two outputs"));
        return Err(vec![fault.help(format!("keep `{name}.out` or `{name}.ans`"))]);
    };
    let (input, output) = (read(&pair.input, reach)?, read(output, reach)?);
    let bind = |size_limits| -> Result<Box<dyn Start>, Vec<Diagnostic>> {
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
fn read(path: &Path, reach: &Reach) -> Result<Arc<Source>, Vec<Diagnostic>> {
    // A link in a directory is named by its author, not by the user.
    reach.check(path.parent().unwrap_or(path), path).map_err(|beyond| {
        let title = format!("`{}` is out of reach", path.display());
        let fault = Diagnostic::new("suite::outside", title).note(beyond.to_string());
        vec![fault.help("import the directory that the link leads to, or give `--allow-outside`")]
    })?;
    let source = Source::read(path).map_err(|reason| {
        let title = format!("`{}` cannot be read", path.display());
        vec![Diagnostic::new("suite::unreadable", title).note(reason)]
    })?;
    Ok(Source::new(source.name(), source.text().replace("\r\n", "\n")))
}

/// A TOML string.
fn quoted(text: &str) -> String {
    if is_plain(text, Lines::Several) { toml::Value::from(text).to_string() } else { visible::quoted(text) }
}
