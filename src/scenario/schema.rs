//! The JSON Schema of scenario files, for editors: made from the same types and records that read them.
//!
//! A file is one scenario, or scenarios with defaults above them. Which keys a scenario may have is the engine's to say,
//! and the engine may stand in the scenario or among the defaults: so there is a closed schema for each engine, one that
//! is open for games in rhai, and conditions that choose among them. Draft 7 is what editors' tools agree on.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json, json};

use super::header::Header;
use super::matcher::{MATCHERS, Matcher};
use crate::engine::AnyEngine;
use crate::engines::Engines;
use crate::value::{FactSpec, Item, Kind};

type Keys = Map<String, Json>;

/// What `expect` takes beside facts.
const OTHERS: [(&str, &str); 3] = [
    ("output", "The answer in the statement's output format, compared word by word."),
    ("error", "The code of the fault with which the start must be refused, or several codes."),
    ("signature", "One hash over all facts of all cases that a script makes."),
];

/// Returns the schema, in draft 7, of files that may name `engines`.
pub fn schema(engines: &Engines) -> Json {
    let mut definitions = Keys::new();
    let header = header(engines, &mut definitions);
    let engines: Vec<_> =
        engines.iter().map(|engine| (engine.name(), own(&**engine, &mut definitions))).collect();
    let mut known = header.clone();
    known.extend(hints(&engines));
    for (name, own) in &engines {
        let mut keys = header.clone();
        keys.extend(own.clone());
        definitions.insert(keys_of(name), json!({ "properties": keys, "additionalProperties": false }));
    }
    let mut open = header.clone();
    open.extend(of_game());
    definitions.insert(keys_of(GAME), json!({ "properties": open, "additionalProperties": true }));
    let names: Vec<_> = engines.iter().map(|(name, _)| *name).chain([GAME]).collect();
    for default in names.iter().copied().map(Some).chain([None]) {
        definitions.insert(within(default), scenario(&names, default, &known));
    }
    definitions.insert("file".to_owned(), file(&engines, &known));
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Rulebook scenario file",
        "description": "One scenario, or scenarios with defaults above the first `[[scenario]]`.",
        "type": "object",
        "if": { "required": ["scenario"] },
        "then": reference("file"),
        "else": reference(&within(None)),
        "definitions": definitions,
    });
    plain(&mut schema);
    schema
}

/// What games in rhai are called here.
const GAME: &str = "rhai";

/// The definition of a scenario in a file with this default engine.
fn within(default: Option<&str>) -> String {
    default.map_or_else(|| "scenario".to_owned(), |engine| format!("scenario.{engine}"))
}

/// The definition of all keys of an engine's scenario.
fn keys_of(engine: &str) -> String {
    format!("keys.{engine}")
}

fn reference(definition: &str) -> Json {
    json!({ "$ref": format!("#/definitions/{definition}") })
}

/// The keys of every scenario.
fn header(engines: &Engines, definitions: &mut Keys) -> Keys {
    let mut generator = SchemaSettings::draft07().into_generator();
    let mut root = generator.root_schema_for::<Header>().to_value();
    definitions.extend(taken(&mut root, "definitions"));
    let mut keys = taken(&mut root, "properties");
    let names: Vec<_> = engines.names().collect();
    let engine = json!({ "anyOf": [{ "enum": names }, { "type": "string", "pattern": RHAI }] });
    if let Some(Json::Object(typed)) = keys.get_mut("engine") {
        typed.extend(engine.as_object().cloned().unwrap_or_default());
    }
    keys
}

/// How the path of a game in rhai ends.
const RHAI: &str = r"\.rhai$";

/// The keys under `name`, taken out.
fn taken(schema: &mut Json, name: &str) -> Keys {
    match schema.get_mut(name).map(Json::take) {
        Some(Json::Object(keys)) => keys,
        _ => Keys::new(),
    }
}

/// The keys of an engine's scenarios that are not every engine's.
fn own(engine: &dyn AnyEngine, definitions: &mut Keys) -> Keys {
    let name = engine.name();
    let mut hoisted = |schema: schemars::Schema| {
        let mut schema = schema.to_value();
        let inner = taken(&mut schema, "$defs");
        rename(&mut schema, name);
        for (inner, mut schema) in inner {
            rename(&mut schema, name);
            definitions.insert(format!("{name}.{inner}"), schema);
        }
        schema
    };
    let mut keys = taken(&mut hoisted(engine.doc_schema()), "properties");
    let mut rules = hoisted(engine.rules_schema());
    rules["description"] = "House rules; what is not given is as in the statement.".into();
    keys.insert("rules".to_owned(), rules);
    let facts = facts(engine.facts(), definitions);
    keys.insert("expect".to_owned(), expect(facts, false));
    let moments = self::facts(engine.moments(), definitions);
    keys.insert("checkpoint".to_owned(), checkpoints(engine.step(), moments, false));
    keys
}

