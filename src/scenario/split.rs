//! Cuts a scenario file of any size into pieces that can be parsed one by one.
//!
//! A file is cut only in front of a line that is a `[[scenario]]` header: never inside a string, a comment, an
//! array or an inline table. An unusual spelling of the header (an escape in its key, dozens of blanks) is not
//! noticed; its scenario then stays with what stands before it.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use super::headers::Scanner;
use super::scripted::Batch;
use crate::diagnostic::Diagnostic;

/// The most bytes that one scenario, or the defaults before the first, may have.
pub const LIMIT: usize = 64 << 20;

/// A chunk has one scenario for so many that were handed out before it: a few slow scenarios are spread over all
/// workers, and a large file makes few chunks.
pub(super) const GROWTH: usize = 16;
/// The most scenarios of a chunk.
pub(super) const MOST_SCENARIOS: usize = 128;
/// A chunk of so many bytes takes no further scenario.
pub(super) const ENOUGH_BYTES: usize = 256 << 10;
/// Bytes asked for by one read.
pub(super) const BLOCK: usize = 64 << 10;

/// A piece of a scenario file: whole scenarios, at most so many.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// All that stands before the file's first `[[scenario]]` header; the whole file if it has none.
    pub defaults: Arc<str>,
    /// The scenarios, from the line of a header on; empty if the file has no header.
    pub text: String,
    /// Lines of the file above the first line of `text`.
    pub lines_above: usize,
    /// Bytes of the file above `text`, with the byte order mark.
    pub bytes_above: u64,
    /// Of a chunk with one scenario whose cases a script makes: some of them.
    pub batch: Option<Box<Batch>>,
    /// How its text is to be read.
    pub form: Form,
}

/// How the text of a [`Chunk`] is to be read.
#[derive(Clone, Debug, Default)]
pub enum Form {
    /// As TOML.
    #[default]
    Toml,
    /// As lines that hold an object in JSON each, or nothing.
    JsonLines,
    /// Not at all, for this reason: it is a line that would not be JSON.
    NoLine(Box<Diagnostic>),
}

impl Chunk {
    /// The scenarios that stand in `range` of its text, as a chunk of their own.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        Self {
            defaults: Arc::clone(&self.defaults),
            lines_above: self.lines_above + newlines(&self.text[..range.start]),
            bytes_above: self.bytes_above + range.start as u64,
            text: self.text[range].to_owned(),
            batch: self.batch.clone(),
            form: self.form.clone(),
        }
    }

    /// Where its scenarios stand in its text, one by one.
    pub(super) fn scenarios(&self) -> Vec<Range<usize>> {
        match self.form {
            Form::Toml => scenarios(&self.text).collect(),
            Form::JsonLines => super::lines::objects(&self.text).collect(),
            Form::NoLine(_) => Vec::new(),
        }
    }
}

/// Why a scenario file cannot be read to its end.
#[derive(Debug)]
pub enum SplitError {
    /// Reading failed.
    Io(io::Error),
    /// A byte is not part of any UTF-8 character.
    Utf8 {
        /// The byte's line, from 1.
        line: usize,
        /// The byte's column in characters, from 1.
        column: usize,
        /// The byte's place in the file, from 0, with the byte order mark.
        offset: u64,
    },
    /// A scenario, or what stands before the first, is too long.
    TooLong {
        /// The line it starts on, from 1.
        line: usize,
        /// The most bytes it may have.
        limit: usize,
    },
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "reading failed: {error}"),
            Self::Utf8 { line, column, offset } => {
                write!(f, "line {line}, column {column} is not UTF-8 (byte {offset} of the file)")
            }
            Self::TooLong { line, limit } => {
                write!(f, "no `[[scenario]]` follows within {limit} bytes from line {line} on")
            }
        }
    }
}

impl std::error::Error for SplitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Utf8 { .. } | Self::TooLong { .. } => None,
        }
    }
}

/// The byte ranges of the single scenarios in a chunk's `text`.
pub fn scenarios(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut scanner = Scanner::new();
    let mut start = scanner.next_header(text.as_bytes(), true);
    std::iter::from_fn(move || {
        let from = start?;
        start = scanner.next_header(text.as_bytes(), true);
        Some(from..start.unwrap_or(text.len()))
    })
}

/// Reads a scenario file block by block and hands it out in chunks.
///
/// It holds one chunk and one block. After a fault come the whole scenarios that stand before it, then the error,
/// then nothing more.
#[derive(Debug)]
pub struct Splitter<R> {
    reader: R,
    limit: usize,
    block: Box<[u8]>,
    /// Bytes at the start of `block` that begin a character.
    torn: usize,
    ended: bool,
    fault: Option<SplitError>,
    finished: bool,
    scanner: Scanner,
    defaults: Option<Arc<str>>,
    /// What was read and not yet forgotten; up to `head` it is handed out.
    text: String,
    head: usize,
    /// Where the scenario begins that is being read, or the defaults.
    current: usize,
    lines_above: usize,
    bytes_above: u64,
    /// Whole scenarios between `head` and `current`.
    whole: usize,
    /// Scenarios that the next chunk shall have.
    wanted: usize,
    /// Scenarios handed out.
    handed: usize,
}

