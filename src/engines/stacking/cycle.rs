//! How a game ends, found without playing on once a position has come back.
//!
//! The position alone decides what follows, so a position that was there before will be there again for ever.
//! [`Watch`] finds it after Brent: it keeps one earlier position, a new one whenever the number of turns is a
//! power of two. The outcome is therefore known after a number of turns that the turn limit has no part in.

use std::cell::OnceCell;

use super::packed::Packed;
use super::rules::{Event, Setup, Standing, State, What};
use crate::engine::Observer;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a tall stack, in this turn.
    Tall {
        /// The turn.
        turn: u64,
    },
    /// Never: the position after turn `again` is that after turn `first`.
    Cycle {
        /// The earlier turn.
        first: u64,
        /// The later turn; nothing was played behind it to know.
        again: u64,
    },
    /// Not within the turn limit.
    TurnLimit,
    /// Nobody knows: given up after this turn.
    Undecided {
        /// The turn.
        turn: u64,
    },
}

/// How a game ended, and what there is to know of its last position.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    last: OnceCell<Option<Box<Last>>>,
}

/// The last position that counts: at the end, or after the turn limit.
#[derive(Debug)]
pub struct Last {
    /// The position; its own count of moves may be that of an equal, earlier one.
    pub state: State,
    /// The number of moves up to it.
    pub moves: u64,
}

impl From<Ending> for Outcome {
    fn from(ending: Ending) -> Self {
        Self { ending, last: OnceCell::new() }
    }
}

impl Outcome {
    /// The last position, played again from the start when first asked for; `None` if the game was given up.
    pub fn last(&self, setup: &Setup) -> Option<&Last> {
        self.last.get_or_init(|| last(setup, self.ending).map(Box::new)).as_deref()
    }
}

fn last(setup: &Setup, ending: Ending) -> Option<Last> {
    let mut state = State::new(setup);
    let play = |state: &mut State, turns| {
        for _ in 0..turns {
            state.play(setup, &mut ());
        }
    };
    match ending {
        Ending::Undecided { .. } => return None,
        Ending::Tall { turn } => play(&mut state, turn),
        Ending::TurnLimit => play(&mut state, setup.rules.turn_limit),
        Ending::Cycle { first, again } => {
            let period = again - first;
            let behind = setup.rules.turn_limit - first;
            play(&mut state, first);
            let before = state.moves();
            play(&mut state, behind % period);
            let mut rest = state.clone();
            play(&mut rest, period - behind % period);
            let per_period = rest.moves() - before;
            let moves = state.moves() + behind / period * per_period;
            return Some(Last { state, moves });
        }
    }
    let moves = state.moves();
    Some(Last { state, moves })
}

/// A game that is played by whole turns, and whose position can be noted and recognised.
pub(super) trait Table {
    /// A noted position.
    type Note;

    /// Plays a turn; whether the game is over.
    fn turn(&mut self) -> bool;

    /// Notes the position.
    fn note(&self) -> Self::Note;

    /// Whether the position is the noted one.
    fn is(&self, note: &Self::Note) -> bool;
}

impl Table for (&Setup, State) {
    /// Where the pieces stand, and the moves up to there.
    type Note = (Vec<Standing>, u64);

    fn turn(&mut self) -> bool {
        self.1.play(self.0, &mut ())
    }

    fn note(&self) -> Self::Note {
        (self.1.standings().to_vec(), self.1.moves())
    }

    fn is(&self, (standings, _): &Self::Note) -> bool {
        self.1.standings() == standings
    }
}

/// Plays to the end of a game.
pub(super) fn play<O: Observer<State, Event>>(setup: &Setup, observer: &mut O) -> Outcome {
    let turns = setup.rules.turn_limit.min(setup.rules.budget / setup.pieces.len().max(1) as u64);
    let ending = if observer.active() { observed(setup, turns, observer) } else { decided(setup, turns) };
    ending.into()
}

fn decided(setup: &Setup, turns: u64) -> Ending {
    let limit = setup.rules.turn_limit;
    match Packed::new(setup) {
        Some(table) => decide(table, turns, limit),
        None => decide((setup, State::new(setup)), turns, limit),
    }
}

/// Looks out for a position that was there before.
struct Watch<T: Table> {
    noted: u64,
    note: T::Note,
}

