//! The paths of a board: which squares can be walked one after the other.
//!
//! Squares are numbered in reading order from 0. Because a board has an odd number of columns, digit squares are
//! exactly those with an even number. Paths do not depend on what is written on the board.

use std::borrow::Cow;
use std::iter::FusedIterator;

use crate::grid::Pos;

/// Most rows, and most columns, of a board.
pub const MAX_SIDE: usize = 9;
/// Most squares of a board.
const MAX_SQUARES: usize = MAX_SIDE * MAX_SIDE;

/// The squares of a path in the order in which they are walked: digit, symbol, digit, …, digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    cols: usize,
    squares: Cow<'static, [u8]>,
}

impl Path {
    /// The path over `squares` of a board `cols` wide.
    pub(super) fn new(cols: usize, squares: impl Into<Cow<'static, [u8]>>) -> Self {
        Self { cols, squares: squares.into() }
    }

    /// Number of squares: one less than twice the number of digits.
    #[expect(clippy::len_without_is_empty, reason = "a path has at least one square")]
    pub fn len(&self) -> usize {
        self.squares.len()
    }

    /// The squares' numbers in reading order.
    pub fn squares(&self) -> &[u8] {
        &self.squares
    }

    /// The squares' places, symbol squares included.
    pub fn places(&self) -> impl ExactSizeIterator<Item = Pos> {
        self.squares.iter().map(|&square| place(self.cols, square))
    }
}

/// The place of a square on a board `cols` wide.
pub(super) fn place(cols: usize, square: u8) -> Pos {
    let square = usize::from(square);
    Pos::new(square / cols, square % cols)
}

/// All paths of a number of digits, in the lexicographic order of their coordinates.
///
/// ```
/// use rulebook::engines::quento::paths::Paths;
///
/// assert_eq!(Paths::new(3, 3, 4).unwrap().count(), 72);
/// ```
#[derive(Clone, Debug)]
pub struct Paths {
    walk: Walk,
}

impl Paths {
    /// The paths of `digits` digits on a board of `rows` by `cols` squares, or `None` where there is no such
    /// board (see [`is_board`]) or it has fewer digit squares.
    pub fn new(rows: usize, cols: usize, digits: usize) -> Option<Self> {
        let fits = is_board(rows, cols) && (1..=digit_squares(rows, cols)).contains(&digits);
        fits.then(|| Self { walk: Walk::new(rows, cols, digits) })
    }
}

impl Iterator for Paths {
    type Item = Path;

    fn next(&mut self) -> Option<Path> {
        self.walk.advance().then(|| Path::new(self.walk.cols, self.walk.path().to_vec()))
    }
}

impl FusedIterator for Paths {}

/// Whether there are boards of `rows` by `cols`: both odd, at most [`MAX_SIDE`].
pub fn is_board(rows: usize, cols: usize) -> bool {
    let is_side = |side: usize| side % 2 == 1 && side <= MAX_SIDE;
    is_side(rows) && is_side(cols)
}

/// Number of digit squares on a board of `rows` by `cols`.
pub fn digit_squares(rows: usize, cols: usize) -> usize {
    (rows * cols).div_ceil(2)
}

/// The depth-first search that finds all paths in order: starts in reading order, and from each square up, left,
/// right, down. It also runs at compile time.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    rows: usize,
    cols: usize,
    length: usize,
    squares: [u8; MAX_SQUARES],
    /// How many directions were tried from each square of the path.
    tried: [u8; MAX_SQUARES],
    walked: usize,
    seen: u128,
    next_start: usize,
}

impl Walk {
    /// Before the first path. The board must be one, and `digits` at least 1.
    pub(super) const fn new(rows: usize, cols: usize, digits: usize) -> Self {
        Self {
            rows,
            cols,
            length: 2 * digits - 1,
            squares: [0; MAX_SQUARES],
            tried: [0; MAX_SQUARES],
            walked: 0,
            seen: 0,
            next_start: 0,
        }
    }

    /// The path that was found.
    pub(super) const fn path(&self) -> &[u8] {
        self.squares.split_at(self.walked).0
    }

    /// Goes on to the next path; false behind the last one.
    pub(super) const fn advance(&mut self) -> bool {
        if self.walked == self.length {
            self.leave();
        }
        loop {
            if self.walked > 0 {
                match self.next_square() {
                    Some(square) => self.enter(square),
                    None => self.leave(),
                }
            } else if self.next_start < self.rows * self.cols {
                self.enter(self.next_start as u8);
                self.next_start += 2;
            } else {
                return false;
            }
            if self.walked == self.length {
                return true;
            }
        }
    }

    const fn next_square(&mut self) -> Option<u8> {
        let last = self.walked - 1;
        let at = self.squares[last];
        let (row, col) = (at as usize / self.cols, at as usize % self.cols);
        while self.tried[last] < 4 {
            self.tried[last] += 1;
            let next = match self.tried[last] {
                1 if row > 0 => at - self.cols as u8,
                2 if col > 0 => at - 1,
                3 if col + 1 < self.cols => at + 1,
                4 if row + 1 < self.rows => at + self.cols as u8,
                _ => continue,
            };
            if self.seen >> next & 1 == 0 {
                return Some(next);
            }
        }
        None
    }

    const fn enter(&mut self, square: u8) {
        self.squares[self.walked] = square;
        self.tried[self.walked] = 0;
        self.walked += 1;
        self.seen |= 1 << square;
    }

    const fn leave(&mut self) {
        self.walked -= 1;
        self.seen &= !(1 << self.squares[self.walked]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_in_lexicographic_order() {
        for digits in 1..=5 {
            let paths: Vec<Vec<_>> =
                Paths::new(3, 3, digits).unwrap().map(|path| path.places().collect()).collect();
            assert!(paths.is_sorted());
        }
    }

    #[test]
    fn only_odd_sides_make_a_board() {
        assert!(Paths::new(3, 4, 2).is_none());
        assert!(Paths::new(11, 3, 2).is_none());
        assert!(Paths::new(3, 3, 6).is_none());
        assert_eq!(Paths::new(1, 1, 1).unwrap().count(), 1);
        assert_eq!(Paths::new(1, 5, 3).unwrap().count(), 2);
    }
}
