//! The depth-first search on boards of any size.
//!
//! It tries starts in reading order and steps up, left, right, down, so solutions come in lexicographic order. Easy
//! boards are solved by a short plain search. Where that finds no end, `Reach` tells which sums can still be added,
//! `Stock` bounds them by what is not walked yet, and on boards whose digits are nearly all wanted, `Room` sees
//! squares that can no more be walked.

use std::ops::ControlFlow;

use super::classic;
use super::paths::Path;
use super::reach::Reach;
use super::room::Room;
use super::rules::{Outcome, Setup};
use super::steps::{Step, Steps};
use super::stock::Stock;

/// Digits that a plain search may enter before pruning is prepared.
const PLAIN_NODES: u64 = 1_000;

/// Digits left from which a look at the stock pays.
const STOCK_FROM: usize = 3;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// All solutions were seen.
    All,
    /// Whoever saw them had enough.
    Stopped,
    /// The budget was spent.
    GaveUp,
}

/// The answer of a search, and its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The answer.
    pub outcome: Outcome,
    /// How many digits were entered.
    pub nodes: u64,
}

/// The first solution in lexicographic order.
pub fn first(setup: &Setup) -> Search {
    let mut squares = None;
    let (found, nodes) = each(setup, |path| {
        squares = Some(path.to_vec());
        ControlFlow::Break(())
    });
    let outcome = match (squares, found) {
        (Some(squares), _) => Outcome::Reached(Path::new(setup.board().squares().cols(), squares)),
        (None, Found::GaveUp) => Outcome::GaveUp,
        (None, _) => Outcome::NoPath,
    };
    Search { outcome, nodes }
}

/// Shows `see` the squares of every solution in order until it breaks; also tells how many digits were entered.
pub fn each(setup: &Setup, mut see: impl FnMut(&[u8]) -> ControlFlow<()>) -> (Found, u64) {
    let budget = setup.rules.budget;
    if setup.board.classic().is_some() {
        return (each_classic(setup, see), 0);
    }
    let steps = Steps::new(&setup.board);
    let mut plain = Descent::new(setup, &steps, (), PLAIN_NODES.min(budget));
    // What the plain search shows must not be shown again by the one that follows it.
    let mut seen = 0;
    let found = plain.run(&mut |path: &[u8]| {
        seen += 1;
        see(path)
    });
    if found != Found::GaveUp || budget <= PLAIN_NODES {
        return (found, plain.nodes);
    }
    let mut see = |path: &[u8]| {
        if seen > 0 {
            seen -= 1;
            return ControlFlow::Continue(());
        }
        see(path)
    };
    let left = budget - PLAIN_NODES;
    let (found, nodes) = if Reach::<4>::holds(setup.digits) {
        pruned::<4>(setup, &steps, left, &mut see)
    } else {
        pruned::<12>(setup, &steps, left, &mut see)
    };
    (found, PLAIN_NODES + nodes)
}

fn each_classic(setup: &Setup, mut see: impl FnMut(&[u8]) -> ControlFlow<()>) -> Found {
    for rank in 0..classic::number_of_paths(setup.digits) {
        let squares = classic::path(setup.digits, rank);
        let solves = setup.board.value(&Path::new(3, squares)) == setup.target;
        if solves && see(squares).is_break() {
            return Found::Stopped;
        }
    }
    Found::All
}

fn pruned<const W: usize>(
    setup: &Setup,
    steps: &Steps,
    budget: u64,
    see: &mut impl FnMut(&[u8]) -> ControlFlow<()>,
) -> (Found, u64) {
    let prune = Pruning {
        reach: Reach::<W>::new(steps, setup.digits),
        stock: Stock::new(&setup.board),
        room: Room::new(&setup.board, setup.digits),
    };
    let mut descent = Descent::new(setup, steps, prune, budget);
    (descent.run(see), descent.nodes)
}

/// Whether a path may still become a solution.
pub(super) trait Prune {
    /// `missing` is what the digits that are `left` must add once `step` is taken and `seen` is walked.
    fn hopeful(&self, step: &Step, missing: i64, left: usize, seen: u128) -> bool;
}

impl Prune for () {
    #[inline]
    fn hopeful(&self, _: &Step, missing: i64, left: usize, _: u128) -> bool {
        left > 0 || missing == 0
    }
}

/// All that is known, the cheapest first.
struct Pruning<const W: usize> {
    reach: Reach<W>,
    stock: Stock,
    room: Option<Room>,
}

impl<const W: usize> Prune for Pruning<W> {
    #[inline]
    fn hopeful(&self, step: &Step, missing: i64, left: usize, seen: u128) -> bool {
        self.reach.holds_sum(step, missing, left)
            && (left < STOCK_FROM || self.stock.suffices(missing, left, seen))
            && self.room.as_ref().is_none_or(|room| room.is_enough(step.square, left, seen))
    }
}

/// A search under way.
struct Descent<'s, P> {
    setup: &'s Setup,
    steps: &'s Steps,
    prune: P,
    budget: u64,
    nodes: u64,
    path: Vec<u8>,
}

/// Why a search stops before its end.
enum Stop {
    Enough,
    Budget,
}

impl<'s, P: Prune> Descent<'s, P> {
    fn new(setup: &'s Setup, steps: &'s Steps, prune: P, budget: u64) -> Self {
        Self { setup, steps, prune, budget, nodes: 0, path: Vec::with_capacity(2 * setup.digits - 1) }
    }

    fn run(&mut self, see: &mut impl FnMut(&[u8]) -> ControlFlow<()>) -> Found {
        match self.starts(see) {
            ControlFlow::Continue(()) => Found::All,
            ControlFlow::Break(Stop::Enough) => Found::Stopped,
            ControlFlow::Break(Stop::Budget) => Found::GaveUp,
        }
    }

    fn starts(&mut self, see: &mut impl FnMut(&[u8]) -> ControlFlow<()>) -> ControlFlow<Stop> {
        let squares = self.setup.board.squares().cells().len();
        for start in (0..squares as u8).step_by(2) {
            self.spend()?;
            self.path.push(start);
            let missing = self.setup.target.checked_sub(self.setup.board.digit(start));
            if let Some(missing) = missing {
                self.go_on(start, missing, self.setup.digits - 1, 1 << start, see)?;
            }
            self.path.pop();
        }
        ControlFlow::Continue(())
    }

    /// `left` digits more must add `missing`.
    fn go_on(
        &mut self,
        at: u8,
        missing: i64,
        left: usize,
        seen: u128,
        see: &mut impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> ControlFlow<Stop> {
        if left == 0 {
            return if missing == 0 && see(&self.path).is_break() {
                ControlFlow::Break(Stop::Enough)
            } else {
                ControlFlow::Continue(())
            };
        }
        for step in self.steps.from(at) {
            let seen_then = seen | step.squares;
            let missing = missing.saturating_sub(step.term);
            if seen & step.squares != 0 || !self.prune.hopeful(step, missing, left - 1, seen_then) {
                continue;
            }
            self.spend()?;
            self.path.extend([step.symbol, step.square]);
            self.go_on(step.square, missing, left - 1, seen_then, see)?;
            self.path.truncate(self.path.len() - 2);
        }
        ControlFlow::Continue(())
    }

    fn spend(&mut self) -> ControlFlow<Stop> {
        if self.nodes == self.budget {
            return ControlFlow::Break(Stop::Budget);
        }
        self.nodes += 1;
        ControlFlow::Continue(())
    }
}
