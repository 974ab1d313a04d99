//! An object in JSON as the table that it would be in TOML, by the jsonc-parser crate without what JSON has not.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Node, Table, Tree};
use crate::spanned::Spanned;

/// Why a text is no object that a table can be made of, and where.
#[derive(Debug)]
pub struct JsonError {
    /// What is wrong.
    pub what: JsonFault,
    /// The place in the text.
    pub range: Range<usize>,
}

/// What is wrong with a text that should be an object.
#[derive(Debug)]
pub enum JsonFault {
    /// It is not JSON; what was expected.
    Syntax(String),
    /// It is JSON, but no object.
    NoObject,
    /// A `null`, which TOML has not.
    Null,
    /// A key that is given twice.
    Twice(String),
}

/// The blanks of JSON; others are not skipped.
pub const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The table that the object in the bytes `range` of `text` is; places are those in `text`.
///
/// # Errors
/// The first place where it is none.
pub fn parse_json(text: &str, range: Range<usize>) -> Result<Table<'_>, JsonError> {
    let start = range.start;
    let text = &text[range];
    let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT);
    let value = parsed.map_err(|error| syntax(&error, text, start))?.value;
    refuse_other_than_json(text, start)?;
    match value {
        Some(Value::Object(object)) => table(object, start),
        Some(other) => Err(JsonError { what: JsonFault::NoObject, range: place(&other, start) }),
        None => Err(JsonError { what: JsonFault::NoObject, range: start..start + text.len() }),
    }
}

fn syntax(error: &ParseError, text: &str, start: usize) -> JsonError {
    // A place behind the end, and a place of no width in the middle, are both shown by a character there.
    let range = error.range();
    let from = text.floor_char_boundary(range.start.min(text.trim_end().len()));
    let to = text.ceil_char_boundary(range.end.clamp(from, text.len()));
    let words = error.kind().to_string();
    let mut chars = words.chars();
    let words = chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default();
    JsonError { what: JsonFault::Syntax(words), range: start + from..start + to }
}

/// Refuses what the parser takes and JSON has not: other blanks, and control characters in strings.
fn refuse_other_than_json(text: &str, start: usize) -> Result<(), JsonError> {
    let mut in_string = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        let is_json = if in_string { c >= ' ' } else { !c.is_whitespace() || BLANKS.contains(&c) };
        if !is_json {
            let what = JsonFault::Syntax(format!("unexpected character U+{:04X}", u32::from(c)));
            return Err(JsonError { what, range: start + at..start + at + c.len_utf8() });
        }
        in_string ^= c == '"' && !escaped;
        escaped = in_string && c == '\\' && !escaped;
    }
    Ok(())
}

fn place(value: &Value<'_>, start: usize) -> Range<usize> {
    let range = value.range();
    start + range.start..start + range.end
}

fn table(object: Object<'_>, start: usize) -> Result<Table<'_>, JsonError> {
    let mut table = Table::default();
    let mut names = HashSet::new();
    for property in object.properties {
        let range = property.name.range();
        let range = start + range.start..start + range.end;
        let name = match property.name {
            ObjectPropName::String(name) => name.value,
            ObjectPropName::Word(name) => Cow::Borrowed(name.value),
        };
        if !names.insert(name.clone()) {
            return Err(JsonError { what: JsonFault::Twice(name.into_owned()), range });
        }
        table.push(Spanned { value: name, range }, node(property.value, start)?);
    }
    Ok(table)
}

fn node(value: Value<'_>, start: usize) -> Result<Node<'_>, JsonError> {
    let range = place(&value, start);
    let value = match value {
        Value::StringLit(text) => Tree::Text(text.value),
        Value::NumberLit(number) => self::number(number.value),
        Value::BooleanLit(value) => Tree::Bool(value.value),
        Value::Object(object) => Tree::Table(table(object, start)?),
        Value::Array(array) => {
            let items = array.elements.into_iter().map(|item| node(item, start));
            Tree::Array(items.collect::<Result<_, _>>()?)
        }
        Value::NullKeyword(_) => return Err(JsonError { what: JsonFault::Null, range }),
    };
    Ok(Spanned { value, range })
}

/// A number with a point or an exponent is one with a fraction, as in TOML.
fn number(text: &str) -> Tree<'_> {
    if text.contains(['.', 'e', 'E']) {
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.map_or(Tree::Huge, Tree::Float)
    } else {
        text.parse().map_or(Tree::Huge, Tree::Int)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::write;

    fn said(text: &str) -> String {
        match parse_json(text, 0..text.len()) {
            Ok(table) => write(&table),
            Err(JsonError { what, range }) => format!("{what:?} at {range:?}"),
        }
    }

    #[test]
    fn an_object_is_a_table_in_typed_order() {
        let text = r#" {"b": 1, "a": {"x": [1.5, true, "\u00e4\n"], "y": {}}, "h": 9223372036854775808} "#;
        assert_eq!(said(text), "b = 1\na = { x = [1.5, true, \"\"\"\nä\n\"\"\"], y = {} }\nh = \"?\"\n");
        let padded = format!("{text}\n{text}");
        let table = parse_json(&padded, text.len() + 1..padded.len()).unwrap();
        assert_eq!(&padded[table.key("a").unwrap().range.clone()], "\"a\"");
        assert_eq!(&padded[table.get("b").unwrap().range.clone()], "1");
    }

    #[test]
    fn nothing_is_taken_that_is_not_json() {
        let mut refused = 0;
        for c in (0..=0x3000).filter_map(char::from_u32) {
            for text in [
                format!("{c}{{}}"),
                format!("{{{c}\"a\": 1}}"),
                format!("{{\"a\":{c}1}}"),
                format!("{{\"a\": [1{c}]}}"),
                format!("{{}}{c}"),
                format!("{{\"ä\": \"\\\\{c}b\"}}"),
                format!("{{\"a\": \"\\\"ä{c}\"}}"),
            ] {
                let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
                let said = said(&text);
                assert_eq!(!said.contains(" at "), is_json, "{text:?}: {said}");
                if said.contains(&format!("unexpected character U+{:04X}", u32::from(c))) {
                    let at = text.find(c).expect("the character");
                    assert!(said.ends_with(&format!(" at {at}..{}", at + c.len_utf8())), "{said}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0x20, "{refused}");
    }

    #[test]
    fn what_is_no_object_says_where() {
        for (text, expected) in [
            ("[1]", "NoObject at 0..3"),
            ("{\"a\": null}", "Null at 6..10"),
            ("{\"a\": 1, \"a\": 2}", "Twice(\"a\") at 9..12"),
            ("{\"a\": 1} {}", "Syntax("),
            ("{\"a\": 1,}", "Syntax("),
            ("{\"a\" 1}", "Syntax("),
            ("{a: 1}", "Syntax("),
            ("{'a': 1}", "Syntax("),
            ("{\"a\": 0x1}", "Syntax("),
            ("{\"a\": 1 /* b */}", "Syntax("),
            ("{\"a\": \"ä", "Syntax("),
            ("{\"a\": ", "Syntax("),
            (&"[".repeat(100_000), "Syntax("),
        ] {
            assert!(said(text).starts_with(expected), "{text}: {}", said(text));
        }
    }
}
