//! Boards drawn as their author draws them: the cells that differ, each in the author's own spelling.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::notation::{LosesComment, Pen, opening};
use crate::board;
use crate::columns;
use crate::engine::keys;
use crate::grid::Grid;
use crate::scenario::matcher::ANY_CELL;
use crate::source::Span;
use crate::tree::{self, Node, Tree};
use crate::value::{Value, line_end};

/// How an author spells cells.
pub(crate) struct Hand<'a> {
    /// The canonical spelling of a cell, as the engine knows it.
    cell: &'a dyn Fn(&str) -> Option<String>,
    /// The cell that a blank in a drawn board is, if blanks are cells.
    blank: Option<char>,
    /// Where the scenario stands that has the start.
    place: &'a Span,
    /// What the start's board shows, once that was asked for.
    start: OnceCell<Spelling>,
}

/// What a board shows of its author's spelling.
#[derive(Default)]
struct Spelling {
    /// Each cell by its canonical spelling.
    known: HashMap<String, String>,
    /// Whether letters stand for cells that are not letters themselves.
    letters: bool,
    /// Whether it shows that.
    tells: bool,
}

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

impl<'a> Hand<'a> {
    /// The hand of whoever wrote the scenario at `place`, whose cells `cell` knows; blanks are cells as `blank` says.
    pub(crate) fn new(
        cell: &'a dyn Fn(&str) -> Option<String>,
        blank: Option<char>,
        place: &'a Span,
    ) -> Self {
        Self { cell, blank, place, start: OnceCell::new() }
    }

    /// What `typed` cells show.
    fn spelling<'t>(&self, typed: impl IntoIterator<Item = &'t str>) -> Spelling {
        let mut spelling = Spelling::default();
        for typed in typed {
            let Some(canonical) = (self.cell)(typed).filter(|_| typed != ANY_CELL) else { continue };
            let known = spelling.known.entry(canonical);
            let canonical = known.key().clone();
            known.or_insert_with(|| typed.to_owned());
            let letter = typed.len() == 1 && LETTERS.contains(typed) && canonical != typed;
            if !spelling.tells {
                spelling.letters = letter;
                spelling.tells = letter || self.lettered(&canonical).is_some();
            }
        }
        spelling
    }

    /// Returns the letter that stands for a cell which is not one itself.
    fn lettered(&self, canonical: &str) -> Option<String> {
        let letters = (0..LETTERS.len()).map(|i| &LETTERS[i..=i]);
        let mut letters = letters.filter(|letter| *letter != canonical);
        letters.find(|letter| (self.cell)(letter).as_deref() == Some(canonical)).map(str::to_owned)
    }

    /// What the start's board shows.
    fn start(&self) -> Spelling {
        let place = self.place;
        let source = &place.source;
        let Some(root) = tree::parse(&source.text()[..source.author_end()]) else {
            return Spelling::default();
        };
        let scenarios = match root.get("scenario").map(|scenarios| &scenarios.value) {
            Some(Tree::Array(scenarios)) => scenarios.as_slice(),
            _ => &[],
        };
        let own = scenarios.iter().find(|scenario| scenario.range == place.range);
        let own = own.and_then(|own| own.value.as_table()?.get("board"));
        let Some(board) = own.or_else(|| root.get("board")).and_then(keys::board) else {
            return Spelling::default();
        };
        let Ok(cells) = board::read(&board, source, self.blank) else { return Spelling::default() };
        self.spelling(cells.cells().iter().map(|token| &*token.text))
    }

    /// How each cell of `actual` is spelled beside `typed` cells.
    fn spelled<'t>(&self, actual: &Grid<String>, typed: impl IntoIterator<Item = &'t str>) -> Grid<String> {
        let own = self.spelling(typed);
        let start = (!own.tells).then(|| self.start.get_or_init(|| self.start()));
        let letters = start.map_or(own.letters, |start| start.letters);
        actual.map(|canonical| {
            let known = own.known.get(canonical).or_else(|| start?.known.get(canonical)).cloned();
            let lettered = || letters.then(|| self.lettered(canonical)).flatten();
            known.or_else(lettered).unwrap_or_else(|| canonical.clone())
        })
    }
}

/// The lines of a board that was not there before.
pub(super) fn fresh(actual: &Grid<String>, hand: &Hand<'_>) -> Vec<String> {
    lines(&hand.spelled(actual, []), " ")
}

