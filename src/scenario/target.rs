//! What the words of a command line name: files, folders, and scenarios in them.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::GlobBuilder;

use super::load::STDIN;
use super::pattern::{Pattern, is_glob};
use super::split;
use super::suite::{self, Piece};

/// Which scenarios of a file are named.
#[derive(Clone, Debug)]
pub enum Which {
    /// All of them.
    All,
    /// The one that begins on this line.
    Line(usize),
    /// Those with this name.
    Name(Pattern),
}

impl Which {
    pub(super) fn takes(&self, name: &str, line: usize) -> bool {
        match self {
            Self::All => true,
            Self::Line(wanted) => *wanted == line,
            Self::Name(pattern) => pattern.matches(name),
        }
    }
}

/// A word of a command line.
#[derive(Debug)]
pub enum Word {
    /// A file or folder, or a glob of them, and which of its scenarios.
    Target(PathBuf, Which),
    /// What is no path: a part of `FILE::NAME`, or a glob of names.
    Name(String),
}

impl Word {
    /// What a word means: `-`, which is standard input; a path that there is; `FILE::NAME` and `FILE:LINE`; a path that there is not; a name.
    pub fn read(word: &Path) -> Self {
        let whole = || Self::Target(word.to_owned(), Which::All);
        if word == Path::new(STDIN) {
            return whole();
        }
        let Some(text) = word.to_str().filter(|_| !word.exists()) else { return whole() };
        if let Some((file, name)) = text.split_once("::") {
            return Self::Target(file.into(), Which::Name(Pattern::new(name)));
        }
        let cut = |text: &str| {
            let (file, number) = text.rsplit_once(':')?;
            Some((file.to_owned(), number.parse::<usize>().ok()?))
        };
        if let Some((file, line)) = cut(text) {
            // Behind the line editors write a column.
            return match cut(&file) {
                Some((file, line)) => Self::Target(file.into(), Which::Line(line)),
                None => Self::Target(file.into(), Which::Line(line)),
            };
        }
        let is_path =
            text.contains(['/', '\\']) || Path::new(text).extension().is_some_and(|end| end == "toml");
        if is_path { whole() } else { Self::Name(text.to_owned()) }
    }
}

/// The files of a run, and which of their scenarios are named.
#[derive(Debug, Default)]
pub struct Targets {
    /// The files, each once, in the order of the words, and what cannot be read.
    pub files: Vec<Result<PathBuf, Piece>>,
    /// In files of which only some scenarios are named: those.
    pub places: Arc<HashMap<String, Vec<Which>>>,
}

impl Targets {
    /// Where the files are that a path names: itself, or the folder in which those are looked for that a glob matches.
    pub fn root(path: &Path) -> PathBuf {
        if path.exists() {
            return path.to_owned();
        }
        let parts = path.components().take_while(|part| !is_glob(&part.as_os_str().to_string_lossy()));
        let root: PathBuf = parts.collect();
        if root.as_os_str().is_empty() { ".".into() } else { root }
    }

    /// The files that `targets` name.
    pub fn find(targets: Vec<(PathBuf, Which)>) -> Self {
        let mut files = Vec::new();
        let mut seen = HashSet::new();
        let mut places: HashMap<String, Vec<Which>> = HashMap::new();
        let only_whole = targets.iter().all(|(_, which)| matches!(which, Which::All));
        for (path, which) in targets {
            for found in matching(&path) {
                let Ok(file) = found else {
                    files.push(found);
                    continue;
                };
                if !only_whole {
                    let which = match &which {
                        Which::Line(line) => above(&file, *line).unwrap_or_else(|_| which.clone()),
                        which => which.clone(),
                    };
                    places.entry(file.display().to_string()).or_default().push(which);
                }
                if seen.insert(file.clone()) {
                    files.push(Ok(file));
                }
            }
        }
        places.retain(|_, which| !which.iter().any(|which| matches!(which, Which::All)));
        Self { files, places: Arc::new(places) }
    }
}

/// The files that a path names: those below a folder, those that a glob matches, or itself.
fn matching(path: &Path) -> Vec<Result<PathBuf, Piece>> {
    let text = path.to_string_lossy();
    if path.exists() || !is_glob(&text) {
        return suite::files(&[path.to_owned()]);
    }
    let Ok(glob) = GlobBuilder::new(&text).literal_separator(true).build() else {
        return suite::files(&[path.to_owned()]);
    };
    let glob = glob.compile_matcher();
    // A folder that matches is meant with all that is below it.
    let wanted = |file: &Path| file.ancestors().any(|above| glob.is_match(above));
    let root = Targets::root(path);
    let plain = |file: PathBuf| file.strip_prefix(".").map(Path::to_owned).unwrap_or(file);
    let below = suite::files(&[root]).into_iter().map(|found| found.map(plain));
    let found: Vec<_> = below.filter(|found| found.as_ref().is_ok_and(|file| wanted(file))).collect();
    if found.is_empty() { suite::files(&[path.to_owned()]) } else { found }
}

/// The scenario that stands at a line of a file, by the line that it begins on; all, above the first.
fn above(path: &Path, line: usize) -> io::Result<Which> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let starts = split::starts(&bytes);
    // Above the first scenario stand the defaults of all.
    Ok(starts.into_iter().rev().find(|&start| start <= line).map_or(Which::All, Which::Line))
}
