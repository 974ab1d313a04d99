//! The identity of a case: its file, its scenario's name or line, and its index among the cases that a script makes.
//!
//! Names are authors' texts, and any text is a name: one scenario may be named `line 9` while another without a name
//! begins on line 9, and one named `g#1` may stand beside a generated `g`. So a [`Name`] is a type, and its text for
//! people is quoted wherever it could be read as another one.

use std::borrow::Cow;
use std::env;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::visible;

/// The name of a scenario within its file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// That of no scenario: the file itself.
    #[default]
    File,
    /// The line that it begins on, from 1, of a scenario without a name.
    Line(usize),
    /// The author's name for it.
    Given(String),
}

impl Name {
    /// Returns the name of a scenario that begins on `line`: one that is named after that line is as good as not named.
    pub fn new(given: Option<&str>, line: usize) -> Self {
        match given.filter(|given| !given.is_empty()) {
            Some(given) if line_of(given) != Some(line) => Self::Given(given.to_owned()),
            _ => Self::Line(line),
        }
    }

    /// Returns the name that a record holds as `text`, of a scenario that begins on `line`.
    pub fn recorded(text: &str, line: usize) -> Self {
        if text.is_empty() { Self::File } else { Self::new(Some(text), line) }
    }

    /// Returns the name that people write as `text`, as it is displayed.
    pub fn parse(text: &str) -> Self {
        let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        match (quoted, line_of(text)) {
            (Some(name), _) => Self::Given(name.to_owned()),
            (None, Some(line)) => Self::Line(line),
            (None, None) if text.is_empty() => Self::File,
            (None, None) => Self::Given(visible::hidden_in(text).unwrap_or_else(|| text.to_owned())),
        }
    }

    /// Returns the author's text, or `line N`; nothing for the file. Two names may have one text.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::File => Cow::Borrowed(""),
            Self::Line(line) => Cow::Owned(format!("line {line}")),
            Self::Given(name) => Cow::Borrowed(name),
        }
    }
}

/// The text, in quotes where it could be that of another name, of one of several cases, or of characters that are
/// shown as escapes: no two names are displayed alike.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        let case = |name: &str| name.rsplit_once('#').is_some_and(|(_, index)| is_number(index));
        let other = |name: &str| Self::parse(name) != *self || case(name) || name.contains('\\');
        match self {
            Self::Given(name) if other(name) => write!(f, "\"{name}\""),
            Self::File | Self::Line(_) | Self::Given(_) => f.write_str(&text),
        }
    }
}

/// Returns N if the text is `line N`.
fn line_of(text: &str) -> Option<usize> {
    text.strip_prefix("line ").filter(|number| is_number(number))?.parse().ok()
}

/// Returns whether the text is a number as it is displayed.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
        && !text.is_empty()
        && (text == "0" || !text.starts_with('0'))
}

/// The identity of a case, for people: `FILE::NAME`, with `#INDEX` after it for one of several cases; of a file as such,
/// the file.
#[derive(Clone, Copy, Debug)]
pub struct Id<'a> {
    /// The file, as the user wrote its path.
    pub file: &'a str,
    /// The scenario.
    pub name: &'a Name,
    /// Which of the cases that a script makes of the scenario, from 0, if one does.
    pub index: Option<u64>,
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, name, index } = *self;
        f.write_str(file)?;
        if *name != Name::File {
            write!(f, "::{name}")?;
        }
        index.map_or(Ok(()), |index| write!(f, "#{index}"))
    }
}

/// Returns the path of a file as all of its spellings have it that the working directory tells: without `.`, empty parts
/// and the working directory above it, and without `..` where that leads to the same file.
pub fn spelling(file: &str) -> Cow<'_, str> {
    let plain =
        !file.starts_with('/') && file.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if plain && !file.contains('\\') {
        return Cow::Borrowed(file);
    }
    let Ok(working) = env::current_dir() else { return Cow::Borrowed(file) };
    let absolute = working.join(file);
    let mut straight = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(straight.pop()),
            part => straight.push(part),
        }
    }
    // Beyond a link `..` leads elsewhere.
    let same = !file.contains("..") || same_file::is_same_file(&straight, &absolute).unwrap_or(false);
    let straight = if same { straight } else { absolute };
    let below = straight.strip_prefix(&working).unwrap_or(&straight);
    Cow::Owned(below.to_string_lossy().into_owned())
}

