//! A game as people see it: frames of a replay, and the ledger that explains the score.

use std::ops::Range;

use crate::diagnostic::count;
use crate::engine::{Engine, Observer};
use crate::grid::{Grid, Pos};
use crate::trace::{Cell, Frame, Picture, Table};

use super::Match3;
use super::cascade::{State, play};
use super::event::Event;
use super::rules::{Setup, Spot, Swap};

/// The rule that acts in an event.
pub(super) fn code(event: &Event) -> &'static str {
    match event {
        Event::Start => "match3::start",
        Event::Swap { .. } => "match3::swap",
        Event::Skipped { .. } => "match3::skipped",
        Event::LineMatched { .. } => "match3::line-matched",
        Event::Combo { .. } => "match3::combo",
        Event::Special { effect: 1, .. } => "match3::special-row",
        Event::Special { effect: 2, .. } => "match3::special-column",
        Event::Special { effect: 3, .. } => "match3::special-cross",
        Event::Special { effect: 4, .. } => "match3::special-small-square",
        Event::Special { effect: 5, .. } => "match3::special-large-square",
        Event::Special { .. } => "match3::special-color",
        Event::Fall { .. } => "match3::fall",
        Event::Hand { .. } => "match3::hand",
        Event::SwapScored { .. } => "match3::swap-scored",
        Event::AllValid { .. } => "match3::all-valid",
        Event::Cleared { .. } => "match3::cleared",
    }
}

/// What people see of an event.
pub(super) fn frame(state: &State, event: &Event) -> Frame {
    let marked = marked(event);
    let (board, specials) = (state.board(), state.specials());
    let mut boards = vec![picture("", &board, &marked)];
    if specials.cells().iter().any(|&special| special != 0) {
        boards[0].title = "colors".into();
        boards.push(picture("specials", &specials, &marked));
    }
    Frame { step: Match3::at(state), rule: code(event).into(), text: text(state, event), boards }
}

/// A number in a cell, or a point for 0.
pub(super) fn cell(number: u8) -> String {
    if number == 0 { ".".into() } else { number.to_string() }
}

fn picture(title: &str, grid: &Grid<u8>, marked: &[Pos]) -> Picture {
    let marks = |pos: &Pos| marked.binary_search(pos).is_ok();
    let cells: Vec<_> =
        grid.iter().map(|(pos, &number)| Cell { text: cell(number), marked: marks(&pos) }).collect();
    Picture { title: title.into(), rows: cells.chunks(grid.cols()).map(<[Cell]>::to_vec).collect() }
}

/// The cells that an event is about, in reading order.
fn marked(event: &Event) -> Vec<Pos> {
    let mut cells = match event {
        Event::Swap { swap } | Event::Skipped { swap, .. } => {
            let pos = |spot: Spot| {
                let from_zero = |number: i32| usize::try_from(number.checked_sub(1)?).ok();
                Some(Pos::new(from_zero(spot.row)?, from_zero(spot.col)?))
            };
            [swap.first, swap.second].into_iter().filter_map(pos).collect()
        }
        Event::LineMatched { cells } | Event::Combo { cells, .. } => cells.clone(),
        Event::Special { at, cells, .. } => cells.iter().copied().chain([*at]).collect(),
        _ => Vec::new(),
    };
    cells.sort_unstable();
    cells
}

