//! What is lost in a round: a bitmap of the board, and the columns that it touches.

use super::columns::{Columns, WORD};
use super::work;

/// Columns, and the lowest row that each is touched in.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    /// The columns, in the order of their first touch.
    pub(super) cols: Vec<u16>,
    low: Vec<u16>,
}

impl Touched {
    pub(super) fn new(board: &Columns) -> Self {
        Self { cols: Vec::with_capacity(board.cols()), low: vec![u16::MAX; board.heights.len()] }
    }

    pub(super) fn add(&mut self, col: usize, row: usize) {
        let low = &mut self.low[col];
        if *low == u16::MAX {
            self.cols.push(col as u16);
        }
        *low = (*low).min(row as u16);
    }

    /// The lowest row touched in a column; above every row in one that was not touched.
    pub(super) fn low(&self, col: usize) -> usize {
        self.low[col].into()
    }

    pub(super) fn clear(&mut self) {
        for &col in &self.cols {
            self.low[usize::from(col)] = u16::MAX;
        }
        self.cols.clear();
    }
}

/// The pieces lost in the round under way.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    /// One bit a cell.
    pub(super) bits: Vec<u64>,
    pub(super) touched: Touched,
    /// How many there are.
    pub(super) count: usize,
    /// The sum of their colors.
    pub(super) sum: i64,
    /// Cells of the specials among them that have not yet acted.
    pub(super) triggered: Vec<u32>,
    /// Specials still on the board, those in `triggered` not counted.
    pub(super) specials: usize,
    /// Pieces of every color still on the board; empty where no special asks for it.
    pub(super) live: Vec<u32>,
    /// Cells lost since somebody last looked, kept only while somebody watches.
    pub(super) fresh: Option<Vec<usize>>,
}

impl Losses {
    pub(super) fn new(board: &Columns) -> Self {
        let specials = board.specials.iter().filter(|&&special| special != 0).count();
        let mut live = Vec::new();
        if specials > 0 && board.specials.contains(&super::special::COLOR) {
            live.resize(256, 0);
            board.colors.iter().for_each(|&color| live[usize::from(color)] += 1);
        }
        Self {
            bits: vec![0; board.colors.len() / WORD],
            touched: Touched::new(board),
            count: 0,
            sum: 0,
            triggered: Vec::with_capacity(specials),
            specials,
            live,
            fresh: None,
        }
    }

    /// Takes the pieces of a column whose bits are set in its word number `word`, those not lost already.
    pub(super) fn take(&mut self, board: &Columns, col: usize, word: usize, bits: u64) {
        work::add(1);
        let at = col * board.words() + word;
        let mut new = bits & !self.bits[at];
        if new == 0 {
            return;
        }
        self.bits[at] |= new;
        self.count += new.count_ones() as usize;
        self.touched.add(col, word * WORD + new.trailing_zeros() as usize);
        while new != 0 {
            let cell = at * WORD + new.trailing_zeros() as usize;
            new &= new - 1;
            let color = board.colors[cell];
            self.sum += i64::from(color);
            if self.specials > 0 && board.specials[cell] != 0 {
                self.specials -= 1;
                self.triggered.push(cell as u32);
            }
            if let Some(live) = self.live.get_mut(usize::from(color)) {
                *live -= 1;
            }
            if let Some(fresh) = &mut self.fresh {
                fresh.push(cell);
            }
        }
    }

    /// Takes the piece of a column in row `row`, if there is one.
    pub(super) fn take_cell(&mut self, board: &Columns, col: usize, row: usize) {
        if row < board.heights[col].into() {
            self.take(board, col, row / WORD, 1 << (row % WORD));
        }
    }

    /// Takes the pieces of a column from row `low` to below row `high`.
    pub(super) fn take_rows(&mut self, board: &Columns, col: usize, low: usize, high: usize) {
        let high = high.min(board.heights[col].into());
        let mut row = low;
        while row < high {
            let word = row / WORD;
            let end = high.min((word + 1) * WORD);
            self.take(board, col, word, ones(end - row) << (row % WORD));
            row = end;
        }
    }

    /// Forgets the round's sums; the bitmap must be clean already, and no special wait.
    pub(super) fn clear(&mut self) {
        self.touched.clear();
        self.count = 0;
        self.sum = 0;
    }
}

/// The lowest `number` bits, at most 64.
fn ones(number: usize) -> u64 {
    u64::MAX.checked_shr((WORD - number) as u32).unwrap_or(0)
}
