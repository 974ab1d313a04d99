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

/// Why `source` is not TOML, if it is not: the first fault of each line, for a second one there mostly follows from it,
/// and every fault of a line follows from a string that is not closed.
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
    let mut faults: Vec<_> = errors.iter().map(|error| (lacks_quote(error), fault(error, source))).collect();
    faults.sort_by_cached_key(|(lacks_quote, fault)| {
        let span = &fault.labels[0].span;
        (span.line(), !lacks_quote, span.range.start)
    });
    faults.dedup_by_key(|(_, fault)| fault.labels[0].span.line());
    // Brackets behind an open string are a part of it.
    let swallowed = faults.first().is_some_and(|(lacks_quote, _)| *lacks_quote);
    let mut faults: Vec<_> = faults.into_iter().map(|(_, fault)| fault).collect();
    let shown = if unclosed { 1 } else { SHOWN };
    let more = faults.len().saturating_sub(shown);
    faults.truncate(shown);
    for fault in &mut faults {
        let range = &mut fault.labels[0].span.range;
        if range.start == range.end {
            // The parser points after the carriage returns of a line's end, which are not to be seen.
            let end = source.text()[..range.start].trim_end_matches('\r').len();
            *range = end..end;
        }
    }
    if let Some(last) = faults.last_mut() {
        if unclosed && !swallowed {
            last.help
                .push("close every bracket: one is open here, and what follows cannot be read".to_owned());
        } else if !unclosed && more > 0 {
            last.notes.push(format!("{more} more lines are no TOML"));
        }
    }
    faults
}

/// Returns what is wrong, and what the parser expected.
fn parts(error: &Error) -> (&str, &str) {
    error.message().split_once(", expected ").unwrap_or((error.message(), ""))
}

/// Returns whether the quote at the end of a string is missing.
fn lacks_quote(error: &Error) -> bool {
    let (what, expected) = parts(error);
    what.starts_with("invalid ") && what.ends_with(" string") && expected.starts_with('`')
}

fn fault(error: &Error, source: &Arc<Source>) -> Diagnostic {
    let (what, expected) = parts(error);
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
        _ if lacks_quote(error) => ("a string is not closed".to_owned(), format!("expected {expected}")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_that_is_not_closed_is_drawn_at_its_line() {
        let strings = ["\"", "\"s", "'s", "\"s # ]", "'''s", "\"\"\"", "\"\"\"s\""];
        let values = ["a = @", "a.b = @", "a = [1, @", "a = [1, @]", "a = { b = 1, c = @", "a = { b = @ }"];
        let above = ["", "x = 1\n", "# 'x\r\n\r\n[[scenario]]\n", "x = 'é'\n[t]\n"];
        let below = ["", "@", "@@", "@b = 1@", "@@[[scenario]]@c = [2]@"];
        let each = |string: &str, value: &str, above: &str| {
            let value = value.replace('@', string);
            let several = string.starts_with("'''") || string.starts_with("\"\"\"");
            let kind = if several { "a string of several lines" } else { "a string" };
            let place = if several { value.find(string).unwrap_or_default() } else { value.len() };
            for below in below {
                for newline in ["\n", "\r\n", "\r\r\n"] {
                    let text = format!("{above}{value}{}", below.replace('@', newline));
                    let fault = faults(&Source::new("a.toml", &*text)).swap_remove(0);
                    assert_eq!(fault.title, format!("{kind} is not closed"), "{text:?}");
                    assert_eq!(fault.labels[0].span.range.start, above.len() + place, "{text:?}");
                    assert!(fault.help.is_empty(), "{text:?}: {:?}", fault.help);
                }
            }
        };
        for string in strings {
            for value in values {
                for above in above {
                    each(string, value, above);
                }
            }
        }
    }
}
