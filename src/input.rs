//! The statements' own input formats, read token by token.
//!
//! All three statements separate their numbers and words by blanks and line ends; an [`Input`] hands them out one
//! after the other, each with its place, and says what was expected where one is missing or wrong.

use std::fmt;
use std::num::IntErrorKind;
use std::ops::Range;

use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::source::{Excerpt, Span};
use crate::spanned::Spanned;

/// The faults of an input text, whatever the engine.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "input::ends-early", about: "an input ends where more was expected" },
    CodeSpec { code: "input::not-a-number", about: "an input has a word where a number was expected" },
    CodeSpec { code: "input::goes-on", about: "an input has more behind its end" },
];

/// A text that is read token by token.
#[derive(Debug)]
pub struct Input {
    excerpt: Excerpt,
    at: usize,
}

impl Input {
    /// Reads `excerpt` from its start.
    pub fn new(excerpt: Excerpt) -> Self {
        Self { excerpt, at: 0 }
    }

    /// The text that is read.
    pub fn excerpt(&self) -> &Excerpt {
        &self.excerpt
    }

    /// The next word, where `what` is expected: a noun such as "the number of pieces".
    ///
    /// # Errors
    /// `input::ends-early`, at the end of the text.
    pub fn word(&mut self, what: impl fmt::Display) -> Result<Spanned<&str>, Diagnostic> {
        let Some(range) = self.advance() else {
            let end = self.excerpt.text().trim_end().len();
            let span = self.span(end..end);
            return Err(Diagnostic::new("input::ends-early", "the input ends early")
                .label(span, format!("expected {what}")));
        };
        Ok(Spanned { value: &self.excerpt.text()[range.clone()], range: self.excerpt.place(range) })
    }

    /// The next whole number, where `what` is expected: a noun such as "the number of pieces".
    ///
    /// # Errors
    /// `input::ends-early`, at the end of the text; `input::not-a-number`, at a word that is none.
    pub fn number(&mut self, what: impl fmt::Display) -> Result<Spanned<i64>, Diagnostic> {
        let Spanned { value: word, range } = self.word(&what)?;
        let title = match word.parse::<i64>() {
            Ok(value) => return Ok(Spanned { value, range }),
            Err(_) if word.len() > 40 => "a word of an input is no number that can be read".to_owned(),
            Err(error) => match error.kind() {
                IntErrorKind::PosOverflow => format!("`{word}` is too large a number"),
                IntErrorKind::NegOverflow => format!("`{word}` is too small a number"),
                _ => format!("`{word}` is not a whole number"),
            },
        };
        let span = Span::new(self.excerpt.source(), range);
        Err(Diagnostic::new("input::not-a-number", title).label(span, format!("expected {what}")))
    }

    /// Nothing more may come.
    ///
    /// # Errors
    /// `input::goes-on`, when something does.
    pub fn end(&mut self) -> Result<(), Diagnostic> {
        match self.advance() {
            None => Ok(()),
            Some(range) => {
                Err(Diagnostic::new("input::goes-on", "unexpected data after the end of the input")
                    .label(self.span(range), "expected nothing more"))
            }
        }
    }

    fn advance(&mut self) -> Option<Range<usize>> {
        let text = self.excerpt.text().as_bytes();
        let start = self.at + text[self.at..].iter().position(|byte| !byte.is_ascii_whitespace())?;
        let end =
            text[start..].iter().position(u8::is_ascii_whitespace).map_or(text.len(), |len| start + len);
        self.at = end;
        Some(start..end)
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.excerpt.source(), self.excerpt.place(range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn tokens_come_with_places_and_faults_with_what_was_expected() {
        let mut input = Input::new(Excerpt::all(&Source::new("stdin", "4 x 10000000000000000000\n")));
        assert_eq!(*input.number("a size").unwrap(), 4);
        let fault = input.number("a count").unwrap_err();
        assert_eq!((fault.code, fault.labels[0].text.as_str()), ("input::not-a-number", "expected a count"));
        assert_eq!(fault.title, "`x` is not a whole number");
        let fault = input.number("a count").unwrap_err();
        assert_eq!(fault.title, "`10000000000000000000` is too large a number");
        assert_eq!(input.number("a count").unwrap_err().code, "input::ends-early");
        assert!(input.end().is_ok());
    }
}
