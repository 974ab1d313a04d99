//! `rulebook.toml`: a suite's standing wishes, the keys named after the flags of `run`.

use std::any::TypeId;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgAction, Command};
use rulebook::diagnostic::Diagnostic;
use rulebook::root::{self, Beyond, Bounds, CHECKOUT, CONFIG, Reach};
use rulebook::scenario::syntax;
use rulebook::scenario::{STDIN, Targets, Word};
use rulebook::source::{self, Source, Span};
use rulebook::tree::{self, Node, Tree};

use super::args::ReportWish;
use super::settings::{self, Origin, Typed, Wish};

/// Flags of `run` that are no standing wish: which scenarios are run, and what is done with them for once, is said each
/// time.
const EACH_TIME: &[&str] = &[
    "config",
    "no-config",
    "index",
    "filter",
    "name",
    "engine",
    "tag",
    "shard",
    "last-failed",
    "bless",
    "review",
    "resume",
    "watch",
    "force",
];

/// The arguments of `run` that the file may set, each with its key.
pub(crate) fn keys(command: &Command) -> Vec<(String, &Arg)> {
    let run = command.find_subcommand("run").expect("the subcommand");
    let key = |arg: &Arg| arg.get_long().map(|long| long.replace('-', "_"));
    let standing = |arg: &&Arg| match arg.get_long() {
        Some(long) => settings::is_flag(arg) && !EACH_TIME.contains(&long),
        None => arg.get_id() == "paths",
    };
    let args = run.get_arguments().filter(standing);
    args.map(|arg| (key(arg).unwrap_or_else(|| arg.get_id().to_string()), arg)).collect()
}

/// Whether a wish of the file holds for a command that has the flag: the reports of runs are not those that are made of
/// them, which would be written over.
pub(crate) fn holds_for(command: &Command, id: &str) -> bool {
    command.get_name() != "merge" || id != "report"
}

/// Returns the file that holds for `folder`, the current one: the one named, or the nearest above.
///
/// # Errors
/// When it cannot be read, or was found and belongs to another user: its author may want what its finder does not.
pub(crate) fn find(
    named: Option<&Path>,
    folder: &Path,
) -> Result<Option<(PathBuf, Arc<Source>)>, Diagnostic> {
    let (path, bytes) = if let Some(path) = named {
        (path.to_owned(), File::open(folder.join(path)).and_then(source::bytes))
    } else {
        let above = folder.ancestors().map(|folder| folder.join(CONFIG));
        let Some((levels, found)) = above.enumerate().find(|(_, path)| path.symlink_metadata().is_ok())
        else {
            return Ok(None);
        };
        let path: PathBuf = std::iter::repeat_n(Path::new(".."), levels).chain([Path::new(CONFIG)]).collect();
        let trusted = |data: io::Result<Metadata>| data.as_ref().is_ok_and(root::is_trusted);
        let file = source::open(&found);
        // A link leads to what its owner chose.
        if !trusted(found.symlink_metadata()) || file.as_ref().is_ok_and(|file| !trusted(file.metadata())) {
            return Err(foreign(&path));
        }
        // Nor does a link that came with a checkout lead to what its finder has elsewhere.
        let above = found.parent().unwrap_or(folder);
        let checkout = above.ancestors().find(|above| above.join(CHECKOUT).symlink_metadata().is_ok());
        let settings = checkout.and_then(|checkout| checkout.canonicalize().ok());
        let reach = Reach::new(Bounds { settings, outside: false });
        reach.check(above, &found).map_err(|beyond| linked(&path, &beyond))?;
        (path, file.and_then(source::bytes))
    };
    let name = path.display().to_string();
    match source::text(bytes) {
        Ok(text) => Ok(Some((path, Source::new(name, text)))),
        Err(reason) => {
            let title = format!("`{name}` cannot be read");
            Err(Diagnostic::new("config::unreadable", title).note(reason))
        }
    }
}

fn linked(path: &Path, beyond: &Beyond) -> Diagnostic {
    let shown = path.display();
    Diagnostic::new("config::outside", format!("`{shown}` links to a file that is out of its reach"))
        .note(beyond.to_string())
        .help(format!("`--config {shown}` takes settings from it, `--no-config` takes none"))
}

fn foreign(path: &Path) -> Diagnostic {
    let shown = path.display();
    let title = format!("`{shown}` belongs to another user");
    Diagnostic::new("config::foreign", title)
        .note("a settings file that is found belongs to you, or to root")
        .help(format!("`--config {shown}` takes settings from it, `--no-config` takes none"))
}

