//! The board, the house rules and a run.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Observer;
use crate::grid::{Grid, Pos};

use super::paths::{self, Path};
use super::search::{self, Found};
use super::{classic, paths::place};

pub use super::classic::Counts;

/// What stands in a square: a digit from 1 to 9, `+` or `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square(u8);

impl Square {
    /// The square that `typed` stands for.
    pub fn new(typed: char) -> Option<Self> {
        matches!(typed, '1'..='9' | '+' | '-').then(|| Self(typed as u8))
    }

    /// Its character.
    pub const fn char(self) -> char {
        self.0 as char
    }

    /// Whether a digit stands in it, not a symbol.
    pub const fn is_digit(self) -> bool {
        self.0.is_ascii_digit()
    }

    pub(super) const fn byte(self) -> u8 {
        self.0
    }

    /// The digit's value; a symbol has none that means anything.
    pub(super) const fn digit(self) -> u8 {
        self.0.wrapping_sub(b'0')
    }
}

/// A board of digits and symbols in turn, a digit in each corner.
///
/// Both numbers of rows and columns are odd and at most [`paths::MAX_SIDE`]. Squares whose row and column, counted
/// from 0, add up to an even number hold digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board(Grid<Square>);

impl Board {
    /// The board of these squares, or `None` where digits and symbols stand in wrong places or a side is even or
    /// too long.
    pub fn new(squares: Grid<Square>) -> Option<Self> {
        let fits = paths::is_board(squares.rows(), squares.cols())
            && squares.iter().all(|(pos, square)| square.is_digit() == is_digit_square(pos));
        fits.then_some(Self(squares))
    }

    /// The board whose lines are the lines of `text`, each character a square.
    pub fn read(text: &str) -> Option<Self> {
        let cols = text.lines().next()?.chars().count();
        let full = text.lines().all(|line| line.chars().count() == cols);
        let squares = text.lines().flat_map(str::chars).map(Square::new).collect::<Option<_>>()?;
        full.then(|| Grid::from_cells(cols, squares)).flatten().and_then(Self::new)
    }

    /// The squares.
    pub fn squares(&self) -> &Grid<Square> {
        &self.0
    }

    /// Number of digit squares: the most digits that a path can have.
    pub fn digit_squares(&self) -> usize {
        paths::digit_squares(self.0.rows(), self.0.cols())
    }

    /// The squares of a board of the statement's size.
    #[inline]
    pub(super) fn classic(&self) -> Option<&[Square; classic::SQUARES]> {
        if self.0.cols() == 3 { self.0.cells().try_into().ok() } else { None }
    }

    /// All paths of `digits` digits, in lexicographic order; none where the board has fewer digits.
    pub fn paths(&self, digits: usize) -> impl Iterator<Item = Path> {
        paths::Paths::new(self.0.rows(), self.0.cols(), digits).into_iter().flatten()
    }

    /// How many paths of `digits` digits have each value, all at once; `None` unless the board is the statement's
    /// and has so many digits.
    #[inline]
    pub fn counts(&self, digits: usize) -> Option<Counts> {
        let board = self.classic().filter(|_| (1..=self.digit_squares()).contains(&digits))?;
        Some(classic::counts(board, digits))
    }

    /// The value of what stands along a path of this board, from left to right.
    pub fn value(&self, path: &Path) -> i64 {
        let squares = path.squares();
        let steps = squares[1..].chunks_exact(2);
        steps.fold(self.digit(squares[0]), |value, step| value + self.term(step[0], step[1]))
    }

    /// What stands along a path of this board, such as `4+3`.
    pub fn expression(&self, path: &Path) -> String {
        path.squares().iter().map(|&square| self.square(square).char()).collect()
    }

