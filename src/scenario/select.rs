//! Which scenarios are wanted.

use std::ops::Range;

use crate::engine::Referee;

/// A choice of scenarios, and what is wanted of them beyond the file's own wishes; the default is all, and nothing.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// A text that stands in `FILE::NAME`.
    pub filter: Option<String>,
    /// The name of the scenario, in full.
    pub name: Option<String>,
    /// The name of the engine.
    pub engine: Option<String>,
    /// One of the tags.
    pub tag: Option<String>,
    /// Of the cases that scripts make: those with these indices.
    pub indices: Option<Range<u64>>,
    /// Facts whose spread is shown, where an engine has them.
    pub summary: Vec<String>,
    /// Whether the scenario is wanted as TOML, too.
    pub text: bool,
}

impl Select {
    /// Whether a scenario is wanted.
    pub fn wants(&self, file: &str, name: &str, referee: Option<&dyn Referee>, tags: &[String]) -> bool {
        self.wants_scenario(file, name, referee.map(Referee::name), tags)
    }

    /// Whether a scenario is wanted whose engine has this name.
    pub fn wants_scenario(&self, file: &str, name: &str, engine: Option<&str>, tags: &[String]) -> bool {
        let filter = self.filter.as_ref().is_none_or(|text| format!("{file}::{name}").contains(text));
        let full = self.name.as_ref().is_none_or(|full| full == name);
        let engine = self.engine.as_ref().is_none_or(|wanted| engine == Some(wanted));
        filter && full && engine && self.tag.as_ref().is_none_or(|tag| tags.contains(tag))
    }

    /// Those of the cases that are wanted.
    pub fn indices(&self, cases: Range<u64>) -> Range<u64> {
        match &self.indices {
            None => cases,
            Some(wanted) => cases.start.max(wanted.start)..cases.end.min(wanted.end),
        }
    }
}
