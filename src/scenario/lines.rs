//! Scenarios as JSON Lines: each line is an object with the keys of a scenario.
//!
//! Lines are handed out as they come: a line that has ended waits for no further one.

use std::io::{self, Read};
use std::mem;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::case::Case;
use super::load::{Loader, STDIN, Slot};
use super::split::{BLOCK, Chunk, ENOUGH_BYTES, Form, GROWTH, LIMIT, MOST_SCENARIOS, SplitError};
use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::source::{Source, Span};
use crate::tree::{self, JsonError, JsonFault};

/// The fault of a line that is not JSON.
pub(super) const SYNTAX: CodeSpec = CodeSpec { code: "json::syntax", about: "a line is not JSON there" };
/// The fault of a line that is no object.
pub(super) const NO_OBJECT: CodeSpec =
    CodeSpec { code: "json::no-object", about: "a line of JSON is no object, so no scenario" };
/// The fault of a `null`.
pub(super) const NULL: CodeSpec =
    CodeSpec { code: "json::null", about: "a scenario has a `null`, which is no value of a key" };

/// So much is shown of a line that is too long, in bytes.
const SHOWN: usize = 100;

/// Where the lines of a text stand that are not blank, without their ends.
pub(super) fn objects(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        start += line.len();
        start - line.len()..start - line.len() + line.trim_end_matches(tree::BLANKS).len()
    });
    lines.filter(|line| !line.is_empty())
}

impl Loader<'_> {
    /// The cases of a chunk of lines.
    pub(super) fn lines(
        &self,
        chunk: &Chunk,
        each: &mut dyn FnMut(Case) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for range in objects(&chunk.text) {
            let brace = range.start..range.start + 1;
            let read = |thorough| match tree::parse_json(self.source.text(), range.clone()) {
                Ok(table) => self.scenario(table, brace.clone(), thorough),
                Err(error) => {
                    let fault = fault(error, self.source);
                    self.no_scenario(self.span(&brace).line(), vec![fault])
                }
            };
            let slot = match read(false) {
                Slot::Again => read(true),
                slot => slot,
            };
            self.hand_out(slot, chunk, each)?;
        }
        ControlFlow::Continue(())
    }
}

fn fault(JsonError { what, range }: JsonError, source: &Arc<Source>) -> Diagnostic {
    let span = Span::new(source, range);
    match what {
        JsonFault::Syntax(what) => Diagnostic::new(SYNTAX.code, "the line is not JSON")
            .label(span, what)
            .help("write each scenario on a line"),
        JsonFault::Twice(key) => {
            Diagnostic::new(SYNTAX.code, format!("`{key}` is given twice")).label(span, "given before")
        }
        JsonFault::NoObject => Diagnostic::new(NO_OBJECT.code, "the line is no scenario")
            .label(span, "expected an object with the keys of a scenario"),
        JsonFault::Null => Diagnostic::new(NULL.code, "`null` is no value")
            .label(span, "expected a value")
            .help("leave the key out"),
    }
}

/// Reads lines and hands them out in chunks: those that are there, up to as many as a chunk may have.
///
/// It holds the lines of one chunk and a block behind them.
pub(super) struct Lines<R> {
    reader: R,
    limit: usize,
    /// What was read and not handed out; up to `searched` it has no end of a line.
    buffer: Vec<u8>,
    searched: usize,
    ended: Option<io::Result<()>>,
    above: usize,
    bytes_above: u64,
    /// Whether what comes up to the end of the line is the rest of one that is too long.
    skips: bool,
    /// Lines handed out.
    handed: usize,
}

impl<R: Read> Lines<R> {
    /// The lines that `reader` gives; one may have [`LIMIT`] bytes.
    pub(super) fn new(reader: R) -> Self {
        Self::with_limit(reader, LIMIT)
    }

