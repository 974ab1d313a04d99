//! Aligns the columns of a file's boards, and touches nothing else.
//!
//! Which keys hold boards is the engine's to say: by the schema of its keys, and by the kinds of its facts. Only the
//! blanks between a board's cells change, so that a scenario means the same as before; formatting twice is formatting
//! once.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use schemars::Schema;

use super::header::Header;
use super::load::{File, Loader, is_skipped};
use super::select::Select;
use super::syntax;
use crate::board::{self, BoardText, Token};
use crate::columns;
use crate::diagnostic::Diagnostic;
use crate::engine::{AnyEngine, keys};
use crate::grid::Grid;
use crate::source::Source;
use crate::spanned::Spanned;
use crate::tree::{self, Node, Table, Tree};
use crate::value::{FactSpec, Item, Kind};

/// The text of `source`, a whole file, with its boards aligned.
///
/// # Errors
/// Why it is not TOML, which boards cannot be read, and which engines are not known. A board of a scenario that is to be
/// refused may be wrong, and then stays as it is.
pub fn formatted(source: &Arc<Source>, file: &File) -> Result<String, Vec<Diagnostic>> {
    let Some(root) = tree::parse(source.text()) else { return Err(syntax::faults(source)) };
    let select = Select::default();
    let loader = Loader { source, file, select: &select, index: 0, title: None, hash: None, begins: false };
    let mut format = Format { loader, edits: Vec::new(), faults: Vec::new() };
    format.file(&root);
    if !format.faults.is_empty() {
        return Err(format.faults);
    }
    format.edits.sort_by_key(|(range, _)| range.start);
    let mut text = String::with_capacity(source.text().len());
    let mut done = 0;
    for (range, line) in format.edits {
        text += &source.text()[done..range.start];
        text += &line;
        done = range.end;
    }
    Ok(text + &source.text()[done..])
}

/// Gathers what is to be changed in a file.
struct Format<'a> {
    loader: Loader<'a>,
    /// Bytes of the text, and what they shall be.
    edits: Vec<(Range<usize>, String)>,
    faults: Vec<Diagnostic>,
}

