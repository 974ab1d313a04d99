//! Boards as authors draw them: lines of cells, each cell knowing its place.
//!
//! Cells are separated by blanks or commas; on a board without any, every character is a cell. Blank lines above
//! and below the board, and blanks around a line, mean nothing.
//!
//! Where blanks are cells, every character is one, and lines are filled up with blanks. Boards with commas, or with a
//! blank between each two cells as boards are written, are read as everywhere.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use crate::diagnostic::{CodeSpec, Diagnostic, count};
use crate::grid::Grid;
use crate::source::{Source, Span};
use crate::spanned::Spanned;

/// The faults of a drawn board, whatever the engine.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "board::blank", about: "a board whose blanks are cells has a tab or the like" },
    CodeSpec { code: "board::empty", about: "a board has no cells" },
    CodeSpec { code: "board::ragged", about: "the lines of a board have different numbers of cells" },
    CodeSpec { code: "board::too-large", about: "a board has more cells than any game takes" },
];

/// Most cells of a board, whatever the limits: the squares of 2048 rows and columns.
pub const MOST_CELLS: usize = 1 << 22;

/// The `format` of boards in schemas, which tells them from other texts.
pub const BOARD_FORMAT: &str = "board";

/// A board as typed: one string of several lines, or an array of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardText {
    /// A multi-line string.
    Lines(String),
    /// An array of one-line strings.
    Array(Vec<Spanned<String>>),
}

/// A cell as typed, and the bytes of the source that it stands at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// The cell's characters.
    pub text: Cow<'t, str>,
    /// Where they stand.
    pub range: Range<usize>,
}

/// Reads a board of `source` into its cells, or says why it is no rectangle of cells. A blank that is a cell is read as
/// the cell `blank`.
///
/// # Errors
/// [`CODES`]: a board without cells, or with more than [`MOST_CELLS`]; a line longer or shorter than the first; where
/// blanks are cells, another white space.
pub fn read<'t>(
    board: &'t Spanned<BoardText>,
    source: &'t Arc<Source>,
    blank: Option<char>,
) -> Result<Grid<Token<'t>>, Diagnostic> {
    let mut lines = Vec::new();
    // Blank ones above and below aside, a line has a cell at least.
    let lines_of = |range, text| Stretch::new(source, range, text).lines().take(MOST_CELLS + 1);
    match &board.value {
        BoardText::Lines(text) => lines.extend(lines_of(&board.range, text)),
        BoardText::Array(typed) => {
            lines.extend(typed.iter().flat_map(|line| lines_of(&line.range, &line.value)));
        }
    }
    let too_large = |title: String| {
        let fault = Diagnostic::new("board::too-large", title);
        fault.label(Span::new(source, board.range.clone()), format!("expected at most {MOST_CELLS} cells"))
    };
    if lines.len() > MOST_CELLS {
        return Err(too_large(format!("the board has more than {MOST_CELLS} lines")));
    }
    let empty = || {
        let span = Span::new(source, board.range.clone());
        Diagnostic::new("board::empty", "the board has no cells").label(span, "expected lines of cells")
    };
    if let Some(blank) = blank.filter(|_| !is_written(within(&lines))) {
        // What is before closing quotes on a line of their own is their indent.
        let quotes =
            matches!(&board.value, BoardText::Lines(text) if !text.ends_with('\n')) && lines.len() > 1;
        lines.pop_if(|line| quotes && line.text.trim_start_matches(' ').is_empty());
        let lines = within(&lines);
        let cols = lines.iter().map(|line| line.text.chars().count()).max().ok_or_else(empty)?;
        if lines.len().saturating_mul(cols) > MOST_CELLS {
            return Err(too_large(format!("the board has {} lines of {cols} cells", lines.len())));
        }
        return Grid::from_cells(cols, drawn(lines, cols, blank, source)?).ok_or_else(empty);
    }
    let lines: Vec<_> = lines.iter().map(Stretch::trimmed).collect();
    let lines = within(&lines);
    if lines.is_empty() {
        return Err(empty());
    }
    let separated = lines.iter().any(Stretch::separated);
    // A cell takes a byte at least, and counting takes no memory.
    if lines.iter().map(|line| line.text.len()).sum::<usize>() > MOST_CELLS {
        let number: usize = lines.iter().map(|line| line.cells(separated).count()).sum();
        if number > MOST_CELLS {
            return Err(too_large(format!("the board has {number} cells")));
        }
    }
    let mut cells = Vec::new();
    let mut cols = None;
    for (row, line) in lines.iter().enumerate() {
        let before = cells.len();
        cells.extend(line.cells(separated));
        let width = cells.len() - before;
        let cols = *cols.get_or_insert_with(|| {
            cells.reserve(width * (lines.len() - 1));
            width
        });
        if width != cols {
            let span = Span::new(source, line.place());
            let fault = Diagnostic::new(
                "board::ragged",
                format!("line {} of the board has {}", row + 1, count(width as u64, "cell")),
            )
            .label(span, format!("expected {}, as in the board's first line", count(cols as u64, "cell")));
            let joined = |line: &Stretch<'_>| line.text.chars().count() > 1 && !line.separated();
            return Err(if separated && (joined(line) || joined(&lines[0])) {
                fault.help("write blanks or commas between all cells of a board, or between none")
            } else {
                fault
            });
        }
    }
    Grid::from_cells(cols.unwrap_or(0), cells).ok_or_else(empty)
}