    /// The path over `places`, or `None` where they are none: it starts and ends on digit squares, every step goes
    /// to a neighbour, and no square comes twice.
    pub fn path(&self, places: &[Pos]) -> Option<Path> {
        let square = |&pos: &Pos| self.0.contains(pos).then(|| self.number(pos));
        let squares = places.iter().map(square).collect::<Option<Vec<_>>>()?;
        let starts = is_digit_square(*places.first()?) && places.len() % 2 == 1;
        let goes_on = places.windows(2).all(|step| self.0.neighbours(step[0]).any(|next| next == step[1]));
        let once = squares.iter().enumerate().all(|(i, square)| !squares[..i].contains(square));
        (starts && goes_on && once).then(|| Path::new(self.0.cols(), squares))
    }

    /// The number in reading order of the square at `pos`.
    pub(super) fn number(&self, pos: Pos) -> u8 {
        (pos.row * self.0.cols() + pos.col) as u8
    }

    pub(super) fn square(&self, square: u8) -> Square {
        self.0.cells()[usize::from(square)]
    }

    pub(super) fn digit(&self, square: u8) -> i64 {
        i64::from(self.square(square).digit())
    }

    /// What the digit in `square` adds when it is entered from `symbol`.
    pub(super) fn term(&self, symbol: u8, square: u8) -> i64 {
        let digit = self.digit(square);
        if self.square(symbol).byte() == b'+' { digit } else { -digit }
    }
}

/// Whether the square at `pos` is one for a digit.
pub(super) fn is_digit_square(pos: Pos) -> bool {
    (pos.row + pos.col).is_multiple_of(2)
}

/// Which of several solutions is the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The one with the smallest coordinate sequence, as the statement says.
    #[default]
    Lexicographic,
    /// Any one.
    Any,
}

/// The house rules of Quento.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Which of several paths is the answer: `lexicographic` (the one with the smallest coordinates) or `any` (each
    /// one is right). Default: `lexicographic`.
    pub order: Order,
    /// How many digits the search may enter before it gives up, at least 1. Only boards larger than the statement's
    /// need any. Default: 20000000: some seconds, on crowded boards up to a minute.
    #[schemars(range(min = 1))]
    pub budget: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { order: Order::default(), budget: 20_000_000 }
    }
}

/// A legal start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The board.
    pub(super) board: Board,
    /// The number to build.
    pub(super) target: i64,
    /// How many digits to use: at least 1, and at most those of the board.
    pub(super) digits: usize,
    /// The house rules.
    pub(super) rules: Rules,
}

impl Setup {
    /// The task to build `target` with `digits` of the board's digits, or `None` where it has not so many.
    pub fn new(board: Board, target: i64, digits: usize, rules: Rules) -> Option<Self> {
        (1..=board.digit_squares()).contains(&digits).then_some(Self { board, target, digits, rules })
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether `path` is a solution: it has the right number of digits and the right value.
    pub fn is_solution(&self, path: &Path) -> bool {
        path.len() == 2 * self.digits - 1 && self.board.value(path) == self.target
    }

    /// The smallest solution in lexicographic order.
    #[inline]
    pub fn solve(&self) -> Outcome {
        let Some(board) = self.board.classic() else { return search::first(self).outcome };
        match classic::first(board, self.digits, self.target) {
            Some(rank) => Outcome::Reached(Path::new(3, classic::path(self.digits, rank))),
            None => Outcome::NoPath,
        }
    }

    /// The number of solutions.
    ///
    /// # Errors
    /// When the budget is spent before all are counted.
    #[inline]
    pub fn count(&self) -> Result<u64, GaveUp> {
        if let Some(board) = self.board.classic() {
            return Ok(classic::count(board, self.digits, self.target) as u64);
        }
        let mut number = 0;
        self.each(|_| {
            number += 1;
            ControlFlow::Continue(())
        })?;
        Ok(number)
    }

    /// Shows `see` the squares of every solution in lexicographic order, until it breaks.
    ///
    /// # Errors
    /// When the budget is spent before all are found.
    pub fn each(&self, see: impl FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), GaveUp> {
        match search::each(self, see).0 {
            Found::GaveUp => Err(GaveUp),
            Found::Stopped | Found::All => Ok(()),
        }
    }
}

/// The search spent its budget before it knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp;

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With this path, the first solution.
    Reached(Path),
    /// There is no solution.
    NoPath,
    /// The budget was spent before it was known.
    GaveUp,
}

