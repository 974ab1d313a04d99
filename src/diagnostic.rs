//! What is wrong, where, and what to do about it.
//!
//! A [`Diagnostic`] is data: a stable code, a title that says what, labels that say which, notes, and help that
//! says what to do. It carries the sources that it points into, so any holder can draw it; colors are a choice
//! of the drawing.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, normalize_untrusted_str};

use crate::source::{Source, Span};
use crate::visible::{masked, visible, visible_lines};

/// Widest line of a drawing, in columns; longer source lines are cut around what is marked.
const WIDTH: usize = 140;

/// Bytes of a line that are handed to the drawing before the first mark and after the last one: more than are seen.
const MARGIN: usize = 4 * WIDTH;

/// Most bytes of a mark on the line that it ends on.
const LONGEST: usize = 2 * WIDTH;

/// Most bytes of a mark that goes on over lines.
const LONGEST_OF_LINES: usize = 64 << 10;

/// Most bytes between two marks that are drawn together.
const FAR: usize = 4 << 10;

/// End of a place in a drawing: line and column after it are those of what was handed over, which may have been cut.
const PLACED: char = '\u{10ffff}';

/// A diagnostic's stable code and what it means: the record behind `docs/errors.md`.
#[derive(Clone, Copy, Debug)]
pub struct CodeSpec {
    /// The code, as `area::what`.
    pub code: &'static str,
    /// What happened, in one line.
    pub about: &'static str,
}

/// One fault, with everything needed to draw it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The stable code, as `area::what`.
    pub code: &'static str,
    /// What is wrong.
    pub title: String,
    /// Which places are meant; the first is where it happened.
    pub labels: Vec<Label>,
    /// Facts that explain it; may hold several lines.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}

/// A marked place and the words under its caret.
#[derive(Clone, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The words.
    pub text: String,
}

impl Diagnostic {
    /// A diagnostic without a place yet.
    pub fn new(code: &'static str, title: impl Into<String>) -> Self {
        Self { code, title: title.into(), labels: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// Marks a place. The first one is where it happened, further ones are context.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact that explains.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Says `did you mean …` when one of `known` is close to `typed`, else lists what is known.
    #[must_use]
    pub fn suggest<'a>(self, typed: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        match nearest(typed, known.iter().copied()) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None if known.is_empty() => self,
            None if known.len() <= MOST_LISTED => self.help(format!("choose from {}", names(&known))),
            None => {
                let lower = typed.to_lowercase();
                let mut known: Vec<_> =
                    known.into_iter().map(|name| (distance(&lower, &name.to_lowercase()), name)).collect();
                known.sort_unstable();
                let near: Vec<_> = known.iter().take(NEAREST).map(|(_, name)| *name).collect();
                self.help(format!("the nearest of {} names are {}", known.len(), names(&near)))
            }
        }
    }

    /// The drawing, with ANSI colors or plain; ends with a newline.
    pub fn draw(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH);
        let parts = self.parts();
        let mut group = Group::with_title(Level::ERROR.primary_title(visible(&self.title)).id(self.code));
        for part in &parts {
            group = group.element(part.snippet());
        }
        group = group.elements(self.notes.iter().map(|note| Level::NOTE.message(lines(note))));
        group = group.elements(self.help.iter().map(|help| Level::HELP.message(lines(help))));
        let mut drawing = renderer.render(&[group]);
        while let Some(at) = drawing.find(PLACED) {
            let after = at + PLACED.len_utf8();
            let length = drawing[after..].find(|c: char| c != ':' && !c.is_ascii_digit());
            drawing.replace_range(at..length.map_or(drawing.len(), |length| after + length), "");
        }
        drawing.push('\n');
        drawing
    }

    /// The labels gathered by the text that they stand in, that of the first label first.
    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts: Vec<Part<'_>> = Vec::new();
        for (i, label) in self.labels.iter().enumerate() {
            let source = &label.span.source;
            let lines = source.part_at(label.span.range.start);
            let mark = Mark { is_primary: i == 0, range: marked(&label.span, &lines), text: &label.text };
            let near = |part: &&mut Part<'_>| {
                Arc::ptr_eq(part.source, source)
                    && part.lines == lines
                    && mark.range.start <= part.shown.end + FAR
                    && part.shown.start <= mark.range.end + FAR
            };
            match parts.iter_mut().find(near) {
                Some(part) => {
                    part.shown = part.shown.start.min(mark.range.start)..part.shown.end.max(mark.range.end);
                    part.marks.push(mark);
                }
                None => parts.push(Part { source, lines, shown: mark.range.clone(), marks: vec![mark] }),
            }
        }
        parts
    }
}

/// Returns what is marked of a span within its `lines`: the beginning of one that is very long.
fn marked(span: &Span, lines: &Range<usize>) -> Range<usize> {
    let text = span.source.text();
    let start = text.floor_char_boundary(span.range.start);
    let end = span.range.end.clamp(start, lines.end).min(start + LONGEST_OF_LINES);
    // On the line that it ends on.
    let line = span.source.line_start(text.floor_char_boundary(end)).max(start);
    start..text.ceil_char_boundary(end.min(line + LONGEST))
}

