//! The files of a suite, and their pieces one after the other.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read};
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::vec;

use ignore::{DirEntry, WalkBuilder};

use super::lines::Lines;
use super::load::STDIN;
use super::scripted::{self, Batch};
use super::split::{self, Chunk, SplitError, Splitter};
use super::{File, Needs};
use crate::diagnostic::{CodeSpec, Diagnostic, count};
use crate::rng::Rng;
use crate::root::{Beyond, Bounds, CONFIG, Reach};
use crate::script::Scripts;
use crate::source::{self, Source, Span};
use crate::tree;

/// The faults of files and folders.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "suite::unreadable", about: "a file or folder cannot be read" },
    CodeSpec { code: "suite::outside", about: "a link in a directory leads out of the suite" },
    CodeSpec { code: "suite::not-utf8", about: "a scenario file is not UTF-8 text" },
    CodeSpec { code: "suite::no-such-line", about: "`FILE:LINE` names a line after the end of the file" },
    CodeSpec { code: "suite::too-long", about: "a single scenario is longer than can be read" },
];

/// A piece of work: some scenarios of a file, or why there are none.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The file.
    pub file: Arc<File>,
    /// Its scenarios, or the fault that hides them.
    pub content: Result<Chunk, Box<Diagnostic>>,
    /// Its share of the file's bytes: those of all pieces of a file add up to its [`size`].
    pub bytes: u64,
}

/// Returns the bytes of the scenario file at `path`; `None` if it is not a regular file, which may have no end.
pub fn size(path: &Path) -> Option<u64> {
    if path == Path::new(STDIN) {
        return None;
    }
    match path.metadata() {
        Ok(data) => data.is_file().then_some(data.len()),
        // Nothing of it is read.
        Err(_) => Some(0),
    }
}

/// The scenario files that `paths` name: files as they are, folders with every `.toml` below them, by name,
/// but for [`CONFIG`]. [`STDIN`] is standard input.
pub fn files(paths: &[PathBuf]) -> Vec<Result<PathBuf, Piece>> {
    files_within(paths, &Bounds::default())
}

/// Returns what [`files`] does, where a link below a directory that is named may lead as far as `bounds` allow.
pub fn files_within(paths: &[PathBuf], bounds: &Bounds) -> Vec<Result<PathBuf, Piece>> {
    paths.iter().flat_map(|path| below(path, bounds)).collect()
}

fn below(path: &Path, bounds: &Bounds) -> Vec<Result<PathBuf, Piece>> {
    if path == Path::new(STDIN) {
        return vec![Ok(path.to_owned())];
    }
    let reach = Arc::new(Reach::new(bounds.clone()));
    let base = path.to_owned();
    // The user names the path itself; a link below it is named by the suite.
    let beyond = move |entry: &DirEntry| {
        let is_linked = entry.depth() > 0 && entry.path_is_symlink();
        if is_linked { reach.check(&base, entry.path()).err() } else { None }
    };
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let filter = {
        let skipped = Arc::clone(&skipped);
        move |entry: &DirEntry| {
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_scenario = entry.path().extension() == Some(OsStr::new("toml"));
            let beyond = if is_directory || is_scenario { beyond(entry) } else { None };
            let Some(beyond) = beyond else { return true };
            skipped.lock().unwrap_or_else(PoisonError::into_inner).push((entry.path().to_owned(), beyond));
            false
        }
    };
    let entries = WalkBuilder::new(path)
        .standard_filters(false)
        .hidden(true)
        .follow_links(true)
        .sort_by_file_name(OsStr::cmp)
        .filter_entry(filter)
        .build();
    let mut files = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
            Ok(entry) if entry.depth() == 0 => files.push(Ok(entry.into_path())),
            Ok(entry) if entry.file_name() == CONFIG => {}
            Ok(entry) if entry.path().extension() == Some(OsStr::new("toml")) => {
                // A pipe in a folder would be waited for without end.
                let regular = entry.file_type().is_some_and(|kind| kind.is_file());
                let pipe = || Err(unreadable(entry.path(), "it is not a regular file".to_owned()));
                files.push(if regular { Ok(entry.path().to_owned()) } else { pipe() });
            }
            Ok(_) => {}
            Err(error) => {
                let path = place(&error).unwrap_or(path);
                let reason = error.io_error().map_or_else(|| error.to_string(), source::reason);
                files.push(Err(unreadable(path, reason)));
            }
        }
    }
    let skipped = mem::take(&mut *skipped.lock().unwrap_or_else(PoisonError::into_inner));
    files.extend(skipped.iter().map(|(path, beyond)| Err(linked(path, beyond))));
    files
}

