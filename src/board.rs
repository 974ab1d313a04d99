//! Boards as authors draw them: lines of cells, each cell knowing its place.
//!
//! Cells are separated by blanks or commas; on a board without any, every character is a cell. Blank lines above
//! and below the board, and blanks around a line, mean nothing.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use crate::diagnostic::{CodeSpec, Diagnostic, count};
use crate::grid::Grid;
use crate::source::{Excerpt, Source, Span};
use crate::spanned::Spanned;

/// The faults of a drawn board, whatever the engine.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "board::empty", about: "a board has no cells" },
    CodeSpec { code: "board::ragged", about: "the lines of a board have different numbers of cells" },
];

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
pub struct Token {
    /// The cell's characters.
    pub text: String,
    /// Where they stand.
    pub range: Range<usize>,
}

/// Reads a board of `source` into its cells, or says why it is no rectangle of cells.
///
/// # Errors
/// [`CODES`]: a board without cells; a line longer or shorter than the first.
pub fn read(board: &Spanned<BoardText>, source: &Arc<Source>) -> Result<Grid<Token>, Diagnostic> {
    let excerpts: Vec<_> = match &board.value {
        BoardText::Lines(text) => vec![Excerpt::string(source, board.range.clone(), text.clone())],
        BoardText::Array(lines) => {
            lines.iter().map(|line| Excerpt::string(source, line.range.clone(), line.value.clone())).collect()
        }
    };
    let lines: Vec<_> = excerpts.iter().flat_map(lines).collect();
    let blank = |line: &Line<'_>| line.text.trim().is_empty();
    let empty = || {
        let span = Span::new(source, board.range.clone());
        Diagnostic::new("board::empty", "the board has no cells").label(span, "expected lines of cells")
    };
    let first = lines.iter().position(|line| !blank(line)).ok_or_else(empty)?;
    let last = lines.iter().rposition(|line| !blank(line)).unwrap_or(first);
    let lines = &lines[first..=last];
    let separated = lines.iter().any(Line::separated);
    let mut cells = Vec::new();
    let mut cols = None;
    for (row, line) in lines.iter().enumerate() {
        let before = cells.len();
        cells.extend(line.cells(separated));
        let width = cells.len() - before;
        let cols = *cols.get_or_insert(width);
        if width != cols {
            let span = Span::new(source, line.place());
            let fault = Diagnostic::new(
                "board::ragged",
                format!("line {} of the board has {}", row + 1, count(width as u64, "cell")),
            )
            .label(span, format!("expected {}, as in the board's first line", count(cols as u64, "cell")));
            let joined = |line: &Line<'_>| line.text.trim().chars().count() > 1 && !line.separated();
            return Err(if separated && (joined(line) || joined(&lines[0])) {
                fault.help("write blanks or commas between all cells of a board, or between none")
            } else {
                fault
            });
        }
    }
    Grid::from_cells(cols.unwrap_or(0), cells).ok_or_else(empty)
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// One line of a board.
struct Line<'a> {
    excerpt: &'a Excerpt,
    start: usize,
    text: &'a str,
}

fn lines(excerpt: &Excerpt) -> impl Iterator<Item = Line<'_>> {
    let text = excerpt.text();
    let mut start = 0;
    let empty = text.is_empty().then_some("");
    text.split_inclusive('\n').chain(empty).map(move |line| {
        let line = Line { excerpt, start, text: line };
        start += line.text.len();
        line
    })
}

impl Line<'_> {
    fn separated(&self) -> bool {
        self.text.trim().contains(is_separator)
    }

    fn place(&self) -> Range<usize> {
        let trimmed = self.text.trim();
        let indent = if trimmed.is_empty() { 0 } else { self.text.len() - self.text.trim_start().len() };
        self.excerpt.place(self.start + indent..self.start + indent + trimmed.len())
    }

    fn cells(&self, separated: bool) -> impl Iterator<Item = Token> {
        let mut rest = self.start..self.start + self.text.len();
        let all = self.excerpt.text();
        std::iter::from_fn(move || {
            let text = &all[rest.clone()];
            let skipped = text.find(|c| !is_separator(c))?;
            let text = &text[skipped..];
            let length = if separated {
                text.find(is_separator).unwrap_or(text.len())
            } else {
                text.chars().next().map_or(0, char::len_utf8)
            };
            let start = rest.start + skipped;
            rest.start = start + length;
            let range = self.excerpt.place(start..rest.start);
            Some(Token { text: text[..length].to_owned(), range })
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
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(toml: &str) -> Result<Grid<Token>, Diagnostic> {
        #[derive(serde::Deserialize)]
        struct Doc {
            b: Spanned<BoardText>,
        }
        let source = Source::new("t.toml", toml);
        read(&toml::from_str::<Doc>(toml).unwrap().b, &source)
    }

    fn rows(grid: &Grid<Token>) -> Vec<String> {
        grid.iter_rows()
            .map(|row| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join("|"))
            .collect()
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
}
