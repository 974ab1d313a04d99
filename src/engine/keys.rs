//! From a TOML table to a typed document, with faults that an author can use.
//!
//! serde stops at the first fault and speaks of Rust; here every fault is found, the keys at fault are left out
//! and the rest is read again, and unknown keys are named from the document's own schema.

use std::ops::Range;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::source::{Source, Span};

/// The faults of keys and values, whatever the document.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "scenario::unknown-key", about: "a key that means nothing there, often misspelt" },
    CodeSpec { code: "scenario::missing-key", about: "a key that must be there is not" },
    CodeSpec { code: "scenario::wrong-kind", about: "a value is of another kind than its key takes" },
    CodeSpec { code: "scenario::unknown-word", about: "a word that is none of those that its key takes" },
];

/// Reads `value`, which stands in `source`, as a `T`.
///
/// # Errors
/// [`CODES`]; every fault if `thorough`, else only that there are some.
pub fn read<T: DeserializeOwned + JsonSchema>(
    value: toml::Spanned<DeValue<'_>>,
    source: &Arc<Source>,
    thorough: bool,
) -> Result<T, Vec<Diagnostic>> {
    if !thorough {
        let result = T::deserialize(ValueDeserializer::from(value));
        return result.map_err(|error| vec![explain(&error, source)]);
    }
    let whole = value.span();
    let DeValue::Table(mut table) = value.into_inner() else {
        let span = Span::new(source, whole);
        let fault = Diagnostic::new("scenario::wrong-kind", "the value is of the wrong kind");
        return Err(vec![fault.label(span, "expected a table")]);
    };
    let schema = schema_for!(T);
    let mut faults = Vec::new();
    refuse_unknown(&mut table, schema.as_value(), &schema, source, &mut faults);
    let in_order = |mut faults: Vec<Diagnostic>| {
        faults.sort_by_key(|fault| fault.labels[0].span.range.start);
        Err(faults)
    };
    loop {
        let attempt = toml::Spanned::new(whole.clone(), DeValue::Table(table.clone()));
        let error = match T::deserialize(ValueDeserializer::from(attempt)) {
            Ok(value) if faults.is_empty() => return Ok(value),
            Ok(_) => return in_order(faults),
            Err(error) => error,
        };
        faults.push(explain(&error, source));
        let at = error.span().unwrap_or(whole.clone());
        let key = table.iter().find(|(_, value)| holds(value, &at)).map(|(key, _)| key.clone());
        match key {
            Some(key) => table.remove(&key),
            None => return in_order(faults),
        };
    }
}

/// Whether `at` lies in the value; a table under a header of its own spans the header alone, so look inside too.
fn holds(value: &toml::Spanned<DeValue<'_>>, at: &Range<usize>) -> bool {
    let span = value.span();
    let inside = |inner: &toml::Spanned<DeValue<'_>>| holds(inner, at);
    span.start <= at.start && at.end <= span.end
        || match value.get_ref() {
            DeValue::Table(table) => table.iter().any(|(_, inner)| inside(inner)),
            DeValue::Array(items) => items.iter().any(inside),
            _ => false,
        }
}

