//! Named text and places in it.
//!
//! A [`Source`] is a file, or one piece of a large file: then it holds the file's defaults (all that stands
//! before the first scenario) and behind them the piece, and knows on which line of the file each begins.
//! A [`Span`] carries its source, so whatever holds a span can be drawn.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Bytes whose line ends are counted together.
const BLOCK: usize = 1024;

/// A named text: a whole file, or its defaults and one piece of it.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    /// Where the piece begins in `text`; 0 for a whole file.
    piece: usize,
    /// Lines of the file above the piece's first line.
    lines_above: usize,
    /// The number of line ends above each block of `text`; counted when a line is first asked for.
    newlines: OnceLock<Vec<usize>>,
}

impl Source {
    /// The text of the file at `path`.
    ///
    /// # Errors
    /// Why it cannot be read as text.
    pub fn read(path: &Path) -> Result<Arc<Self>, String> {
        let bytes = std::fs::File::open(path).and_then(bytes);
        text(bytes).map(|text| Self::new(path.display().to_string(), text))
    }

    /// A whole text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            text: text.into(),
            piece: 0,
            lines_above: 0,
            newlines: OnceLock::new(),
        })
    }

    /// The `defaults` of a file, and a piece of it whose first line has `lines_above` lines above it.
    pub fn piece(name: impl Into<String>, defaults: &str, piece: &str, lines_above: usize) -> Arc<Self> {
        let text = [defaults, piece].concat();
        Arc::new(Self {
            name: name.into(),
            text,
            piece: defaults.len(),
            lines_above,
            newlines: OnceLock::new(),
        })
    }

    /// What the text is called: a path as the user wrote it, or what made it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the scenarios begin: behind the file's defaults.
    pub fn piece_start(&self) -> usize {
        self.piece
    }

    /// Line and column of the byte at `offset`, both from 1; columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let floor = if offset < self.piece { 0 } else { self.piece };
        let start = memchr::memrchr(b'\n', &self.text.as_bytes()[floor..offset])
            .map_or(floor, |newline| floor + newline + 1);
        (self.line(offset), self.text[start..offset].chars().count() + 1)
    }

    /// The number of the line of the byte at `offset`, from 1.
    fn line(&self, offset: usize) -> usize {
        if offset < self.piece {
            self.newlines(offset) + 1
        } else {
            self.lines_above + self.newlines(offset) - self.newlines(self.piece) + 1
        }
    }

    /// The number of line ends in the first `length` bytes.
    fn newlines(&self, length: usize) -> usize {
        let count = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        let bytes = &self.text.as_bytes()[..length];
        let blocks = self.newlines.get_or_init(|| {
            let below = self.text.as_bytes().chunks(BLOCK).scan(0, |below, block| {
                *below += count(block);
                Some(*below)
            });
            std::iter::once(0).chain(below).collect()
        });
        let block = length / BLOCK;
        blocks[block] + count(&bytes[block * BLOCK..])
    }

    /// Where the contents of the TOML string that stands at `whole` stand letter by letter; `None` for one with
    /// escapes.
    pub(crate) fn verbatim(&self, whole: &Range<usize>) -> Option<Range<usize>> {
        let inner = verbatim(self.text.get(whole.clone())?)?;
        Some(whole.start + inner.start..whole.start + inner.end)
    }

    /// The part of the text that `offset` lies in (the defaults or the piece): its bytes, and its lines above.
    pub(crate) fn part_at(&self, offset: usize) -> (Range<usize>, usize) {
        if offset < self.piece { (0..self.piece, 0) } else { (self.piece..self.text.len(), self.lines_above) }
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
