//! Which files a command is about, and which of their scenarios.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rulebook::diagnostic::{Diagnostic, names};
use rulebook::engines::Engines;
use rulebook::report;
use rulebook::root::SCENARIOS;
use rulebook::runner::{self, Listener, NoWorker, Options};
use rulebook::scenario::filter::Filter;
use rulebook::scenario::suite::Piece;
use rulebook::scenario::{Pattern, STDIN, Select, Targets, Which, Word};
use rulebook::verdict::CaseResult;
use rulebook::visible;

use super::args::Suite;
use super::exit::{Exit, Trouble};
use super::{output, shard};

/// Where scenarios are looked for that are named without a file.
const FOLDER: &str = SCENARIOS;

/// The files, and what is selected in them.
pub(crate) struct Selection {
    pub(crate) files: Vec<Result<PathBuf, Piece>>,
    pub(crate) select: Select,
}

impl Selection {
    /// What the command line asks for.
    pub(crate) fn of(args: &Suite) -> Result<Self, Trouble> {
        Self::find(args, Words::of(args)?)
    }

    /// The same where it is known what the words are.
    pub(crate) fn find(args: &Suite, Words { targets, called }: Words) -> Result<Self, Trouble> {
        let Targets { files, places } = Targets::find(targets, &args.bounds);
        let filter = args.filter.as_ref().map(|text| filter(text)).transpose();
        let select = Select {
            places,
            names: called,
            name: args.name.clone(),
            filter: filter?,
            engine: args.engine.clone(),
            tag: args.tag.clone(),
            indices: args.index.map(|index| index..index.saturating_add(1)),
            shard: args.shard.as_deref().map(shard::read).transpose()?,
            bounds: args.bounds.clone(),
            ..Select::default()
        };
        Ok(Self { files, select })
    }

    /// Whether standard input is among the files.
    pub(crate) fn streams(&self) -> bool {
        self.files.iter().flatten().any(|path| path == Path::new(STDIN))
    }
}

/// Parses the filter expression of `--filter`.
///
/// # Errors
/// When it is not one; a plain text was one of names once.
fn filter(text: &str) -> Result<Filter, Trouble> {
    Filter::parse(text, "--filter").map_err(|fault| {
        let is_plain = !text.contains(['(', ')']);
        let help = format!("`--name {}` selects by a part of `FILE::NAME`", visible::quoted(text));
        Trouble::Usage(if is_plain { fault.help(help) } else { *fault })
    })
}