/// Returns the lines without the empty ones above and below.
fn within<'l, 't>(lines: &'l [Stretch<'t>]) -> &'l [Stretch<'t>] {
    let has_text = |line: &Stretch<'_>| !line.text.is_empty();
    let first = lines.iter().position(has_text).unwrap_or(lines.len());
    let last = lines.iter().rposition(has_text).map_or(first, |last| last + 1);
    &lines[first..last]
}

/// Whether a board whose blanks may be cells is read as everywhere: with commas, or with a blank between each two cells
/// of lines that are equally long.
fn is_written(lines: &[Stretch<'_>]) -> bool {
    let length = |line: &Stretch<'_>| line.text.chars().count();
    let by_turns =
        |line: &Stretch<'_>| line.text.chars().enumerate().all(|(i, c)| (c == ' ') == (i % 2 == 1));
    lines.iter().any(|line| line.text.contains(','))
        || lines.first().is_some_and(|first| {
            length(first) % 2 == 1 && lines.iter().all(|line| length(line) == length(first) && by_turns(line))
        })
}

/// Returns the cells of lines whose blanks are cells, each filled up to `cols`.
fn drawn<'t>(
    lines: &[Stretch<'t>],
    cols: usize,
    blank: char,
    source: &Arc<Source>,
) -> Result<Vec<Token<'t>>, Diagnostic> {
    let blank = |range| Token { text: Cow::Owned(blank.to_string()), range };
    let mut cells = Vec::with_capacity(lines.len() * cols);
    for (row, line) in lines.iter().enumerate() {
        for (at, c) in line.text.char_indices() {
            let cell = line.part(at..at + c.len_utf8());
            let range = cell.place();
            if c.is_whitespace() && c != ' ' {
                let title = format!("line {} of the board has a white space that is not a blank", row + 1);
                let fault = Diagnostic::new("board::blank", title);
                return Err(fault
                    .label(Span::new(source, range), "expected a cell or a blank")
                    .help("write blanks for it: each is a cell"));
            }
            cells.push(if c == ' ' { blank(range) } else { Token { text: Cow::Borrowed(cell.text), range } });
        }
        let end = line.part(line.text.len()..line.text.len()).place();
        cells.resize_with((row + 1) * cols, || blank(end.clone()));
    }
    Ok(cells)
}

/// Says `did you mean …` where `typed` looks like a cell: one in lower case, or one of the digits and signs that its
/// characters look like.
pub fn suggest(fault: &mut Diagnostic, typed: &str, is_cell: impl Fn(&str) -> bool) {
    let sign = |c: char| match c {
        'O' | 'o' => '0',
        'I' | 'l' => '1',
        '−' | '–' => '-',
        c => c,
    };
    let near = [typed.to_lowercase(), typed.chars().map(sign).collect()];
    if let Some(near) = near.into_iter().find(|near| near != typed && is_cell(near)) {
        fault.help.push(format!("did you mean `{near}`?"));
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// Text of a board, and where it stands: letter by letter from `start` on, or as a whole in a string with escapes.
struct Stretch<'t> {
    text: &'t str,
    start: Option<usize>,
    whole: &'t Range<usize>,
}

impl<'t> Stretch<'t> {
    /// What the string that stands at `whole` says.
    fn new(source: &'t Source, whole: &'t Range<usize>, decoded: &'t str) -> Self {
        match source.verbatim(whole) {
            Some(inner) => Self { text: &source.text()[inner.clone()], start: Some(inner.start), whole },
            None => Self { text: decoded, start: None, whole },
        }
    }

    fn part(&self, range: Range<usize>) -> Self {
        let start = self.start.map(|start| start + range.start);
        Self { text: &self.text[range], start, whole: self.whole }
    }

    fn place(&self) -> Range<usize> {
        self.start.map_or_else(|| self.whole.clone(), |start| start..start + self.text.len())
    }

    /// The lines, without their ends; of an empty text one.
    fn lines(self) -> impl Iterator<Item = Self> {
        let mut start = 0;
        let empty = self.text.is_empty().then_some("");
        self.text.split_inclusive('\n').chain(empty).map(move |line| {
            let range = start..start + line.len();
            start = range.end;
            let length =
                line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line)).len();
            self.part(range.start..range.start + length)
        })
    }

    fn trimmed(&self) -> Self {
        let trimmed = self.text.trim();
        let indent = if trimmed.is_empty() { 0 } else { self.text.len() - self.text.trim_start().len() };
        self.part(indent..indent + trimmed.len())
    }

    fn separated(&self) -> bool {
        self.text.contains(is_separator)
    }

    fn cells(&self, separated: bool) -> impl Iterator<Item = Token<'t>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at + self.text[at..].find(|c| !is_separator(c))?;
            let rest = &self.text[start..];
            let length = if separated {
                rest.find(is_separator).unwrap_or(rest.len())
            } else {
                rest.chars().next().map_or(0, char::len_utf8)
            };
            at = start + length;
            let cell = self.part(start..at);
            Some(Token { text: Cow::Borrowed(cell.text), range: cell.place() })
        })
    }
}

