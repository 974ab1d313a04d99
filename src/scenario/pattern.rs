//! Names that are given in part.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

use crate::identity::Name;

/// A name, or a glob such as `row *`.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    glob: Option<GlobMatcher>,
}

impl Pattern {
    /// The pattern that `text` is; what cannot be a glob stands for itself alone.
    pub fn new(text: &str) -> Self {
        let glob = is_glob(text).then(|| GlobBuilder::new(text).literal_separator(false).build().ok());
        Self { text: text.to_owned(), glob: glob.flatten().map(|glob| glob.compile_matcher()) }
    }

    /// Why `text` is no glob, if it looks like one.
    pub(super) fn fault(text: &str) -> Option<String> {
        let build = || GlobBuilder::new(text).literal_separator(false).build();
        is_glob(text).then(build)?.err().map(|error| error.kind().to_string())
    }

    /// Returns the name of a scenario that it is.
    pub fn name(&self) -> Name {
        Name::parse(&self.text)
    }

    /// Returns whether it is a glob.
    pub fn is_glob(&self) -> bool {
        self.glob.is_some()
    }

    /// Returns whether it matches, as a glob, the text of a scenario's name.
    pub fn matches_text(&self, text: &str) -> bool {
        self.glob.as_ref().is_some_and(|glob| glob.is_match(text))
    }

    /// Whether it is `text`, or matches it.
    pub fn matches(&self, text: &str) -> bool {
        self.text == text || self.matches_text(text)
    }

    /// Returns whether it is in `id`, which is `FILE::NAME`, or, as a glob, matches the `text` of the name.
    pub fn is_in(&self, id: &str, text: &str) -> bool {
        id.contains(&self.text) || self.matches_text(text)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.text).finish()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether the text has a character that globs give a meaning to.
pub(super) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_matches_itself_whatever_it_looks_like() {
        for name in ["row 1", "a [b]", "{x", "[[", "what?", "a*b"] {
            assert!(Pattern::new(name).matches(name), "{name}");
        }
    }

    #[test]
    fn a_glob_matches_names() {
        assert!(Pattern::new("row *").matches("row 12"));
        assert!(Pattern::new("*/x").matches("a/b/x"));
        assert!(Pattern::new("{a,b}").matches("b"));
        assert!(!Pattern::new("row ?").matches("row 12"));
        assert!(!Pattern::new("row").matches("row 1"));
    }
}
