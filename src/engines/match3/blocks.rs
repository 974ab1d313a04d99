//! Blocks: matched pieces of one color that are joined, for the combo points.

use super::columns::{Columns, WORD};
use super::losses::Losses;
use super::rules::Join;

/// Finds the blocks among the pieces that lines matched; its memory is used again and again.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// One bit for each matched cell that belongs to no block yet; no bit is set between rounds.
    open: Vec<u64>,
    /// The cells of the block that is being gathered.
    block: Vec<u32>,
}

impl Blocks {
    pub(super) fn new(board: &Columns) -> Self {
        let cells = board.rows() * board.cols();
        Self { open: vec![0; board.colors.len() / WORD], block: Vec::with_capacity(cells) }
    }

    /// Calls `found` with the cells of every block among the pieces lost so far.
    pub(super) fn for_each(
        &mut self,
        board: &Columns,
        losses: &Losses,
        join: Join,
        mut found: impl FnMut(&[u32]),
    ) {
        let words = board.words();
        let of_column = |col: u16| usize::from(col) * words..(usize::from(col) + 1) * words;
        for &col in &losses.touched.cols {
            let range = of_column(col);
            self.open[range.clone()].copy_from_slice(&losses.bits[range]);
        }
        let right = board.stride();
        let edges = [1, right];
        let corners = [1, right, right - 1, right + 1];
        let steps: &[usize] = match join {
            Join::Edges => &edges,
            Join::Corners => &corners,
        };
        for &col in &losses.touched.cols {
            for word in of_column(col) {
                while self.open[word] != 0 {
                    let first = word * WORD + self.open[word].trailing_zeros() as usize;
                    self.gather(board, first, steps);
                    found(&self.block);
                }
            }
        }
    }

    fn gather(&mut self, board: &Columns, first: usize, steps: &[usize]) {
        self.block.clear();
        self.join(first);
        let color = board.colors[first];
        let mut next = 0;
        while let Some(&cell) = self.block.get(next) {
            next += 1;
            for &step in steps {
                for neighbour in [cell as usize - step, cell as usize + step] {
                    let open = self.open[neighbour / WORD] >> (neighbour % WORD) & 1 != 0;
                    if open && board.colors[neighbour] == color {
                        self.join(neighbour);
                    }
                }
            }
        }
    }

    fn join(&mut self, cell: usize) {
        self.open[cell / WORD] &= !(1 << (cell % WORD));
        self.block.push(cell as u32);
    }
}