fn text(state: &State, event: &Event) -> String {
    let step = state.step();
    match event {
        Event::Start => "the game begins".into(),
        Event::Swap { swap } => format!("{} change places", both(*swap)),
        Event::Skipped { swap, reason, .. } => {
            format!("{} are skipped: {}", both(*swap), reason.name())
        }
        Event::LineMatched { cells } => {
            format!("round {}: lines match {}", step.rounds, count(cells.len() as u64, "piece"))
        }
        Event::Combo { cells, points } => {
            format!("a block of {}: {}", count(cells.len() as u64, "piece"), worth(*points))
        }
        Event::Special { effect, at, cells } => {
            let pieces = count(cells.len() as u64, "more piece");
            format!("special {effect} on ({}, {}) hits {pieces}", at.row + 1, at.col + 1)
        }
        Event::Fall { lost, points } => {
            let pieces = count(*lost as u64, "piece");
            format!("round {}: {pieces} gone, the rest falls: {}", step.rounds, worth(*points))
        }
        Event::Hand { hand } => {
            format!("hand {}: {}: {}", colors(&hand.colors), hand.kind.name(), worth(hand.points))
        }
        Event::SwapScored { elimination, chain, combo, .. } => format!(
            "the swap is over: {}, {elimination} elimination, {chain} chain and {combo} combo points",
            count(step.rounds, "round")
        ),
        Event::AllValid { points } => format!("every swap was valid: {}", worth(*points)),
        Event::Cleared { points } => format!("the board is empty: {}", worth(*points)),
    }
}

fn worth(points: i64) -> String {
    count(points.unsigned_abs(), "point")
}

fn both(swap: Swap) -> String {
    let [row1, col1, row2, col2] = swap.numbers();
    format!("({row1}, {col1}) and ({row2}, {col2})")
}

fn colors(colors: &[u8]) -> String {
    colors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The swaps at the beginning and at the end of a game that the ledger has.
const LEDGER_HEAD: u64 = 40;
const LEDGER_TAIL: u64 = 20;

/// The ledger: a row a swap, a row a hand, the endgame and the score; of a long game without its middle.
pub(super) fn ledger(setup: &Setup) -> Table {
    let left_out = LEDGER_HEAD + 1..(setup.swaps.len() as u64 + 1).saturating_sub(LEDGER_TAIL);
    let mut book = Book { rows: Vec::new(), left_out };
    let outcome = play(setup, &mut book);
    let score = outcome.tally().score();
    book.bonus("", "score", score);
    let head = ["swap", "cells", "result", "rounds", "elimination", "chain", "combo", "points", "running"];
    Table { head: head.map(str::to_owned).to_vec(), rows: book.rows }
}

struct Book {
    rows: Vec<Vec<String>>,
    /// The swaps that have no rows.
    left_out: Range<u64>,
}

impl Book {
    fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    fn bonus(&mut self, colors: &str, what: &str, points: i64) {
        let mut cells: [String; 9] = Default::default();
        (cells[1], cells[2], cells[7]) = (colors.into(), what.into(), points.to_string());
        self.row(cells);
    }
}

impl Observer<State, Event> for Book {
    fn active(&self) -> bool {
        true
    }

    fn next(&self, _: u64) -> Option<u64> {
        None
    }

    fn on(&mut self, state: &State, event: impl FnOnce() -> Event) {
        let step = state.step();
        if self.left_out.contains(&step.number) {
            return;
        }
        if step.number == self.left_out.end && !self.left_out.is_empty() {
            let swaps = count(self.left_out.end - self.left_out.start, "more swap");
            self.left_out = 0..0;
            let dots = || "…".to_owned();
            let what = String::new();
            self.row([dots(), swaps, what, dots(), dots(), dots(), dots(), dots(), dots()]);
        }
        let running = state.tally().running().to_string();
        let mut row = |swap: Swap, result: &str, numbers: [i64; 5]| {
            let [rounds, elimination, chain, combo, points] = numbers.map(|number| number.to_string());
            let (swap, number) = (both(swap), step.number.to_string());
            let running = running.clone();
            self.row([number, swap, result.into(), rounds, elimination, chain, combo, points, running]);
        };
        match event() {
            Event::Skipped { swap, reason, .. } => row(swap, reason.name(), [0; 5]),
            Event::SwapScored { swap, elimination, chain, combo, .. } => {
                let points = elimination + chain + combo;
                row(swap, "valid", [step.rounds as i64, elimination, chain, combo, points]);
            }
            Event::Hand { hand } => self.bonus(&colors(&hand.colors), hand.kind.name(), hand.points),
            Event::AllValid { points } => self.bonus("", "all-valid", points),
            Event::Cleared { points } => self.bonus("", "cleared", points),
            _ => {}
        }
    }
}
