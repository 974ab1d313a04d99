//! Generators: scripts that make cases.

use std::collections::BTreeMap;

use rhai::Dynamic;

use super::argument::Argument;
use super::chance::Chance;
use super::convert;
use super::fault::heading;
use super::host::Script;
use crate::diagnostic::Diagnostic;
use crate::tree;

/// A script that makes cases by its `fn generate(rng, index, args)`.
#[derive(Clone, Debug)]
pub struct Generator {
    script: Script,
    seed: i64,
    args: Dynamic,
}

impl Generator {
    /// The generator of `seed`, with what the scenario hands it.
    pub fn new(script: Script, seed: i64, args: &BTreeMap<String, Argument>) -> Self {
        Self { script, seed, args: arguments(args) }
    }

    /// What the text of a case is called.
    pub fn name(&self, index: u64) -> String {
        format!("{}, seed {}, index {index}", self.script.source().name(), self.seed)
    }

    /// The keys of the case `index`, as TOML. They depend on the script, the seed and the index alone.
    ///
    /// # Errors
    /// When the script fails, or returns what is no scenario.
    pub fn make(&self, index: u64) -> Result<String, Diagnostic> {
        let rng = || Dynamic::from(Chance::new(self.seed as u64, index));
        let made = self.script.call("generate", || vec![rng(), (index as i64).into(), self.args.clone()])?;
        let Ok(map) = made.as_map_ref() else {
            let found = convert::kind(&made);
            return Err(wrong_shape(&self.script, "generate", &found, "a map of a scenario's keys"));
        };
        let table = convert::table(&map).map_err(|wrong| {
            let title = format!("`generate` returns {} as `{}`", wrong.found, wrong.at);
            let fault = Diagnostic::new("script::wrong-shape", title);
            fault.label(
                heading(self.script.source(), "generate"),
                "expected numbers, texts, booleans, boards, arrays and maps",
            )
        })?;
        Ok(tree::write(&table))
    }
}

/// The arguments for a script.
pub(super) fn arguments(args: &BTreeMap<String, Argument>) -> Dynamic {
    let entries = args.iter().map(|(key, value)| (key.as_str().into(), value.into()));
    entries.collect::<rhai::Map>().into()
}

/// The fault of a function that returns something of a wrong kind.
pub(super) fn wrong_shape(script: &Script, function: &str, found: &str, expected: &str) -> Diagnostic {
    Diagnostic::new("script::wrong-shape", format!("`{function}` returns {found}"))
        .label(heading(script.source(), function), format!("expected {expected}"))
}
