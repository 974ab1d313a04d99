//! The language that scenarios are selected in: `engine(match3) & tag(cascade) - name(/slow/)`.

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::pattern::Pattern;
use super::select::Candidate;
use crate::diagnostic::{CodeSpec, Diagnostic, nearest};
use crate::identity::Name;
use crate::source::{Source, Span};

/// What can be asked of a scenario, each with its meaning.
pub const QUESTIONS: &[CodeSpec] = &[
    CodeSpec { code: "name", about: "the scenario's name contains this text" },
    CodeSpec { code: "file", about: "the file's path contains this text" },
    CodeSpec { code: "engine", about: "this engine plays it; a game in rhai is called after its file" },
    CodeSpec { code: "tag", about: "one of its tags is this word" },
    CodeSpec { code: "all", about: "any scenario" },
    CodeSpec { code: "none", about: "no scenario" },
];

/// So deep parentheses and `not`s stand in one another.
const DEEPEST: usize = 64;

/// A choice of scenarios.
#[derive(Clone, Debug)]
pub struct Filter(Expression);

#[derive(Clone, Debug)]
enum Expression {
    All,
    Name(Text),
    File(Text),
    Engine(Text),
    Tag(Text),
    Not(Box<Expression>),
    Every(Vec<Expression>),
    Any(Vec<Expression>),
}

/// What a text is to be like.
#[derive(Clone, Debug)]
enum Text {
    Contains(String),
    Equals(String),
    Matches(Regex),
    Glob(Pattern),
}

impl Text {
    fn holds(&self, text: &str) -> bool {
        match self {
            Self::Contains(part) => text.contains(part),
            Self::Equals(whole) => text == whole,
            Self::Matches(regex) => regex.is_match(text),
            Self::Glob(pattern) => pattern.matches(text),
        }
    }
}

impl Filter {
    /// Reads a filter; `name` is where it was typed.
    ///
    /// # Errors
    /// Where it cannot be read, and what would do there.
    pub fn parse(text: &str, name: &str) -> Result<Self, Box<Diagnostic>> {
        let source = Source::new(name, text);
        let mut parser = Parser { source: &source, text, at: 0, depth: 0 };
        let expression = parser.any()?;
        parser.blanks();
        match parser.rest().chars().next() {
            None => Ok(Self(expression)),
            Some(')') => Err(parser.fault(parser.at..parser.at + 1, "unmatched `)`", "never opened")),
            Some(_) => Err(parser.expected("`&`, `|`, `-` or the end")),
        }
    }

    /// Whether a scenario is chosen.
    pub fn takes(&self, candidate: &Candidate<'_>) -> bool {
        self.0.takes(candidate)
    }
}

impl Expression {
    fn takes(&self, candidate: &Candidate<'_>) -> bool {
        match self {
            Self::All => true,
            Self::Name(Text::Equals(name)) => Name::parse(name) == *candidate.name,
            Self::Name(text) => text.holds(&candidate.name.text()),
            Self::File(text) => text.holds(candidate.file),
            Self::Engine(text) => candidate.engine.is_some_and(|engine| text.holds(engine)),
            Self::Tag(text) => candidate.tags.iter().any(|tag| text.holds(tag)),
            Self::Not(inner) => !inner.takes(candidate),
            Self::Every(all) => all.iter().all(|inner| inner.takes(candidate)),
            Self::Any(any) => any.iter().any(|inner| inner.takes(candidate)),
        }
    }
}

