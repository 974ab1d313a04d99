//! Faults of TOML itself, in the words of a scenario's author.

use std::sync::Arc;

use toml::de::{DeTable, Error};

use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::source::{Source, Span};
use crate::tree::too_deep;

/// The fault of a text that is not TOML.
pub(super) const SYNTAX: CodeSpec = CodeSpec { code: "toml::syntax", about: "the file is not TOML there" };

/// So many faults of one text are shown.
const SHOWN: usize = 5;

/// Why `source` is not TOML, if it is not: the first fault of each line, for a second one there mostly follows from it.
pub fn faults(source: &Arc<Source>) -> Vec<Diagnostic> {
    let (root, errors) = DeTable::parse_recoverable(source.text());
    if let (true, Some(place)) = (errors.is_empty(), too_deep(root.get_ref())) {
        let fault = Diagnostic::new(SYNTAX.code, "a value stands too deep in others");
        return vec![fault.label(Span::new(source, place), "expected fewer tables and arrays around it")];
    }
    let unclosed = |error: &Error| {
        ["unclosed array, ", "unclosed inline table, "].iter().any(|what| error.message().starts_with(what))
    };
    let unclosed = errors.iter().any(unclosed);
    let mut faults: Vec<_> = errors.iter().map(|error| fault(error, source)).collect();
    faults.sort_by_key(|fault| fault.labels[0].span.range.start);
    faults.dedup_by_key(|fault| fault.labels[0].span.line());
    let shown = if unclosed { 1 } else { SHOWN };
    let more = faults.len().saturating_sub(shown);
    faults.truncate(shown);
    if let Some(last) = faults.last_mut() {
        if unclosed {
            last.help
                .push("close every bracket: one is open here, and what follows cannot be read".to_owned());
        } else if more > 0 {
            last.notes.push(format!("{more} more lines are no TOML"));
        }
    }
    faults
}

fn fault(error: &Error, source: &Arc<Source>) -> Diagnostic {
    let (what, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), ""));
    let span = Span::new(source, error.span().unwrap_or_default());
    let word = span.text().to_owned();
    let (title, label) = match what {
        "unclosed table" | "unclosed array table" => {
            ("a header is not closed".to_owned(), format!("expected {expected}"))
        }
        "string values must be quoted" if word.trim().is_empty() => {
            ("a key without a value".to_owned(), "expected a value".to_owned())
        }
        "duplicate key" => (format!("`{word}` is given twice"), "given before".to_owned()),
        "missing escaped value" => {
            return Diagnostic::new(SYNTAX.code, "a backslash that begins no escape")
                .label(span, "expected one of `\\`, `\"`, `n`, `t`, … behind the backslash")
                .help("write the backslash twice, or the string in single quotes");
        }
        _ if word.starts_with(char::is_alphabetic)
            && (what.starts_with("invalid ") || what.contains("quoted")) =>
        {
            (
                format!("`{word}` is no value"),
                "expected a string in quotes, a number, `true` or `false`".to_owned(),
            )
        }
        _ if what.starts_with("invalid multi-line ")
            && span.range.start >= source.text().trim_end().len() =>
        {
            let quotes = if what.ends_with("literal string") { "'''" } else { "\"\"\"" };
            let start = source.text().rfind(quotes).unwrap_or_default();
            return Diagnostic::new(SYNTAX.code, "a string of several lines is not closed").label(
                Span::new(source, start..start + 3),
                format!("opened here; expected `{quotes}` behind it"),
            );
        }
        _ if what.starts_with("invalid ") && what.ends_with(" string") && expected.starts_with('`') => {
            ("a string is not closed".to_owned(), format!("expected {expected}"))
        }
        _ => (what.to_owned(), in_words(expected)),
    };
    Diagnostic::new(SYNTAX.code, title).label(span, label)
}

/// The parser's list of what it expected.
fn in_words(expected: &str) -> String {
    let word = |word| match word {
        "newline" => "the end of the line",
        "`#`" => "a comment",
        "value" => "a value",
        "key" => "a key",
        _ => word,
    };
    match expected {
        "" | "nothing" => String::new(),
        _ => format!("expected {}", expected.split(", ").map(word).collect::<Vec<_>>().join(" or ")),
    }
}
