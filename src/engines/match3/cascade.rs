//! A game under way: swap by swap, round by round.
//!
//! The cost of a skipped swap does not depend on the board, and that of a round on what was lost and on what fell.
//! Nothing is allocated after the start unless somebody watches.

use crate::engine::Observer;
use crate::grid::{Grid, Pos};

use super::blocks::Blocks;
use super::columns::Columns;
use super::event::{Event, Outcome};
use super::exchange::{exchange, matching, on_board};
use super::fall::fall;
use super::lines;
use super::losses::{Losses, Touched};
use super::rules::{Hands, Rules, Setup, Skip, Swap};
use super::score::{self, Primary, Tally};
use super::special;

/// A game under way.
#[derive(Clone, Debug)]
pub struct State {
    board: Columns,
    losses: Losses,
    fallen: Touched,
    blocks: Blocks,
    pieces: usize,
    tally: Tally,
    step: Step,
    /// The primary colors of the last five valid swaps; the one numbered n from 1 stands at n modulo 5.
    last_five: [Primary; 5],
}

/// What became of the last swap, or the one under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its number from 1; 0 before the first.
    pub number: u64,
    /// Why it was skipped, if it was.
    pub skipped: Option<Skip>,
    /// Rounds so far.
    pub rounds: u64,
    /// Its primary colors, the one brought to the first cell before the other; 0 for none.
    pub primary: [u8; 2],
}

impl State {
    pub(super) fn new(setup: &Setup) -> Self {
        Self::on(Columns::new(&setup.board, &setup.specials))
    }

    /// The start on a board on which no line stands.
    pub(super) fn on(board: Columns) -> Self {
        Self {
            losses: Losses::new(&board),
            fallen: Touched::new(&board),
            blocks: Blocks::new(&board),
            pieces: board.heights.iter().map(|&height| usize::from(height)).sum(),
            tally: Tally::default(),
            step: Step::default(),
            last_five: [[0; 2]; 5],
            board,
        }
    }

    /// The colors on the board, 0 where it is empty.
    pub fn board(&self) -> Grid<u8> {
        self.board.grid(&self.board.colors)
    }

    /// The special effects on the board, 0 for none.
    pub fn specials(&self) -> Grid<u8> {
        self.board.grid(&self.board.specials)
    }

    /// The points and counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What became of the last swap, or the one under way.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Whether the board is empty.
    pub fn is_cleared(&self) -> bool {
        self.pieces == 0
    }

    /// The swaps that would not be skipped, each of a cell and its right or lower neighbour: in reading order of the
    /// cell, right before down.
    pub(super) fn matching(&self, rules: &Rules) -> Vec<Swap> {
        let matching = if rules.is_plain() { matching::<true> } else { matching::<false> };
        matching(&self.board, rules.line)
    }

    /// Makes the next swap, or skips it.
    pub(super) fn make(&mut self, swap: Swap, rules: &Rules) {
        if rules.is_plain() {
            self.swap::<true, ()>(swap, rules, &mut ());
        } else {
            self.swap::<false, ()>(swap, rules, &mut ());
        }
    }
}

/// Plays from the start to the end.
pub(super) fn play<O: Observer<State, Event>>(setup: &Setup, observer: &mut O) -> Outcome {
    if setup.rules.is_plain() {
        play_all::<true, O>(setup, observer)
    } else {
        play_all::<false, O>(setup, observer)
    }
}

/// `PLAIN` when lines and blocks are those of the statement.
fn play_all<const PLAIN: bool, O: Observer<State, Event>>(setup: &Setup, observer: &mut O) -> Outcome {
    let rules = &setup.rules;
    let mut state = State::new(setup);
    observer.on(&state, || Event::Start);
    for &swap in &setup.swaps {
        state.swap::<PLAIN, O>(swap, rules, observer);
    }
    state.end(setup, observer);
    Outcome { state }
}

impl State {
    /// Makes the next swap, or skips it.
    #[inline]
    fn swap<const PLAIN: bool, O: Observer<Self, Event>>(
        &mut self,
        swap: Swap,
        rules: &Rules,
        observer: &mut O,
    ) {
        let number = self.step.number + 1;
        self.step = Step { number, ..Step::default() };
        match exchange::<PLAIN>(&mut self.board, swap, rules.line) {
            Ok(primary) => {
                self.step.primary = primary;
                self.eliminate::<PLAIN, O>(swap, rules, observer);
            }
            Err(reason) => {
                self.step.skipped = Some(reason);
                observer.on(self, || Event::Skipped { number, swap, reason });
            }
        }
    }

