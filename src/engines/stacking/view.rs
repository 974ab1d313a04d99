//! What people see of a game, and what its events are called.

use std::fmt::Write as _;

use super::Stacking;
use super::rules::{Blocked, Color, Event, Red, Setup, State, What};
use crate::diagnostic::{CodeSpec, count};
use crate::engine::Engine;
use crate::grid::{Dir, Grid, Pos};
use crate::trace::{Cell, Frame, Picture};

/// The events, each by the rule that acts.
pub(super) const EVENTS: &[CodeSpec] = &[
    CodeSpec { code: "stacking::start", about: "the pieces stand where they start" },
    CodeSpec { code: "stacking::white-stacked", about: "a piece moved to a white square" },
    CodeSpec {
        code: "stacking::red-reversed",
        about: "a piece moved to a red square, where those who moved were reversed",
    },
    CodeSpec {
        code: "stacking::blue-turned",
        about: "a piece faced blue or the edge, turned round and moved to a white square",
    },
    CodeSpec {
        code: "stacking::blue-turned-red-reversed",
        about: "a piece faced blue or the edge, turned round and moved to a red square",
    },
    CodeSpec { code: "stacking::blocked", about: "blue or the edge before and behind a piece: it stayed" },
    CodeSpec {
        code: "stacking::not-lowest",
        about: "a piece stayed because it is not the lowest of its stack",
    },
    CodeSpec {
        code: "stacking::tall-stack",
        about: "a stack reached the height limit: the game and its last turn are over",
    },
    CodeSpec { code: "stacking::turn-over", about: "all pieces had their move, and the game goes on" },
    CodeSpec { code: "stacking::cycle", about: "a position came back, so the game never ends" },
    CodeSpec { code: "stacking::turn-limit", about: "the last turn that counts is over" },
    CodeSpec {
        code: "stacking::undecided",
        about: "the game was given up: too many turns without an answer",
    },
];

fn rule(setup: &Setup, what: &What) -> &'static str {
    match *what {
        What::Start => "stacking::start",
        What::Moved { to, turned, .. } => match (turned, setup.board[to] == Color::Red) {
            (false, false) => "stacking::white-stacked",
            (false, true) => "stacking::red-reversed",
            (true, false) => "stacking::blue-turned",
            (true, true) => "stacking::blue-turned-red-reversed",
        },
        What::Blocked { .. } => "stacking::blocked",
        What::NotLowest { .. } => "stacking::not-lowest",
        What::TallStack { .. } => "stacking::tall-stack",
        What::TurnOver => "stacking::turn-over",
        What::Cycle { .. } => "stacking::cycle",
        What::TurnLimit { .. } => "stacking::turn-limit",
        What::Undecided => "stacking::undecided",
    }
}

pub(super) fn frame(setup: &Setup, state: &State, event: &Event) -> Frame {
    let marked = match event.what {
        What::Moved { from, to, .. } => vec![from, to],
        What::Blocked { piece } | What::NotLowest { piece } => vec![state.place(piece)],
        What::TallStack { at, .. } => vec![at],
        _ => vec![],
    };
    let facings: Vec<_> = state.facings().map(arrow).collect();
    let pieces = |at| stack(state, at, |piece| format!("{}{}", piece + 1, facings[piece]));
    let colors = |at| letter(setup.board[at]).to_owned();
    Frame {
        step: Stacking::at(state),
        rule: rule(setup, &event.what).to_owned(),
        text: text(setup, state, &event.what, event.turn),
        boards: vec![picture("board", setup, &marked, colors), picture("pieces", setup, &marked, pieces)],
    }
}

fn picture(title: &str, setup: &Setup, marked: &[Pos], text: impl Fn(Pos) -> String) -> Picture {
    let side = setup.board.cols();
    let cell = |at| Cell { text: text(at), marked: marked.contains(&at) };
    let rows = (0..side).map(|row| (0..side).map(|col| cell(Pos::new(row, col))).collect()).collect();
    Picture { title: title.to_owned(), rows }
}