struct Parser<'t> {
    source: &'t Arc<Source>,
    text: &'t str,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Goes past `sign` if it comes next.
    fn takes(&mut self, sign: char) -> bool {
        self.blanks();
        let takes = self.rest().starts_with(sign);
        self.at += if takes { sign.len_utf8() } else { 0 };
        takes
    }

    /// The word that comes next.
    fn word(&self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Goes past `word` if it comes next, and is not the beginning of a question.
    fn takes_word(&mut self, word: &str) -> bool {
        self.blanks();
        let takes = self.word() == word;
        self.at += if takes { word.len() } else { 0 };
        takes
    }

    fn any(&mut self) -> Parsed<Expression> {
        let mut any = vec![self.every()?];
        while self.takes('|') || self.takes('+') || self.takes_word("or") {
            any.push(self.every()?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Expression::Any(any) })
    }

    fn every(&mut self) -> Parsed<Expression> {
        let mut every = vec![self.one()?];
        loop {
            if self.takes('&') || self.takes_word("and") {
                every.push(self.one()?);
            } else if self.takes('-') {
                every.push(Expression::Not(Box::new(self.one()?)));
            } else {
                break;
            }
        }
        Ok(if every.len() == 1 { every.remove(0) } else { Expression::Every(every) })
    }

    fn one(&mut self) -> Parsed<Expression> {
        self.blanks();
        let start = self.at;
        if self.depth == DEEPEST {
            return Err(self.fault(
                start..self.text.len(),
                "the filter is too deep",
                "too deep from here on",
            ));
        }
        self.depth += 1;
        let expression = if self.takes('!') || self.takes_word("not") {
            Expression::Not(Box::new(self.one()?))
        } else if self.takes('(') {
            let inner = self.any()?;
            if !self.takes(')') {
                let open = self.fault(start..start + 1, "a parenthesis is not closed", "opened here");
                return Err(open);
            }
            inner
        } else {
            self.question()?
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn question(&mut self) -> Parsed<Expression> {
        self.blanks();
        let name = self.word();
        let range = self.at..self.at + name.len();
        if name.is_empty() {
            return Err(self.expected("a predicate such as `name(cascade)`"));
        }
        if QUESTIONS.iter().all(|known| known.code != name) {
            let title = format!("unknown predicate `{name}`");
            let fault = *self.fault(range, title, "expected a predicate");
            let known = QUESTIONS.iter().map(|known| known.code);
            return Err(Box::new(match nearest(name, known.clone()) {
                Some(_) => fault.suggest(name, known),
                None => fault
                    .suggest(name, known)
                    .help(format!("for scenarios with `{name}` in their names write `name({name})`")),
            }));
        }
        self.at = range.end;
        if !self.takes('(') {
            return Err(self.expected(&format!("`(` behind `{name}`")));
        }
        if matches!(name, "all" | "none") {
            if !self.takes(')') {
                return Err(self.expected(&format!("`)`, for `{name}()` asks nothing")));
            }
            return Ok(if name == "all" { Expression::All } else { Expression::Any(Vec::new()) });
        }
        let text = self.text_of(range.start, matches!(name, "name" | "file"))?;
        Ok(match name {
            "name" => Expression::Name(text),
            "file" => Expression::File(text),
            "engine" => Expression::Engine(text),
            _ => Expression::Tag(text),
        })
    }

    /// What stands between the parentheses of the question at `start`; a bare word is a part if `part`, or a glob.
    fn text_of(&mut self, start: usize, part: bool) -> Parsed<Text> {
        self.blanks();
        let from = self.at;
        if self.takes('/') {
            return self.regex(start);
        }
        let sign = self.rest().chars().next().filter(|sign| ['=', '~', '#'].contains(sign));
        self.at += sign.map_or(0, char::len_utf8);
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        let end = loop {
            match chars.next() {
                None => {
                    return Err(self.fault(start..self.text.len(), "missing `)`", "expected `)` behind it"));
                }
                Some((end, ')')) => break end,
                Some((_, '\\')) => text.extend(chars.next().map(|(_, escaped)| escaped)),
                Some((_, c)) => text.push(c),
            }
        };
        self.at += end + 1;
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Err(self.fault(from..self.at - 1, "empty argument", "expected a text"));
        }
        Ok(match sign {
            Some('=') => Text::Equals(text),
            Some('~') => Text::Contains(text),
            None if part => Text::Contains(text),
            Some(_) if Pattern::fault(&text).is_some() => {
                let why = Pattern::fault(&text).unwrap_or_default();
                return Err(self.fault(from..self.at - 1, "the glob cannot be read", why));
            }
            _ => Text::Glob(Pattern::new(&text)),
        })
    }

    /// A regular expression up to its `/` and `)`.
    fn regex(&mut self, start: usize) -> Parsed<Text> {
        let from = self.at;
        let mut escaped = false;
        let end = self.rest().char_indices().find(|&(_, c)| {
            let ends = c == '/' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some((length, _)) = end else {
            return Err(self.fault(
                start..self.text.len(),
                "a regular expression is not closed",
                "expected `/)` behind it",
            ));
        };
        self.at += length + 1;
        let typed = self.text[from..from + length].replace("\\/", "/");
        let regex = Regex::new(&typed).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            self.fault(from..from + length, "the regular expression cannot be read", reason)
        })?;
        if !self.takes(')') {
            return Err(self.expected("`)` behind the regular expression"));
        }
        Ok(Text::Matches(regex))
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = self.rest().chars().next();
        let title = match found {
            Some(c) => format!("a filter cannot go on with `{c}` here"),
            None => "the filter ends too early".to_owned(),
        };
        self.fault(self.at..self.at + found.map_or(0, char::len_utf8), title, format!("expected {what}"))
    }

    fn fault(
        &self,
        range: Range<usize>,
        title: impl Into<String>,
        label: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::new("usage::filter", title).label(Span::new(self.source, range), label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(filter: &str) -> bool {
        let tags = ["fast".to_owned(), "cascade".to_owned()];
        let candidate = Candidate {
            file: "scenarios/a/rows.toml",
            name: &Name::Given("row 12 (twice)".to_owned()),
            line: 3,
            engine: Some("chess"),
            tags: &tags,
        };
        Filter::parse(filter, "--filter")
            .unwrap_or_else(|fault| panic!("{}", fault.draw(false)))
            .takes(&candidate)
    }

    #[test]
    fn questions_are_answered() {
        for filter in [
            "all()",
            "engine(chess)",
            "engine(ch*)",
            "engine( =chess )",
            "tag(fast)",
            "tag(/^cas/)",
            "tag(#f?st)",
            "name(12)",
            "name(=row 12 (twice\\))",
            "name(/ \\d+ /)",
            "name(#row * (*)",
            "file(a/rows)",
            "file(#scenarios/**)",
            "tag(~cad)",
        ] {
            assert!(takes(filter), "{filter}");
            assert!(!takes(&format!("not {filter}")), "{filter}");
        }
        for filter in ["none()", "engine(ches)", "tag(fas)", "name(=row)", "tag(/^ast/)", "engine(=ch*)"] {
            assert!(!takes(filter), "{filter}");
        }
    }

    #[test]
    fn not_binds_before_and_before_or() {
        for filter in [
            "all() | all() & none()",
            "none() & none() | all()",
            "!none() & all()",
            "all() - none()",
            "all()-none()-none()",
            "all() + none()",
            "not none() and all() or none()",
            "!(all() & none())",
            "!!all()",
            "engine(chess) & tag(cascade) - name(/slow/)",
        ] {
            assert!(takes(filter), "{filter}");
        }
        for filter in
            ["none() & (none() | all())", "all() - all()", "(all() | all()) - tag(fast)", "! all() & all()"]
        {
            assert!(!takes(filter), "{filter}");
        }
    }

    #[test]
    fn faults_are_drawn_at_their_place() {
        let drawn = |filter: &str| Filter::parse(filter, "--filter").map(drop).unwrap_err().draw(false);
        let expected = "\
error[usage::filter]: unknown predicate `nmae`
 --> --filter:1:15
  |
1 | engine(a*) & (nmae(x) | all())
  |               ^^^^ expected a predicate
  |
  = help: did you mean `name`?
";
        assert_eq!(drawn("engine(a*) & (nmae(x) | all())"), expected);
        for (filter, column, says) in [
            ("", 1, "expected a predicate such as `name(cascade)`"),
            ("all() &", 8, "the filter ends too early"),
            ("all(x)", 5, "`all()` asks nothing"),
            ("name(", 1, "expected `)` behind it"),
            ("name()", 6, "expected a text"),
            ("(all()", 1, "a parenthesis is not closed"),
            ("all())", 6, "unmatched `)`"),
            ("all() all()", 7, "expected `&`, `|`, `-` or the end"),
            ("name", 5, "expected `(` behind `name`"),
            ("name(/a)", 1, "a regular expression is not closed"),
            ("name(/(/)", 7, "unclosed group"),
            ("name(/a/ x)", 10, "expected `)` behind the regular expression"),
            ("name(#o[ne)", 6, "unclosed character class"),
            ("cascades", 1, "write `name(cascades)`"),
            ("tag(é) ü", 8, "cannot go on with `ü`"),
        ] {
            let drawing = drawn(filter);
            assert!(drawing.contains(&format!("--filter:1:{column}\n")), "{drawing}");
            assert!(drawing.contains(says), "{drawing}");
        }
        assert!(drawn(&"(".repeat(100_000)).contains("too deep"));
        assert!(drawn(&"!".repeat(100_000)).contains("too deep"));
    }
}