    /// Plays the rounds of a swap that was just exchanged, and scores it.
    fn eliminate<const PLAIN: bool, O: Observer<Self, Event>>(
        &mut self,
        swap: Swap,
        rules: &Rules,
        observer: &mut O,
    ) {
        let line = if PLAIN { 3 } else { rules.line };
        let before = self.tally.clone();
        self.losses.fresh = observer.active().then(Vec::new);
        observer.on(self, || Event::Swap { swap });
        for (col, row) in on_board(&self.board, swap).into_iter().flatten() {
            lines::take_through(&self.board, &mut self.losses, col, row, line);
        }
        while self.losses.count > 0 {
            self.step.rounds += 1;
            let cells = self.fresh();
            observer.on(self, || Event::LineMatched { cells });
            self.score_blocks(line, rules, observer);
            self.act_specials(rules, observer);
            let points = self.losses.sum * self.step.rounds as i64;
            self.tally.elimination += points;
            let lost = self.losses.count;
            self.fall();
            observer.on(self, || Event::Fall { lost, points });
            if PLAIN {
                lines::take_threes(&self.board, &mut self.losses, &self.fallen);
            } else {
                lines::take_lines(&self.board, &mut self.losses, &self.fallen, line);
            }
            self.fallen.clear();
        }
        self.tally.rounds += self.step.rounds;
        self.tally.chain += rules.points.of_chain(self.step.rounds);
        self.score_hand(rules, observer);
        observer.on(self, || Event::SwapScored {
            number: self.step.number,
            swap,
            elimination: self.tally.elimination - before.elimination,
            chain: self.tally.chain - before.chain,
            combo: self.tally.combo - before.combo,
        });
    }

    fn score_blocks<O: Observer<Self, Event>>(&mut self, line: usize, rules: &Rules, observer: &mut O) {
        let points_of = |size: usize| rules.points.of_block(size as u64, line);
        // Every block has a line's pieces or more: so few are one block.
        if self.losses.count < line.saturating_mul(2) && self.losses.fresh.is_none() {
            self.tally.combo += points_of(self.losses.count);
            return;
        }
        let Self { board, losses, blocks, tally, .. } = self;
        let mut found = Vec::new();
        blocks.for_each(board, losses, rules.blocks_join, |block| {
            let points = points_of(block.len());
            tally.combo += points;
            if losses.fresh.is_some() && block.len() > line {
                found.push((block.to_vec(), points));
            }
        });
        for (block, points) in found {
            let cells = self.positions(block.into_iter().map(|cell| cell as usize));
            observer.on(self, || Event::Combo { cells, points });
        }
    }

    fn act_specials<O: Observer<Self, Event>>(&mut self, rules: &Rules, observer: &mut O) {
        let mut next = 0;
        while let Some(&cell) = self.losses.triggered.get(next) {
            next += 1;
            let cell = cell as usize;
            special::act(&self.board, &mut self.losses, cell, rules);
            let cells = self.fresh();
            observer.on(self, || Event::Special {
                effect: self.board.specials[cell],
                at: self.board.pos(cell),
                cells,
            });
        }
    }

    fn fall(&mut self) {
        // Those that acted still lie on the board.
        let with_specials = self.losses.specials + self.losses.triggered.len() > 0;
        self.losses.triggered.clear();
        self.pieces -= self.losses.count;
        fall(&mut self.board, &mut self.losses, with_specials);
        std::mem::swap(&mut self.losses.touched, &mut self.fallen);
        self.fallen.cols.sort_unstable();
        self.losses.clear();
    }

    fn score_hand<O: Observer<Self, Event>>(&mut self, rules: &Rules, observer: &mut O) {
        self.tally.valid_swaps += 1;
        let newest = (self.tally.valid_swaps % 5) as usize;
        self.last_five[newest] = self.step.primary;
        let complete = match rules.hands {
            Hands::Fives => newest == 0,
            Hands::Sliding => self.tally.valid_swaps >= 5,
        };
        if complete {
            let oldest_first = std::array::from_fn(|i| self.last_five[(newest + 1 + i) % 5]);
            let hand = score::hand(oldest_first, rules);
            self.tally.hands += hand.points;
            observer.on(self, || Event::Hand { hand });
        }
    }

    fn end<O: Observer<Self, Event>>(&mut self, setup: &Setup, observer: &mut O) {
        let points = &setup.rules.points;
        if self.tally.valid_swaps == setup.swaps.len() as u64 {
            self.tally.endgame = points.all_valid;
            observer.on(self, || Event::AllValid { points: points.all_valid });
        }
        if self.is_cleared() {
            self.tally.endgame += points.cleared;
            observer.on(self, || Event::Cleared { points: points.cleared });
        }
    }

    /// The places of the pieces lost since the last call; empty when nobody watches.
    fn fresh(&mut self) -> Vec<Pos> {
        match &mut self.losses.fresh {
            None => Vec::new(),
            Some(fresh) => {
                let fresh = std::mem::take(fresh);
                self.positions(fresh.into_iter())
            }
        }
    }

    /// The places of cells, in reading order.
    fn positions(&self, cells: impl Iterator<Item = usize>) -> Vec<Pos> {
        let mut places: Vec<_> = cells.map(|cell| self.board.pos(cell)).collect();
        places.sort_unstable();
        places
    }
}
