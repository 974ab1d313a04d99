//! The board of the statement, three by three: its few paths are a table, and a solve adds up all of them at once.
//!
//! Turning the board by a quarter maps paths to paths, and no path to itself. So the paths fall into classes of
//! four turns, and the values of a whole class are added up as the four bytes of one word: what the turned paths
//! walk over are the same four bytes, rotated. A byte holds a sum of terms that were each raised by [`RAISE`], so
//! none is negative and no byte runs over. No branch depends on what is written on the board.

use super::paths::Walk;
use super::rules::Square;

/// Number of squares.
pub(super) const SQUARES: usize = 9;

/// What is added to the term of every digit but the first to keep it from being negative.
const RAISE: u8 = 9;
/// The word whose four bytes are each 1.
const ONES: u32 = 0x0101_0101;
/// The corners and the edges, clockwise: byte `i` of a word stands for place `i`, and edge `i` lies between
/// corners `i` and `i + 1`.
const CORNERS: [u8; 4] = [0, 2, 8, 6];
const EDGES: [u8; 4] = [1, 5, 7, 3];
const CENTRE: u8 = 4;

/// The words that sums are made of: see [`words`] for their order.
const WORDS: usize = 17;
/// The rank in [`Class::ranks`] of a byte that no path stands for, and the value that it has.
const NOBODY: u8 = u8::MAX;

/// The paths of `M` digits on the three by three board, `P` of them, in lexicographic order.
const fn paths<const M: usize, const P: usize>() -> [[u8; SQUARES]; P] {
    let mut table = [[0; SQUARES]; P];
    let mut walk = Walk::new(3, 3, M);
    let mut rank = 0;
    while walk.advance() {
        let path = walk.path();
        let mut i = 0;
        while i < path.len() {
            table[rank][i] = path[i];
            i += 1;
        }
        rank += 1;
    }
    assert!(rank == P, "the number of paths is fixed");
    table
}

static PATHS_1: [[u8; SQUARES]; 5] = paths::<1, 5>();
static PATHS_2: [[u8; SQUARES]; 24] = paths::<2, 24>();
static PATHS_3: [[u8; SQUARES]; 64] = paths::<3, 64>();
static PATHS_4: [[u8; SQUARES]; 72] = paths::<4, 72>();
static PATHS_5: [[u8; SQUARES]; 40] = paths::<5, 40>();

/// The squares of the path of `digits` digits that has `rank` others before it.
pub(super) fn path(digits: usize, rank: usize) -> &'static [u8] {
    let squares = match digits {
        1 => &PATHS_1[rank],
        2 => &PATHS_2[rank],
        3 => &PATHS_3[rank],
        4 => &PATHS_4[rank],
        _ => &PATHS_5[rank],
    };
    &squares[..2 * digits - 1]
}

/// The number of paths of `digits` digits.
pub(super) fn number_of_paths(digits: usize) -> usize {
    [5, 24, 64, 72, 40][digits - 1]
}

/// Four paths that are turns of one another.
#[derive(Clone, Copy)]
struct Class<const M: usize> {
    /// Which words their values are the sum of.
    words: [u8; M],
    /// The paths' places in lexicographic order.
    ranks: [u8; 4],
}

/// The `C` classes of the `P` paths of `M` digits.
const fn classes<const M: usize, const P: usize, const C: usize>() -> [Class<M>; C] {
    let paths: [[u8; SQUARES]; P] = paths::<M, P>();
    let mut classes = [Class { words: [0; M], ranks: [NOBODY; 4] }; C];
    let (mut class, mut rank) = (0, 0);
    while rank < P {
        let mut path = paths[rank];
        // Of four turns just one starts in the first corner, or in the centre towards the first edge.
        if path[0] == CORNERS[0] || path[0] == CENTRE && path[1] == EDGES[0] {
            classes[class].words[0] = digit_word(path[0]);
            let mut digit = 1;
            while digit < M {
                classes[class].words[digit] = term_word(path[2 * digit - 1], path[2 * digit]);
                digit += 1;
            }
            let mut turn = 0;
            while turn < 4 {
                classes[class].ranks[turn] = rank_of(&paths, &path, 2 * M - 1);
                path = turned(path);
                turn += 1;
            }
            class += 1;
        }
        rank += 1;
    }
    assert!(class == C, "four paths make a class");
    classes
}

