//! Named text and places in it.
//!
//! A [`Source`] is a file, or one piece of a large file: then it holds the file's defaults (all that stands
//! before the first scenario) and behind them the piece, and knows on which line of the file each begins.
//! A [`Span`] carries its source, so whatever holds a span can be drawn.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Bytes whose lines and characters are counted together.
const BLOCK: usize = 1024;

/// A named text: a whole file, or its defaults and one piece of it, and behind them what scripts made.
#[derive(Debug)]
pub struct Source {
    text: String,
    /// What the text is put together from, in order; never empty.
    parts: Vec<Part>,
    /// Lines and columns at the start of each block of `text`; counted when a line is first asked for.
    marks: OnceLock<Vec<Mark>>,
}

/// Lines and columns up to a block of a text.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// Line ends above.
    newlines: usize,
    /// Where the last line begins.
    line_start: usize,
    /// Characters of that line above the block.
    chars: usize,
}

impl Mark {
    /// Returns the mark behind `bytes`, which begin at the byte `at` of the text.
    fn behind(self, bytes: &[u8], at: usize) -> Self {
        let chars = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        match memchr::memrchr(b'\n', bytes) {
            Some(last) => Self {
                newlines: self.newlines + memchr::memchr_iter(b'\n', bytes).count(),
                line_start: at + last + 1,
                chars: chars(&bytes[last + 1..]),
            },
            None => Self { chars: self.chars + chars(bytes), ..self },
        }
    }
}

/// Lines of one origin, numbered one after the other.
#[derive(Clone, Debug)]
struct Part {
    /// Where they begin in the text.
    start: usize,
    name: Arc<str>,
    /// Lines of the file above the first.
    lines_above: usize,
}

impl Source {
    /// Returns the text of the regular file at `path`.
    ///
    /// # Errors
    /// Why it cannot be read as text.
    pub fn read(path: &Path) -> Result<Arc<Self>, String> {
        text(open(path).and_then(bytes)).map(|text| Self::new(path.display().to_string(), text))
    }

    /// A whole text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<String>) -> Arc<Self> {
        let part = Part { start: 0, name: name.into(), lines_above: 0 };
        Arc::new(Self { text: text.into(), parts: vec![part], marks: OnceLock::new() })
    }

    /// The `defaults` of a file, and a piece of it whose first line has `lines_above` lines above it.
    pub fn piece(name: impl Into<Arc<str>>, defaults: &str, piece: &str, lines_above: usize) -> Arc<Self> {
        let name = name.into();
        let parts = vec![
            Part { start: 0, name: Arc::clone(&name), lines_above: 0 },
            Part { start: defaults.len(), name, lines_above },
        ];
        Arc::new(Self { text: [defaults, piece].concat(), parts, marks: OnceLock::new() })
    }

    /// This text, and behind it another that is called `name`: every place in this one keeps its offset.
    pub fn extended(&self, name: impl Into<Arc<str>>, more: &str) -> Arc<Self> {
        let mut parts = self.parts.clone();
        parts.push(Part { start: self.text.len(), name: name.into(), lines_above: 0 });
        Arc::new(Self { text: [&self.text, more].concat(), parts, marks: OnceLock::new() })
    }

    /// What the text is called, or its first part.
    pub fn name(&self) -> &str {
        &self.parts[0].name
    }

    /// What the text at `offset` is called: a path as the user wrote it, or what made it.
    pub fn name_at(&self, offset: usize) -> &str {
        &self.part_of(offset).name
    }

    /// The part that `offset` lies in.
    fn part_of(&self, offset: usize) -> &Part {
        // The end of the text belongs to the part of its last byte: one after it may be empty.
        let byte = offset.min(self.text.len().saturating_sub(1));
        let index = self.parts.iter().rposition(|part| part.start <= byte);
        &self.parts[index.unwrap_or(0)]
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the scenarios begin: behind the file's defaults.
    pub fn piece_start(&self) -> usize {
        self.parts.get(1).map_or(0, |piece| piece.start)
    }

    /// Where the author's text ends: behind it stands what scripts made. A piece's source alone knows that.
    pub fn author_end(&self) -> usize {
        self.parts.get(2).map_or(self.text.len(), |made| made.start)
    }

    /// Line and column of the byte at `offset`, both from 1; columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let floor = self.part_of(offset).start;
        let mark = self.mark(offset);
        // A part begins a line, whatever the one above it ends with.
        let above = if mark.line_start < floor { self.mark(floor).chars } else { 0 };
        (self.line(offset), mark.chars - above + 1)
    }

    /// Returns where the line of the byte at `offset` begins, or its part does.
    pub(crate) fn line_start(&self, offset: usize) -> usize {
        self.mark(offset).line_start.max(self.part_of(offset).start)
    }

    /// The number of the line of the byte at `offset`, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        let part = self.part_of(offset);
        part.lines_above + self.mark(offset).newlines - self.mark(part.start).newlines + 1
    }

    /// Returns lines and columns at the byte `offset`: the longest look back is one block.
    fn mark(&self, offset: usize) -> Mark {
        let bytes = self.text.as_bytes();
        let marks = self.marks.get_or_init(|| {
            let blocks = bytes.chunks(BLOCK).enumerate();
            let below = blocks.scan(Mark::default(), |mark, (block, bytes)| {
                *mark = mark.behind(bytes, block * BLOCK);
                Some(*mark)
            });
            std::iter::once(Mark::default()).chain(below).collect()
        });
        let block = offset / BLOCK;
        marks[block].behind(&bytes[block * BLOCK..offset], block * BLOCK)
    }

    /// Where the contents of the TOML string that stands at `whole` stand letter by letter; `None` for one with
    /// escapes.
    pub(crate) fn verbatim(&self, whole: &Range<usize>) -> Option<Range<usize>> {
        let inner = verbatim(self.text.get(whole.clone())?)?;
        Some(whole.start + inner.start..whole.start + inner.end)
    }

    /// The bytes of the part of the text that `offset` lies in: the defaults, the piece, what a script made.
    pub(crate) fn part_at(&self, offset: usize) -> Range<usize> {
        let part = self.part_of(offset);
        let end = self.parts.iter().map(|next| next.start).find(|&start| start > part.start);
        part.start..end.unwrap_or(self.text.len())
    }
}

