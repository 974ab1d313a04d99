//! What an author may say of a value: the value itself, or matchers.

use std::fmt;

use regex::Regex;

use crate::grid::Grid;
use crate::value::{Item, Kind, Value};

/// The cell of an expected board that any cell equals.
pub const ANY_CELL: &str = "?";

/// A matcher as authors know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatcherSpec {
    /// The name.
    pub name: &'static str,
    /// The meaning.
    pub about: &'static str,
    /// Names that other tools have for it: suggested, never accepted.
    pub synonyms: &'static [&'static str],
}

/// The matchers that authors may use.
pub const MATCHERS: &[MatcherSpec] = &[
    MatcherSpec {
        name: "at_least",
        about: "the number is this or more",
        synonyms: &[
            "min", "minimum", "ge", "gte", "gt", ">=", ">", "greater", "more", "above", "from", "lower",
        ],
    },
    MatcherSpec {
        name: "at_most",
        about: "the number is this or less",
        synonyms: &["max", "maximum", "le", "lte", "lt", "<=", "<", "less", "fewer", "below", "to", "upper"],
    },
    MatcherSpec {
        name: "one_of",
        about: "the value is one of these",
        synonyms: &["in", "any", "any_of", "among", "either", "or", "oneof", "enum"],
    },
    MatcherSpec {
        name: "not",
        about: "the value is not this, or does not match this",
        synonyms: &["ne", "neq", "!=", "<>", "not_equal", "not_equals", "isnt", "unequal", "except"],
    },
    MatcherSpec {
        name: "matches",
        about: "the text matches this regular expression somewhere",
        synonyms: &["regex", "regexp", "re", "pattern", "like", "=~"],
    },
    MatcherSpec {
        name: "len",
        about: "the list or text has this length, or one that matches this",
        synonyms: &["length", "size", "count"],
    },
    MatcherSpec {
        name: "contains",
        about: "some item of the list is this or matches this; the text contains this text",
        synonyms: &["has", "have", "include", "includes", "some", "exists"],
    },
    MatcherSpec {
        name: "each",
        about: "every item of the list is this or matches this",
        synonyms: &["all", "every", "items", "forall"],
    },
];

/// Names that other tools have for what is written as a plain value here.
pub(super) const PLAIN_VALUE: &[&str] = &["eq", "equal", "equals", "is", "be", "==", "=", "value", "exactly"];

/// What is said of a value.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// It equals this one; a board's cell `?` equals any.
    Equals(Value),
    /// The number is this or more.
    AtLeast(i64),
    /// The number is this or less.
    AtMost(i64),
    /// It equals one of these.
    OneOf(Vec<Value>),
    /// It does not match.
    Not(Box<Matcher>),
    /// The text matches somewhere.
    Matches(Regex),
    /// Its length matches.
    Len(Box<Matcher>),
    /// The text contains this text.
    ContainsText(String),
    /// An item matches.
    Contains(Box<Matcher>),
    /// Every item matches.
    Each(Box<Matcher>),
    /// All of these hold.
    All(Vec<Matcher>),
}

impl Matcher {
    /// Whether `actual` is as said.
    pub fn holds(&self, actual: &Value) -> bool {
        if let Value::AnyOf(values) = actual {
            return values.iter().any(|value| self.holds(value));
        }
        match (self, actual) {
            (Self::Equals(expected), _) => equals(expected, actual),
            (Self::AtLeast(bound), Value::Int(number)) => number >= bound,
            (Self::AtMost(bound), Value::Int(number)) => number <= bound,
            (Self::OneOf(values), _) => values.iter().any(|expected| equals(expected, actual)),
            (Self::Not(matcher), _) => !matcher.holds(actual),
            (Self::Matches(pattern), Value::Text(text)) => pattern.is_match(text),
            (Self::Len(matcher), Value::Text(text)) => {
                matcher.holds(&Value::Int(text.chars().count() as i64))
            }
            (Self::Len(matcher), Value::List(items)) => matcher.holds(&Value::Int(items.len() as i64)),
            (Self::ContainsText(part), Value::Text(text)) => text.contains(part),
            (Self::Contains(matcher), Value::List(items)) => items.iter().any(|item| matcher.holds(item)),
            (Self::Each(matcher), Value::List(items)) => items.iter().all(|item| matcher.holds(item)),
            (Self::All(matchers), _) => matchers.iter().all(|matcher| matcher.holds(actual)),
            // The loader gives a matcher only to kinds that it speaks of.
            _ => false,
        }
    }

    /// Whether the matcher says what a value has in it, not what it is.
    fn is_of_parts(&self) -> bool {
        match self {
            Self::Matches(_) | Self::Len(_) | Self::ContainsText(_) | Self::Contains(_) | Self::Each(_) => {
                true
            }
            Self::All(matchers) => matchers.first().is_some_and(Self::is_of_parts),
            _ => false,
        }
    }