/// The identity of a case within a run, for programs: a hash of its file, its scenario's name and line, and its index.
///
/// The line is part of it, for a file may hold a name twice by mistake. Two spellings of a path are one file, as far as
/// the path alone tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// Returns the key of a case of the scenario that begins on `line`.
    pub fn new(Id { file, name, index }: Id<'_>, line: usize) -> Self {
        let mut hash = Xxh3::new();
        for part in Path::new(file).components().filter(|part| *part != Component::CurDir) {
            hash.update(part.as_os_str().as_encoded_bytes());
            hash.update(b"/");
        }
        let (kind, text) = match name {
            Name::File => (0, ""),
            Name::Line(_) => (1, ""),
            Name::Given(name) => (2, name.as_str()),
        };
        hash.update(&[0, kind]);
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
        hash.update(&(line as u64).to_le_bytes());
        if let Some(index) = index {
            hash.update(&index.to_le_bytes());
        }
        Self(hash.digest128())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Names of all kinds that could be taken for each other.
    fn names() -> Vec<Name> {
        let texts = [
            "g",
            "g#1",
            "g#1#1",
            "g#01",
            "g#",
            "#1",
            "line 9",
            "line 09",
            "line  9",
            "line 9#1",
            "line",
            "Line 9",
            "\"",
            "\"\"",
            "\"g\"",
            "\"g#1\"",
            "\"g\"#1",
            "\"line 9\"",
            "\"line 9",
            "line 9\"",
            "a\\nb",
            "a\nb",
            "c\u{202e}d",
            "c\\u{202e}d",
            "c\td",
            "\u{7}",
            "##[error]",
            "a::b",
            " g",
        ];
        let mut names: Vec<_> = texts.iter().map(|text| Name::Given((*text).to_owned())).collect();
        names.extend([Name::Line(9), Name::Line(0), Name::Line(99)]);
        names
    }

    #[test]
    fn no_two_cases_are_displayed_alike() {
        let mut seen = BTreeMap::new();
        let mut keys = BTreeSet::new();
        for name in names() {
            for index in [None, Some(0), Some(1), Some(u64::MAX)] {
                let id = Id { file: "a.toml", name: &name, index };
                // Control characters are shown as escapes.
                let shown = visible::visible(&id.to_string());
                let before = seen.insert(shown, (name.clone(), index));
                assert_eq!(before, None, "{id} {name:?} {index:?}");
                let lines = if let Name::Line(line) = name { line..=line } else { 8..=9 };
                for line in lines {
                    assert!(keys.insert(Key::new(id, line)), "{id} on line {line}");
                }
            }
        }
        assert_eq!(seen.len(), 32 * 4);
    }

    #[test]
    fn a_name_is_found_by_what_is_displayed() {
        for name in names() {
            assert_eq!(Name::parse(&name.to_string()), name);
            assert_eq!(Name::parse(&visible::visible(&name.to_string())), name);
            let lines = names().into_iter().filter(|other| *other == Name::parse(&name.to_string()));
            assert_eq!(lines.count(), 1, "{name}");
        }
    }

    #[test]
    fn a_record_tells_names_and_lines_apart() {
        for name in names() {
            let line = if let Name::Line(line) = name { line } else { 1 };
            assert_eq!(Name::recorded(&name.text(), line), name);
        }
        assert_eq!(Name::recorded("", 1), Name::File);
        assert_eq!(Name::recorded("line 9", 9), Name::Line(9));
        assert_eq!(Name::recorded("line 9", 8), Name::Given("line 9".to_owned()));
    }

    #[test]
    fn spellings_of_a_path_are_one_file() {
        let name = Name::Line(1);
        let key = |file| Key::new(Id { file, name: &name, index: None }, 1);
        for spelling in ["./s/x.toml", "s//x.toml", "s/./x.toml", "././s/x.toml"] {
            assert_eq!(key(spelling), key("s/x.toml"), "{spelling}");
        }
        for other in ["s/x/toml", "sx.toml", "/s/x.toml", "S/x.toml", "s/x.tom"] {
            assert_ne!(key(other), key("s/x.toml"), "{other}");
        }
    }
}
