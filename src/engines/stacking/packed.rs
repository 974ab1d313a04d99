//! The statement's rules on boards up to 16 by 16 with up to 15 pieces: a game in three small arrays.
//!
//! A piece is `square * 4 + direction`; what a move makes of it depends on the colors alone, so it is looked up
//! once and kept. A square's stack is a number of four bits a piece, the bottom one lowest: while the game goes
//! on it holds at most three.

use super::cycle::Table;
use super::rules::{Color, Rules, Setup, aim};
use crate::grid::{Dir, Grid, Pos};

const SIDE: usize = 16;
const SQUARES: usize = SIDE * SIDE;
const PIECES: usize = 16;

/// A piece: its square in the upper bits, the index of its direction in the lower two.
const STATES: usize = SQUARES * 4;
const DIRECTION: u16 = 3;

/// What a move makes of a piece: the piece, and these marks.
const KNOWN: u16 = 1 << 15;
const STAYS: u16 = 1 << 14;
const REVERSES: u16 = 1 << 13;

/// The height that ends the game.
const TALL: u32 = 4;

pub(super) struct Packed<'s> {
    board: &'s Grid<Color>,
    count: usize,
    pieces: [u16; PIECES],
    /// By square; a piece's digit is its number from 1.
    stacks: [u16; SQUARES],
    /// By piece, where its move leads; 0 where nobody asked yet.
    next: [u16; STATES],
}

/// The pieces, and the stack that each of them stands in.
pub(super) struct Note {
    pieces: [u16; PIECES],
    stacks: [u16; PIECES],
}

impl<'s> Packed<'s> {
    /// The start of a game, or `None` for house rules or a size that do not fit.
    pub(super) fn new(setup: &'s Setup) -> Option<Self> {
        let rules = &setup.rules;
        let statement = Rules { turn_limit: rules.turn_limit, budget: rules.budget, ..Rules::default() };
        if *rules != statement || setup.board.cols() > SIDE || setup.pieces.len() >= PIECES {
            return None;
        }
        let mut game = Self {
            board: &setup.board,
            count: setup.pieces.len(),
            pieces: [0; PIECES],
            stacks: [0; SQUARES],
            next: [0; STATES],
        };
        for (i, piece) in setup.pieces.iter().enumerate() {
            let code = code(piece.at, piece.facing);
            game.pieces[i] = code;
            game.stacks[square(code)] = i as u16 + 1;
        }
        Some(game)
    }

    #[cold]
    #[inline(never)]
    fn learn(&mut self, piece: u16) -> u16 {
        let at = Pos::new(square(piece) / SIDE, square(piece) % SIDE);
        let aim = aim(self.board, at, Dir::ALL[usize::from(piece & DIRECTION)]);
        let next = match aim.to {
            None => KNOWN | STAYS | code(at, aim.facing),
            Some(to) if self.board[to] == Color::Red => KNOWN | REVERSES | code(to, aim.facing),
            Some(to) => KNOWN | code(to, aim.facing),
        };
        self.next[usize::from(piece) % STATES] = next;
        next
    }

    /// Moves the piece with digit `digit` and those on it; whether the stack is tall then.
    fn carry(&mut self, digit: u16, from: usize, next: u16) -> bool {
        let (source, target) = (self.stacks[from], self.stacks[square(next)]);
        let below = match source {
            _ if source & 15 == digit => 0,
            _ if source >> 4 & 15 == digit => 4,
            _ => 8,
        };
        let moving = source >> below;
        let (height, count) = (digits(target), digits(moving));
        if height + count >= TALL {
            return true;
        }
        let landing = match count {
            _ if next & REVERSES == 0 => moving,
            2 => moving >> 4 | (moving & 15) << 4,
            3 => moving >> 8 | moving & 0xf0 | (moving & 15) << 8,
            _ => moving,
        };
        self.stacks[from] = source & ((1 << below) - 1);
        self.stacks[square(next)] = target | landing << (4 * height);
        let mut carried = moving >> 4;
        while carried != 0 {
            let piece = &mut self.pieces[usize::from(carried - 1) % PIECES];
            *piece = (square(next) as u16) << 2 | *piece & DIRECTION;
            carried >>= 4;
        }
        false
    }
}

fn code(at: Pos, facing: Dir) -> u16 {
    ((at.row * SIDE + at.col) * 4 + facing as usize) as u16
}

fn square(piece: u16) -> usize {
    usize::from(piece >> 2) % SQUARES
}

fn digits(stack: u16) -> u32 {
    (u16::BITS - stack.leading_zeros()).div_ceil(4)
}

impl Table for Packed<'_> {
    type Note = Note;

    #[inline]
    fn turn(&mut self) -> bool {
        for i in 0..self.count {
            let piece = self.pieces[i % PIECES];
            let mut next = self.next[usize::from(piece) % STATES];
            if next == 0 {
                next = self.learn(piece);
            }
            self.pieces[i % PIECES] = next % STATES as u16;
            if next & STAYS != 0 {
                continue;
            }
            let (from, to, digit) = (square(piece), square(next), i as u16 + 1);
            if self.stacks[from] == digit && self.stacks[to] == 0 {
                self.stacks[from] = 0;
                self.stacks[to] = digit;
            } else if self.carry(digit, from, next) {
                return true;
            }
        }
        false
    }

    fn note(&self) -> Note {
        Note { pieces: self.pieces, stacks: self.pieces.map(|piece| self.stacks[square(piece)]) }
    }

    /// Compares piece by piece: nearly always the first few differ.
    #[inline]
    fn is(&self, note: &Note) -> bool {
        let pieces = &self.pieces[..self.count];
        pieces.iter().zip(&note.pieces).all(|(piece, noted)| piece == noted)
            && pieces.iter().zip(&note.stacks).all(|(&piece, &noted)| self.stacks[square(piece)] == noted)
    }
}