/// How much of the answer's path is walked.
#[derive(Clone, Debug)]
pub struct State {
    /// The path; `None` where there is none.
    pub(super) path: Option<Path>,
    /// How many of its squares are walked.
    pub(super) walked: usize,
    /// The value of the expression so far.
    pub(super) value: i64,
    /// The solutions that are as good an answer as the path, itself among them, once somebody asked for them.
    pub(super) rivals: OnceCell<Vec<Path>>,
}

impl State {
    /// The squares that are walked, in order.
    pub(super) fn walked(&self) -> impl Iterator<Item = Pos> {
        self.path.iter().flat_map(Path::places).take(self.walked)
    }
}

/// What happens on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing is walked yet.
    Start,
    /// The path goes on to a square.
    Walk {
        /// How many squares are walked, this one included.
        step: u64,
        /// The square.
        at: Pos,
    },
    /// The path is walked and its value is the target.
    Reached,
    /// There is no path.
    NoPath,
    /// The search spent its budget.
    GaveUp,
}

/// Solves, and walks the answer.
#[inline]
pub fn run<O: Observer<State, Event>>(setup: &Setup, observer: &mut O) -> Outcome {
    if !observer.active() {
        return setup.solve();
    }
    let mut state = State { path: None, walked: 0, value: 0, rivals: OnceCell::new() };
    observer.on(&state, || Event::Start);
    let outcome = setup.solve();
    if let Outcome::Reached(path) = &outcome {
        state.path = Some(path.clone());
        for (i, &square) in path.squares().iter().enumerate() {
            state.walked = i + 1;
            state.value += match i {
                0 => setup.board.digit(square),
                _ if i % 2 == 1 => 0,
                _ => setup.board.term(path.squares()[i - 1], square),
            };
            let at = place(setup.board.squares().cols(), square);
            observer.on(&state, || Event::Walk { step: i as u64 + 1, at });
        }
    }
    observer.on(&state, || match &outcome {
        Outcome::Reached(_) => Event::Reached,
        Outcome::NoPath => Event::NoPath,
        Outcome::GaveUp => Event::GaveUp,
    });
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        Board::read("4+3\n-5-\n9-2").unwrap()
    }

    #[test]
    fn digits_and_symbols_stand_in_turn() {
        assert!(Board::read("4+3\n-5-\n9+").is_none());
        assert!(Board::read("4+3\n-+-\n9+2").is_none());
        assert!(Board::read("4+3\n-0-\n9+2").is_none());
        assert!(Board::read("4+\n-5").is_none());
        assert!(Board::read("").is_none());
        assert_eq!(Board::read("4+3-1").unwrap().digit_squares(), 3);
    }

    #[test]
    fn places_are_a_path_only_if_they_can_be_walked() {
        let path = |places: &[(usize, usize)]| {
            let places: Vec<_> = places.iter().map(|&(row, col)| Pos::new(row, col)).collect();
            board().path(&places).map(|path| (board().expression(&path), board().value(&path)))
        };
        assert_eq!(path(&[(0, 0), (0, 1), (0, 2), (1, 2), (1, 1)]), Some(("4+3-5".into(), 2)));
        assert_eq!(path(&[]), None);
        assert_eq!(path(&[(0, 1)]), None);
        assert_eq!(path(&[(0, 0), (0, 1)]), None);
        assert_eq!(path(&[(0, 0), (0, 1), (0, 0)]), None);
        assert_eq!(path(&[(0, 0), (1, 1), (0, 2)]), None);
        assert_eq!(path(&[(0, 2), (0, 3), (0, 4)]), None);
    }
}