/// Takes the keys that `schema` does not know out of `table`, at any depth, and says so.
fn refuse_unknown(
    table: &mut DeTable<'_>,
    schema: &Json,
    root: &Schema,
    source: &Arc<Source>,
    faults: &mut Vec<Diagnostic>,
) {
    let Some(properties) = properties(schema, root) else { return };
    let unknown: Vec<_> =
        table.keys().filter(|key| !properties.contains_key(key.get_ref().as_ref())).cloned().collect();
    for key in unknown {
        table.remove(&key);
        faults.push(unknown_key(key.get_ref(), key.span(), source, properties.keys().map(String::as_str)));
    }
    for (key, value) in table.iter_mut() {
        let known = &properties[key.get_ref().as_ref()];
        match value.get_mut() {
            DeValue::Table(inner) => refuse_unknown(inner, known, root, source, faults),
            DeValue::Array(items) => {
                let element = resolve(known, root).get("items").unwrap_or(&Json::Null);
                for item in items.iter_mut() {
                    if let DeValue::Table(inner) = item.get_mut() {
                        refuse_unknown(inner, element, root, source, faults);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The fault of a key that is none of `known`.
pub fn unknown_key<'a>(
    name: &str,
    range: Range<usize>,
    source: &Arc<Source>,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    Diagnostic::new("scenario::unknown-key", format!("unknown key `{name}`"))
        .label(Span::new(source, range), "not a key here")
        .suggest(name, known)
}

/// The keys that a schema knows, each with its own schema.
pub fn properties<'s>(schema: &'s Json, root: &'s Schema) -> Option<&'s serde_json::Map<String, Json>> {
    resolve(schema, root).get("properties")?.as_object()
}

/// The schema itself: behind a reference, and of an optional value the one that is not null.
fn resolve<'s>(schema: &'s Json, root: &'s Schema) -> &'s Json {
    let alternatives = schema.get("anyOf").and_then(Json::as_array);
    if let Some(some) =
        alternatives.and_then(|all| all.iter().find(|one| one.get("type") != Some(&"null".into())))
    {
        return resolve(some, root);
    }
    let referred = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix('#'));
    match referred.and_then(|path| root.pointer(path)) {
        Some(schema) => resolve(schema, root),
        None => schema,
    }
}

/// What serde found, in the words of a scenario's author.
fn explain(error: &toml::de::Error, source: &Arc<Source>) -> Diagnostic {
    let message = error.message();
    let span = Span::new(source, error.span().unwrap_or_default());
    let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let (found, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    if let Some(key) = found.strip_prefix("missing field ") {
        return Diagnostic::new("scenario::missing-key", format!("{key} is missing"))
            .label(span, format!("expected a key {key} in here"));
    }
    if let Some(key) = found.strip_prefix("unknown field ") {
        let key = key.trim_matches('`');
        return unknown_key(key, span.range, source, quoted(expected).iter().map(String::as_str));
    }
    if let Some(word) = found.strip_prefix("unknown variant ") {
        let known = quoted(expected);
        return Diagnostic::new("scenario::unknown-word", format!("unknown word {word}"))
            .label(span, "not a word that this key takes")
            .suggest(word.trim_matches('`'), known.iter().map(String::as_str));
    }
    let fault = Diagnostic::new("scenario::wrong-kind", "the value is of the wrong kind");
    if expected.is_empty() {
        return fault.label(span, message);
    }
    let found = found.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ");
    fault.label(span, format!("found {}, expected {}", kind_found(found), kind_expected(expected)))
}

fn kind_found(serde: &str) -> String {
    match serde.split_once(' ') {
        Some(("string", _)) => "a string".into(),
        Some(("integer", number)) => number.trim_matches('`').into(),
        Some(("boolean", word)) => word.trim_matches('`').into(),
        Some(("floating", _)) => "a number with a point".into(),
        _ if serde == "map" => "a table".into(),
        _ if serde == "sequence" => "an array".into(),
        _ => serde.into(),
    }
}

fn kind_expected(serde: &str) -> String {
    match serde {
        "i64" | "i32" | "i16" | "i8" => "a whole number".into(),
        "u64" | "u32" | "u16" | "u8" | "usize" => "a whole number from 0 up".into(),
        "a sequence" => "an array".into(),
        "a string" | "a boolean" => serde.into(),
        _ if serde.starts_with("struct ") => "a table".into(),
        _ => serde.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spanned::Spanned;

    #[derive(Debug, serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its shape is read")]
    struct Doc {
        size: Option<Spanned<u8>>,
        pieces: Option<Vec<Piece>>,
        mode: Option<Mode>,
    }

    #[derive(Debug, serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its shape is read")]
    struct Piece {
        at: Spanned<[i64; 2]>,
        facing: Option<String>,
    }

    #[derive(Debug, serde::Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Mode {
        AtOnce,
    }

    fn faults(toml: &str) -> Vec<String> {
        let source = Source::new("t.toml", toml);
        let table = DeTable::parse(toml).unwrap();
        let value = toml::Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        let faults = read::<Doc>(value, &source, true).unwrap_err();
        let line = |fault: &Diagnostic| {
            let label = &fault.labels[0];
            format!("{} @{} {} {}", fault.code, label.span.text(), label.text, fault.help.join(""))
        };
        faults.iter().map(line).collect()
    }

    #[test]
    fn every_fault_is_found_and_explained() {
        let toml = "siez = 1\nsize = 'a'\nmode = 'at-onc'\npieces = [{ at = [1, 2], facng = 'up' }]\n";
        assert_eq!(
            faults(toml),
            [
                "scenario::unknown-key @siez not a key here did you mean `size`?",
                "scenario::wrong-kind @'a' found a string, expected a whole number from 0 up ",
                "scenario::unknown-word @'at-onc' not a word that this key takes did you mean `at-once`?",
                "scenario::unknown-key @facng not a key here did you mean `facing`?",
            ]
        );
    }

    #[test]
    fn a_missing_key_is_named_where_it_belongs() {
        let faults = faults("pieces = [{ facing = 'up' }]\n");
        assert_eq!(faults, ["scenario::missing-key @{ facing = 'up' } expected a key `at` in here "]);
    }
}
