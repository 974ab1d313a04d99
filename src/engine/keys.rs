//! From a TOML table to a typed document, with faults that an author can use.
//!
//! serde stops at the first fault and speaks of Rust; here keys, kinds, ranges and words are held against the
//! document's own schema first, and of what is left serde finds one fault after the other, the key at fault taken out each time.

use std::ops::Range;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::board::{BOARD_FORMAT, BoardText};
use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::source::{Source, Span};
use crate::spanned::Spanned;
use crate::tree::{self, Error, Key, Node, Table, Tree};

/// The faults of keys and values, whatever the document.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "scenario::unknown-key", about: "a key that means nothing there, often misspelt" },
    CodeSpec { code: "scenario::missing-key", about: "a key that must be there is not" },
    CodeSpec { code: "scenario::wrong-kind", about: "a value is of another kind than its key takes" },
    CodeSpec { code: "scenario::unknown-word", about: "a word that is none of those that its key takes" },
    CodeSpec { code: "scenario::out-of-range", about: "a number below or above those that its key takes" },
];

/// Returns the board that a value draws, if it is of that kind.
pub fn board(node: &Node<'_>) -> Option<Spanned<BoardText>> {
    let line =
        |node: &Node<'_>| Some(Spanned { value: node.value.as_str()?.to_owned(), range: node.range.clone() });
    let value = match &node.value {
        Tree::Text(text) => BoardText::Lines(text.to_string()),
        Tree::Array(lines) => BoardText::Array(lines.iter().map(line).collect::<Option<_>>()?),
        _ => return None,
    };
    Some(Spanned { value, range: node.range.clone() })
}

/// Reads `value`, which stands in `source`, as a `T`.
///
/// # Errors
/// [`CODES`]; every fault if `thorough`, else only that there are some.
pub fn read<T: DeserializeOwned + JsonSchema>(
    value: Node<'_>,
    source: &Arc<Source>,
    thorough: bool,
) -> Result<T, Vec<Diagnostic>> {
    match read_sound(value, source, thorough) {
        (Some(value), faults) if faults.is_empty() => Ok(value),
        (_, faults) => Err(faults),
    }
}

/// Reads what is sound of `value`, the keys at fault left out, and finds the faults as [`read`] does.
pub fn read_sound<T: DeserializeOwned + JsonSchema>(
    value: Node<'_>,
    source: &Arc<Source>,
    thorough: bool,
) -> (Option<T>, Vec<Diagnostic>) {
    if !thorough {
        return match T::deserialize(value) {
            Ok(value) => (Some(value), Vec::new()),
            Err(error) => (None, vec![explain(&error, source)]),
        };
    }
    sound(value, &schema_for!(T), source)
}

/// Reads `value`, which stands in `source`, as a `T`, whose `schema` is made already.
///
/// # Errors
/// [`CODES`]; every fault.
pub fn read_as<T: DeserializeOwned>(
    value: Node<'_>,
    schema: &Schema,
    source: &Arc<Source>,
) -> Result<T, Vec<Diagnostic>> {
    match sound(value, schema, source) {
        (Some(value), faults) if faults.is_empty() => Ok(value),
        (_, faults) => Err(faults),
    }
}

fn sound<T: DeserializeOwned>(
    value: Node<'_>,
    schema: &Schema,
    source: &Arc<Source>,
) -> (Option<T>, Vec<Diagnostic>) {
    let whole = value.range;
    let Tree::Table(mut table) = value.value else {
        let fault = Diagnostic::new("scenario::wrong-kind", "the value has the wrong type");
        return (None, vec![fault.label(Span::new(source, whole), "expected a table")]);
    };
    let mut walk = Walk { root: schema, source, faults: Vec::new() };
    for key in walk.table(&mut table, schema.as_value()) {
        table.remove(&key);
    }
    let mut faults = walk.faults;
    let value = loop {
        let attempt = Spanned { value: Tree::Table(table.clone()), range: whole.clone() };
        let error = match T::deserialize(attempt) {
            Ok(value) => break Some(value),
            Err(error) => error,
        };
        faults.push(explain(&error, source));
        let at = error.range();
        let key = table.iter().find(|(_, value)| holds(value, &at)).map(|(key, _)| key.value.clone());
        match key {
            Some(key) => table.remove(&key),
            None => break None,
        };
    };
    faults.sort_by_key(|fault| fault.labels[0].span.range.start);
    (value, faults)
}