impl<T: Table> Watch<T> {
    fn new(table: &T) -> Self {
        Self { noted: 0, note: table.note() }
    }

    /// To be asked after every turn; whether the game never ends.
    #[inline]
    fn cycle(&mut self, turn: u64, table: &T) -> Option<Ending> {
        if table.is(&self.note) {
            return Some(Ending::Cycle { first: self.noted, again: turn });
        }
        if turn.is_power_of_two() {
            (self.noted, self.note) = (turn, table.note());
        }
        None
    }
}

/// Plays at most `turns` turns of a game that counts up to turn `limit`.
fn decide<T: Table>(mut table: T, turns: u64, limit: u64) -> Ending {
    let mut watch = Watch::new(&table);
    for turn in 1..=turns {
        if table.turn() {
            return Ending::Tall { turn };
        }
        if let Some(cycle) = watch.cycle(turn, &table) {
            return cycle;
        }
    }
    unended(turns, limit)
}

fn unended(turns: u64, limit: u64) -> Ending {
    if turns < limit { Ending::Undecided { turn: turns } } else { Ending::TurnLimit }
}

/// Plays at most `turns` turns to know the ending. Of the turns after a cycle only those are played that somebody wants,
/// and what leads to the position as of the turn limit, which is the one that facts speak of.
fn observed<O: Observer<State, Event>>(setup: &Setup, turns: u64, observer: &mut O) -> Ending {
    let limit = setup.rules.turn_limit;
    let mut table = (setup, State::new(setup));
    let mut watch = Watch::new(&table);
    observer.on(&table.1, || Event { turn: 0, what: What::Start });
    let ending = loop {
        if table.1.turn() == turns {
            break unended(turns, limit);
        }
        if !observer.active() {
            return decided(setup, turns);
        }
        if table.1.play(setup, observer) {
            return Ending::Tall { turn: table.1.turn() };
        }
        if let Some(cycle) = watch.cycle(table.1.turn(), &table) {
            break cycle;
        }
    };
    let mut state = table.1;
    let what = match ending {
        Ending::Cycle { first, again } => {
            observer.on(&state, || Event { turn: again, what: What::Cycle { first, again } });
            let (period, moves) = (again - first, state.moves() - watch.note.1);
            while state.turn() < limit && observer.active() {
                let next = observer.next(state.turn()).unwrap_or(u64::MAX);
                let rounds = (next.min(limit) - 1).saturating_sub(state.turn()) / period;
                state.skip(rounds * period, rounds * moves);
                if next <= limit {
                    state.play(setup, observer);
                } else {
                    (state.turn()..limit).for_each(|_| _ = state.play(setup, &mut ()));
                }
            }
            What::TurnLimit { like: Some(first + (limit - first) % period) }
        }
        Ending::Undecided { .. } => What::Undecided,
        Ending::Tall { .. } | Ending::TurnLimit => What::TurnLimit { like: None },
    };
    observer.on(&state, || Event { turn: state.turn(), what });
    ending
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game whose position is the number of turns, up to `first`, then goes round in `period` turns.
    struct Round {
        turn: u64,
        first: u64,
        period: u64,
    }

    impl Table for Round {
        type Note = u64;

        fn turn(&mut self) -> bool {
            self.turn += 1;
            if self.turn == self.first + self.period {
                self.turn = self.first;
            }
            false
        }

        fn note(&self) -> u64 {
            self.turn
        }

        fn is(&self, note: &u64) -> bool {
            self.turn == *note
        }
    }

    #[test]
    fn a_cycle_is_found_with_its_exact_period() {
        for first in 0..40 {
            for period in 1..40 {
                let ending = decide(Round { turn: 0, first, period }, 1000, 1000);
                let Ending::Cycle { first: noted, again } = ending else { panic!("{ending:?}") };
                assert_eq!(again - noted, period);
                assert!(noted >= first && again < 3 * (first + period) + 2, "{first} {period}: {ending:?}");
            }
        }
    }

    #[test]
    fn a_game_is_given_up_only_within_its_turn_limit() {
        let round = || Round { turn: 0, first: 50, period: 50 };
        assert_eq!(decide(round(), 20, 1000), Ending::Undecided { turn: 20 });
        assert_eq!(decide(round(), 20, 20), Ending::TurnLimit);
    }
}