    /// Whether the matcher named `name` speaks of values of `kind`.
    pub fn speaks_of(name: &str, kind: Kind) -> bool {
        match name {
            "at_least" | "at_most" => kind == Kind::INT,
            "matches" => kind == Kind::TEXT,
            "len" | "contains" => kind.depth > 0 || kind.item == Item::Text,
            "each" => kind.depth > 0,
            _ => true,
        }
    }
}

fn equals(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Board(expected), Value::Board(actual)) => {
            differing(expected, actual).is_some_and(|d| d.is_empty())
        }
        (Value::List(expected), Value::List(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(e, a)| equals(e, a))
        }
        _ => expected == actual,
    }
}

/// The cells, in reading order, in which two boards differ; `None` when their shapes do.
pub fn differing(expected: &Grid<String>, actual: &Grid<String>) -> Option<Vec<usize>> {
    let same_shape = (expected.rows(), expected.cols()) == (actual.rows(), actual.cols());
    let pairs = expected.cells().iter().zip(actual.cells()).enumerate();
    same_shape.then(|| pairs.filter(|(_, (e, a))| *e != ANY_CELL && e != a).map(|(i, _)| i).collect())
}

/// As words that follow `expected `.
impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equals(Value::Board(_)) => f.write_str("this board"),
            Self::Not(matcher) if matches!(**matcher, Self::Equals(Value::Board(_))) => {
                f.write_str("any board but this")
            }
            Self::OneOf(values) if matches!(values.first(), Some(Value::Board(_))) => {
                f.write_str("one of these boards")
            }
            Self::Equals(value) => write!(f, "{value}"),
            Self::AtLeast(bound) => write!(f, "at least {bound}"),
            Self::AtMost(bound) => write!(f, "at most {bound}"),
            Self::OneOf(values) => write!(f, "one of {}", Value::List(values.clone())),
            Self::Not(matcher) => write!(f, "not {matcher}"),
            Self::Matches(pattern) => write!(f, "a match of `{pattern}`"),
            Self::Len(matcher) => write!(f, "a length of {matcher}"),
            Self::ContainsText(part) => write!(f, "`{part}` somewhere in it"),
            Self::Contains(matcher) => {
                write!(f, "an item that {} {matcher}", if matcher.is_of_parts() { "has" } else { "is" })
            }
            Self::Each(matcher) => {
                write!(f, "every item to {} {matcher}", if matcher.is_of_parts() { "have" } else { "be" })
            }
            Self::All(matchers) => matchers.iter().enumerate().try_for_each(|(i, matcher)| {
                f.write_str(if i == 0 { "" } else { " and " })?;
                write!(f, "{matcher}")
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_hold_or_not() {
        let list = Value::ints([3, 5]);
        let at_least = |bound| Box::new(Matcher::AtLeast(bound));
        assert!(Matcher::Each(at_least(3)).holds(&list));
        assert!(!Matcher::Each(at_least(4)).holds(&list));
        assert!(Matcher::Contains(at_least(4)).holds(&list));
        assert!(Matcher::Len(Box::new(Matcher::Equals(Value::Int(2)))).holds(&list));
        assert!(Matcher::Not(at_least(4)).holds(&Value::Int(3)));
        assert!(Matcher::Matches(Regex::new("^a+$").unwrap()).holds(&Value::Text("aa".into())));
    }

    #[test]
    fn matchers_read_as_words() {
        let each = |matcher| Matcher::Each(Box::new(matcher));
        assert_eq!(
            each(each(Matcher::AtMost(2))).to_string(),
            "every item to have every item to be at most 2"
        );
        let len = Matcher::Len(Box::new(Matcher::Equals(Value::Int(3))));
        assert_eq!(each(len).to_string(), "every item to have a length of 3");
        let contains = Matcher::Contains(Box::new(Matcher::Equals(Value::Int(3))));
        assert_eq!(contains.to_string(), "an item that is 3");
    }

    #[test]
    fn any_of_the_answers_will_do() {
        let actual = Value::AnyOf(vec![Value::Int(1), Value::Int(2)]);
        assert!(Matcher::Equals(Value::Int(2)).holds(&actual));
        assert!(!Matcher::Equals(Value::Int(3)).holds(&actual));
    }

    #[test]
    fn a_question_mark_is_any_cell() {
        let board = |cells: [&str; 2]| Grid::from_cells(2, cells.map(str::to_owned).to_vec()).unwrap();
        let expected = Matcher::Equals(Value::Board(board(["1", "?"])));
        assert!(expected.holds(&Value::Board(board(["1", "9"]))));
        assert!(!expected.holds(&Value::Board(board(["2", "9"]))));
    }
}
