//! The keys that every scenario may have, whatever its engine.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::spanned::Spanned;

/// The keys of a scenario that are not its engine's.
///
/// `rules`, `expect` and `checkpoint` belong here too, but only the engine knows what may stand in them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What the scenario is called; unique in its file. Without one it is called after its line.
    pub name: Option<Spanned<String>>,
    /// The engine that plays it.
    pub engine: Option<Spanned<String>>,
    /// Words to select it by; added to those of the file.
    pub tags: Option<Vec<String>>,
    /// Why it is not to be run.
    pub skip: Option<String>,
    /// Why it is known to fail; when it passes all the same, that is a failure.
    pub expect_failure: Option<Spanned<String>>,
    /// `"none"` lifts the statement's limits of size.
    pub limits: Option<Limits>,
    /// The start in the statement's input format, instead of the engine's own keys.
    pub input: Option<Spanned<String>>,
    /// A file with the start in the statement's input format; its path is taken from the scenario file's folder.
    pub input_file: Option<Spanned<String>>,
}

/// Which limits of size hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limits {
    /// Those of the game's statement.
    Statement,
    /// None but what memory allows.
    None,
}

/// The names of the keys in [`Header`].
pub const KEYS: [&str; 8] =
    ["name", "engine", "tags", "skip", "expect_failure", "limits", "input", "input_file"];

/// The names of the keys that stand beside [`Header`] in every scenario.
pub const TABLES: [&str; 3] = ["rules", "expect", "checkpoint"];
