//! The keys of a scenario: what an author types, read into a legal start and written back.

use std::fmt::Write as _;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::legal::{COUNT, Placed, SIDE, pieces};
use super::rules::{Color, Piece, Rules, Setup};
use super::stdio::digit;
use crate::board::{self, BoardText, Token};
use crate::diagnostic::count;
use crate::engine::Binder;
use crate::grid::{Dir, Grid};
use crate::spanned::Spanned;

/// The keys of a stacking scenario.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// The colors of the squares, as many rows as columns: `0`, `w` or `.` is white, `1` or `r` is red, `2` or
    /// `b` is blue.
    board: Option<Spanned<BoardText>>,
    /// The pieces in the order in which they move, each on a square of its own.
    pieces: Option<Spanned<Vec<Spanned<PieceDoc>>>>,
}

/// A piece at the start.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieceDoc {
    /// Its square: row from the top and column from the left, both from 1.
    #[schemars(length(equal = 2))]
    at: Option<Spanned<Vec<i64>>>,
    /// Where it wants to go.
    facing: Option<Dir>,
}

pub(super) fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    if doc.board.is_none() {
        binder.missing("board", "type the colors of the squares, row by row, in `board`");
    }
    if doc.pieces.is_none() {
        binder.missing("pieces", "type `pieces = [{ at = [row, column], facing = \"right\" }, …]`");
    }
    let (grid, fits) = doc.board.as_ref().and_then(|board| squares(binder, board)).unzip();
    let side = grid.as_ref().map(Grid::cols);
    let board = grid.and_then(|grid| colors(binder, &grid)).filter(|_| fits == Some(true));
    let pieces = doc.pieces.and_then(|typed| {
        let fits = COUNT.allows(binder, typed.value.len() as i64, typed.range);
        let placed =
            typed.value.into_iter().enumerate().map(|(i, piece)| placed(binder, i + 1, piece)).collect();
        pieces(binder, side, placed).filter(|_| fits)
    });
    Some(Setup { board: board?, pieces: pieces?, rules })
}

/// The cells of a square board, and whether its size is allowed; `None` where its cells mean nothing.
fn squares<'s: 't, 't>(
    binder: &mut Binder<'s>,
    board: &'t Spanned<BoardText>,
) -> Option<(Grid<Token<'t>>, bool)> {
    let grid = binder.board(board)?;
    let fits = fits(binder, (grid.rows(), grid.cols()), board.range.clone())?;
    SIDE.playable(grid.rows() as i64).then_some((grid, fits))
}

/// Whether a board of this size is allowed; `None` if it is no square.
pub(super) fn fits(
    binder: &mut Binder<'_>,
    (rows, cols): (usize, usize),
    range: Range<usize>,
) -> Option<bool> {
    if rows != cols {
        let title = format!("the board is {rows} by {cols}");
        binder.fault("stacking::not-square", title, range, "expected as many rows as columns");
        return None;
    }
    Some(SIDE.allows(binder, rows as i64, range))
}

fn colors(binder: &mut Binder<'_>, grid: &Grid<Token<'_>>) -> Option<Grid<Color>> {
    let cells: Vec<_> = grid.cells().iter().map(|token| color(binder, token)).collect();
    Grid::from_cells(grid.cols(), cells.into_iter().collect::<Option<_>>()?)
}

fn color(binder: &mut Binder<'_>, token: &Token<'_>) -> Option<Color> {
    let color = meant(&token.text);
    if color.is_none() {
        let title = format!("`{}` is not a color", token.text);
        let fault = binder.fault("stacking::color", title, token.range.clone(), format!("expected {COLORS}"));
        board::suggest(fault, &token.text, |near| meant(near).is_some());
    }
    color
}

/// What a cell may say.
pub(super) const COLORS: &str = "`0`, `w` or `.` (white), `1` or `r` (red), `2` or `b` (blue)";

/// The color that a cell says.
pub(super) fn meant(cell: &str) -> Option<Color> {
    match cell {
        "0" | "." | "w" => Some(Color::White),
        "1" | "r" => Some(Color::Red),
        "2" | "b" => Some(Color::Blue),
        _ => None,
    }
}

fn placed(binder: &mut Binder<'_>, number: usize, piece: Spanned<PieceDoc>) -> Placed {
    let Spanned { value: PieceDoc { at, facing }, range } = piece;
    let mut lacks = |key| {
        let title = format!("`{key}` of piece {number} is missing");
        binder.fault(
            "stacking::piece",
            title,
            range.clone(),
            "expected `{ at = [row, column], facing = … }`",
        );
    };
    if at.is_none() {
        lacks("at");
    }
    if facing.is_none() {
        lacks("facing");
    }
    let at = at.and_then(|at| {
        let pair = <[i64; 2]>::try_from(at.value);
        let pair = pair.map_err(|numbers| {
            let numbers = count(numbers.len() as u64, "number");
            let title = format!("`at` of piece {number} has {numbers}");
            binder.fault("stacking::piece", title, at.range.clone(), "expected `[row, column]`");
        });
        Some(Spanned { value: pair.ok()?, range: at.range })
    });
    Placed { at, facing }
}

/// The start as typed.
#[derive(Serialize)]
pub(super) struct Written {
    board: String,
    pieces: Vec<WrittenPiece>,
}

#[derive(Serialize)]
struct WrittenPiece {
    at: [usize; 2],
    facing: Dir,
}

pub(super) fn write(setup: &Setup) -> Written {
    let mut board = String::new();
    for row in setup.board.iter_rows() {
        let cells: Vec<_> = row.iter().map(|&color| digit(color).to_string()).collect();
        let _ = writeln!(board, "{}", cells.join(" "));
    }
    let piece =
        |piece: &Piece| WrittenPiece { at: [piece.at.row + 1, piece.at.col + 1], facing: piece.facing };
    Written { board, pieces: setup.pieces.iter().map(piece).collect() }
}