/// Returns the directory that the paths in a settings file are taken from.
pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Holds the `paths` of a settings file in `directory` against `bounds`.
///
/// # Errors
/// When one leads out of the directory, or to what may have no end.
pub(crate) fn reached<'a>(
    paths: impl Iterator<Item = &'a PathBuf>,
    directory: &Path,
    bounds: &Bounds,
    place: &Span,
) -> Result<(), Diagnostic> {
    let reach = Reach::new(bounds.clone());
    for path in paths {
        let Word::Target(path, _) = Word::read(path) else { continue };
        let root = Targets::root(&path);
        let fault = |code, title: String, label: String| {
            Err(Diagnostic::new(code, title).label(place.clone(), label))
        };
        if let Err(Beyond::Outside(_)) = reach.check(directory, &root) {
            let title = format!("`{}` is outside of the directory of the settings file", path.display());
            let label = "expected a path below that directory".to_owned();
            return fault("config::outside", title, label)
                .map_err(|fault| fault.help("name the path on the command line, or give `--allow-outside`"));
        }
        if path == Path::new(STDIN) || root.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let title = format!("`paths` cannot be `{}`", path.display());
            return fault("config::value", title, "expected a regular file or a directory".to_owned());
        }
    }
    Ok(())
}

/// What the file at a path asks for; paths in it are taken from its folder.
///
/// # Errors
/// Every key that means nothing, and every value of a wrong kind.
pub(crate) fn wishes(
    (path, source): &(PathBuf, Arc<Source>),
    command: &Command,
) -> Result<Vec<Wish>, Vec<Diagnostic>> {
    let Some(table) = tree::parse(source.text()) else { return Err(syntax::faults(source)) };
    let folder = directory(path);
    let keys = keys(command);
    let mut wishes = Vec::new();
    let mut faults = Vec::new();
    for (key, value) in &table {
        let Some((_, arg)) = keys.iter().find(|(name, _)| *name == key.value) else {
            faults.push(unknown(&key.value, Span::new(source, key.range.clone()), &keys));
            continue;
        };
        let span = Span::new(source, value.range.clone());
        match typed(arg, value, folder) {
            Ok(typed) => {
                wishes.push(Wish { id: arg.get_id().to_string(), typed, origin: Origin::File(span) });
            }
            Err(expected) => {
                let title = format!("`{}` has the wrong type", key.value);
                faults.push(
                    Diagnostic::new("config::wrong-kind", title).label(span, format!("expected {expected}")),
                );
            }
        }
    }
    if faults.is_empty() { Ok(wishes) } else { Err(faults) }
}

fn unknown(typed: &str, span: Span, keys: &[(String, &Arg)]) -> Diagnostic {
    let fault = Diagnostic::new("config::unknown-key", format!("unknown key `{typed}`"));
    let flag = typed.replace('_', "-");
    let flag = settings::renamed(&flag).unwrap_or(&flag);
    if EACH_TIME.contains(&flag) {
        fault.label(span, "not a key here").help(format!("give `--{flag}` on the command line"))
    } else {
        fault.label(span, "not a key here").suggest(typed, keys.iter().map(|(name, _)| name.as_str()))
    }
}

/// What would be typed for `arg`, or what its value should have been.
fn typed(arg: &Arg, value: &Node<'_>, folder: &Path) -> Result<Typed, &'static str> {
    let values = |value: &Node<'_>| one(arg, &value.value, folder);
    match (&value.value, arg.get_action()) {
        (Tree::Bool(value), ArgAction::SetTrue) => Ok(Typed::Flag(*value)),
        (_, ArgAction::SetTrue) => Err("`true` or `false`"),
        (Tree::Array(items), ArgAction::Append) => {
            let items = items.iter().map(|item| values(item).map_err(|_| "an array of strings"));
            let items = items.collect::<Result<_, _>>()?;
            Ok(if arg.is_positional() { Typed::Positional(items) } else { Typed::Values(items) })
        }
        (_, ArgAction::Append) => Err("an array of strings"),
        _ => Ok(Typed::Values(vec![values(value)?])),
    }
}

/// A single value as it would be typed.
fn one(arg: &Arg, value: &Tree<'_>, folder: &Path) -> Result<OsString, &'static str> {
    let number = [TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
    let text = [TypeId::of::<String>(), TypeId::of::<PathBuf>()];
    match value {
        Tree::Int(value) if !settings::takes(arg, &text) => Ok(value.to_string().into()),
        _ if settings::takes(arg, &number) => Err("a whole number"),
        Tree::Text(path) if settings::takes(arg, &[TypeId::of::<PathBuf>()]) => {
            Ok(folder.join(&**path).into())
        }
        Tree::Text(text) if settings::takes(arg, &[TypeId::of::<ReportWish>()]) => {
            Ok(ReportWish::below(folder, text))
        }
        Tree::Text(text) => Ok((&**text).into()),
        _ => Err("a string"),
    }
}