/// Whether `at` lies in the value; a table under a header of its own spans the header alone, so look inside too.
fn holds(value: &Node<'_>, at: &Range<usize>) -> bool {
    let inside = |inner: &Node<'_>| holds(inner, at);
    value.range.start <= at.start && at.end <= value.range.end
        || match &value.value {
            Tree::Table(table) => table.values().any(inside),
            Tree::Array(items) => items.iter().any(inside),
            _ => false,
        }
}

/// Writes the fields of `value` as the lines of keys, and `rules` with those that differ from the default.
///
/// # Panics
/// When a field is nothing that TOML can hold.
pub fn write<R: Serialize + Default>(value: &impl Serialize, rules: &R) -> String {
    let [value, rules, usual] = [fields(value), fields(rules), fields(&R::default())];
    let [mut table, rules, usual] =
        [&value, &rules, &usual].map(|text| tree::parse(text).expect("TOML that was just written"));
    let rules = differing(rules, &usual);
    if !rules.is_empty() {
        let key = Spanned { value: "rules".into(), range: 0..0 };
        table.push(key, Spanned { value: Tree::Table(rules), range: 0..0 });
    }
    tree::write(&table)
}

fn fields(value: &impl Serialize) -> String {
    toml::to_string(value).expect("fields that TOML can hold")
}

/// Returns what of `table` is not in `usual`.
fn differing<'t>(table: Table<'t>, usual: &Table<'t>) -> Table<'t> {
    let field = |(key, node): (Key<'t>, Node<'t>)| {
        let value = match (node.value, usual.get(&key.value).map(|usual| &usual.value)) {
            (Tree::Table(value), Some(Tree::Table(usual))) => Tree::Table(differing(value, usual)),
            (value, usual) => Some(value).filter(|value| Some(value) != usual)?,
        };
        Some((key, Spanned { value, range: node.range }))
    };
    let is_empty = |node: &Node<'_>| node.value.as_table().is_some_and(Table::is_empty);
    table.into_iter().filter_map(field).filter(|(_, node)| !is_empty(node)).collect()
}

/// Holds a document against its schema: keys, kinds, ranges and words.
struct Walk<'a> {
    root: &'a Schema,
    source: &'a Arc<Source>,
    faults: Vec<Diagnostic>,
}

