//! What a TOML text says, before anybody knows what it means: values with their places, tables in typed order.
//!
//! `parse` makes it of a text, fast where the spelling is usual, and then `Usual` even scenario by scenario; a document's type reads itself out of it by serde.
//! [`parse_json`] makes the same of an object in JSON.

mod hash;
mod json;
mod parse;
mod read;
mod usual;
mod write;

use std::borrow::Cow;
use std::collections::HashMap;

pub use self::hash::hash;
pub use self::json::{BLANKS, JsonError, JsonFault, parse_json};
pub use self::parse::{parse, parse_behind, too_deep};
pub use self::read::Error;
pub use self::usual::Usual;
pub use self::write::write;
use crate::spanned::Spanned;

/// A value and where it stands. A table under a header of its own stands where the header does, one that dotted keys
/// make where its first key does.
pub type Node<'t> = Spanned<Tree<'t>>;

/// A key and where it stands.
pub type Key<'t> = Spanned<Cow<'t, str>>;

/// A value as typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree<'t> {
    /// A string, its escapes read.
    Text(Cow<'t, str>),
    /// A whole number.
    Int(i64),
    /// A whole number that is too large to be one here.
    Huge,
    /// A number with a fraction.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A date, or a time of day.
    Date,
    /// An array.
    Array(Vec<Node<'t>>),
    /// A table.
    Table(Table<'t>),
}

impl<'t> Tree<'t> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, if it is a whole one.
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }

    /// The table.
    pub fn as_table(&self) -> Option<&Table<'t>> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }
}

/// Keys and their values, in the order in which they are typed; no key twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table<'t>(Vec<(Key<'t>, Node<'t>)>);

impl<'t> Table<'t> {
    /// The value of the key `name`.
    pub fn get(&self, name: &str) -> Option<&Node<'t>> {
        self.0.iter().find(|(key, _)| key.value == name).map(|(_, value)| value)
    }

    /// The value of the key `name`, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Node<'t>> {
        self.0.iter_mut().find(|(key, _)| key.value == name).map(|(_, value)| value)
    }

    /// The key `name` as typed.
    pub fn key(&self, name: &str) -> Option<&Key<'t>> {
        self.keys().find(|key| key.value == name)
    }

    /// Takes the key `name` out; its value.
    pub fn remove(&mut self, name: &str) -> Option<Node<'t>> {
        let index = self.0.iter().position(|(key, _)| key.value == name)?;
        Some(self.0.remove(index).1)
    }

    /// Puts a key behind the others that is none of them.
    pub fn push(&mut self, key: Key<'t>, value: Node<'t>) {
        self.0.push((key, value));
    }

    /// Puts the keys of `others` behind its own; of those that both have, `both` is handed the two values.
    pub fn add(&mut self, others: &Self, mut both: impl FnMut(&Key<'t>, &mut Node<'t>, &Node<'t>)) {
        /// So many keys are found fastest by looking at each.
        const FEW: usize = 16;
        let own = self.len();
        let index: HashMap<_, _> = if own > FEW && others.len() > FEW {
            self.keys().enumerate().map(|(i, key)| (key.value.clone(), i)).collect()
        } else {
            HashMap::new()
        };
        for (key, other) in others {
            let at = if index.is_empty() {
                self.0[..own].iter().position(|(own, _)| own.value == key.value)
            } else {
                index.get(&key.value).copied()
            };
            match at {
                Some(at) => both(key, &mut self.0[at].1, other),
                None => self.push(key.clone(), other.clone()),
            }
        }
    }

    /// Takes the keys out that are `wanted`, with their values.
    #[must_use]
    pub fn take(&mut self, mut wanted: impl FnMut(&Key<'t>) -> bool) -> Self {
        Self(self.0.extract_if(.., |(key, _)| wanted(key)).collect())
    }

    /// The keys.
    pub fn keys(&self) -> impl Iterator<Item = &Key<'t>> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &Node<'t>> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Keys and values.
    pub fn iter(&self) -> std::slice::Iter<'_, (Key<'t>, Node<'t>)> {
        self.0.iter()
    }

    /// Keys and values, the values to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Key<'t>, &mut Node<'t>)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'t> IntoIterator for Table<'t> {
    type Item = (Key<'t>, Node<'t>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, 't> IntoIterator for &'a Table<'t> {
    type Item = &'a (Key<'t>, Node<'t>);
    type IntoIter = std::slice::Iter<'a, (Key<'t>, Node<'t>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'t> FromIterator<(Key<'t>, Node<'t>)> for Table<'t> {
    fn from_iter<I: IntoIterator<Item = (Key<'t>, Node<'t>)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}