/// Returns the words of the command line as reports keep them.
pub(crate) fn report(args: &Suite, shuffle: Option<u64>) -> report::Selection {
    let paths = args.paths.iter().map(|path| path.display().to_string());
    report::Selection {
        paths: paths.collect(),
        index: args.index,
        name: args.name.clone(),
        filter: args.filter.clone(),
        engine: args.engine.clone(),
        tag: args.tag.clone(),
        shuffle,
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
    /// What the words are now.
    pub(crate) fn of(args: &Suite) -> Result<Self, Trouble> {
        let mut targets = Vec::new();
        let mut called = Vec::new();
        for word in &args.paths {
            match Word::read(word) {
                Word::Target(path, which) => targets.push((path, which)),
                Word::Name(name) => called.push(Pattern::new(&name)),
            }
        }
        if targets.is_empty() {
            if !Path::new(FOLDER).exists() {
                let title = match called.first() {
                    Some(name) => {
                        format!("`{name}` is no file, and there is no folder `{FOLDER}` to find it in")
                    }
                    None => format!("there is no folder `{FOLDER}` here"),
                };
                let engines = Engines::builtin();
                let first = engines.names().next().unwrap_or_default();
                let start = format!("`rulebook new {first}` prints a scenario to start with");
                return Err(Trouble::Usage(
                    Diagnostic::new("usage::nothing-selected", title)
                        .help("name the files or folders with scenarios, or make the folder")
                        .help(start),
                ));
            }
            targets.push((FOLDER.into(), Which::All));
        }
        Ok(Self { targets, called })
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

/// Whether anything is selected, be it in another part of the suite.
pub(crate) fn is_any(args: &Suite) -> Result<bool, Trouble> {
    let Selection { files, select } = Selection::of(args)?;
    let mut there = There { most: 1, ..There::default() };
    there.look(files, Select { shard: None, ..select })?;
    Ok(!there.names.is_empty())
}

/// Says that a selection is empty.
///
/// # Errors
/// When it could not but be.
pub(crate) fn nothing(args: &Suite) -> Result<Exit, Trouble> {
    let Words { targets, .. } = Words::of(args)?;
    let mut there = There { most: There::MOST, ..There::default() };
    let select = Select { bounds: args.bounds.clone(), ..Select::default() };
    there.look(Targets::find(targets.clone(), &args.bounds).files, select)?;
    if let Some(name) = &args.engine
        && !there.engines.contains(name.as_str())
    {
        // A game in rhai is known only when its scenarios are.
        output::engine(name)?;
    }
    let places: Vec<_> = targets.iter().map(|(path, _)| path.display().to_string()).collect();
    let called = args.paths.iter().find_map(|word| match Word::read(word) {
        Word::Name(name) => Some(name),
        Word::Target(..) => None,
    });
    let title = match &called {
        Some(name) => {
            format!(
                "no scenario in {} has `{name}` in its `FILE::NAME`, and no file is called so",
                names(&places)
            )
        }
        None => format!("no scenario was selected in {}", names(&places)),
    };
    let filters = filters(args);
    let title = if filters.is_empty() { title } else { format!("{title} by {}", names(&filters)) };
    let fault = Diagnostic::new("usage::nothing-selected", title);
    let named = args.paths.iter().find_map(|word| Some(word.to_str()?.split_once("::")?.1.to_owned()));
    let fault = if let Some(index) = args.index {
        fault.help(format!("index {index} is for scenarios of which a script makes more cases than that"))
    } else if let Some((_, index)) = named.as_ref().and_then(|name| numbered(name)) {
        fault.help(format!("a case of a scenario is chosen by its name and `--index {index}`"))
    } else if let Some(typed) = called.or(named).or_else(|| args.name.clone()) {
        fault.suggest(&typed, there.names.iter().map(String::as_str))
    } else if let Some(tag) = &args.tag {
        fault.suggest(tag, there.tags.iter().map(String::as_str))
    } else if args.engine.is_some() || args.filter.is_some() {
        fault.help(
            "`rulebook list --verbose` shows the scenarios that there are, their engines and their tags",
        )
    } else {
        fault.help("scenario files end in `.toml`")
    };
    output::complain(&Trouble::Usage(fault));
    Ok(Exit::Nothing)
}

/// Returns the flags that select scenarios, as they could be typed.
fn filters(args: &Suite) -> Vec<String> {
    let texts = [
        ("--name", args.name.as_ref()),
        ("--filter", args.filter.as_ref()),
        ("--engine", args.engine.as_ref()),
        ("--tag", args.tag.as_ref()),
    ];
    let index = args.index.map(|index| format!("--index {index}"));
    let texts = texts.into_iter().filter_map(|(flag, text)| Some(format!("{flag} '{}'", text?)));
    texts.chain(index).collect()
}

/// `NAME#INDEX`, as cases of a generated scenario are called.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let (name, index) = name.rsplit_once('#')?;
    Some((name, index.parse().ok()?))
}

/// What there is to select.
#[derive(Default)]
struct There {
    names: BTreeSet<String>,
    tags: BTreeSet<String>,
    engines: BTreeSet<Arc<str>>,
    /// So many names are looked at.
    most: usize,
}

impl There {
    const MOST: usize = 100_000;

    fn look(&mut self, files: Vec<Result<PathBuf, Piece>>, select: Select) -> Result<(), NoWorker> {
        let select = Select { indices: select.indices.or(Some(0..1)), load_only: true, ..select };
        let options = Options { jobs: 1, select, ..Options::default() };
        runner::run(files, &options, &AtomicBool::new(false), self).map(|_| ())
    }
}

impl Listener for There {
    fn case(&mut self, report: &CaseResult) -> ControlFlow<()> {
        self.names.insert(report.name.to_string());
        self.tags.extend(report.tags.iter().cloned());
        self.engines.insert(Arc::clone(&report.engine));
        if self.names.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
