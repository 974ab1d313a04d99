//! The board as runs of bytes: one column after the other, each from the bottom up.
//!
//! A piece falls by closing the gaps of its column's run. Columns are a whole number of 64-bit words long, so that
//! a cell's index is also its bit in a bitmap of the board; there are always two empty cells above each column, and
//! [`PAD`] empty columns on both sides, so that looking two cells away needs no thought about the edge.
//! An empty cell is 0. A column has no gap between its bottom and its height.

use crate::grid::{Grid, Pos};

/// Empty columns on each side.
pub(super) const PAD: usize = 2;

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// Colors and specials of all cells. Columns count from [`PAD`], rows from 0 at the bottom.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    rows: usize,
    cols: usize,
    stride: usize,
    pub(super) colors: Vec<u8>,
    pub(super) specials: Vec<u8>,
    pub(super) heights: Vec<u16>,
}

impl Columns {
    /// The full board with these colors and specials, two grids of one shape.
    pub(super) fn new(colors: &Grid<u8>, specials: &Grid<u8>) -> Self {
        let (rows, cols) = (colors.rows(), colors.cols());
        let stride = (rows + 2).next_multiple_of(WORD);
        let turned = |grid: &Grid<u8>| {
            let mut bytes = vec![0; (cols + 2 * PAD) * stride];
            for (row, line) in grid.iter_rows().enumerate() {
                let start = PAD * stride + rows - 1 - row;
                for (place, &cell) in bytes[start..].iter_mut().step_by(stride).zip(line) {
                    *place = cell;
                }
            }
            bytes
        };
        let mut heights = vec![0; cols + 2 * PAD];
        heights[PAD..PAD + cols].fill(rows as u16);
        Self { rows, cols, stride, colors: turned(colors), specials: turned(specials), heights }
    }

    /// The board with these colors, 0 where it is empty, and no specials; `None` where a piece has an empty cell
    /// below it.
    pub(super) fn fallen(colors: &Grid<u8>) -> Option<Self> {
        let mut board = Self::new(colors, &colors.map(|_| 0));
        for col in board.range() {
            let cells = &board.colors[board.at(col, 0)..board.at(col, board.rows)];
            let height = cells.iter().take_while(|&&color| color != 0).count();
            if cells[height..].iter().any(|&color| color != 0) {
                return None;
            }
            board.heights[col] = height as u16;
        }
        Some(board)
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    /// The distance from a cell to its right neighbour.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Words of a column in a bitmap.
    pub(super) fn words(&self) -> usize {
        self.stride / WORD
    }

    /// The columns of the board.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        PAD..PAD + self.cols
    }

    /// The index of a cell.
    pub(super) fn at(&self, col: usize, row: usize) -> usize {
        col * self.stride + row
    }

    /// Column and row of a cell.
    pub(super) fn place(&self, cell: usize) -> (usize, usize) {
        (cell / self.stride, cell % self.stride)
    }

    /// The place of a cell as everybody else counts.
    pub(super) fn pos(&self, cell: usize) -> Pos {
        let (col, row) = self.place(cell);
        Pos::new(self.rows - 1 - row, col - PAD)
    }

    /// One of the two byte runs as a grid.
    pub(super) fn grid(&self, bytes: &[u8]) -> Grid<u8> {
        Grid::from_fn(self.rows, self.cols, |pos| bytes[self.at(pos.col + PAD, self.rows - 1 - pos.row)])
    }
}
