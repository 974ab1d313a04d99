//! The keys that every scenario may have, whatever its engine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use crate::script::{self, Argument};
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
    /// `"none"` lifts the statement's limits of size; `limits.size` and `limits.script` say more.
    pub limits: Option<Limits>,
    /// The start in the statement's input format, instead of the engine's own keys.
    pub input: Option<Spanned<String>>,
    /// A file with the start in the statement's input format; its path is taken from the scenario file's folder.
    pub input_file: Option<Spanned<String>>,
    /// A script that makes cases of this scenario.
    pub generate: Option<Box<Spanned<Generate>>>,
    /// A script that makes the moves.
    pub play: Option<Box<Spanned<Play>>>,
    /// A script that judges.
    pub check: Option<Box<Spanned<Check>>>,
    /// Facts whose spread over all cases is shown.
    pub summary: Option<Vec<Spanned<String>>>,
}

/// What a script is handed: any keys.
pub type Args = BTreeMap<String, Argument>;

/// A script that makes cases.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// The script; its path is taken from the scenario file's folder.
    pub script: Spanned<String>,
    /// How many cases, from index 0 on; 1 by default.
    pub count: Option<Spanned<i64>>,
    /// The seed of its chance; 0 by default.
    pub seed: Option<i64>,
    /// What it is handed.
    #[serde(default)]
    pub args: Args,
}

/// A script that makes the moves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The script; its path is taken from the scenario file's folder.
    pub script: Spanned<String>,
    /// The most moves that it makes; 1000 by default.
    pub moves: Option<Spanned<i64>>,
    /// The same, where moves are swaps.
    pub swaps: Option<Spanned<i64>>,
    /// The seed of its chance; 0 by default.
    pub seed: Option<i64>,
    /// What it is handed.
    #[serde(default)]
    pub args: Args,
}

/// A script that judges.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The script; its path is taken from the scenario file's folder.
    pub script: Spanned<String>,
    /// What it is handed.
    #[serde(default)]
    pub args: Args,
}

/// What a scenario may be and spend: `"none"`, or a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Which limits of size hold.
    pub size: Size,
    /// What its scripts may spend.
    pub script: script::Limits,
}

/// [`Limits`] as a table.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct LimitsTable {
    /// Which limits of size hold.
    size: Size,
    /// What its scripts may spend.
    script: script::Limits,
}

/// Which limits of size hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Those of the game's statement.
    #[default]
    Statement,
    /// None but what memory allows.
    None,
}

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Limits;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`\"none\"`, or a table with `size` and `script`")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Limits, E> {
                match word {
                    "statement" => Ok(Limits::default()),
                    "none" => Ok(Limits { size: Size::None, ..Limits::default() }),
                    _ => Err(E::unknown_variant(word, &["statement", "none"])),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Limits, A::Error> {
                let LimitsTable { size, script } = LimitsTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Limits { size, script })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Limits {
    fn schema_name() -> Cow<'static, str> {
        "Limits".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let word = generator.subschema_for::<Size>();
        let table = generator.subschema_for::<LimitsTable>();
        json_schema!({ "anyOf": [word, table] })
    }
}

/// The names of the keys in [`Header`].
pub const KEYS: [&str; 12] = [
    "name",
    "engine",
    "tags",
    "skip",
    "expect_failure",
    "limits",
    "input",
    "input_file",
    "generate",
    "play",
    "check",
    "summary",
];

/// The names of the keys that stand beside [`Header`] in every scenario.
pub const TABLES: [&str; 3] = ["rules", "expect", "checkpoint"];