impl Format<'_> {
    fn file(&mut self, root: &Table<'_>) {
        let scenarios = match root.get("scenario").map(|node| &node.value) {
            Some(Tree::Array(items)) => items.iter().filter_map(|item| item.value.as_table()).collect(),
            _ => Vec::new(),
        };
        let skips = is_skipped(root);
        let all_skip = !scenarios.is_empty() && scenarios.iter().all(|table| is_skipped(table));
        let default = self.engine(root, skips || all_skip);
        let refused =
            is_refused(root) || !scenarios.is_empty() && scenarios.iter().all(|table| is_refused(table));
        let mut players: Vec<_> = default.iter().cloned().collect();
        let mut is_known = default.is_some() || root.get("engine").is_none();
        for &scenario in &scenarios {
            let player = if scenario.get("engine").is_some() {
                self.engine(scenario, is_skipped(scenario) || skips && scenario.get("skip").is_none())
            } else {
                default.clone()
            };
            is_known &= player.is_some() || scenario.get("engine").is_none();
            if let Some(player) = player {
                let refused = refused || is_refused(scenario);
                self.boards(scenario, keys::boards(&player.doc_schema()), refused);
                self.expectations(scenario, &*player, refused);
                players.push(player);
            }
        }
        // A default board is for all that play the scenarios: it is aligned where all are known and agree on its kind.
        let schemas: Vec<_> = players.iter().map(|player| player.doc_schema()).collect();
        let mut own: BTreeSet<_> = schemas.iter().flat_map(keys::boards).collect();
        own.retain(|key| {
            let has_key = |schema: &Schema| {
                keys::properties(schema.as_value(), schema).is_some_and(|keys| keys.contains_key(key))
            };
            is_known && schemas.iter().all(|schema| !has_key(schema) || keys::boards(schema).contains(key))
        });
        self.boards(root, own, refused);
        if let Some(player) = default {
            self.expectations(root, &*player, refused);
        }
    }

    /// Returns the engine that `table` names; a game in rhai is not opened for what is skipped.
    fn engine(&mut self, table: &Table<'_>, skips: bool) -> Option<Arc<dyn AnyEngine>> {
        let node = table.get("engine")?;
        let name = Spanned { value: node.value.as_str()?.to_owned(), range: node.range.clone() };
        if skips {
            return self.loader.engines().find(&name).cloned();
        }
        self.loader.engine(&name, &Header::default(), &mut self.faults)
    }

    /// Gathers what is to be changed at the `keys` of a scenario, or of a file's defaults.
    fn boards(&mut self, table: &Table<'_>, keys: impl IntoIterator<Item = String>, refused: bool) {
        for value in keys.into_iter().filter_map(|key| table.get(&key)) {
            self.board(value, refused);
        }
    }

    /// Gathers what is to be changed of the boards that a scenario, or a file's defaults, expects.
    fn expectations(&mut self, table: &Table<'_>, engine: &dyn AnyEngine, refused: bool) {
        if let Some(Tree::Table(facts)) = table.get("expect").map(|node| &node.value) {
            self.facts(facts, engine.facts(), refused);
        }
        if let Some(Tree::Array(checkpoints)) = table.get("checkpoint").map(|node| &node.value) {
            for checkpoint in checkpoints.iter().filter_map(|node| node.value.as_table()) {
                self.facts(checkpoint, engine.moments(), refused);
            }
        }
    }

    /// The boards that are expected.
    fn facts(&mut self, table: &Table<'_>, specs: &[FactSpec], refused: bool) {
        for spec in specs.iter().filter(|spec| spec.kind.item == Item::Board) {
            if let Some(value) = table.get(&spec.name) {
                self.expected(value, spec.kind, refused);
            }
        }
    }

    /// The boards in what is expected of a value of `kind`: the value, or matchers.
    fn expected(&mut self, node: &Node<'_>, kind: Kind, refused: bool) {
        match (&node.value, kind.element()) {
            (Tree::Table(matchers), element) => {
                for (name, argument) in matchers {
                    match (&*name.value, &argument.value, element) {
                        ("one_of", Tree::Array(items), _) => {
                            for item in items {
                                self.expected(item, kind, refused);
                            }
                        }
                        ("not", _, _) => self.expected(argument, kind, refused),
                        ("contains" | "each", _, Some(element)) => self.expected(argument, element, refused),
                        _ => {}
                    }
                }
            }
            (Tree::Array(items), Some(element)) => {
                for item in items {
                    self.expected(item, element, refused);
                }
            }
            (_, None) if kind.blank.is_none() => self.board(node, refused),
            _ => {}
        }
    }

    /// A board: how its lines are to be.
    fn board(&mut self, node: &Node<'_>, refused: bool) {
        // Another kind of value is for `check` to find.
        let Some(board) = keys::board(node) else { return };
        let source = self.loader.source;
        let strings = match &board.value {
            BoardText::Lines(_) => vec![&board.range],
            BoardText::Array(lines) => lines.iter().map(|line| &line.range).collect(),
        };
        if strings.into_iter().any(|string| source.verbatim(string).is_none()) {
            // Escapes are no columns.
            return;
        }
        match board::read(&board, source, None) {
            Ok(cells) => self.edits.extend(aligned(&cells, source.text())),
            Err(_) if refused => {}
            Err(fault) => self.faults.push(fault),
        }
    }
}

/// Whether a scenario is to be refused.
fn is_refused(table: &Table<'_>) -> bool {
    let expect = table.get("expect").and_then(|node| node.value.as_table());
    expect.is_some_and(|expect| expect.get("error").is_some())
}

/// A line of a board as typed.
struct Line<'t> {
    /// All of it but its end.
    range: Range<usize>,
    /// The blanks before its first cell.
    indent: &'t str,
    /// Whether a quote stands before it, not a line's end.
    behind_quote: bool,
    /// The cells, each with the commas that belong to it.
    cells: Vec<String>,
    /// Where each begins and ends, in characters of the line.
    places: Vec<(usize, usize)>,
}

