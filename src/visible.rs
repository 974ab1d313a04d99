//! Text of authors, scripts and files, made fit for terminals and for the logs of builds.
//!
//! Two kinds of characters are made visible: those that control a terminal or turn the text round, and the first one of
//! what a system of continuous integration takes for a command: `::` at the beginning of a line, and `##[`, `##vso[` or
//! `##teamcity[` anywhere in it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// The lines that a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Its own, one or several.
    Several,
    /// One of its own.
    One,
    /// A part of a line, after other text.
    Part,
}

/// Returns the characters of a text, each with whether it must not be shown as it is.
pub fn hidden(text: &str, lines: Lines) -> impl Iterator<Item = (char, bool)> {
    let mut begins = lines != Lines::Part;
    text.char_indices().map(move |(at, c)| {
        let rest = &text[at..];
        let line_end = c == '\n' && lines == Lines::Several;
        let hidden = !line_end && is_control(c) || begins && is_workflow_command(rest) || is_command(rest);
        begins = line_end || begins && !hidden && c.is_whitespace();
        (c, hidden)
    })
}

/// Returns whether the text may be shown as it is.
pub fn is_plain(text: &str, lines: Lines) -> bool {
    hidden(text, lines).all(|(_, hidden)| !hidden)
}

/// Returns whether a character controls a terminal, turns the text round, ends a line, or is not a character.
fn is_control(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c != '\t' && c.is_control()
        || turns
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns whether a log may take the text for a command where it begins a line; `:::` names a further file of a
/// drawing.
fn is_workflow_command(text: &str) -> bool {
    text.starts_with("::") && !text.starts_with(":::")
}

/// Returns whether a log may take the text for a command, wherever it is on its line.
fn is_command(text: &str) -> bool {
    let name = text.strip_prefix("##").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    name.is_some_and(|rest| rest.starts_with('['))
}

/// Returns the text on one line.
pub fn visible(text: &str) -> String {
    shown(text, Lines::One, usize::MAX)
}

/// Longest name that is shown whole in a terminal, in characters.
const LONGEST: usize = 200;

/// Returns the text on one line, and a long one cut short.
pub fn line_safe(text: &str) -> String {
    shown(text, Lines::One, LONGEST)
}

/// Returns the text with its lines and tabs.
pub fn visible_lines(text: &str) -> String {
    shown(text, Lines::Several, usize::MAX)
}

fn shown(text: &str, lines: Lines, longest: usize) -> String {
    let mut safe = String::with_capacity(text.len().min(longest));
    for (i, (c, hidden)) in hidden(text, lines).enumerate() {
        if i == longest {
            safe.push('…');
            break;
        }
        match c {
            '\t' if lines != Lines::Several => safe.push_str("\\t"),
            '\n' | '\r' if hidden => safe.extend(c.escape_default()),
            _ if hidden => safe.extend(c.escape_unicode()),
            _ => safe.push(c),
        }
    }
    safe
}

/// Returns the text that [`visible`] shows as `shown`, if it has characters that are shown as escapes.
pub fn hidden_in(shown: &str) -> Option<String> {
    let mut text = String::with_capacity(shown.len());
    let mut rest = shown;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (c, length) = match escape.chars().next() {
            Some('n') => ('\n', 1),
            Some('r') => ('\r', 1),
            Some('t') => ('\t', 1),
            Some('u') => {
                let digits = escape.strip_prefix("u{")?.split_once('}')?.0;
                (char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, digits.len() + 3)
            }
            _ => return None,
        };
        text.push(c);
        rest = &escape[length..];
    }
    text.push_str(rest);
    (text != shown && visible(&text) == shown).then_some(text)
}

/// Returns the text of a line with one character in place of each hidden one, for places that are counted in
/// characters; ASCII control characters stay.
pub fn masked(line: &str) -> impl Iterator<Item = char> {
    let masked = |(c, hidden): (char, bool)| if hidden && !c.is_ascii_control() { '\u{fffd}' } else { c };
    hidden(line, Lines::Part).map(masked)
}

/// Returns the text as a string on one line, in the spelling that JSON, TOML and YAML share.
pub fn quoted(text: &str) -> String {
    let mut json = Vec::new();
    // A text is always JSON, and memory is always written.
    drop(write_json(&mut json, text));
    String::from_utf8(json).unwrap_or_default()
}

/// Writes a value as JSON on one line, and no hidden character as it is.
///
/// # Errors
/// Those of `out`, and values that JSON has not.
pub fn write_json(out: impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    Ok(value.serialize(&mut serde_json::Serializer::with_formatter(out, Escaping))?)
}

/// The way that JSON is written in: compact, with hidden characters escaped.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if is_plain(fragment, Lines::Part) {
            return out.write_all(fragment.as_bytes());
        }
        // All hidden characters are of the basic plane, so one escape holds each.
        hidden(fragment, Lines::Part).try_for_each(|(c, hidden)| {
            if hidden { write!(out, "\\u{:04x}", u32::from(c)) } else { write!(out, "{c}") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(line_safe("a\nb\u{1b}[31m\t"), "a\\nb\\u{1b}[31m\\t");
        assert_eq!(line_safe("\u{202e}日\u{9b}31m"), "\\u{202e}日\\u{9b}31m");
        assert_eq!(visible_lines("a\n\u{0}\u{ffff}\t\r\n"), "a\n\\u{0}\\u{ffff}\t\\r\n");
        assert_eq!(line_safe(&"x".repeat(300)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn a_command_is_none_any_more() {
        assert_eq!(visible("::error::x"), "\\u{3a}:error::x");
        assert_eq!(visible_lines(" a::b\n\u{a0} ::set-output\n"), " a::b\n\u{a0} \\u{3a}:set-output\n");
        assert_eq!(visible("a\n::error::"), "a\\n::error::");
        assert_eq!(visible_lines("\n ::: a.toml:1"), "\n ::: a.toml:1");
        assert_eq!(
            visible("a ###[b] ##vso[c] ##teamcity[d] ## [e] ##"),
            "a #\\u{23}#[b] \\u{23}#vso[c] \\u{23}#teamcity[d] ## [e] ##"
        );
        assert_eq!(masked("##[a]\u{85}\u{1b}").collect::<String>(), "\u{fffd}#[a]\u{fffd}\u{1b}");
        assert_eq!(quoted("::a\n##[b]\u{9b}\"\u{7f}"), "\"::a\\n\\u0023#[b]\\u009b\\\"\\u007f\"");
    }

    #[test]
    fn what_was_made_visible_stays_as_it_is() {
        for c in (0..=0x2ffff).filter_map(char::from_u32) {
            let text = format!("##{c}[x{c}::{c}\n{c}::##[");
            let once = visible_lines(&text);
            assert!(is_plain(&once, Lines::Several), "{once:?}");
            assert_eq!(visible_lines(&once), once);
            assert_eq!(serde_json::from_str::<String>(&quoted(&text)).expect("a string"), text);
        }
    }
}