impl<R: Read> Splitter<R> {
    /// Splits what `reader` gives; one scenario may have [`LIMIT`] bytes.
    pub fn new(reader: R) -> Self {
        Self::with_limit(reader, LIMIT)
    }

    /// Splits what `reader` gives; one scenario, or the defaults, may have `limit` bytes.
    pub fn with_limit(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            block: vec![0; BLOCK].into(),
            torn: 0,
            ended: false,
            fault: None,
            finished: false,
            scanner: Scanner::new(),
            defaults: None,
            text: String::new(),
            head: 0,
            current: 0,
            lines_above: 0,
            bytes_above: 0,
            whole: 0,
            wanted: 1,
            handed: 0,
        }
    }

    /// Returns the bytes that are handed out, with all before them.
    pub(super) fn at(&self) -> u64 {
        self.bytes_above
    }

    /// Reads one block more, or notes that there is none.
    fn fill(&mut self) {
        self.text.drain(..self.head);
        self.scanner.forget(self.head);
        self.current -= self.head;
        self.head = 0;
        match self.reader.read(&mut self.block[self.torn..]) {
            Ok(0) => {
                self.ended = true;
                self.fault = (self.torn > 0).then(|| self.not_utf8());
            }
            Ok(read) => self.append(self.torn + read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.ended = true;
                self.fault = Some(SplitError::Io(error));
            }
        }
    }

    /// Moves the characters of the first `filled` bytes of the block to the text.
    fn append(&mut self, filled: usize) {
        let bytes = &self.block[..filled];
        let (valid, broken) = match str::from_utf8(bytes) {
            Ok(all) => (all, false),
            Err(error) => {
                let valid = str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                (valid, error.error_len().is_some())
            }
        };
        let rest = valid.len()..filled;
        if self.bytes_above == 0 && self.text.is_empty() && valid.starts_with('\u{feff}') {
            self.bytes_above = 3;
            self.text.push_str(&valid[3..]);
        } else {
            self.text.push_str(valid);
        }
        self.torn = rest.len();
        self.block.copy_within(rest, 0);
        if broken {
            self.ended = true;
            self.fault = Some(self.not_utf8());
        }
    }

    /// The fault of a byte that would follow the text.
    fn not_utf8(&self) -> SplitError {
        let line_start = self.text.rfind('\n').map_or(0, |newline| newline + 1);
        SplitError::Utf8 {
            line: self.lines_above + newlines(&self.text) + 1,
            column: self.text[line_start..].chars().count() + 1,
            offset: self.bytes_above + self.text.len() as u64,
        }
    }

    /// The fault of a scenario that goes on and on.
    fn too_long(&self) -> SplitError {
        let line = self.lines_above + newlines(&self.text[self.head..self.current]) + 1;
        SplitError::TooLong { line, limit: self.limit }
    }

    /// Hands out the text up to `end`.
    fn take(&mut self, end: usize) -> &str {
        let taken = &self.text[self.head..end];
        self.lines_above += newlines(taken);
        self.bytes_above += taken.len() as u64;
        self.head = end;
        taken
    }

    fn chunk(&mut self, defaults: Arc<str>, end: usize) -> Chunk {
        self.handed += self.whole;
        self.wanted = (self.handed / GROWTH).clamp(1, MOST_SCENARIOS);
        self.whole = 0;
        let (lines_above, bytes_above) = (self.lines_above, self.bytes_above);
        Chunk {
            defaults,
            text: self.take(end).to_owned(),
            lines_above,
            bytes_above,
            batch: None,
            form: Form::Toml,
        }
    }

    /// A scenario begins at `at`: the chunk before it, if that is full.
    fn begin(&mut self, at: usize) -> Option<Chunk> {
        self.current = at;
        let Some(defaults) = &self.defaults else {
            self.defaults = Some(self.take(at).into());
            return None;
        };
        self.whole += 1;
        let full = self.whole == self.wanted || at - self.head >= ENOUGH_BYTES;
        full.then(|| Arc::clone(defaults)).map(|defaults| self.chunk(defaults, at))
    }

    /// What comes at the end of the text: the last chunk, or the fault behind the whole scenarios before it.
    fn end(&mut self) -> Option<Result<Chunk, SplitError>> {
        if self.fault.is_some() && self.whole == 0 {
            self.finished = true;
            return self.fault.take().map(Err);
        }
        self.finished = self.fault.is_none();
        let end = if self.finished { self.text.len() } else { self.current };
        let defaults = self.defaults.clone().unwrap_or_else(|| self.take(end).into());
        Some(Ok(self.chunk(defaults, end)))
    }
}

impl<R: Read> Iterator for Splitter<R> {
    type Item = Result<Chunk, SplitError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.finished {
            let header = self.scanner.next_header(self.text.as_bytes(), self.ended);
            if header.unwrap_or(self.scanner.at()) - self.current > self.limit {
                self.fault = Some(self.too_long());
                return self.end();
            }
            match header {
                Some(at) => {
                    if let Some(chunk) = self.begin(at) {
                        return Some(Ok(chunk));
                    }
                }
                None if self.ended => return self.end(),
                None => self.fill(),
            }
        }
        None
    }
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}