/// Makes references to an engine's own definitions references to those here.
fn rename(schema: &mut Json, engine: &str) {
    each(schema, &mut |object| {
        if let Some(Json::String(path)) = object.get_mut("$ref")
            && let Some(inner) = path.strip_prefix("#/$defs/")
        {
            *path = format!("#/definitions/{engine}.{inner}");
        }
    });
}

/// Calls `visit` with every object in `json`, the innermost first.
fn each(json: &mut Json, visit: &mut dyn FnMut(&mut Keys)) {
    match json {
        Json::Object(object) => {
            object.values_mut().for_each(|value| each(value, visit));
            visit(object);
        }
        Json::Array(items) => items.iter_mut().for_each(|item| each(item, visit)),
        _ => {}
    }
}

fn facts(specs: &[FactSpec], definitions: &mut Keys) -> Keys {
    let fact = |spec: &FactSpec| {
        let about = format!("{} ({})", spec.about, spec.kind);
        (spec.name.to_string(), json!({ "allOf": [expected(spec.kind, definitions)], "description": about }))
    };
    specs.iter().map(fact).collect()
}

/// What may be expected of a value of `kind`: the value, or matchers.
fn expected(kind: Kind, definitions: &mut Keys) -> Json {
    let name = format!("expected.{}", kind.to_string().replace('`', "").replace(' ', "-"));
    if !definitions.contains_key(&name) {
        // Matchers hold matchers of the same kind: the name stands before they are made.
        definitions.insert(name.clone(), Json::Null);
        let matchers = MATCHERS.iter().filter(|known| Matcher::speaks_of(known.name, kind));
        let matchers: Keys = matchers
            .map(|known| {
                let argument = argument(known.name, kind, definitions);
                (known.name.to_owned(), json!({ "allOf": [argument], "description": known.about }))
            })
            .collect();
        let table = json!({
            "type": "object", "properties": matchers, "additionalProperties": false, "minProperties": 1
        });
        definitions.insert(name.clone(), json!({ "anyOf": [literal(kind), table] }));
    }
    reference(&name)
}

/// What the matcher `name` of values of `kind` takes.
fn argument(name: &str, kind: Kind, definitions: &mut Keys) -> Json {
    match name {
        "at_least" | "at_most" => literal(Kind::INT),
        "one_of" => json!({ "type": "array", "items": literal(kind) }),
        "matches" => json!({ "type": "string", "format": "regex" }),
        "len" => expected(Kind::INT, definitions),
        "contains" if kind == Kind::TEXT => literal(Kind::TEXT),
        "contains" | "each" => expected(kind.element().unwrap_or(kind), definitions),
        _ => expected(kind, definitions),
    }
}

fn literal(kind: Kind) -> Json {
    match (kind.element(), kind.item) {
        (Some(element), _) => json!({ "type": "array", "items": literal(element) }),
        (None, Item::Bool) => json!({ "type": "boolean" }),
        (None, Item::Int) => json!({ "type": "integer" }),
        (None, Item::Text) => json!({ "type": "string" }),
        (None, Item::Board) => {
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
        }
    }
}

fn expect(mut facts: Keys, open: bool) -> Json {
    for (name, about) in OTHERS {
        let text = json!({ "type": "string" });
        let value = match name {
            "error" => json!({ "anyOf": [text, { "type": "array", "items": text, "minItems": 1 }] }),
            _ => text,
        };
        facts.insert(name.to_owned(), described(value, about));
    }
    json!({
        "description": "What is expected at the end: facts, each a value or matchers.",
        "type": "object",
        "properties": facts,
        "additionalProperties": open,
    })
}

fn checkpoints(step: &str, mut moments: Keys, open: bool) -> Json {
    let after = json!({ "type": "integer", "minimum": 1 });
    moments.insert(
        "after".to_owned(),
        described(after, &format!("The {step} after which this is expected, from 1.")),
    );
    json!({
        "description": "What is expected on the way.",
        "type": "array",
        "items": {
            "type": "object", "properties": moments, "required": ["after"], "additionalProperties": open
        },
    })
}

fn described(mut schema: Json, about: &str) -> Json {
    schema["description"] = about.into();
    schema
}

/// The keys of games in rhai that are not every engine's, as far as they are known: each game has its own.
fn of_game() -> Keys {
    let expect = expect(Keys::new(), true);
    let checkpoints = checkpoints("move", Keys::new(), true);
    [("expect".to_owned(), expect), ("checkpoint".to_owned(), checkpoints)].into_iter().collect()
}

/// All engines' keys with what they mean, and nothing of what they hold: for tools that do not look behind conditions.
fn hints(engines: &[(&str, Keys)]) -> Keys {
    let mut hints = BTreeMap::<&str, Vec<(&str, &str)>>::new();
    for (engine, keys) in engines {
        for (key, schema) in keys {
            let about = schema.get("description").and_then(Json::as_str).unwrap_or_default();
            hints.entry(key).or_default().push((engine, about));
        }
    }
    let hint = |(key, abouts): (&str, Vec<(&str, &str)>)| {
        let same = abouts.iter().all(|(_, about)| *about == abouts[0].1);
        let lines = abouts.iter().map(|(engine, about)| format!("`{engine}`: {about}"));
        let about = if same { abouts[0].1.to_owned() } else { lines.collect::<Vec<_>>().join("\n\n") };
        (key.to_owned(), json!({ "description": about }))
    };
    hints.into_iter().map(hint).collect()
}