/// What happened, in one line.
fn text(setup: &Setup, state: &State, what: &What, turn: u64) -> String {
    let side = setup.board.cols();
    let pieces = count(setup.pieces.len() as u64, "piece");
    match *what {
        What::Start => format!("{pieces} on a {side} by {side} board"),
        What::Moved { piece, ref carried, from, to, turned } => {
            moved(setup, state, piece, carried, (from, to), turned)
        }
        What::Blocked { piece } => {
            let (at, facing) = (state.place(piece), facing(state, piece));
            let (ahead, behind) = match setup.rules.blocked {
                Blocked::KeepsTurned => (facing.opposite(), format!("turned to face {facing}")),
                Blocked::TurnsBack => (facing, format!("facing {facing} as before")),
            };
            let (ahead, back) = (barrier(setup, at, ahead), barrier(setup, at, ahead.opposite()));
            let both = if ahead == back {
                format!("{ahead} on both sides")
            } else {
                format!("{ahead} ahead and {back} behind")
            };
            format!("piece {} is blocked at {}, {both}: it stays, {behind}", piece + 1, place(at))
        }
        What::NotLowest { piece } => format!(
            "piece {} stays: it is not the lowest of {} at {}",
            piece + 1,
            stack(state, state.place(piece), number),
            place(state.place(piece)),
        ),
        What::TallStack { at, height } => {
            format!("{} stand at {}: the game ends in turn {turn}", count(height as u64, "piece"), place(at))
        }
        What::TurnOver => {
            format!("the turn is over; the highest stack has {}", count(state.tallest().1 as u64, "piece"))
        }
        What::Cycle { first, again } => {
            let limit = setup.rules.turn_limit;
            let rest = match limit - again {
                0 => String::new(),
                _ if first + 1 == again => {
                    format!(": turn {again} repeats up to turn {limit}, the turn limit")
                }
                _ => format!(": turns {} to {again} repeat up to turn {limit}, the turn limit", first + 1),
            };
            format!(
                "the position after turn {again} is that after turn {first}, so the game never ends{rest}"
            )
        }
        What::TurnLimit { like: None } => format!("the game has not ended within {}", count(turn, "turn")),
        What::TurnLimit { like: Some(like) } => {
            format!("the last turn that counts; the position is that after turn {like}")
        }
        What::Undecided => format!("no answer after {}: the game is given up", count(turn, "turn")),
    }
}

/// `piece 3, carrying 1, moves right to (2, 3), red: the two are reversed; there now 4-1-3`.
fn moved(
    setup: &Setup,
    state: &State,
    piece: usize,
    carried: &[usize],
    (from, to): (Pos, Pos),
    turned: bool,
) -> String {
    let facing = facing(state, piece);
    let mut text = format!("piece {}", piece + 1);
    if !carried.is_empty() {
        let carried: Vec<_> = carried.iter().map(|&piece| number(piece)).collect();
        let _ = write!(text, ", carrying {},", carried.join("-"));
    }
    if turned {
        let _ = write!(text, " turns round before {} and", barrier(setup, from, facing.opposite()));
    }
    let _ = write!(text, " moves {facing} to {}", place(to));
    let height = state.stack(to).len();
    if setup.board[to] == Color::Red {
        text.push_str(", red");
        match (setup.rules.red, carried.len() + 1) {
            (Red::WholeStack, _) if height > 1 => text.push_str(": the whole stack is reversed"),
            (Red::Moved, moved @ 2..) => {
                let _ = write!(text, ": the {} are reversed", amount(moved));
            }
            _ => {}
        }
    }
    if height > 1 {
        let _ = write!(text, "; there now {}", stack(state, to, number));
    }
    text
}

/// Why nobody can enter the square next to `at`.
fn barrier(setup: &Setup, at: Pos, dir: Dir) -> &'static str {
    let next = at.step(dir).filter(|&next| setup.board.contains(next));
    if next.is_some() { "blue" } else { "the edge" }
}

fn facing(state: &State, piece: usize) -> Dir {
    state.facings().nth(piece).unwrap_or(Dir::Right)
}

fn place(at: Pos) -> String {
    format!("({}, {})", at.row + 1, at.col + 1)
}

fn number(piece: usize) -> String {
    (piece + 1).to_string()
}

fn amount(pieces: usize) -> String {
    match pieces {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        _ => pieces.to_string(),
    }
}

/// The pieces on a square, from bottom to top, joined by `-`; `.` where nobody stands.
fn stack(state: &State, at: Pos, piece: impl FnMut(usize) -> String) -> String {
    match state.stack(at).map(piece).collect::<Vec<_>>() {
        pieces if pieces.is_empty() => ".".to_owned(),
        pieces => pieces.join("-"),
    }
}

fn arrow(facing: Dir) -> char {
    match facing {
        Dir::Right => '>',
        Dir::Left => '<',
        Dir::Up => '^',
        Dir::Down => 'v',
    }
}

fn letter(color: Color) -> &'static str {
    match color {
        Color::White => ".",
        Color::Red => "r",
        Color::Blue => "b",
    }
}

/// Returns the pieces on each square.
pub(super) fn stacks(state: &State) -> Grid<String> {
    Grid::from_fn(state.size(), state.size(), |at| stack(state, at, number))
}