impl<'de> Deserialize<'de> for BoardText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Board;
        impl<'de> Visitor<'de> for Board {
            type Value = BoardText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a board: a multi-line string or an array of lines")
            }

            fn visit_str<E>(self, text: &str) -> Result<BoardText, E> {
                Ok(BoardText::Lines(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<BoardText, E> {
                Ok(BoardText::Lines(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<BoardText, A::Error> {
                let mut lines = Vec::new();
                while let Some(line) = seq.next_element()? {
                    lines.push(line);
                }
                Ok(BoardText::Array(lines))
            }
        }
        deserializer.deserialize_any(Board)
    }
}

impl JsonSchema for BoardText {
    fn schema_name() -> Cow<'static, str> {
        "Board".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A board: a multi-line string or an array of lines.",
            "anyOf": [{ "type": "string", "format": BOARD_FORMAT }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(toml: &str) -> Result<Grid<Token<'static>>, Diagnostic> {
        #[derive(serde::Deserialize)]
        struct Doc {
            b: Spanned<BoardText>,
        }
        let source = Source::new("t.toml", toml);
        let doc: Doc = toml::from_str(toml).unwrap();
        let owned =
            |token: &Token<'_>| Token { text: token.text.to_string().into(), range: token.range.clone() };
        read(&doc.b, &source, None).map(|grid| grid.map(owned))
    }

    fn rows(grid: &Grid<Token<'_>>) -> Vec<String> {
        grid.iter_rows().map(|row| row.iter().map(|cell| &*cell.text).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn blanks_commas_or_nothing_separate_cells() {
        assert_eq!(rows(&board("b = \"\"\"\n 1 2\n\n\"\"\"").unwrap()), ["1|2"]);
        assert_eq!(rows(&board("b = ['4+3', '-5-']").unwrap()), ["4|+|3", "-|5|-"]);
        assert_eq!(rows(&board("b = '''\r\n10,\r\n7,\r\n'''").unwrap()), ["10", "7"]);
    }

    #[test]
    fn cells_know_their_places() {
        let toml = "b = ['1 2', '3 44']";
        let grid = board(toml).unwrap();
        assert_eq!(&toml[grid.cells()[3].range.clone()], "44");
    }

    #[test]
    fn ragged_and_empty_boards_are_refused() {
        assert_eq!(board("b = ['1 2', '3']").unwrap_err().code, "board::ragged");
        assert_eq!(board("b = ['1 2', '', '3 4']").unwrap_err().code, "board::ragged");
        assert_eq!(board("b = ' '").unwrap_err().code, "board::empty");
        assert_eq!(board("b = []").unwrap_err().code, "board::empty");
    }

    #[test]
    fn boards_are_counted_before_they_are_read() {
        let source = Source::new("", "");
        let code = |text: String| {
            let typed = Spanned { value: BoardText::Lines(text), range: 0..0 };
            read(&typed, &source, None).map(|grid| grid.cells().len()).map_err(|fault| fault.code)
        };
        let square = |rows| format!("{}\n", "1".repeat(2048)).repeat(rows);
        assert_eq!(code(square(2048)), Ok(MOST_CELLS));
        assert_eq!(code(square(2049)), Err("board::too-large"));
        assert_eq!(code("1 ".repeat(MOST_CELLS)), Ok(MOST_CELLS));
        let drawn = |text: String| {
            let typed = Spanned { value: BoardText::Lines(text), range: 0..0 };
            read(&typed, &source, Some('.')).map(|grid| grid.cells().len()).map_err(|fault| fault.code)
        };
        assert_eq!(drawn(format!("{}\n{}", "1".repeat(2048), "1\n".repeat(2047))), Ok(MOST_CELLS));
        assert_eq!(drawn(format!("{}\n{}", "1".repeat(2048), "1\n".repeat(2048))), Err("board::too-large"));
        assert_eq!(drawn(format!("{}11", "1\n".repeat(MOST_CELLS - 1))), Err("board::too-large"));
        assert_eq!(code("1 ".repeat(MOST_CELLS + 1)), Err("board::too-large"));
        assert_eq!(code("1\n".repeat(MOST_CELLS + 1)), Err("board::too-large"));
        assert_eq!(code("\n".repeat(MOST_CELLS + 1)), Err("board::too-large"));
    }
}