/// The condition that the engine is this one.
fn is(engine: &str) -> Json {
    let engine = if engine == GAME { json!({ "pattern": RHAI }) } else { json!({ "const": engine }) };
    json!({ "properties": { "engine": engine }, "required": ["engine"] })
}

/// The condition that the scenario is to be refused: then it may be wrong in any way.
fn refused() -> Json {
    json!({ "properties": { "expect": { "required": ["error"] } }, "required": ["expect"] })
}

/// A scenario in a file with this default engine.
fn scenario(engines: &[&str], default: Option<&str>, known: &Keys) -> Json {
    let mut choices: Vec<_> = engines
        .iter()
        .map(|engine| json!({ "if": is(engine), "then": reference(&keys_of(engine)) }))
        .collect();
    let mut schema = json!({ "type": "object", "properties": known, "additionalProperties": true });
    match default {
        None => schema["required"] = json!(["engine"]),
        Some(default) => {
            choices.push(json!({ "if": { "required": ["engine"] }, "else": reference(&keys_of(default)) }));
        }
    }
    schema["if"] = refused();
    schema["then"] = json!({ "properties": of_game() });
    schema["else"] = json!({ "allOf": choices, "additionalProperties": true });
    schema
}

/// A file of several scenarios.
fn file(engines: &[(&str, Keys)], known: &Keys) -> Json {
    let items = |default: Option<&str>| json!({ "scenario": { "items": reference(&within(default)) } });
    let mut choices: Vec<_> = engines
        .iter()
        .map(|(name, own)| {
            let mut keys = own.clone();
            keys.extend(items(Some(name)).as_object().cloned().unwrap_or_default());
            json!({ "if": is(name), "then": { "properties": keys } })
        })
        .collect();
    choices.push(json!({ "if": is(GAME), "then": { "properties": items(Some(GAME)) } }));
    choices.push(json!({ "if": { "required": ["engine"] }, "else": { "properties": items(None) } }));
    let mut keys = known.clone();
    let about = "The scenarios. What stands above the first one is a default for all.";
    keys.insert("scenario".to_owned(), json!({ "type": "array", "minItems": 1, "description": about }));
    let all: Keys = keys.keys().map(|key| (key.clone(), true.into())).collect();
    // A default may be for the one scenario of several that a game in rhai plays.
    let game = json!({ "properties": { "scenario": { "contains": is(GAME) } } });
    choices.push(json!({
        "if": { "anyOf": [is(GAME), game] },
        "else": { "properties": all, "additionalProperties": false },
    }));
    json!({
        "properties": keys, "if": refused(), "else": { "allOf": choices, "additionalProperties": true },
        "additionalProperties": true
    })
}

/// Says what schemars says for JSON as it is for TOML, where nothing is null, and as draft 7 reads it, where nothing
/// counts beside a reference. Tools that are strict want to be told where other keys are allowed.
fn plain(schema: &mut Json) {
    each(schema, &mut |object| {
        if let Some(Json::Array(kinds)) = object.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [only] = kinds.as_slice() {
                object["type"] = only.clone();
            }
        }
        if let Some(Json::Array(choices)) = object.get_mut("anyOf") {
            choices.retain(|choice| choice["type"] != "null");
        }
        if object.get("format").is_some_and(|format| format != "regex") {
            object.remove("format");
        }
        let of_tables = object.get("properties").is_some_and(Json::is_object)
            || object.get("required").is_some_and(Json::is_array)
            || object.contains_key("if");
        if of_tables {
            object.entry("additionalProperties").or_insert(true.into());
        }
        if object.get("default").is_some_and(Json::is_null) {
            object.remove("default");
        }
        if object.len() > 1
            && let Some(path) = object.remove("$ref")
        {
            let all = object.entry("allOf").or_insert_with(|| json!([]));
            all.as_array_mut().into_iter().for_each(|all| all.push(json!({ "$ref": path })));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::header;
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let mut schema = schema(&Engines::builtin());
        let definitions = schema["definitions"].clone();
        let mut references = 0;
        each(&mut schema, &mut |object| {
            if let Some(Json::String(path)) = object.get("$ref") {
                references += 1;
                let name = path.strip_prefix("#/definitions/").expect("a definition");
                assert!(definitions[name].is_object(), "`{name}` is not defined");
            }
        });
        assert!(references > 50, "{references} references");
    }

    #[test]
    fn the_keys_are_those_that_are_read() {
        let schema = schema(&Engines::builtin());
        for engine in &Engines::builtin() {
            let keys = schema["definitions"][keys_of(engine.name())]["properties"].as_object().expect("keys");
            for key in header::KEYS.iter().chain(&header::TABLES) {
                assert!(keys.contains_key(*key), "`{key}` of `{}`", engine.name());
                assert!(keys[*key]["description"].is_string(), "a word on `{key}`");
            }
        }
    }
}