/// How the lines of a board are to be, where its columns are not straight.
fn aligned(cells: &Grid<Token<'_>>, text: &str) -> Vec<(Range<usize>, String)> {
    let mut blanks = false;
    let lines: Vec<_> = cells.iter_rows().map(|row| line(row, text, &mut blanks)).collect();
    if [false, true].into_iter().all(|behind_quote| is_straight(&lines, behind_quote, text)) {
        return Vec::new();
    }
    // Lines behind a quote are under each other at most, so each kind has columns of its own: blanks before the first cell
    // that made room for one of the other kind would be taken for the indent next time.
    let kind = |behind_quote| lines.iter().filter(move |line| line.behind_quote == behind_quote);
    let width = |line: &Line<'_>, col: usize| line.cells[col].chars().count();
    let columns = [false, true].map(|behind_quote| {
        let column = |col| {
            let widest = kind(behind_quote).map(|line| width(line, col)).max().unwrap_or(0);
            (widest, kind(behind_quote).all(|line| is_short_or_number(&line.cells[col])))
        };
        (0..cells.cols()).map(column).collect::<Vec<_>>()
    });
    let indents = [false, true].map(|behind_quote| {
        let indents = kind(behind_quote).map(|line| line.indent);
        indents.min_by_key(|indent| indent.chars().count()).unwrap_or_default()
    });
    let uneven =
        (0..cells.cols()).any(|col| lines.iter().any(|line| width(line, col) != width(&lines[0], col)));
    let between = if blanks || uneven { " " } else { "" };
    let edit = |line: &Line<'_>| {
        let kind = usize::from(line.behind_quote);
        let padded = line.cells.iter().zip(&columns[kind]).map(|(cell, &(width, right))| {
            if right { columns::right(cell, width) } else { columns::left(cell, width) }
        });
        let row = padded.collect::<Vec<_>>().join(between);
        (line.range.clone(), format!("{}{}", indents[kind], row.trim_end()))
    };
    lines.iter().map(edit).filter(|(range, line)| text[range.clone()] != **line).collect()
}

/// Whether the cells of those lines begin under each other, or all end so.
fn is_straight(lines: &[Line<'_>], behind_quote: bool, text: &str) -> bool {
    let lines: Vec<_> = lines.iter().filter(|line| line.behind_quote == behind_quote).collect();
    let Some(first) = lines.first() else { return true };
    let tabs = lines.iter().any(|line| text[line.range.clone()].contains('\t'));
    let starts = |line: &Line<'_>| line.places.iter().map(|place| place.0).collect::<Vec<_>>();
    let ends = |line: &Line<'_>| line.places.iter().map(|place| place.1).collect::<Vec<_>>();
    let same = |of: &dyn Fn(&Line<'_>) -> Vec<usize>| lines.iter().all(|line| of(line) == of(first));
    !tabs && (same(&starts) || same(&ends))
}

/// A row of cells as the line that it is in `text`.
fn line<'t>(row: &[Token<'_>], text: &'t str, blanks: &mut bool) -> Line<'t> {
    let separates = |c: char| (c.is_whitespace() || c == ',') && c != '\n';
    let (first, last) = (&row[0].range, &row[row.len() - 1].range);
    let before = text[..first.start].trim_end_matches(separates);
    let behind = text[last.end..].len() - text[last.end..].trim_start_matches(separates).len();
    // A carriage return belongs to the line's end.
    let rest = text[last.end..last.end + behind].trim_end_matches('\r');
    let range = before.len()..last.end + rest.len();
    let lead = &text[range.start..first.start];
    let indent = lead.split(',').next().unwrap_or_default();
    let commas = |gap: &str| gap.chars().filter(|&c| c == ',').collect::<String>();
    let mut cells = Vec::with_capacity(row.len());
    let mut places = Vec::with_capacity(row.len());
    for (i, cell) in row.iter().enumerate() {
        let gap = row.get(i + 1).map_or(rest, |next| &text[cell.range.end..next.range.start]);
        *blanks |= i + 1 < row.len() && gap.contains(char::is_whitespace);
        let before = if i == 0 { commas(lead) } else { String::new() };
        cells.push(format!("{before}{}{}", cell.text, commas(gap)));
        let start = text[range.start..cell.range.start].chars().count();
        places.push((start, start + cell.text.chars().count()));
    }
    Line { range, indent, behind_quote: !before.ends_with('\n') && !before.is_empty(), cells, places }
}

/// Whether a cell is one of those that stand to the right, as numbers do.
fn is_short_or_number(cell: &str) -> bool {
    let cell = cell.trim_matches(',');
    cell.chars().count() <= 1 || cell.chars().all(|c| c.is_ascii_digit())
}
