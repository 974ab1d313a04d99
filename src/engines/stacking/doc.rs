//! The keys of a scenario: what an author types, read into a legal start and written back.

use std::fmt::Write as _;
use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;

use super::legal::{COUNT, Placed, SIDE, pieces};
use super::rules::{Blocked, Color, Ends, MAX_TURNS, Movers, Red, Rules, Setup};
use super::stdio::digit;
use crate::board::{self, BoardText, Token};
use crate::diagnostic::{Diagnostic, count};
use crate::engine::Binder;
use crate::grid::{Dir, Grid};
use crate::spanned::Spanned;

/// The keys of a stacking scenario.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// The colours of the squares, as many rows as columns: `0`, `w` or `.` is white, `1` or `r` is red, `2` or
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
    #[schemars(extend("enum" = ["right", "left", "up", "down"]))]
    facing: Option<Spanned<String>>,
}

/// The house rules of a stacking scenario; what is not typed is the statement's.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesDoc {
    /// The number of pieces on one square that ends the game, at least 2; 4 in the statement.
    #[schemars(range(min = 2))]
    height_limit: Option<Spanned<i64>>,
    /// The last turn in which the game may end, 1 to 10^15; 1000 in the statement.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000i64))]
    turn_limit: Option<Spanned<i64>>,
    /// Who moves when it is a piece's move: `from-piece` (the statement: the piece and all on it) or `lowest` (the
    /// whole stack if the piece is its lowest, else nobody).
    #[schemars(extend("enum" = ["from-piece", "lowest"]))]
    moves: Option<Spanned<String>>,
    /// What becomes of a piece that can move neither way: `keeps-turned` (the statement: it stays turned round) or
    /// `turns-back` (it faces as before).
    #[schemars(extend("enum" = ["keeps-turned", "turns-back"]))]
    blocked: Option<Spanned<String>>,
    /// When the height of the stacks is looked at: `at-once` (the statement: after every move) or `after-turn`.
    #[schemars(extend("enum" = ["at-once", "after-turn"]))]
    ends: Option<Spanned<String>>,
    /// Who is reversed on red: `moved` (the statement: those who arrive) or `whole-stack` (all who then stand there).
    #[schemars(extend("enum" = ["moved", "whole-stack"]))]
    red: Option<Spanned<String>>,
    /// How many moves of pieces are played before the game is given up without an answer, at least 1: one for each piece
    /// in each turn, blocked or not, in whole turns alone. Only games with many pieces and a high turn limit need so
    /// many. Default: 200000000, some seconds.
    #[schemars(range(min = 1))]
    budget: Option<Spanned<i64>>,
}

const MOVES: [(&str, Movers); 2] = [("from-piece", Movers::FromPiece), ("lowest", Movers::Lowest)];
const BLOCKED: [(&str, Blocked); 2] =
    [("keeps-turned", Blocked::KeepsTurned), ("turns-back", Blocked::TurnsBack)];
const ENDS: [(&str, Ends); 2] = [("at-once", Ends::AtOnce), ("after-turn", Ends::AfterTurn)];
const RED: [(&str, Red); 2] = [("moved", Red::Moved), ("whole-stack", Red::WholeStack)];

pub(super) fn rules(doc: RulesDoc, binder: &mut Binder<'_>) -> Option<Rules> {
    let default = Rules::default();
    let height_limit =
        limit(binder, doc.height_limit, "height_limit", 2, i64::MAX as u64, default.height_limit);
    let turn_limit = limit(binder, doc.turn_limit, "turn_limit", 1, MAX_TURNS, default.turn_limit);
    let budget = limit(binder, doc.budget, "budget", 1, i64::MAX as u64, default.budget);
    let moves = choice(binder, doc.moves, "moves", &MOVES);
    let blocked = choice(binder, doc.blocked, "blocked", &BLOCKED);
    let ends = choice(binder, doc.ends, "ends", &ENDS);
    let red = choice(binder, doc.red, "red", &RED);
    Some(Rules {
        height_limit: height_limit?,
        turn_limit: turn_limit?,
        moves: moves?,
        blocked: blocked?,
        ends: ends?,
        red: red?,
        budget: budget?,
    })
}