/// The text of a file that was read, without a byte order mark.
///
/// # Errors
/// Why there is none, in words.
pub fn text(bytes: io::Result<Vec<u8>>) -> Result<String, String> {
    let bytes = bytes.map_err(|error| reason(&error))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let before = Source::new("", String::from_utf8_lossy(&error.as_bytes()[..valid]));
            let (line, column) = before.line_column(valid);
            Err(format!("line {line}, column {column} is not UTF-8"))
        }
    }
}

/// Opens the regular file at `path` for reading.
///
/// A pipe is not waited for, and a device is not read.
///
/// # Errors
/// When it cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    regular(at_once(OpenOptions::new().read(true)).open(path)?)
}

/// Lets the options open a pipe without waiting for its other end.
pub fn at_once(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options
}

/// Returns the file if it is a regular one.
///
/// # Errors
/// When it is a directory, a pipe, a device or a socket.
pub fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// The most bytes that are read of an input.
const LIMIT: u64 = 512 << 20;

/// All bytes of `reader`.
///
/// # Errors
/// When reading fails, or goes on behind 512 MiB.
pub fn bytes(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(io::Error::other("it has more than 512 MiB"));
    }
    Ok(bytes)
}

/// What the operating system says of a failure, without its number and without what was wrapped around it.
pub fn reason(error: &io::Error) -> String {
    let wrapped = error.get_ref().and_then(|wrapper| wrapper.source());
    let text = wrapped.map_or_else(|| error.to_string(), ToString::to_string);
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// A byte range of a source.
#[derive(Clone, Debug)]
pub struct Span {
    /// The text that the range lies in.
    pub source: Arc<Source>,
    /// The bytes.
    pub range: Range<usize>,
}

impl Span {
    /// The bytes `range` of `source`.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        Self { source: Arc::clone(source), range }
    }

    /// The text that the span covers.
    pub fn text(&self) -> &str {
        self.source.text.get(self.range.clone()).unwrap_or_default()
    }

    /// The number of the span's first line, from 1.
    pub fn line(&self) -> usize {
        self.source.line(self.range.start.min(self.source.text.len()))
    }
}

/// Text that stands in a source: all of it, or what a TOML string says.
///
/// A string without escapes stands in its source letter by letter, so every place in it is exact; in one with
/// escapes every place is the whole string.
#[derive(Clone, Debug)]
pub struct Excerpt {
    source: Arc<Source>,
    whole: Range<usize>,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Verbatim(Range<usize>),
    Decoded(String),
}

impl Excerpt {
    /// All of `source`.
    pub fn all(source: &Arc<Source>) -> Self {
        let whole = 0..source.text.len();
        Self { source: Arc::clone(source), whole: whole.clone(), body: Body::Verbatim(whole) }
    }