/// Returns the fault of a link that leads out of the suite.
fn linked(path: &Path, beyond: &Beyond) -> Piece {
    let file = File::new(path, &Arc::default());
    let fault = Diagnostic::new("suite::outside", format!("`{}` is out of reach of the suite", file.name))
        .note(beyond.to_string())
        .help("name where the link leads to, or give `--allow-outside`");
    Piece { file: Arc::new(file), content: Err(Box::new(fault)), bytes: 0 }
}

/// The path that a walk failed at.
fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } => place(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// All pieces of `files`, read as they are asked for.
#[derive(Debug)]
pub struct Pieces {
    files: vec::IntoIter<Result<PathBuf, Piece>>,
    /// A file that is given with what it says, before all others.
    given: Option<(PathBuf, Cutter)>,
    open: Option<Open>,
    scripts: Arc<Scripts>,
    /// Of the cases that scripts make: those that are wanted.
    indices: Option<Range<u64>>,
    /// Scenarios that were read and are handed out one by one, or batch by batch.
    ready: VecDeque<Ready>,
    /// Puts the scenarios of a file out of order.
    shuffle: Option<Rng>,
    /// Where is noted what scenarios open.
    needs: Option<Arc<Needs>>,
}

/// A chunk with one scenario, and how many cases a script makes of it.
#[derive(Debug)]
struct Ready {
    file: Arc<File>,
    chunk: Chunk,
    count: Option<u64>,
    /// The index of the first case that is wanted.
    first: u64,
    /// The index of the first case that was not handed out.
    handed: u64,
    broken: Arc<AtomicU64>,
    /// Its bytes of the file, and those of them that its batches were given.
    bytes: u64,
    given: u64,
}

/// A batch has one case for so many that were handed out before it, and at most so many.
const GROWTH: u64 = 16;
const MOST_CASES: u64 = 128;

impl Ready {
    /// The next batch, and whether there is another behind it.
    fn batch(&mut self) -> (Piece, bool) {
        let (file, mut chunk) = (Arc::clone(&self.file), self.chunk.clone());
        let Some(count) = self.count else {
            return (Piece { file, content: Ok(chunk), bytes: self.bytes }, false);
        };
        // Behind a case that shows that a script is broken there is nothing: one batch is all the rest.
        let is_broken = self.broken.load(Ordering::Relaxed) < u64::MAX;
        let wanted =
            if is_broken { count } else { self.handed + (self.handed / GROWTH).clamp(1, MOST_CASES) };
        let end = count.min(wanted);
        chunk.batch = Some(Box::new(Batch { cases: self.handed..end, broken: Arc::clone(&self.broken) }));
        self.handed = end;
        let more = end < count;
        let given = if more { share(self.bytes, end - self.first, count - self.first) } else { self.bytes };
        let bytes = given - mem::replace(&mut self.given, given);
        (Piece { file, content: Ok(chunk), bytes }, more)
    }
}

/// Returns `done` parts of `bytes` that have `all` parts, rounded down.
fn share(bytes: u64, done: u64, all: u64) -> u64 {
    (u128::from(bytes) * u128::from(done) / u128::from(all)) as u64
}

/// The file that is being read.
#[derive(Debug)]
struct Open {
    file: Arc<File>,
    cutter: Cutter,
    first: bool,
    /// Its bytes, as far as they are known, and those of them that its pieces were given.
    size: u64,
    given: u64,
}

type Reader = Box<dyn Read + Send>;

/// What cuts it into chunks.
enum Cutter {
    Toml(Splitter<Reader>),
    JsonLines(Lines<Reader>),
}

impl Cutter {
    /// That of the file at `path`; nothing for an input that has nothing.
    fn open(path: &Path) -> io::Result<Option<Self>> {
        if path != Path::new(STDIN) {
            let file: Reader = Box::new(std::fs::File::open(path)?);
            return Ok(Some(Self::Toml(Splitter::new(file))));
        }
        let Some((first, reader)) = first(Box::new(io::stdin()))? else { return Ok(None) };
        Ok(Some(match first {
            b'{' => Self::JsonLines(Lines::new(reader)),
            _ => Self::Toml(Splitter::new(reader)),
        }))
    }

    fn next(&mut self) -> Option<Result<Chunk, SplitError>> {
        match self {
            Self::Toml(splitter) => splitter.next(),
            Self::JsonLines(lines) => lines.next(),
        }
    }

    /// Returns the bytes of the file up to the end of the last chunk.
    fn at(&self) -> u64 {
        match self {
            Self::Toml(splitter) => splitter.at(),
            Self::JsonLines(lines) => lines.at(),
        }
    }
}

impl fmt::Debug for Cutter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Toml(_) => "Toml",
            Self::JsonLines(_) => "JsonLines",
        })
    }
}