fn limit(
    binder: &mut Binder<'_>,
    typed: Option<Spanned<i64>>,
    key: &str,
    least: u64,
    most: u64,
    default: u64,
) -> Option<u64> {
    let Some(typed) = typed else { return Some(default) };
    let number = u64::try_from(typed.value).ok().filter(|number| (least..=most).contains(number));
    if number.is_none() {
        let title = format!("`{key}` is {}", typed.value);
        let label = match typed.value {
            value if value < least as i64 => format!("expected at least {least}"),
            _ => format!("expected at most {most}"),
        };
        binder.fault("stacking::limit", title, typed.range, label);
    }
    number
}

/// What was typed for the house rule `key`, or its first choice.
fn choice<T: Copy>(
    binder: &mut Binder<'_>,
    typed: Option<Spanned<String>>,
    key: &str,
    choices: &[(&str, T)],
) -> Option<T> {
    let Some(typed) = typed else { return choices.first().map(|&(_, choice)| choice) };
    word(binder, &typed, ("stacking::choice", &format!("a choice of `{key}`")), choices)
}

fn word<T: Copy>(
    binder: &mut Binder<'_>,
    typed: &Spanned<String>,
    (code, what): (&'static str, &str),
    known: &[(&str, T)],
) -> Option<T> {
    let meant = known.iter().find(|(name, _)| *name == typed.value).map(|&(_, value)| value);
    if meant.is_none() {
        let word = if typed.value.is_empty() { "an empty word" } else { &format!("`{}`", typed.value) };
        let fault = Diagnostic::new(code, format!("{word} is not {what}"))
            .label(binder.span(typed.range.clone()), format!("expected {what}"))
            .suggest(&typed.value, known.iter().map(|&(name, _)| name));
        binder.push(fault);
    }
    meant
}

pub(super) fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    if doc.board.is_none() {
        binder.missing("board", "type the colours of the squares, row by row, in `board`");
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

/// The colour that a cell says.
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
    let directions = Dir::ALL.map(|dir| (dir.name(), dir));
    let facing =
        facing.and_then(|facing| word(binder, &facing, ("stacking::facing", "a direction"), &directions));
    Placed { at, facing }
}

pub(super) fn write(setup: &Setup) -> String {
    let mut text = "board = \"\"\"\n".to_owned();
    for row in setup.board.iter_rows() {
        let cells: Vec<_> = row.iter().map(|&color| digit(color).to_string()).collect();
        let _ = writeln!(text, "{}", cells.join(" "));
    }
    text.push_str("\"\"\"\npieces = [\n");
    for piece in &setup.pieces {
        let (row, col) = (piece.at.row + 1, piece.at.col + 1);
        let _ = writeln!(text, "  {{ at = [{row}, {col}], facing = \"{}\" }},", piece.facing);
    }
    text.push_str("]\n");
    let rules = changed(&setup.rules);
    if !rules.is_empty() {
        let _ = writeln!(text, "rules = {{ {} }}", rules.join(", "));
    }
    text
}

/// The house rules that are not the statement's, as typed.
fn changed(rules: &Rules) -> Vec<String> {
    let default = Rules::default();
    let number = |key, value: u64, default| (value != default).then(|| format!("{key} = {value}"));
    [
        number("height_limit", rules.height_limit, default.height_limit),
        number("turn_limit", rules.turn_limit, default.turn_limit),
        typed("moves", &rules.moves, &MOVES),
        typed("blocked", &rules.blocked, &BLOCKED),
        typed("ends", &rules.ends, &ENDS),
        typed("red", &rules.red, &RED),
        number("budget", rules.budget, default.budget),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn typed<T: PartialEq>(key: &str, value: &T, choices: &[(&str, T)]) -> Option<String> {
    let chosen = choices.iter().skip(1).find(|(_, choice)| choice == value)?;
    Some(format!("{key} = \"{}\"", chosen.0))
}