    /// The TOML string that stands, quotes included, at `whole` in `source` and says `decoded`.
    pub fn string(source: &Arc<Source>, whole: Range<usize>, decoded: String) -> Self {
        let body = source.verbatim(&whole).map_or(Body::Decoded(decoded), Body::Verbatim);
        Self { source: Arc::clone(source), whole, body }
    }

    /// What the text says.
    pub fn text(&self) -> &str {
        match &self.body {
            Body::Verbatim(range) => &self.source.text[range.clone()],
            Body::Decoded(text) => text,
        }
    }

    /// The source that the text stands in.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The bytes of the source at which the bytes `range` of [`Self::text`] stand.
    pub fn place(&self, range: Range<usize>) -> Range<usize> {
        match &self.body {
            Body::Verbatim(inner) => inner.start + range.start..inner.start + range.end,
            Body::Decoded(_) => self.whole.clone(),
        }
    }
}

/// Where the contents of the TOML string literal `raw` stand in it, if they stand there letter by letter.
fn verbatim(raw: &str) -> Option<Range<usize>> {
    for (quote, escapes, lines) in
        [("\"\"\"", true, true), ("'''", false, true), ("\"", true, false), ("'", false, false)]
    {
        let Some(inner) = raw.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) else { continue };
        if escapes && inner.contains('\\') {
            return None;
        }
        let newline = match inner {
            _ if !lines => 0,
            _ if inner.starts_with("\r\n") => 2,
            _ if inner.starts_with('\n') => 1,
            _ => 0,
        };
        return Some(quote.len() + newline..raw.len() - quote.len());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_piece_counts_lines_of_its_file() {
        let source = Source::piece("suite.toml", "a = 1\n\n", "x = 1\ny = 2\n", 40);
        assert_eq!(source.line_column(0), (1, 1));
        assert_eq!(source.line_column(7), (41, 1));
        assert_eq!(source.line_column(13), (42, 1));
    }

    #[test]
    fn columns_count_characters() {
        let source = Source::new("s", "ä = 日本");
        assert_eq!(source.line_column(source.text().len()), (1, 7));
    }

    #[test]
    fn lines_and_columns_are_right_across_blocks_and_parts() {
        let mut rng = Rng::new(7, 0);
        let mut text = |length: usize| -> String {
            let letter = |rng: &mut Rng| {
                ['a', 'é', '日', '\n', '\r'][rng.below(if length > 2000 { 3 } else { 5 }) as usize]
            };
            (0..length).map(|_| letter(&mut rng)).collect()
        };
        for length in [0, 1, 300, 1500, 5000] {
            let (defaults, piece) = (text(length), text(length));
            let source = Source::piece("s", &defaults, &piece, 40).extended("made", &text(700));
            let (mut line, mut column) = (1, 1);
            for (offset, c) in source.text().char_indices() {
                if let Some(first) = [(defaults.len(), 41), (defaults.len() + piece.len(), 1)]
                    .iter()
                    .rfind(|part| part.0 == offset)
                {
                    (line, column) = (first.1, 1);
                }
                assert_eq!(source.line_column(offset), (line, column), "byte {offset} of {length}");
                assert_eq!(source.text()[source.line_start(offset)..offset].chars().count() + 1, column);
                (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
        }
    }

    #[test]
    fn why_a_file_has_no_text_is_said_in_words() {
        assert_eq!(text(Ok(b"\xef\xbb\xbf4".to_vec())), Ok("4".to_owned()));
        assert_eq!(text(Ok(b"a\nb\xff".to_vec())), Err("line 2, column 2 is not UTF-8".to_owned()));
        let missing = text(Err(io::Error::from_raw_os_error(2))).unwrap_err();
        assert!(missing.starts_with(char::is_lowercase) && !missing.contains("os error"), "{missing}");
    }

    #[test]
    fn a_string_without_escapes_is_exact() {
        let source = Source::new("s", "b = \"\"\"\n1 2\n\"\"\"");
        let excerpt = Excerpt::string(&source, 4..source.text().len(), "1 2\n".into());
        assert_eq!(excerpt.text(), "1 2\n");
        assert_eq!(&source.text()[excerpt.place(2..3)], "2");
    }

    #[test]
    fn a_string_with_escapes_is_placed_whole() {
        let source = Source::new("s", r#"b = "1\n2""#);
        let excerpt = Excerpt::string(&source, 4..10, "1\n2".into());
        assert_eq!(excerpt.text(), "1\n2");
        assert_eq!(excerpt.place(2..3), 4..10);
    }
}