/// The first byte of `reader` that is no blank, and a reader of the same lines; nothing if there are blanks only.
fn first(mut reader: Reader) -> io::Result<Option<(u8, Reader)>> {
    let mut block = vec![0; split::BLOCK];
    let mut lines = 0;
    loop {
        let read = match reader.read(&mut block) {
            Ok(0) => return Ok(None),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let blank = |byte: &u8| tree::BLANKS.contains(&char::from(*byte));
        // So is a byte order mark, if it comes whole.
        let mark = if lines == 0 && block[..read].starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let at = block[mark..read].iter().position(|byte| !blank(byte)).map_or(read, |at| at + mark);
        if let Some(&first) = block[..read].get(at) {
            let rest = block[at..read].to_vec();
            lines += memchr::memchr_iter(b'\n', &block[..at]).count() as u64;
            // Of what was blank its lines count, and nothing else.
            let above = io::repeat(b'\n').take(lines);
            return Ok(Some((first, Box::new(above.chain(io::Cursor::new(rest)).chain(reader)))));
        }
        lines += memchr::memchr_iter(b'\n', &block[..read]).count() as u64;
    }
}

impl Pieces {
    /// The pieces of `files`, in that order; of the cases that scripts make those with these `indices`, or all.
    pub fn new(files: Vec<Result<PathBuf, Piece>>, indices: Option<Range<u64>>) -> Self {
        Self {
            files: files.into_iter(),
            given: None,
            open: None,
            scripts: Arc::default(),
            indices,
            ready: VecDeque::new(),
            shuffle: None,
            needs: None,
        }
    }

    /// Returns the pieces of the scenario file `name`, which says `text`; paths in it are taken from the directory of that
    /// name.
    pub fn of_text(name: &Path, text: String, indices: Option<Range<u64>>) -> Self {
        let cutter = Cutter::Toml(Splitter::new(Box::new(io::Cursor::new(text))));
        Self { given: Some((name.to_owned(), cutter)), ..Self::new(Vec::new(), indices) }
    }

    /// Returns the same for suites that reach files within `bounds`.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        self.opening(Scripts::within(bounds))
    }

    /// Returns the same, with `scripts` to open what scenarios name.
    #[must_use]
    pub fn opening(self, scripts: Scripts) -> Self {
        Self { scripts: Arc::new(scripts), ..self }
    }

    /// The same, with a note of the files that the scenarios open, if that is wanted.
    #[must_use]
    pub fn noting(self, needs: Option<Arc<Needs>>) -> Self {
        Self { needs, ..self }
    }

    /// The same in an order that the seed gives, if there is one: files among each other, and scenarios in each of them.
    /// A whole file is then held at once.
    #[must_use]
    pub fn shuffled(self, seed: Option<u64>) -> Self {
        let Some(seed) = seed else { return self };
        let mut rng = Rng::new(seed, 0);
        let mut files: Vec<_> = self.files.collect();
        rng.shuffle(&mut files);
        Self { files: files.into_iter(), shuffle: Some(rng), ..self }
    }

    /// Returns the file at `path` as its scenarios know it.
    fn file(&self, path: &Path) -> File {
        let file = File::new(path, &self.scripts);
        match &self.needs {
            Some(needs) => {
                needs.opened_by(&self.scripts);
                file.noting(path, needs)
            }
            None => file,
        }
    }

    /// The file that was open is read to its end.
    fn close(&mut self) {
        if let Some(rng) = &mut self.shuffle {
            rng.shuffle(self.ready.make_contiguous());
        }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            // Scenarios that are to be shuffled wait for the last of their file.
            let waits = self.shuffle.is_some() && self.open.is_some();
            if let Some(ready) = self.ready.front_mut().filter(|_| !waits) {
                let (piece, more) = ready.batch();
                if !more {
                    self.ready.pop_front();
                }
                return Some(piece);
            }
            if let Some(mut open) = self.open.take() {
                let Some(result) = open.cutter.next() else {
                    self.close();
                    continue;
                };
                let file = Arc::clone(&open.file);
                let content = match result {
                    Ok(chunk) if open.first && !chunk.text.is_empty() => sound(chunk, &file),
                    Ok(chunk) => Ok(chunk),
                    Err(error) => Err(split_fault(&file, &error)),
                };
                open.first = false;
                // What is wrong above the first scenario would be wrong with every one: say it once.
                let goes_on = content.as_ref().is_ok_and(|chunk| !chunk.text.is_empty());
                // What is not read of the file is done with its last piece.
                let at = if goes_on { open.cutter.at() } else { open.cutter.at().max(open.size) };
                let bytes = at - mem::replace(&mut open.given, at);
                self.open = goes_on.then_some(open);
                let content = match content {
                    Ok(chunk) if self.shuffle.is_some() || may_generate(&chunk) => {
                        self.ready.extend(single(&chunk, &file, bytes, self.indices.as_ref()));
                        if !goes_on {
                            self.close();
                        }
                        continue;
                    }
                    content => content,
                };
                if !goes_on {
                    self.close();
                }
                return Some(Piece { file, content: content.map_err(Box::new), bytes });
            }
            let (path, cutter, size) = match self.given.take() {
                Some((path, cutter)) => (path, Ok(Some(cutter)), 0),
                None => match self.files.next()? {
                    Err(piece) => return Some(piece),
                    Ok(path) => {
                        let (cutter, size) = (Cutter::open(&path), size(&path).unwrap_or(0));
                        (path, cutter, size)
                    }
                },
            };
            match cutter {
                Ok(cutter) => {
                    let file = Arc::new(self.file(&path));
                    self.open = cutter.map(|cutter| Open { file, cutter, first: true, size, given: 0 });
                }
                Err(error) => return Some(unreadable(&path, source::reason(&error))),
            }
        }
    }
}