    fn with_limit(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            buffer: Vec::new(),
            searched: 0,
            ended: None,
            above: 0,
            bytes_above: 0,
            skips: false,
            handed: 0,
        }
    }

    /// Returns the bytes that are handed out, with all before them.
    pub(super) fn at(&self) -> u64 {
        self.bytes_above
    }

    /// Reads what there is, up to a block, or notes that there is nothing more.
    fn fill(&mut self) {
        let filled = self.buffer.len();
        self.searched = filled;
        self.buffer.resize(filled + BLOCK, 0);
        let read = self.reader.read(&mut self.buffer[filled..]);
        self.buffer.truncate(filled + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => self.ended = Some(Ok(())),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => self.ended = Some(Err(error)),
            _ => {}
        }
    }

    /// The whole lines at the start of the buffer, as many as a chunk may have: their bytes.
    fn whole(&self) -> usize {
        let wanted = (self.handed / GROWTH).clamp(1, MOST_SCENARIOS);
        let ends = memchr::memchr_iter(b'\n', &self.buffer[self.searched..]);
        let ends = ends.map(|at| self.searched + at + 1);
        let mut chosen = 0;
        for end in ends.take(wanted) {
            chosen = end;
            if end >= ENOUGH_BYTES {
                break;
            }
        }
        chosen
    }

    /// Takes the first `length` bytes of the buffer out.
    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(length);
        self.searched = 0;
        let taken = mem::replace(&mut self.buffer, rest);
        self.bytes_above += taken.len() as u64;
        self.above += newlines(&taken);
        taken
    }

    /// Hands out the first `length` bytes of the buffer, which are whole lines; a line alone that is not UTF-8.
    fn chunk(&mut self, length: usize) -> Chunk {
        let (lines_above, bytes_above) = (self.above, self.bytes_above);
        let bytes = &self.buffer[..length];
        let (length, broken) = match str::from_utf8(bytes) {
            Ok(_) => (length, None),
            Err(error) => {
                let at = error.valid_up_to();
                match memchr::memrchr(b'\n', &bytes[..at]) {
                    Some(end) => (end + 1, None),
                    None => (memchr::memchr(b'\n', bytes).map_or(length, |end| end + 1), Some(at)),
                }
            }
        };
        let text = match String::from_utf8(self.take(length)) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        let form = broken.map_or(Form::JsonLines, |at| {
            let text = text.trim_end();
            let source = Source::piece(STDIN, "", text, lines_above);
            let end = text[at..].chars().next().map_or(at, |broken| at + broken.len_utf8());
            let title = "the line is not UTF-8 text";
            let fault =
                Diagnostic::new("suite::not-utf8", title).label(Span::new(&source, at..end), "no character");
            Form::NoLine(Box::new(fault))
        });
        self.handed += objects(&text).count();
        Chunk { defaults: Arc::default(), text, lines_above, bytes_above, batch: None, form }
    }

    /// A line that goes on and on, and whose rest is to be left out.
    fn too_long(&mut self) -> Chunk {
        let (lines_above, bytes_above) = (self.above, self.bytes_above);
        self.skips = true;
        let taken = self.take(self.buffer.len());
        let text: String = String::from_utf8_lossy(&taken[..SHOWN.min(taken.len())]).into_owned();
        let source = Source::piece(STDIN, "", &text, lines_above);
        let fault = Diagnostic::new("suite::too-long", "the line is too long")
            .label(Span::new(&source, 0..text.len()), format!("expected an end within {} bytes", self.limit))
            .help("write each scenario on a line of its own");
        let form = Form::NoLine(Box::new(fault));
        Chunk { defaults: Arc::default(), text, lines_above, bytes_above, batch: None, form }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Result<Chunk, SplitError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.skips {
                let end = memchr::memchr(b'\n', &self.buffer);
                self.take(end.map_or(self.buffer.len(), |end| end + 1));
                self.skips = end.is_none() && self.ended.is_none();
                if self.skips {
                    self.fill();
                }
                continue;
            }
            let whole = match self.whole() {
                0 if self.ended.is_some() => self.buffer.len(),
                whole => whole,
            };
            if whole == 0 && self.buffer.len() > self.limit {
                return Some(Ok(self.too_long()));
            }
            if self.buffer[..whole].iter().all(|&byte| tree::BLANKS.contains(&char::from(byte))) {
                if whole > 0 {
                    self.take(whole);
                }
                match self.ended.take_if(|_| self.buffer.is_empty()) {
                    Some(ended) => {
                        // Nothing is read after the end.
                        self.ended = Some(Ok(()));
                        return ended.err().map(|error| Err(SplitError::Io(error)));
                    }
                    None if whole == 0 => self.fill(),
                    None => {}
                }
                continue;
            }
            return Some(Ok(self.chunk(whole)));
        }
    }
}

fn newlines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at once.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(buffer.len());
            self.0.read(&mut buffer[..length])
        }
    }

    /// Each line that is handed out, with its number, and what is wrong with it.
    fn lines(bytes: &[u8], at_once: usize, limit: usize) -> Vec<(usize, String, &'static str)> {
        let mut lines = Vec::new();
        for chunk in Lines::with_limit(Trickle(bytes, at_once), limit) {
            let chunk = chunk.expect("a chunk");
            match &chunk.form {
                Form::NoLine(fault) => lines.push((chunk.lines_above + 1, String::new(), fault.code)),
                _ => lines.extend(objects(&chunk.text).map(|range| {
                    let line = chunk.lines_above + 1 + newlines(&chunk.text.as_bytes()[..range.start]);
                    (line, chunk.text[range].to_owned(), "")
                })),
            }
        }
        lines
    }

    #[test]
    fn every_line_is_handed_out_once() {
        let mut text = Vec::new();
        let mut expected = Vec::new();
        for number in 1..=3000 {
            let (line, code): (&[u8], _) = match number % 100 {
                7 => (b" \t", ""),
                8 => (b"{\"a\xff\": 1}", "suite::not-utf8"),
                9 => (&[b'x'; 300], "suite::too-long"),
                _ => ("{\"ä\": 1}".as_bytes(), ""),
            };
            text.extend_from_slice(line);
            text.extend_from_slice(if number % 3 == 0 { b"\r\n" } else { b"\n" });
            let shown = if code.is_empty() {
                String::from_utf8_lossy(line).trim_end().to_owned()
            } else {
                String::new()
            };
            if number % 100 != 7 {
                expected.push((number, shown, code));
            }
        }
        for at_once in [1, 7, 100] {
            let got = lines(&text, at_once, 100);
            assert_eq!(got, expected, "{at_once} bytes at once");
        }
        text.truncate(text.len() - 2);
        assert_eq!(lines(&text, 64, 100).len(), expected.len());
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert!(lines(b"", 9, 100).is_empty());
        assert!(lines(b"\n\n  \n", 9, 100).is_empty());
    }
}