/// The lines of a board whose cells stand apart by `between`, one below the other: numbers to the right, others to the
/// left.
fn lines(cells: &Grid<String>, between: &str) -> Vec<String> {
    let length = |cell: &String| cell.chars().count();
    let column = |col: usize| cells.iter_rows().map(move |row| &row[col]);
    let columns: Vec<_> = (0..cells.cols())
        .map(|col| {
            let numbers =
                column(col).all(|cell| length(cell) == 1 || cell.bytes().all(|b| b.is_ascii_digit()));
            (column(col).map(length).max().unwrap_or(0), numbers)
        })
        .collect();
    let end = line_end(cells.cols(), columns.iter().map(|&(width, _)| width));
    let padded = |(cell, &(width, numbers)): (&String, &(usize, bool))| {
        if numbers { columns::right(cell, width) } else { columns::left(cell, width) }
    };
    let line = |row: &[String]| {
        let row: Vec<_> = row.iter().zip(&columns).map(padded).collect();
        format!("{}{end}", row.join(between).trim_end())
    };
    cells.iter_rows().map(line).collect()
}

impl Pen<'_> {
    /// Makes the board `node` show `actual`.
    pub(super) fn board(&mut self, node: &Node<'_>, actual: &Grid<String>) -> Result<(), LosesComment> {
        let source = Arc::clone(self.source);
        let Some(board) = keys::board(node) else { return Ok(()) };
        let Ok(tokens) = board::read(&board, &source, self.hand.blank) else { return Ok(()) };
        let typed = || tokens.cells().iter().map(|token| &*token.text);
        let cells = self.hand.spelled(actual, typed());
        let exact = tokens.cells().iter().all(|token| source.text()[token.range.clone()] == *token.text);
        let first = &tokens.cells()[0];
        // On a board of one column nothing needs to stand between cells.
        let between = tokens.cells().get(1).filter(|_| exact && tokens.cols() > 1);
        let between = between.map(|second| &source.text()[first.range.end..second.range.start]);
        let wide = cells.cells().iter().any(|cell| cell.chars().count() > 1);
        let same_shape = (tokens.rows(), tokens.cols()) == (actual.rows(), actual.cols());
        let joined = between.map_or(!typed().any(|cell| cell.chars().count() > 1), str::is_empty);
        if exact && same_shape && !(joined && wide) {
            let cell = self.hand.cell;
            for ((token, actual), spelled) in tokens.cells().iter().zip(actual.cells()).zip(cells.cells()) {
                if token.text != ANY_CELL && cell(&token.text).as_ref() != Some(actual) {
                    self.put(token.range.clone(), spelled.clone());
                }
            }
            return Ok(());
        }
        let between = match between {
            Some("") if !wide => "",
            Some(between) if between.contains(',') => {
                if between.ends_with(' ') {
                    ", "
                } else {
                    ","
                }
            }
            None if joined && !wide && cells.cols() > 1 => "",
            _ => " ",
        };
        self.redraw(
            node,
            &lines(&cells, between),
            exact.then(|| (first.range.start, tokens.cells()[tokens.cells().len() - 1].range.end)),
        )
    }

    /// Writes the lines of a board anew; its cells stand from the first byte to the last of `body`.
    fn redraw(
        &mut self,
        node: &Node<'_>,
        lines: &[String],
        body: Option<(usize, usize)>,
    ) -> Result<(), LosesComment> {
        let source = Arc::clone(self.source);
        let text = source.text();
        if let Tree::Array(items) = &node.value {
            let values: Vec<_> = lines.iter().cloned().map(Value::Text).collect();
            return self.list(node, items, &values);
        }
        let raw = &text[node.range.clone()];
        let several = raw.len() >= 6 && (raw.starts_with("\"\"\"") || raw.starts_with("'''"));
        let eol = self.eol;
        match body {
            Some((start, end)) if several => {
                let head = &text[node.range.start + 3..start];
                let indent = head.rfind('\n').map_or("", |newline| &head[newline + 1..]);
                // A comma behind the last cell belongs to it.
                let end = end + text[end..].len() - text[end..].trim_start_matches(',').len();
                self.put(start..end, lines.join(&format!("{eol}{indent}")));
            }
            Some((start, end)) if lines.len() == 1 => self.put(start..end, lines[0].clone()),
            _ => {
                let quotes = if raw.starts_with('\'') { "'''" } else { "\"\"\"" };
                let opening = if several { &opening(raw)[3..] } else { eol };
                self.put(node.range.clone(), format!("{quotes}{opening}{}{eol}{quotes}", lines.join(eol)));
            }
        }
        Ok(())
    }
}
