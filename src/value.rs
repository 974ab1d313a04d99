//! Facts as data: what an engine reports of a run, and what an author expects of it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::ser::{Serialize, Serializer};

use crate::columns;
use crate::grid::Grid;

/// What a fact's value looks like: an item, or lists of lists of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The innermost item.
    pub item: Item,
    /// How many lists stand around the item; 0 is the item alone.
    pub depth: u8,
    /// The cell that a blank in a drawn board is, if blanks are cells.
    pub blank: Option<char>,
}

/// The items that values are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// Text.
    Text,
    /// A board of cells.
    Board,
}

impl Kind {
    /// True or false.
    pub const BOOL: Self = Self::of(Item::Bool);
    /// A whole number.
    pub const INT: Self = Self::of(Item::Int);
    /// Text.
    pub const TEXT: Self = Self::of(Item::Text);
    /// A board.
    pub const BOARD: Self = Self::of(Item::Board);

    const fn of(item: Item) -> Self {
        Self { item, depth: 0, blank: None }
    }

    /// A list of this.
    #[must_use]
    pub const fn list(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// What the lists of this kind hold, or `None` for a single item.
    pub const fn element(self) -> Option<Self> {
        match self.depth {
            0 => None,
            depth => Some(Self { depth: depth - 1, ..self }),
        }
    }
}

impl fmt::Display for Kind {
    /// `a whole number`, `a list of lists of whole numbers`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many) = match self.item {
            Item::Bool => ("`true` or `false`", "booleans"),
            Item::Int => ("a whole number", "whole numbers"),
            Item::Text => ("a text", "texts"),
            Item::Board if self.blank.is_some() => {
                ("a board of single characters", "boards of single characters")
            }
            Item::Board => ("a board", "boards"),
        };
        match self.depth {
            0 => f.write_str(one),
            depth => {
                f.write_str("a list of ")?;
                (1..depth).try_for_each(|_| f.write_str("lists of "))?;
                f.write_str(many)
            }
        }
    }
}

/// One value of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Text.
    Text(String),
    /// A board; each cell as the engine writes it.
    Board(Grid<String>),
    /// A list.
    List(Vec<Value>),
    /// Several answers, each as good as the others: whoever expects one of them is right. In the values of one run, those
    /// at the same place are of the same answer.
    AnyOf(Vec<Value>),
}

impl Value {
    /// A list of whole numbers.
    pub fn ints(numbers: impl IntoIterator<Item = i64>) -> Self {
        Self::List(numbers.into_iter().map(Self::Int).collect())
    }

    /// A board, each cell written by `cell`.
    pub fn board<T>(grid: &Grid<T>, cell: impl FnMut(&T) -> String) -> Self {
        Self::Board(grid.map(cell))
    }

    /// Whether the value is of `kind`.
    pub fn is(&self, kind: Kind) -> bool {
        match (self, kind.element()) {
            (Self::AnyOf(values), _) => values.iter().all(|value| value.is(kind)),
            (Self::List(values), Some(element)) => values.iter().all(|value| value.is(element)),
            (Self::Bool(_), None) => kind.item == Item::Bool,
            (Self::Int(_), None) => kind.item == Item::Int,
            (Self::Text(_), None) => kind.item == Item::Text,
            (Self::Board(grid), None) => {
                let is_drawn = |cell: &String| cell.chars().nth(1).is_none();
                kind.item == Item::Board && (kind.blank.is_none() || grid.cells().iter().all(is_drawn))
            }
            _ => false,
        }
    }
}

/// As it would be typed in a scenario; a board as its lines.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{}", toml::Value::from(value.as_str())),
            Self::Board(grid) => f.write_str(&board_lines(grid).join("\n")),
            Self::List(values) => {
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::AnyOf(values) => {
                let texts: Vec<_> = distinct(values).map(|(_, text)| text).collect();
                f.write_str(&texts.join(" or "))
            }
        }
    }
}

/// Returns the lines of a board as a scenario can say them: cells padded to one width, a blank between them.
pub fn board_lines(grid: &Grid<String>) -> Vec<String> {
    let length = |cell: &String| cell.chars().count();
    let width = grid.cells().iter().map(length).max().unwrap_or(0);
    let end = line_end(grid.cols(), [width]);
    let line = |row: &[String]| {
        let cells: Vec<_> = row.iter().map(|cell| columns::right(cell, width)).collect();
        cells.join(" ") + end
    };
    grid.iter_rows().map(line).collect()
}

/// Returns what ends each line of a board that is written, by its columns and the `lengths` of its cells in characters.
///
/// A board without any separator has a cell for every character, so a single column of longer cells needs one.
pub fn line_end(cols: usize, lengths: impl IntoIterator<Item = usize>) -> &'static str {
    if cols == 1 && lengths.into_iter().any(|length| length > 1) { "," } else { "" }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Board(grid) => serializer.collect_seq(board_lines(grid)),
            Self::List(values) => serializer.collect_seq(values),
            Self::AnyOf(values) => serializer.collect_seq(distinct(values).map(|(value, _)| value)),
        }
    }
}

/// Returns the answers and their texts, those that read alike once.
fn distinct(values: &[Value]) -> impl Iterator<Item = (&Value, String)> {
    let mut seen = HashSet::new();
    let texts = values.iter().map(|value| (value, value.to_string()));
    texts.filter(move |(_, text)| seen.insert(text.clone()))
}

/// What a fact is called, what its value looks like and what it means.
#[derive(Clone, Debug)]
pub struct FactSpec {
    /// The name that authors type.
    pub name: Cow<'static, str>,
    /// The kind of its value.
    pub kind: Kind,
    /// One line of meaning: units, numbering, what is counted.
    pub about: Cow<'static, str>,
    /// Whether the fact needs the course of the run: then the run is observed.
    pub course: bool,
}

impl FactSpec {
    /// A fact that the outcome alone answers.
    pub const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), kind, about: Cow::Borrowed(about), course: false }
    }

    /// Whether its values over many cases can be summed up: numbers and booleans.
    pub fn spreads(&self) -> bool {
        [Kind::INT, Kind::BOOL].contains(&self.kind)
    }

    /// A fact that needs the course of the run.
    pub const fn of_course(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), kind, about: Cow::Borrowed(about), course: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_read_as_words() {
        assert_eq!(Kind::INT.to_string(), "a whole number");
        assert_eq!(Kind::INT.list().list().to_string(), "a list of lists of whole numbers");
    }

    #[test]
    fn values_read_as_toml() {
        let value = Value::List(vec![Value::ints([1, 2]), Value::ints([])]);
        assert_eq!(value.to_string(), "[[1, 2], []]");
        assert_eq!(Value::Text("a\"b".into()).to_string(), r#"'a"b'"#);
    }

    #[test]
    fn a_value_knows_its_kind() {
        assert!(Value::ints([1]).is(Kind::INT.list()));
        assert!(!Value::ints([1]).is(Kind::INT));
        assert!(Value::List(vec![]).is(Kind::INT.list().list()));
        assert!(Value::AnyOf(vec![Value::Int(1)]).is(Kind::INT));
    }
}
