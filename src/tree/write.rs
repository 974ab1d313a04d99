//! A tree as TOML, in the spelling that people type.

use std::fmt::Write as _;

use super::{Node, Table, Tree};
use crate::visible::{self, Lines, is_plain};

/// Most characters of arrays that are written side by side.
const LINE: usize = 80;

/// The lines `key = value` of a table, each ended; texts of several lines stand between triple quotes.
pub fn write(table: &Table<'_>) -> String {
    let mut text = String::new();
    for (key, node) in table {
        match &node.value {
            Tree::Array(items) if is_long(items) => {
                let _ = writeln!(text, "{} = [", name(key));
                for item in items {
                    let _ = writeln!(text, "  {},", value(&item.value));
                }
                text.push_str("]\n");
            }
            Tree::Text(lines) if is_block(lines) => {
                let _ = writeln!(text, "{} = \"\"\"\n{lines}\"\"\"", name(key));
            }
            // Texts of several lines are readable under a key of their own alone.
            Tree::Table(inner) if inner.values().any(|inner| has_block(&inner.value)) => {
                for line in dotted(&name(key), inner) {
                    text.push_str(&line);
                }
            }
            other => {
                let _ = writeln!(text, "{} = {}", name(key), value(other));
            }
        }
    }
    text
}

/// The lines of a table by dotted keys.
fn dotted(above: &str, table: &Table<'_>) -> Vec<String> {
    let line = |(key, node): &(super::Key<'_>, Node<'_>)| {
        let key = format!("{above}.{}", name(key));
        match &node.value {
            Tree::Text(lines) if is_block(lines) => format!("{key} = \"\"\"\n{lines}\"\"\"\n"),
            other => format!("{key} = {}\n", value(other)),
        }
    };
    table.iter().map(line).collect()
}

fn has_block(tree: &Tree<'_>) -> bool {
    matches!(tree, Tree::Text(text) if is_block(text))
}

/// Returns whether the items of an array are on a line each: several tables, or arrays too long for one line.
fn is_long(items: &[Node<'_>]) -> bool {
    let any = |is: fn(&Tree<'_>) -> bool| items.iter().any(|item| is(&item.value));
    let width = || items.iter().map(|item| value(&item.value).len() + 2).sum::<usize>();
    items.len() > 1
        && (any(|item| matches!(item, Tree::Table(_)))
            || any(|item| matches!(item, Tree::Array(_))) && width() > LINE)
}

/// Whether a text reads best as lines between triple quotes, and can stand there as it is.
fn is_block(text: &str) -> bool {
    let plain = |c: char| c == '\n' || c == '\t' || c != '\\' && c != '"' && !c.is_control();
    text.ends_with('\n')
        && !text.starts_with('\n')
        && text.chars().all(plain)
        && is_plain(text, Lines::Several)
}

fn name(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { visible::quoted(key) }
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c != '"' && c != '\\' && !c.is_control();
    if !is_plain(text, Lines::Several) {
        visible::quoted(text)
    } else if text.chars().all(plain) {
        format!("\"{text}\"")
    } else {
        toml::Value::from(text).to_string()
    }
}

/// A value on one line.
fn value(tree: &Tree<'_>) -> String {
    match tree {
        Tree::Text(text) => quoted(text),
        Tree::Int(number) => number.to_string(),
        Tree::Float(number) => toml::Value::from(*number).to_string(),
        Tree::Bool(value) => value.to_string(),
        // What cannot be read as a value here is not written either; the loader refuses both before.
        Tree::Huge | Tree::Date => "\"?\"".to_owned(),
        Tree::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| value(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Tree::Table(table) if table.is_empty() => "{}".to_owned(),
        Tree::Table(table) => {
            let entries: Vec<_> =
                table.iter().map(|(key, node)| format!("{} = {}", name(key), value(&node.value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse;

    /// The same without places.
    fn bare(tree: &Tree<'_>) -> String {
        value(tree)
    }

    #[test]
    fn what_is_written_reads_back() {
        let text = "a-b = 1\n\"c d\" = \"x\\\\y\"\nboard = \"\"\"\n1 2\n3 4\n\"\"\"\nlist = [\n  { at = [1, 2] },\n  {},\n]\n\
                    expect.board = \"\"\"\n1\n\"\"\"\nexpect.turn = -3\nrules = { x = true, y = { z = 1.5 } }\n\
                    odd = \"a\\nb\\u0001\"\nempty = \"\"\n";
        let table = parse(text).unwrap();
        let written = write(&table);
        let again = parse(&written).unwrap();
        assert_eq!(bare(&Tree::Table(table)), bare(&Tree::Table(again)), "{written}");
        assert!(
            written.contains("board = \"\"\"\n1 2\n3 4\n\"\"\"\nlist = [\n  { at = [1, 2] },\n  {},\n]\n"),
            "{written}"
        );
    }
}
