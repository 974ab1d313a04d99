//! Keys of a scenario that are in one of its tables: after `[scenario.expect]` every further key belongs to that table.

use std::sync::Arc;

use schemars::schema_for;

use super::header::{self, Header};
use crate::diagnostic::Diagnostic;
use crate::engine::{AnyEngine, keys};
use crate::source::{Source, Span};
use crate::tree::{Node, Table, Tree};
use crate::value::FactSpec;

/// Moves the keys that belong to the scenario itself out of its tables, each with a fault that tells its author to.
pub(super) fn refuse<'t>(
    scenario: &mut Table<'t>,
    engine: Option<&dyn AnyEngine>,
    source: &Arc<Source>,
    faults: &mut Vec<Diagnostic>,
) {
    let schema = engine.map(AnyEngine::doc_schema);
    let own = schema.as_ref().and_then(|schema| keys::properties(schema.as_value(), schema));
    let of_scenario = |key: &str| {
        header::KEYS.contains(&key)
            || header::TABLES.contains(&key)
            || own.is_some_and(|own| own.contains_key(key))
    };
    let mut moved = Vec::new();
    for (name, value) in scenario.iter_mut() {
        let name = name.value.clone();
        let Some(known) = known(&name, engine) else { continue };
        let mut check = |table: &mut Node<'t>| {
            let header = Span::new(source, table.range.clone());
            let Tree::Table(keys) = &mut table.value else { return };
            for (key, value) in
                keys.take(|key| of_scenario(&key.value) && !known.iter().any(|known| key.value == *known))
            {
                let label = format!("a key of the scenario, here in its table `{name}`");
                // A table under a header of its own spans the header; any other has its keys inside.
                let help = if header.text().starts_with('[') {
                    format!("move it above the line `{}`", header.text().trim())
                } else {
                    format!("move it out of `{name}`")
                };
                let fault = Diagnostic::new("scenario::unknown-key", format!("unknown key `{}`", key.value));
                faults.push(fault.label(Span::new(source, key.range.clone()), label).help(help));
                moved.push((key, value));
            }
        };
        match &mut value.value {
            Tree::Table(_) => check(value),
            Tree::Array(items) if name == "checkpoint" => items.iter_mut().for_each(check),
            _ => {}
        }
    }
    // Else they would be reported as missing, too.
    for (key, value) in moved {
        if scenario.get(&key.value).is_none() {
            scenario.push(key, value);
        }
    }
}

/// Returns the keys that the table `name` of a scenario has itself, if it is one and they are known.
fn known(name: &str, engine: Option<&dyn AnyEngine>) -> Option<Vec<String>> {
    let facts = |facts: &[FactSpec]| facts.iter().map(|fact| fact.name.to_string()).collect();
    let schema = match name {
        "expect" => return engine.map(|engine| facts(engine.facts())),
        "checkpoint" => return engine.map(|engine| facts(engine.moments())),
        "rules" => engine?.rules_schema(),
        _ => schema_for!(Header),
    };
    let keys = match name {
        "rules" => keys::properties(schema.as_value(), &schema),
        _ => keys::properties(schema.as_value().pointer(&format!("/properties/{name}"))?, &schema),
    };
    keys.map(|keys| keys.keys().cloned().collect())
}