const fn rank_of(paths: &[[u8; SQUARES]], path: &[u8; SQUARES], length: usize) -> u8 {
    let mut rank = 0;
    loop {
        let mut same = 0;
        while same < length && paths[rank][same] == path[same] {
            same += 1;
        }
        if same == length {
            return rank as u8;
        }
        rank += 1;
    }
}

const fn turned(mut path: [u8; SQUARES]) -> [u8; SQUARES] {
    let mut i = 0;
    while i < SQUARES {
        path[i] = match (find(CORNERS, path[i]), find(EDGES, path[i])) {
            (Some(corner), _) => CORNERS[(corner + 1) % 4],
            (_, Some(edge)) => EDGES[(edge + 1) % 4],
            _ => CENTRE,
        };
        i += 1;
    }
    path
}

const fn find(places: [u8; 4], square: u8) -> Option<usize> {
    let mut i = 0;
    while i < 4 {
        if places[i] == square {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// The word of a path's first digit.
const fn digit_word(square: u8) -> u8 {
    match find(CORNERS, square) {
        Some(corner) => corner as u8,
        None => 4,
    }
}

/// The word of a digit that is entered from the square `symbol`.
const fn term_word(symbol: u8, square: u8) -> u8 {
    let Some(edge) = find(EDGES, symbol) else { panic!("symbols stand on edges") };
    edge as u8
        + match find(CORNERS, square) {
            Some(corner) if corner == edge => 5,
            Some(_) => 9,
            None => 13,
        }
}

/// What a board adds up, each word once for every turn: the corners (0 to 3), the centre (4), and raised and with
/// their signs, the corners anticlockwise of an edge (5 to 8), those clockwise of it (9 to 12) and the centre (13 to 16).
#[inline]
fn words(board: &[Square; SQUARES]) -> [u32; WORDS] {
    let word = |places: [u8; 4]| u32::from_le_bytes(places.map(|square| board[usize::from(square)].byte()));
    let corners = word(CORNERS) - u32::from(b'0') * ONES;
    let centre = u32::from(board[usize::from(CENTRE)].byte() - b'0') * ONES;
    // Of the two symbols' codes, 0b10_1011 and 0b10_1101, the minus alone has bit 2.
    let minus = (word(EDGES) >> 2 & ONES) * 255;
    let term = |digits: u32| {
        let raise = u32::from(RAISE) * ONES;
        (raise + digits) & !minus | (raise - digits) & minus
    };
    let [before, after, inner] = [corners, corners.rotate_right(8), centre].map(term);
    let mut words = [centre; WORDS];
    for (first, word) in [(0, corners), (5, before), (9, after), (13, inner)] {
        for turn in 0..4 {
            words[first + turn] = word.rotate_right(8 * turn as u32);
        }
    }
    words
}

/// What is done with the values of all paths.
trait Tally {
    type Total;

    /// `values` are raised, and as many as `ranks`; their number is a multiple of 16.
    fn total(values: &[[u8; 4]], ranks: &[[u8; 4]], target: u8) -> Self::Total;
}

/// The rank of the first path with the target as its value; [`NOBODY`] where there is none.
struct First;

impl Tally for First {
    type Total = u8;

    #[inline]
    fn total(values: &[[u8; 4]], ranks: &[[u8; 4]], target: u8) -> u8 {
        let mut first = NOBODY;
        for (value, rank) in values.as_flattened().iter().zip(ranks.as_flattened()) {
            // A conditional would keep this from becoming vector instructions.
            first = first.min(rank | u8::from(*value != target).wrapping_neg());
        }
        first
    }
}

/// The number of paths with the target as their value.
struct Number;

impl Tally for Number {
    type Total = u8;

    #[inline]
    fn total(values: &[[u8; 4]], ranks: &[[u8; 4]], target: u8) -> u8 {
        let paths = values.as_flattened().iter().zip(ranks.as_flattened());
        paths.fold(0, |number: u8, (value, rank)| {
            number.wrapping_add(u8::from(*value == target) & u8::from(*rank != NOBODY))
        })
    }
}

/// How many paths have each value.
struct Each;

impl Tally for Each {
    type Total = [u8; 256];

    #[inline]
    fn total(values: &[[u8; 4]], _: &[[u8; 4]], _: u8) -> [u8; 256] {
        let mut numbers = [0; 256];
        for &value in values.as_flattened() {
            numbers[usize::from(value)] += 1;
        }
        numbers
    }
}

/// How many paths of some number of digits on a three by three board have each value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    numbers: [u8; 256],
    digits: usize,
}

impl Counts {
    /// The number of paths with the value `target`.
    #[inline]
    pub fn of(&self, target: i64) -> u8 {
        raised(target, self.digits).map_or(0, |target| self.numbers[usize::from(target)])
    }
}

/// Hands the raised values of all paths to a tally.
///
/// The sums are spelled out one by one, so that the words' indices are constants. Behind them come
/// classes of nobody, to fill vectors.
macro_rules! tally {
    ($name:ident, $digits:literal, $paths:literal, $classes:literal, $filled:literal: $($class:literal)*) => {
        fn $name<T: Tally>(board: &[Square; SQUARES], target: u8) -> T::Total {
            const CLASSES: [Class<$digits>; $classes] = classes::<$digits, $paths, $classes>();
            const RANKS: [[u8; 4]; $filled] = ranks(&CLASSES);
            let words = words(board);
            let mut values = [[NOBODY; 4]; $filled];
            $(values[$class] = const { CLASSES[$class].words }
                .map(|word| words[usize::from(word)])
                .iter()
                .sum::<u32>()
                .to_le_bytes();)*
            T::total(&values, &RANKS, target)
        }
    };
}

const fn ranks<const M: usize, const C: usize, const F: usize>(classes: &[Class<M>; C]) -> [[u8; 4]; F] {
    let mut ranks = [[NOBODY; 4]; F];
    let mut class = 0;
    while class < C {
        ranks[class] = classes[class].ranks;
        class += 1;
    }
    ranks
}

tally!(tally_2, 2, 24, 6, 12: 0 1 2 3 4 5);
tally!(tally_3, 3, 64, 16, 16: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
tally!(tally_4, 4, 72, 18, 24: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17);
tally!(tally_5, 5, 40, 10, 12: 0 1 2 3 4 5 6 7 8 9);

/// What stands for `target` among the values of paths of `digits` digits, or `None` beyond them.
#[inline]
fn raised(target: i64, digits: usize) -> Option<u8> {
    let raised = target.checked_add(i64::from(RAISE) * (digits as i64 - 1))?;
    u8::try_from(raised).ok().filter(|&target| target != NOBODY)
}

#[inline]
fn tally<T: Tally>(board: &[Square; SQUARES], digits: usize, target: u8) -> T::Total {
    match digits {
        2 => tally_2::<T>(board, target),
        3 => tally_3::<T>(board, target),
        4 => tally_4::<T>(board, target),
        _ => tally_5::<T>(board, target),
    }
}

/// The rank of the first path of `digits` digits with the value `target`.
#[inline]
pub(super) fn first(board: &[Square; SQUARES], digits: usize, target: i64) -> Option<usize> {
    if digits == 1 {
        return board.iter().step_by(2).position(|square| i64::from(square.digit()) == target);
    }
    let rank = tally::<First>(board, digits, raised(target, digits)?);
    (rank != NOBODY).then_some(usize::from(rank))
}

/// The number of paths of `digits` digits with the value `target`.
#[inline]
pub(super) fn count(board: &[Square; SQUARES], digits: usize, target: i64) -> usize {
    if digits == 1 {
        return board.iter().step_by(2).filter(|square| i64::from(square.digit()) == target).count();
    }
    raised(target, digits).map_or(0, |target| usize::from(tally::<Number>(board, digits, target)))
}

/// The numbers of paths of `digits` digits by their values.
#[inline]
pub(super) fn counts(board: &[Square; SQUARES], digits: usize) -> Counts {
    let numbers = if digits == 1 {
        let mut numbers = [0; 256];
        board.iter().step_by(2).for_each(|square| numbers[usize::from(square.digit())] += 1);
        numbers
    } else {
        tally::<Each>(board, digits, NOBODY)
    };
    Counts { numbers, digits }
}