/// A label, as far as it is drawn.
struct Mark<'a> {
    is_primary: bool,
    range: Range<usize>,
    text: &'a str,
}

/// The labels that stand near each other in one stretch of consecutively numbered lines.
struct Part<'a> {
    source: &'a Arc<Source>,
    /// The stretch.
    lines: Range<usize>,
    /// From the first mark to the last.
    shown: Range<usize>,
    marks: Vec<Mark<'a>>,
}

impl<'a> Part<'a> {
    fn snippet(&self) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let text = self.source.text();
        // A whole chunk of a large file is no context, and neither is all of a very long line.
        let Range { start: first, end: last } = self.shown;
        let line = self.source.line_start(first);
        let start = line.max(text.floor_char_boundary(first.saturating_sub(MARGIN)));
        let end = self.lines.end.min(text.ceil_char_boundary(last + MARGIN));
        let end = memchr::memchr(b'\n', &text.as_bytes()[last..end]).map_or(end, |newline| last + newline);
        // A carriage return belongs to the end of its line and is not to be seen.
        let shown = text[start..end].trim_end_matches('\r');
        let drawn = shown.replace("\r\n", "\n");
        let place = |offset: usize| {
            let before = &shown[..shown.len().min(offset - start)];
            let length = before.len() - before.matches("\r\n").count();
            drawn
                .char_indices()
                .take_while(|(at, _)| *at < length)
                .zip(masked(&drawn))
                .map(|(_, c)| c.len_utf8())
                .sum()
        };
        let annotations = self.marks.iter().map(|mark| {
            let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(place(mark.range.start)..place(mark.range.end)).label(visible(mark.text))
        });
        let (line, column) = self.source.line_column(self.marks[0].range.start);
        let name = visible(self.source.name_at(self.lines.start));
        Snippet::source(masked(&drawn).collect::<String>())
            .line_start(self.source.line(start))
            .path(format!("{name}:{line}:{column}{PLACED}"))
            .annotations(annotations)
    }
}

/// Untrusted text whose lines stay lines.
fn lines(text: &str) -> String {
    normalize_untrusted_str(&visible_lines(text))
}

/// Largest number of names that are listed to choose from.
const MOST_LISTED: usize = 40;
/// Number of names listed where there are more.
const NEAREST: usize = 5;
/// Longest name that may be a misspelling of another, in bytes.
const LONGEST_NAME: usize = 200;

/// The name in `known` that `typed` most likely stands for, if one is close.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    known
        .into_iter()
        .map(|name| (distance(&lower, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= name.chars().count().max(typed.chars().count()) / 3 + 1)
        .filter(|(distance, name)| *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns how many letters are wrong; one, for a name that is a part of the other, and all, for a name too long to be a
/// misspelling: each of its letters would be held against each of the other.
fn distance(typed: &str, name: &str) -> usize {
    let part = typed.len() >= 3 && name.contains(typed) || name.len() >= 3 && typed.contains(name);
    match typed.len().max(name.len()) {
        _ if part => usize::from(typed != name),
        longer if longer > LONGEST_NAME => longer,
        _ => strsim::damerau_levenshtein(typed, name),
    }
}

/// `` `a`, `b` and `c` ``.
pub fn names<S: AsRef<str>>(names: &[S]) -> String {
    let mut text = String::new();
    for (i, name) in names.iter().enumerate() {
        let between = match i {
            0 => "",
            _ if i + 1 == names.len() => " and ",
            _ => ", ",
        };
        let _ = write!(text, "{between}`{}`", name.as_ref());
    }
    text
}

/// `1 piece`, `2 pieces`: the number and its noun, with an `s` unless there is one.
pub fn count(number: impl Into<u128>, noun: &str) -> String {
    let number = number.into();
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_shows_code_place_and_help() {
        let source = Source::new("a.toml", "x = 1\npeices = []\n");
        let drawing = Diagnostic::new("scenario::unknown-key", "unknown key `peices`")
            .label(Span::new(&source, 6..12), "not a key here")
            .suggest("peices", ["pieces", "board"])
            .draw(false);
        let expected = "\
error[scenario::unknown-key]: unknown key `peices`
 --> a.toml:2:1
  |
2 | peices = []
  | ^^^^^^ not a key here
  |
  = help: did you mean `pieces`?
";
        assert_eq!(drawing, expected);
    }

    #[test]
    fn the_nearest_name_is_close() {
        assert_eq!(nearest("facng", ["at", "facing"]), Some("facing"));
        assert_eq!(nearest("most", ["not", "at_most"]), Some("at_most"));
        assert_eq!(nearest("xyzzy", ["at", "facing"]), None);
        assert_eq!(nearest("q", ["a"]), None);
    }
}
