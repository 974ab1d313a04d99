//! What the words of a command line name: files, folders, and scenarios in them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::GlobBuilder;

use super::load::STDIN;
use super::pattern::{Pattern, is_glob};
use super::split::{self, Splitter};
use super::suite::{self, Piece};
use crate::identity::Name;
use crate::root::Bounds;

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

/// The scenarios of one file that are named.
#[derive(Clone, Debug, Default)]
pub struct Named {
    all: bool,
    lines: HashSet<usize>,
    names: HashSet<Name>,
    globs: Vec<Pattern>,
}

impl Named {
    fn add(&mut self, which: Which) {
        match which {
            Which::All => self.all = true,
            Which::Line(line) => drop(self.lines.insert(line)),
            Which::Name(pattern) => {
                self.names.insert(pattern.name());
                self.globs.extend(Some(pattern).filter(Pattern::is_glob));
            }
        }
    }

    pub(super) fn takes(&self, name: &Name, line: usize) -> bool {
        self.lines.contains(&line)
            || self.names.contains(name)
            || self.globs.iter().any(|glob| glob.matches_text(&name.text()))
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
        let there = |path: &str| Path::new(path).exists();
        let cut = |text: &str| {
            let (file, number) = text.rsplit_once(':')?;
            Some((file.to_owned(), number.parse::<usize>().ok()?))
        };
        let plain = !text.contains("::");
        if let Some((file, line)) = cut(text) {
            if there(&file) {
                return Self::Target(file.into(), Which::Line(line));
            }
            // Behind the line editors write a column.
            match cut(&file) {
                Some((file, line)) if plain || there(&file) => {
                    return Self::Target(file.into(), Which::Line(line));
                }
                None if plain => return Self::Target(file.into(), Which::Line(line)),
                _ => {}
            }
        }
        // A path may have a `::` of its own: the last one behind something that is there ends it.
        let cuts = text.match_indices("::").map(|(at, _)| (&text[..at], &text[at + 2..]));
        let named = cuts.clone().filter(|(path, _)| there(path)).last().or_else(|| cuts.clone().next());
        if let Some((file, name)) = named {
            return Self::Target(file.into(), Which::Name(Pattern::new(name)));
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
    pub places: Arc<HashMap<String, Named>>,
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

    /// Returns the files that `targets` name, each once and by the first of the paths that lead to it; links below them lead
    /// as far as `bounds` allow.
    pub fn find(targets: Vec<(PathBuf, Which)>, bounds: &Bounds) -> Self {
        let mut files = Vec::new();
        let mut spellings = HashMap::new();
        let mut places: HashMap<String, Named> = HashMap::new();
        let mut starts: HashMap<PathBuf, Starts> = HashMap::new();
        let only_whole = targets.iter().all(|(_, which)| matches!(which, Which::All));
        for (path, which) in targets {
            for found in matching(&path, bounds) {
                let path = match &found {
                    Ok(path) => path.as_path(),
                    Err(piece) => Path::new(&*piece.file.name),
                };
                let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                let spelling = spellings.entry((real, found.is_ok()));
                let file = match &spelling {
                    Entry::Occupied(first) => PathBuf::clone(first.get()),
                    Entry::Vacant(_) => path.to_owned(),
                };
                if !only_whole && found.is_ok() {
                    let which = match &which {
                        Which::Line(line) => {
                            // Each file is read once, however many of its lines are named.
                            if !starts.contains_key(&file) {
                                starts.insert(file.clone(), Starts::of(&file));
                            }
                            match starts[&file].above(*line) {
                                Above::Scenarios(which) => which,
                                Above::End { lines } => {
                                    files.push(Err(suite::no_such_line(&file, *line, lines)));
                                    continue;
                                }
                            }
                        }
                        which => which.clone(),
                    };
                    places.entry(file.display().to_string()).or_default().add(which);
                }
                if let Entry::Vacant(first) = spelling {
                    first.insert(file);
                    files.push(found);
                }
            }
        }
        places.retain(|_, named| !named.all);
        Self { files, places: Arc::new(places) }
    }
}

/// The files that a path names: those below a folder, those that a glob matches, or itself.
fn matching(path: &Path, bounds: &Bounds) -> Vec<Result<PathBuf, Piece>> {
    let as_it_is = || suite::files_within(&[path.to_owned()], bounds);
    if path.exists() || !is_glob(&path.to_string_lossy()) {
        return as_it_is();
    }
    let plain =
        |path: &Path| path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
    let Ok(glob) = GlobBuilder::new(&plain(path).to_string_lossy()).literal_separator(true).build() else {
        return as_it_is();
    };
    let glob = glob.compile_matcher();
    // A folder that matches is meant with all that is below it.
    let wanted = |file: &Path| plain(file).ancestors().any(|above| glob.is_match(above));
    let below = suite::files_within(&[Targets::root(path)], bounds).into_iter();
    let below = below.map(|found| found.map(|file| plain(&file)));
    let found: Vec<_> = below
        .filter(|found| match found {
            Ok(file) => wanted(file),
            Err(piece) => wanted(Path::new(&*piece.file.name)),
        })
        .collect();
    if found.is_empty() { as_it_is() } else { found }
}

/// What a line of a file belongs to.
enum Above {
    /// One scenario, by the line that it begins on; all, if the line is before the first.
    Scenarios(Which),
    /// Nothing: the file has fewer lines.
    End { lines: usize },
}

/// The lines on which the scenarios of a file begin.
#[derive(Debug)]
struct Starts {
    starts: Vec<usize>,
    /// The number of lines, and the last that an editor shows; none of a file that has no end, or cannot be read to it.
    ends: Option<(usize, usize)>,
}

impl Starts {
    fn of(path: &Path) -> Self {
        let mut starts = Vec::new();
        // What is read from a pipe is gone.
        let file = File::open(path).ok().filter(|_| path.is_file());
        let mut ends = file.is_some().then_some((0, 0));
        for chunk in file.into_iter().flat_map(Splitter::new) {
            let Ok(chunk) = chunk else {
                // The run meets the same fault, and reports it.
                ends = None;
                break;
            };
            let (mut line, mut at) = (chunk.lines_above + 1, 0);
            for range in split::scenarios(&chunk.text) {
                line += memchr::memchr_iter(b'\n', &chunk.text.as_bytes()[at..range.start]).count();
                at = range.start;
                starts.push(line);
            }
            // Editors show a line after the last newline.
            let (lines, last) = (chunk.text.lines().count(), chunk.text.split('\n').count());
            ends = Some((chunk.lines_above + lines, chunk.lines_above + last));
        }
        Self { starts, ends }
    }

    /// Finds what a line belongs to.
    fn above(&self, line: usize) -> Above {
        let above = self.starts.partition_point(|&start| start <= line);
        let last = above.checked_sub(1).map(|last| self.starts[last]);
        match self.ends {
            Some((lines, _)) if line == 0 => Above::End { lines },
            Some((lines, shown)) if above == self.starts.len() && line > shown => Above::End { lines },
            None if above == self.starts.len() => Above::Scenarios(Which::Line(line)),
            _ => Above::Scenarios(last.map_or(Which::All, Which::Line)),
        }
    }
}
