//! Which scenarios are wanted.

use crate::engine::Referee;

/// A choice of scenarios; the default is all.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// A text that stands in `FILE::NAME`.
    pub text: Option<String>,
    /// The name of the scenario, in full.
    pub name: Option<String>,
    /// The name of the engine.
    pub engine: Option<String>,
    /// One of the tags.
    pub tag: Option<String>,
}

impl Select {
    /// Whether a scenario is wanted.
    pub fn wants(&self, file: &str, name: &str, referee: Option<&dyn Referee>, tags: &[String]) -> bool {
        let text = self.text.as_ref().is_none_or(|text| format!("{file}::{name}").contains(text));
        let full = self.name.as_ref().is_none_or(|full| full == name);
        let engine = self.engine.as_ref().is_none_or(|engine| referee.is_some_and(|r| r.name() == engine));
        text && full && engine && self.tag.as_ref().is_none_or(|tag| tags.contains(tag))
    }
}
