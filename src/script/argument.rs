//! What scenarios hand to scripts.

use std::collections::BTreeMap;

use rhai::{Dynamic, Map};
use schemars::JsonSchema;
use serde::Deserialize;

/// A value for a script.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a script takes whole numbers, texts, booleans, arrays and tables")]
pub enum Argument {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(String),
    /// An array.
    Array(Vec<Argument>),
    /// A table.
    Table(BTreeMap<String, Argument>),
}

impl From<&Argument> for Dynamic {
    fn from(argument: &Argument) -> Self {
        match argument {
            Argument::Bool(value) => (*value).into(),
            Argument::Int(number) => (*number).into(),
            Argument::Text(text) => text.as_str().into(),
            Argument::Array(items) => {
                let items: Vec<Dynamic> = items.iter().map(Into::into).collect();
                items.into()
            }
            Argument::Table(table) => {
                table.iter().map(|(key, value)| (key.as_str().into(), value.into())).collect::<Map>().into()
            }
        }
    }
}