impl Walk<'_> {
    /// Takes the keys that `schema` does not know out of `table`, at any depth; the keys whose values are wrong.
    fn table(&mut self, table: &mut Table<'_>, schema: &Json) -> Vec<String> {
        let Some(properties) = properties(schema, self.root) else { return Vec::new() };
        for (key, _) in table.take(|key| !properties.contains_key(&*key.value)) {
            let known = properties.keys().map(String::as_str);
            let fault = unknown_key(&key.value, key.range.clone(), self.source);
            self.faults.push(fault.suggest(&key.value, known));
        }
        let mut wrong = Vec::new();
        for (key, value) in table.iter_mut() {
            let name = &*key.value;
            if !self.value(value, name, &properties[name]) {
                wrong.push(name.to_owned());
            }
        }
        wrong
    }

    /// Returns whether `schema` allows the value of the key `name`.
    fn value(&mut self, value: &mut Node<'_>, name: &str, schema: &Json) -> bool {
        let allowed = alternatives(schema, self.root);
        let fits = allowed.iter().any(|one| type_of(one).is_none_or(|kind| kind == kind_of(&value.value)));
        if !fits || value.value == Tree::Huge {
            let span = Span::new(self.source, value.range.clone());
            let mut expected: Vec<_> = allowed.iter().map(|one| self.expected(one, &value.value)).collect();
            expected.dedup();
            let label = format!("found {}, expected {}", found(&value.value, &span), expected.join(" or "));
            let title = format!("`{name}` has the wrong type");
            self.faults.push(Diagnostic::new("scenario::wrong-kind", title).label(span, label));
            return false;
        }
        match &mut value.value {
            Tree::Table(inner) => self.table(inner, schema).is_empty(),
            Tree::Array(items) => {
                let Some(element) = allowed.iter().find_map(|one| one.get("items")) else { return true };
                let sound = items.iter_mut().map(|item| self.value(item, name, element));
                sound.filter(|sound| !sound).count() == 0
            }
            Tree::Int(number) => {
                let mut ranges = allowed.iter().filter(|one| type_of(one) == Some("integer"));
                let Some(range) = ranges.find_map(|one| outside(*number, one)) else { return true };
                let fault = Diagnostic::new("scenario::out-of-range", format!("`{name}` must be {range}"));
                let span = Span::new(self.source, value.range.clone());
                self.faults.push(fault.label(span, "out of range"));
                false
            }
            Tree::Text(word) => {
                let texts = allowed.iter().filter(|one| type_of(one).is_none_or(|kind| kind == "string"));
                let Some(known) = texts.map(|one| words(one)).collect::<Option<Vec<_>>>() else {
                    return true;
                };
                let known = known.concat();
                if known.contains(&&**word) {
                    return true;
                }
                let span = Span::new(self.source, value.range.clone());
                let fault = Diagnostic::new("scenario::unknown-word", format!("unknown word `{word}`"));
                let fault = fault.label(span, format!("not a word that `{name}` takes"));
                self.faults.push(fault.suggest(word, known));
                false
            }
            _ => true,
        }
    }

    /// What a value is expected to be that is of one of a schema's alternatives.
    fn expected(&self, alternative: &Json, value: &Tree<'_>) -> String {
        match type_of(alternative) {
            Some("string") => "a string".into(),
            Some("integer") => whole_number(value).into(),
            Some("boolean") => "`true` or `false`".into(),
            Some("object") => "a table".into(),
            _ => {
                let items = alternative.get("items").map(|items| alternatives(items, self.root));
                let item = items.iter().flatten().find_map(|one| type_of(one));
                let items = match item {
                    Some("string") => " of strings",
                    Some("integer") => " of whole numbers",
                    Some("object") => " of tables",
                    Some("array") => " of arrays",
                    _ => "",
                };
                format!("an array{items}")
            }
        }
    }
}

/// Returns what a schema of whole numbers expects, if `number` is not in its range.
fn outside(number: i64, schema: &Json) -> Option<String> {
    let least = schema.get("minimum").and_then(Json::as_i64);
    let most = schema.get("maximum").and_then(Json::as_i64);
    if least.is_none_or(|least| least <= number) && most.is_none_or(|most| number <= most) {
        return None;
    }
    Some(match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, most) => format!("at most {}", most.unwrap_or(i64::MAX)),
    })
}

/// Returns the words that a schema of texts allows, or `None` where it allows any text.
fn words(schema: &Json) -> Option<Vec<&str>> {
    if let Some(word) = schema.get("const") {
        return Some(word.as_str().into_iter().collect());
    }
    Some(schema.get("enum")?.as_array()?.iter().filter_map(Json::as_str).collect())
}

/// A value's kind, as schemas call it.
fn kind_of(value: &Tree<'_>) -> &'static str {
    match value {
        Tree::Text(_) => "string",
        Tree::Int(_) | Tree::Huge => "integer",
        Tree::Float(_) => "number",
        Tree::Bool(_) => "boolean",
        Tree::Date => "date",
        Tree::Array(_) => "array",
        Tree::Table(_) => "object",
    }
}

/// A value that is wrong where it stands: a short one as it is typed.
fn found(value: &Tree<'_>, span: &Span) -> String {
    match value {
        Tree::Text(_) => "a string".into(),
        Tree::Array(_) => "an array".into(),
        Tree::Table(_) => "a table".into(),
        _ => span.text().into(),
    }
}

/// What to type instead of `value` where a whole number is expected.
pub fn whole_number(value: &Tree<'_>) -> &'static str {
    if *value == Tree::Huge { "a whole number from -2^63 to 2^63 - 1" } else { "a whole number" }
}

/// The fault of a key that means nothing where it stands.
pub fn unknown_key(name: &str, range: Range<usize>, source: &Arc<Source>) -> Diagnostic {
    Diagnostic::new("scenario::unknown-key", format!("unknown key `{name}`"))
        .label(Span::new(source, range), "not a key here")
}

/// The keys that a schema knows, each with its own schema.
pub fn properties<'s>(schema: &'s Json, root: &'s Schema) -> Option<&'s serde_json::Map<String, Json>> {
    alternatives(schema, root).into_iter().find_map(|one| one.get("properties")?.as_object())
}

/// The keys that hold a board.
pub fn boards(root: &Schema) -> Vec<String> {
    let is_board = |schema: &Json| alternatives(schema, root).iter().any(|one| one["format"] == BOARD_FORMAT);
    let keys = properties(root.as_value(), root).into_iter().flatten();
    keys.filter(|(_, schema)| is_board(schema)).map(|(key, _)| key.clone()).collect()
}

/// The schemas that a value may be of: behind references, without the null of an optional value.
fn alternatives<'s>(schema: &'s Json, root: &'s Schema) -> Vec<&'s Json> {
    if let Some(several) = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array()) {
        return several.iter().flat_map(|one| alternatives(one, root)).collect();
    }
    let referred = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix('#'));
    match referred.and_then(|path| root.pointer(path)) {
        Some(schema) => alternatives(schema, root),
        None if schema["type"] == "null" => Vec::new(),
        None => vec![schema],
    }
}

