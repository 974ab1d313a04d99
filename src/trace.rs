//! A run made visible: frames that know no engine.
//!
//! A [`Frame`] is made once, by an engine's `view.rs`, and then only read: drawn as text, written as a line of
//! JSON, or shown on a page. [`FORMAT`] is the version of the written form.

use serde::{Deserialize, Serialize};

use crate::columns;

/// Version of the frames' written form; it grows when a reader of the old form would misread the new.
pub const FORMAT: u32 = 1;

/// One event of a run, as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The step (turn or swap) that the event belongs to, from 1; 0 is the start.
    pub step: u64,
    /// The rule that acted, by its stable code.
    pub rule: String,
    /// What happened, in one line.
    pub text: String,
    /// The boards after the event.
    pub boards: Vec<Picture>,
}

/// A drawn board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// What the board shows; empty where there is one board only.
    pub title: String,
    /// The cells, row by row.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a drawn board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// Whether the event is about this cell.
    pub marked: bool,
}

/// A table of words and numbers: the ledger that explains a score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The columns' names.
    pub head: Vec<String>,
    /// The rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as lines: columns aligned, numbers to the right, two blanks between; `…` stands for
    /// numbers left out.
    pub fn lines(&self) -> Vec<String> {
        let width = |col: usize| {
            let cells = self.rows.iter().map(|row| row[col].chars().count());
            cells.chain([self.head[col].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..self.head.len()).map(width).collect();
        let numeric: Vec<_> =
            (0..self.head.len()).map(|col| self.rows.iter().all(|row| is_number(&row[col]))).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().enumerate().map(|(col, cell)| {
                let width = widths[col];
                if numeric[col] { columns::right(cell, width) } else { columns::left(cell, width) }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}

fn is_number(text: &str) -> bool {
    text == "…" || text.chars().all(|c| c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_stand_right() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let table = Table { head: row(["swap", "why"]), rows: vec![row(["1", "no-match"]), row(["12", ""])] };
        assert_eq!(table.lines(), ["swap  why", "   1  no-match", "  12"]);
    }
}
