//! Which files a command is about, and which of their scenarios.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use rulebook::diagnostic::{Diagnostic, names};
use rulebook::runner::{self, Listener, Options};
use rulebook::scenario::filter::Filter;
use rulebook::scenario::suite::Piece;
use rulebook::scenario::{Pattern, STDIN, Select, Targets, Which, Word};
use rulebook::verdict::Report;

use super::args::Suite;
use super::exit::{Exit, Trouble};
use super::{output, shard};

/// Where scenarios are looked for that are named without a file.
const FOLDER: &str = "scenarios";

/// The files, and what is selected in them.
pub(crate) struct Selection {
    pub(crate) files: Vec<Result<PathBuf, Piece>>,
    pub(crate) select: Select,
}

impl Selection {
    /// What the command line asks for.
    pub(crate) fn of(args: &Suite) -> Result<Self, Trouble> {
        Self::find(args, Words::of(args))
    }

    /// The same where it is known what the words are.
    pub(crate) fn find(args: &Suite, Words { targets, called }: Words) -> Result<Self, Trouble> {
        let Targets { files, places } = Targets::find(targets);
        let expression = args.select.as_ref().map(|text| Filter::parse(text, "--select")).transpose();
        let select = Select {
            places,
            names: called,
            filter: args.filter.clone(),
            expression: expression.map_err(|fault| Trouble::Usage(*fault))?,
            engine: args.engine.clone(),
            tag: args.tag.clone(),
            indices: args.index.map(|index| index..index.saturating_add(1)),
            shard: args.shard.as_deref().map(shard::read).transpose()?,
            ..Select::default()
        };
        Ok(Self { files, select })
    }

    /// Whether standard input is among the files.
    pub(crate) fn streams(&self) -> bool {
        self.files.iter().flatten().any(|path| path == Path::new(STDIN))
    }
}

/// The words of the command line, as they were understood: a folder that vanishes later still is one.
#[derive(Clone)]
pub(crate) struct Words {
    targets: Vec<(PathBuf, Which)>,
    /// Parts of names.
    called: Vec<Pattern>,
}

impl Words {
    pub(crate) fn of(args: &Suite) -> Self {
        let mut targets = Vec::new();
        let mut called = Vec::new();
        for word in &args.paths {
            match Word::read(word) {
                Word::Target(path, which) => targets.push((path, which)),
                Word::Name(name) => called.push(Pattern::new(&name)),
            }
        }
        if targets.is_empty() {
            targets.push((FOLDER.into(), Which::All));
        }
        Self { targets, called }
    }

    /// The files and folders in which scenario files are looked for.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        self.targets.iter().map(|(path, _)| Targets::root(path)).collect()
    }
}

/// The path of something that was found, be it readable or not.
pub(crate) fn path(found: &Result<PathBuf, Piece>) -> PathBuf {
    found.as_ref().map_or_else(|piece| PathBuf::from(&*piece.file.name), Clone::clone)
}

/// Says that a selection is empty.
///
/// # Errors
/// When it could not but be.
pub(crate) fn nothing(args: &Suite) -> Result<Exit, Trouble> {
    // A game in rhai is known only when its scenarios are.
    args.engine.as_deref().map(output::engine).transpose()?;
    let paths: Vec<_> = args.paths.iter().map(|path| path.display().to_string()).collect();
    let title = match Word::read(&args.paths[0]) {
        Word::Name(name) => {
            format!("no scenario in `{FOLDER}` has `{name}` in its name, and no file is called so")
        }
        Word::Target(..) => format!("no scenario was selected in {}", names(&paths)),
    };
    let fault = Diagnostic::new("usage::nothing-selected", title);
    let fault = if let Some(index) = args.index {
        fault.help(format!("index {index} is for scenarios of which a script makes more cases than that"))
    } else if let Some((typed, near)) = nearest(args) {
        fault.suggest(&typed, near.iter().map(String::as_str))
    } else if args.filter.is_some() || args.engine.is_some() || args.tag.is_some() || args.select.is_some() {
        fault.help("`rulebook list` shows the scenarios that there are")
    } else {
        fault.help("scenario files end in `.toml`")
    };
    output::complain(&Trouble::Usage(fault));
    Ok(Exit::Nothing)
}

/// The name that was typed, and those that there are.
fn nearest(args: &Suite) -> Option<(String, BTreeSet<String>)> {
    let named = |word: &PathBuf| {
        let text = word.to_str()?;
        let name = match Word::read(word) {
            Word::Target(_, Which::Name(_)) => text.split_once("::")?.1,
            Word::Target(..) => return None,
            Word::Name(_) => text,
        };
        Some(name.to_owned())
    };
    let typed = args.paths.iter().find_map(named).or_else(|| args.filter.clone())?;
    let paths: Vec<_> = args.paths.iter().map(|word| Word::read(word)).collect();
    let mut targets: Vec<_> = paths
        .into_iter()
        .filter_map(|word| match word {
            Word::Target(path, _) => Some((path, Which::All)),
            Word::Name(_) => None,
        })
        .collect();
    if targets.is_empty() {
        targets.push((FOLDER.into(), Which::All));
    }
    let options = Options { load_only: true, jobs: 1, ..Options::default() };
    let options = Options { select: Select { indices: Some(0..1), ..Select::default() }, ..options };
    let mut there = Names::default();
    runner::run(Targets::find(targets).files, &options, &AtomicBool::new(false), &mut there);
    Some((typed, there.0)).filter(|(_, names)| !names.is_empty())
}

/// The names of scenarios.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// So many are looked at.
    const MOST: usize = 100_000;
}

impl Listener for Names {
    fn case(&mut self, report: &Report) -> ControlFlow<()> {
        self.0.insert(report.name.clone());
        if self.0.len() < Self::MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