/// The kind of value that a schema without alternatives allows, the null of an optional one aside.
fn type_of(schema: &Json) -> Option<&str> {
    let of = &schema["type"];
    of.as_str().or_else(|| of.as_array()?.iter().filter_map(Json::as_str).find(|&kind| kind != "null"))
}

/// What serde found where keys and kinds are right, in the words of a scenario's author.
fn explain(error: &Error, source: &Arc<Source>) -> Diagnostic {
    let message = error.message();
    let span = Span::new(source, error.range());
    if let Some(key) = message.strip_prefix("missing field ") {
        return Diagnostic::new("scenario::missing-key", format!("{key} is missing"))
            .label(span, format!("expected a key {key} in here"));
    }
    Diagnostic::new("scenario::wrong-kind", "the value has the wrong type").label(span, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

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
        let value = Spanned { value: Tree::Table(tree::parse(toml).unwrap()), range: 0..0 };
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
                "scenario::wrong-kind @'a' found a string, expected a whole number ",
                "scenario::unknown-word @'at-onc' not a word that `mode` takes did you mean `at-once`?",
                "scenario::unknown-key @facng not a key here did you mean `facing`?",
            ]
        );
    }

    #[test]
    fn every_value_of_a_wrong_kind_is_found() {
        let toml = "pieces = [[1, 2], { at = [1.5, 1e3], facing = [] }, { at = 3 }]\n";
        let wrong = |found: &str, label: &str| format!("scenario::wrong-kind @{found} {label} ");
        assert_eq!(
            faults(toml),
            [
                wrong("[1, 2]", "found an array, expected a table"),
                wrong("1.5", "found 1.5, expected a whole number"),
                wrong("1e3", "found 1e3, expected a whole number"),
                wrong("[]", "found an array, expected a string"),
                wrong("3", "found 3, expected an array of whole numbers"),
            ]
        );
        let label = "found 1_000_000_000_000_000_000_000, expected a whole number from -2^63 to 2^63 - 1";
        assert_eq!(
            faults("size = 1_000_000_000_000_000_000_000\n"),
            [wrong("1_000_000_000_000_000_000_000", label)]
        );
    }

    #[test]
    fn every_number_out_of_range_is_found_at_its_place() {
        for (typed, fits) in [("-1", false), ("0", true), ("255", true), ("256", false), ("1_000", false)] {
            let source = Source::new("t.toml", format!("size = {typed}"));
            let value = Spanned { value: Tree::Table(tree::parse(source.text()).unwrap()), range: 0..0 };
            let titles: Vec<_> = read::<Doc>(value, &source, true)
                .err()
                .unwrap_or_default()
                .into_iter()
                .map(|f| f.title)
                .collect();
            let expected = if fits { Vec::new() } else { vec!["`size` must be 0 to 255".to_owned()] };
            assert_eq!(titles, expected, "{typed}");
        }
    }

    #[test]
    fn a_missing_key_is_named_where_it_belongs() {
        let faults = faults("pieces = [{ facing = 'up' }]\n");
        assert_eq!(faults, ["scenario::missing-key @{ facing = 'up' } expected a key `at` in here "]);
    }
}
