//! Rectangles of cells: the one board type that every engine, fact and frame shares.
//!
//! A [`Grid`] is always rectangular and never empty. Rows and columns count from 0 here; an engine whose
//! statement counts from 1 converts where text comes in and goes out.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cell's place: row from the top, column from the left, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pos {
    /// Row, counted from the top.
    pub row: usize,
    /// Column, counted from the left.
    pub col: usize,
}

impl Pos {
    /// The place in row `row` and column `col`.
    pub const fn new(row: usize, col: usize) -> Self {
        Self { row, col }
    }

    /// The place one step in direction `dir`, or `None` above row 0 or left of column 0.
    pub fn step(self, dir: Dir) -> Option<Self> {
        let Self { row, col } = self;
        Some(match dir {
            Dir::Right => Self::new(row, col + 1),
            Dir::Left => Self::new(row, col.checked_sub(1)?),
            Dir::Up => Self::new(row.checked_sub(1)?, col),
            Dir::Down => Self::new(row + 1, col),
        })
    }
}

/// One of the four directions along rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dir {
    /// Towards higher columns.
    Right,
    /// Towards lower columns.
    Left,
    /// Towards lower rows.
    Up,
    /// Towards higher rows.
    Down,
}

impl Dir {
    /// All four, in the order in which New Game 2 numbers them from 1.
    pub const ALL: [Self; 4] = [Self::Right, Self::Left, Self::Up, Self::Down];

    /// The direction that leads back.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Right => Self::Left,
            Self::Left => Self::Right,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// `right`, `left`, `up` or `down`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Left => "left",
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

impl fmt::Display for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A rectangle of cells in reading order, at least one by one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid<T> {
    cols: usize,
    cells: Vec<T>,
}

impl<T> Grid<T> {
    /// A grid of `rows` by `cols` cells, each made from its place.
    ///
    /// # Panics
    /// When `rows` or `cols` is 0.
    pub fn from_fn(rows: usize, cols: usize, mut cell: impl FnMut(Pos) -> T) -> Self {
        assert!(rows > 0 && cols > 0, "a grid has at least one cell");
        let cells = (0..rows * cols).map(|i| cell(Pos::new(i / cols, i % cols))).collect();
        Self { cols, cells }
    }

    /// The grid whose cells in reading order are `cells`, or `None` if they fill no rectangle `cols` wide.
    pub fn from_cells(cols: usize, cells: Vec<T>) -> Option<Self> {
        (cols > 0 && !cells.is_empty() && cells.len().is_multiple_of(cols)).then_some(Self { cols, cells })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.cols
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Whether `pos` lies on the grid.
    pub fn contains(&self, pos: Pos) -> bool {
        pos.row < self.rows() && pos.col < self.cols
    }

    /// The cell at `pos`, or `None` off the grid.
    pub fn get(&self, pos: Pos) -> Option<&T> {
        self.contains(pos).then(|| &self.cells[pos.row * self.cols + pos.col])
    }

    /// All cells in reading order.
    pub fn cells(&self) -> &[T] {
        &self.cells
    }

    /// All cells in reading order, to be changed.
    pub fn cells_mut(&mut self) -> &mut [T] {
        &mut self.cells
    }

    /// All cells in reading order, with their places.
    pub fn iter(&self) -> impl Iterator<Item = (Pos, &T)> {
        self.cells.iter().enumerate().map(|(i, cell)| (Pos::new(i / self.cols, i % self.cols), cell))
    }

    /// The rows from top to bottom.
    pub fn iter_rows(&self) -> std::slice::Chunks<'_, T> {
        self.cells.chunks(self.cols)
    }

    /// The places next to `pos` that lie on the grid, in the order up, left, right, down.
    pub fn neighbours(&self, pos: Pos) -> impl Iterator<Item = Pos> {
        [Dir::Up, Dir::Left, Dir::Right, Dir::Down]
            .into_iter()
            .filter_map(move |dir| pos.step(dir))
            .filter(|&next| self.contains(next))
    }

    /// A grid of the same shape, each cell made from this one's.
    pub fn map<U>(&self, cell: impl FnMut(&T) -> U) -> Grid<U> {
        Grid { cols: self.cols, cells: self.cells.iter().map(cell).collect() }
    }
}

impl<T> std::ops::Index<Pos> for Grid<T> {
    type Output = T;

    fn index(&self, pos: Pos) -> &T {
        debug_assert!(pos.col < self.cols);
        &self.cells[pos.row * self.cols + pos.col]
    }
}

impl<T> std::ops::IndexMut<Pos> for Grid<T> {
    fn index_mut(&mut self, pos: Pos) -> &mut T {
        debug_assert!(pos.col < self.cols);
        &mut self.cells[pos.row * self.cols + pos.col]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_come_up_left_right_down_and_stay_on_the_grid() {
        let grid = Grid::from_fn(2, 2, |pos| pos.row * 2 + pos.col);
        let around: Vec<_> = grid.neighbours(Pos::new(1, 0)).collect();
        assert_eq!(around, [Pos::new(0, 0), Pos::new(1, 1)]);
    }

    #[test]
    fn only_full_rows_make_a_grid() {
        assert!(Grid::from_cells(2, vec![1, 2, 3]).is_none());
        assert!(Grid::<u8>::from_cells(0, vec![]).is_none());
        assert_eq!(Grid::from_cells(2, vec![1, 2, 3, 4]).unwrap().rows(), 2);
    }
}