/// A file's first chunk, or what is wrong above its first scenario: then without the scenarios.
fn sound(mut chunk: Chunk, file: &File) -> Result<Chunk, Diagnostic> {
    let Some(defaults) = tree::parse(&chunk.defaults) else {
        chunk.text.clear();
        return Ok(chunk);
    };
    let Some(key) = defaults.key("scenario") else { return Ok(chunk) };
    let source = Source::new(&*file.name, &*chunk.defaults);
    let fault = Diagnostic::new("scenario::wrong-kind", "mixed `scenario = […]` and `[[scenario]]`");
    Err(fault
        .label(Span::new(&source, key.range.clone()), "stands above the first plain `[[scenario]]`")
        .help("begin every scenario with a line that says `[[scenario]]`"))
}

/// Whether a script may make cases of a scenario in the chunk.
fn may_generate(chunk: &Chunk) -> bool {
    let says = |text: &str| memchr::memmem::find(text.as_bytes(), b"generate").is_some();
    says(&chunk.text) || says(&chunk.defaults)
}

/// The scenarios of a chunk, each for itself; those `bytes` of the file are theirs.
fn single(chunk: &Chunk, file: &Arc<File>, bytes: u64, indices: Option<&Range<u64>>) -> Vec<Ready> {
    let ready = |chunk: Chunk, bytes| {
        let count = scripted::count(&chunk);
        let first = indices.map_or(0, |wanted| wanted.start).min(count.unwrap_or(0));
        let count = count.map(|count| indices.map_or(count, |wanted| wanted.end.min(count)));
        let broken = Arc::new(AtomicU64::new(u64::MAX));
        Ready { file: Arc::clone(file), chunk, count, first, handed: first, broken, bytes, given: 0 }
    };
    let ranges = chunk.scenarios();
    if ranges.is_empty() {
        // The file is one scenario, or spells its scenarios otherwise.
        return vec![ready(chunk.clone(), bytes)];
    }
    // What belongs to none of them, such as the defaults, counts with the first.
    let mut rest = bytes - ranges.iter().map(|range| range.len() as u64).sum::<u64>();
    let single = ranges.into_iter().map(|range| {
        let own = range.len() as u64 + mem::take(&mut rest);
        ready(chunk.part(range), own)
    });
    single.collect()
}

fn unreadable(path: &Path, reason: String) -> Piece {
    let file = File::new(path, &Arc::default());
    let fault = Diagnostic::new("suite::unreadable", format!("`{}` cannot be read", file.name));
    Piece { file: Arc::new(file), content: Err(Box::new(fault.note(reason))), bytes: size(path).unwrap_or(0) }
}

pub(super) fn no_such_line(path: &Path, line: usize, lines: usize) -> Piece {
    let file = File::new(path, &Arc::default());
    let fault = Diagnostic::new("suite::no-such-line", format!("`{}` has no line {line}", file.name));
    Piece {
        file: Arc::new(file),
        content: Err(Box::new(fault.note(format!("it has {}", count(lines as u64, "line"))))),
        bytes: 0,
    }
}

fn split_fault(file: &File, error: &SplitError) -> Diagnostic {
    let name = &file.name;
    match error {
        SplitError::Io(error) => {
            Diagnostic::new("suite::unreadable", format!("`{name}` cannot be read to its end"))
                .note(source::reason(error))
        }
        SplitError::Utf8 { .. } => Diagnostic::new("suite::not-utf8", format!("`{name}` is not UTF-8 text"))
            .note(error.to_string())
            .help("save it as UTF-8; what stands behind this place was not read"),
        SplitError::TooLong { .. } => {
            Diagnostic::new("suite::too-long", format!("`{name}` has a scenario that is too long"))
                .note(error.to_string())
                .help("begin every scenario with a line that says `[[scenario]]`")
        }
    }
}
