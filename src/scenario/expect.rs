//! Expectations as typed, made into matchers of an engine's facts.

use std::ops::Range;
use std::sync::Arc;

use super::matcher::{ANY_CELL, MATCHERS, Matcher, PLAIN_VALUE};
use crate::board::{self, BoardText};
use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::engine::{AnyEngine, keys};
use crate::grid::Grid;
use crate::source::{Excerpt, Source, Span};
use crate::spanned::Spanned;
use crate::tree::{Key, Node, Table, Tree};
use crate::value::{FactSpec, Item, Kind, Value};
use regex::Regex;

/// The faults of expectations.
pub const CODES: &[CodeSpec] = &[
    CodeSpec {
        code: "expect::unknown-fact",
        about: "an expectation of a fact that the engine does not have",
    },
    CodeSpec { code: "expect::wrong-kind", about: "an expected value is of another kind than its fact" },
    CodeSpec { code: "expect::unknown-matcher", about: "a matcher that does not exist" },
    CodeSpec { code: "expect::matcher-kind", about: "a matcher that does not apply to values of that type" },
    CodeSpec { code: "expect::no-matcher", about: "an expectation without any matcher" },
    CodeSpec { code: "expect::bad-pattern", about: "a regular expression that cannot be read" },
    CodeSpec { code: "expect::bad-cell", about: "a cell of an expected board that the engine cannot have" },
    CodeSpec {
        code: "expect::error-alone",
        about: "`expect.error` beside expectations of facts that cannot be",
    },
    CodeSpec { code: "expect::no-step", about: "a checkpoint without a step, or with one below 1" },
];

/// What the author wants of one fact.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The fact, by its index in the engine's list.
    pub fact: usize,
    /// What is said of it.
    pub matcher: Matcher,
    /// Where the author says it.
    pub span: Span,
}

/// What the author wants in the middle of a run.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The step after which it is asked.
    pub after: u64,
    /// Where the step is given.
    pub span: Span,
    /// What is wanted of the engine's moments.
    pub expectations: Vec<Expectation>,
}

/// The cells that the boards of one fact may have.
#[derive(Clone, Copy)]
struct Cells<'a> {
    engine: &'a dyn AnyEngine,
    fact: &'a str,
}

impl Cells<'_> {
    /// Returns the canonical spelling of a cell, or `None` for what is not one.
    fn read(&self, typed: &str) -> Option<String> {
        self.engine.cell(self.fact, typed)
    }
}

/// Reads expectations of one scenario, gathering faults.
#[derive(Debug)]
pub struct Reader<'a> {
    /// The text that all spans point into.
    pub source: &'a Arc<Source>,
    /// All faults found so far.
    pub faults: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// The expectations in `table`, of moments at a `checkpoint`, else of facts.
    pub fn expectations(
        &mut self,
        table: Table<'_>,
        engine: &dyn AnyEngine,
        checkpoint: bool,
    ) -> Vec<Expectation> {
        table
            .into_iter()
            .filter_map(|(name, value)| self.expectation(&name, value, engine, checkpoint))
            .collect()
    }

    fn expectation(
        &mut self,
        name: &Key<'_>,
        value: Node<'_>,
        engine: &dyn AnyEngine,
        checkpoint: bool,
    ) -> Option<Expectation> {
        let typed = &*name.value;
        let named = |specs: &[FactSpec]| specs.iter().position(|spec| spec.name == typed);
        let (specs, others, label, further): (_, _, _, &[&str]) = if checkpoint {
            (engine.moments(), engine.facts(), "only available at the end, in `expect`", &["after"])
        } else {
            (engine.facts(), engine.moments(), "known at a checkpoint alone", &["output", "error"])
        };
        let Some(fact) = named(specs) else {
            let title = format!("`{}` has no fact `{typed}` here", engine.name());
            let known = specs.iter().map(|spec| spec.name.as_ref()).chain(further.iter().copied());
            let fault = match named(others) {
                Some(_) => self.fault("expect::unknown-fact", title, name.range.clone(), label),
                None => self
                    .fault("expect::unknown-fact", title, name.range.clone(), "not a fact")
                    .suggest(typed, known),
            };
            self.faults.push(fault);
            return None;
        };
        let span = Span::new(self.source, value.range.clone());
        match self.matcher(value, specs[fact].kind, Cells { engine, fact: &specs[fact].name }) {
            Ok(matcher) => Some(Expectation { fact, matcher, span }),
            Err(mut fault) => {
                if fault.code == "expect::wrong-kind" {
                    fault.title = format!("the value expected of `{typed}` has the wrong type");
                }
                self.faults.push(*fault);
                None
            }
        }
    }

    /// The checkpoints in an array of tables, in the order of their steps.
    pub fn checkpoints(&mut self, value: Node<'_>, engine: &dyn AnyEngine) -> Vec<Checkpoint> {
        let span = value.range.clone();
        let Tree::Array(items) = value.value else {
            let fault = self.fault(
                "scenario::wrong-kind",
                "`checkpoint` has the wrong type",
                span,
                "expected tables",
            );
            self.faults.push(
                fault.help("write each checkpoint under a `[[scenario.checkpoint]]`, in double brackets"),
            );
            return Vec::new();
        };
        let mut checkpoints: Vec<_> =
            items.into_iter().filter_map(|item| self.checkpoint(item, engine)).collect();
        checkpoints.sort_by_key(|checkpoint| checkpoint.after);
        checkpoints
    }

    fn checkpoint(&mut self, item: Node<'_>, engine: &dyn AnyEngine) -> Option<Checkpoint> {
        let range = item.range.clone();
        let step = engine.step();
        let Tree::Table(mut table) = item.value else {
            let fault = self.fault(
                "scenario::wrong-kind",
                "a checkpoint has the wrong type",
                range,
                "expected a table",
            );
            self.faults.push(fault);
            return None;
        };
        let Some(after) = table.remove("after") else {
            let fault =
                self.fault("expect::no-step", "a checkpoint has no `after`", range, "when is this to hold?");
            self.faults.push(fault.help(format!("add `after = 1` for after the first {step}")));
            return None;
        };
        let range = after.range.clone();
        let number = after.value.as_int().and_then(|number| u64::try_from(number).ok());
        let Some(after) = number.filter(|&after| after > 0) else {
            let fault = self.fault(
                "expect::no-step",
                "`after` must be at least 1",
                range,
                "expected a whole number from 1 up",
            );
            self.faults.push(fault.help(format!("`after = 1` is after the first {step}")));
            return None;
        };
        let expectations = self.expectations(table, engine, true);
        Some(Checkpoint { after, span: Span::new(self.source, range), expectations })
    }

    fn matcher(&self, value: Node<'_>, kind: Kind, cells: Cells<'_>) -> Result<Matcher, Box<Diagnostic>> {
        let range = value.range.clone();
        let table = match value.value {
            Tree::Table(table) => table,
            literal => return self.literal(literal, range, kind, cells).map(Matcher::Equals),
        };
        let mut matchers = Vec::new();
        for (name, argument) in table {
            matchers.push(self.named(&name, argument, kind, cells)?);
        }
        match matchers.len() {
            0 => Err(Box::new(
                self.fault("expect::no-matcher", "empty expectation", range, "expected matchers in here")
                    .help("write a value, or a matcher such as `{ at_least = 1 }`"),
            )),
            1 => Ok(matchers.remove(0)),
            _ => Ok(Matcher::All(matchers)),
        }
    }

    fn named(
        &self,
        name: &Key<'_>,
        argument: Node<'_>,
        kind: Kind,
        cells: Cells<'_>,
    ) -> Result<Matcher, Box<Diagnostic>> {
        let typed = &*name.value;
        if MATCHERS.iter().all(|known| known.name != typed) {
            let title = format!("unknown matcher `{typed}`");
            let fault = self.fault("expect::unknown-matcher", title, name.range.clone(), "not a matcher");
            let lower = typed.to_lowercase();
            let meant = MATCHERS.iter().find(|known| known.synonyms.contains(&lower.as_str()));
            return Err(Box::new(match meant {
                Some(known) => fault.help(format!("did you mean `{}`? {}", known.name, known.about)),
                None if PLAIN_VALUE.contains(&lower.as_str()) => {
                    fault.help("write the value itself, without a table")
                }
                None => fault.suggest(typed, MATCHERS.iter().map(|known| known.name)),
            }));
        }
        if !Matcher::speaks_of(typed, kind) {
            let title = format!("`{typed}` does not apply to {kind}");
            let usable =
                MATCHERS.iter().map(|known| known.name).filter(|name| Matcher::speaks_of(name, kind));
            let usable: Vec<_> = usable.collect();
            let help = format!("for {kind} there are {}", crate::diagnostic::names(&usable));
            let fault =
                self.fault("expect::matcher-kind", title, name.range.clone(), "not for this fact").help(help);
            return Err(Box::new(fault));
        }
        let element = kind.element().unwrap_or(kind);
        Ok(match typed {
            "at_least" => Matcher::AtLeast(self.int(&argument)?),
            "at_most" => Matcher::AtMost(self.int(&argument)?),
            "one_of" => Matcher::OneOf(self.several(argument, kind, cells)?),
            "not" => Matcher::Not(Box::new(self.matcher(argument, kind, cells)?)),
            "matches" => Matcher::Matches(self.pattern(&argument)?),
            "len" => Matcher::Len(Box::new(self.matcher(argument, Kind::INT, cells)?)),
            "contains" if kind == Kind::TEXT => Matcher::ContainsText(self.text(&argument)?),
            "contains" => Matcher::Contains(Box::new(self.matcher(argument, element, cells)?)),
            _ => Matcher::Each(Box::new(self.matcher(argument, element, cells)?)),
        })
    }

    fn several(
        &self,
        argument: Node<'_>,
        kind: Kind,
        cells: Cells<'_>,
    ) -> Result<Vec<Value>, Box<Diagnostic>> {
        let range = argument.range.clone();
        let Tree::Array(items) = argument.value else {
            return Err(self.wrong_kind(range, &format!("an array of values, each {kind}")));
        };
        items
            .into_iter()
            .map(|item| {
                let range = item.range.clone();
                self.literal(item.value, range, kind, cells)
            })
            .collect()
    }

    fn literal(
        &self,
        value: Tree<'_>,
        range: Range<usize>,
        kind: Kind,
        cells: Cells<'_>,
    ) -> Result<Value, Box<Diagnostic>> {
        match (value, kind.element()) {
            (Tree::Array(items), Some(element)) => {
                let item = |item: Node<'_>| {
                    let range = item.range.clone();
                    self.literal(item.value, range, element, cells)
                };
                items.into_iter().map(item).collect::<Result<_, _>>().map(Value::List)
            }
            (Tree::Bool(value), None) if kind.item == Item::Bool => Ok(Value::Bool(value)),
            (Tree::Int(number), None) if kind.item == Item::Int => Ok(Value::Int(number)),
            (Tree::Huge, None) if kind.item == Item::Int => {
                Err(self.wrong_kind(range, keys::whole_number(&Tree::Huge)))
            }
            (Tree::Text(text), None) if kind.item == Item::Text => Ok(Value::Text(text.into_owned())),
            (Tree::Text(text), None) if kind.item == Item::Board => {
                self.board(&Spanned { value: BoardText::Lines(text.into_owned()), range }, kind.blank, cells)
            }
            (Tree::Array(lines), None) if kind.item == Item::Board => {
                let line = |line: Node<'_>| {
                    let range = line.range.clone();
                    match line.value {
                        Tree::Text(text) => Ok(Spanned { value: text.into_owned(), range }),
                        _ => Err(self.wrong_kind(range, "a line of the board as a string")),
                    }
                };
                let lines = lines.into_iter().map(line).collect::<Result<_, _>>()?;
                self.board(&Spanned { value: BoardText::Array(lines), range }, kind.blank, cells)
            }
            _ => Err(self.wrong_kind(range, &kind.to_string())),
        }
    }

    fn board(
        &self,
        board: &Spanned<BoardText>,
        blank: Option<char>,
        cells: Cells<'_>,
    ) -> Result<Value, Box<Diagnostic>> {
        let tokens = board::read(board, self.source, blank)?;
        let cols = tokens.cols();
        let mut read = Vec::with_capacity(tokens.cells().len());
        for token in tokens.cells() {
            let cell = if token.text == ANY_CELL { Some(ANY_CELL.into()) } else { cells.read(&token.text) };
            let Some(cell) = cell else {
                let title = format!("`{}` is not a cell of a `{}` board", token.text, cells.engine.name());
                let label = "expected a cell as the engine writes it, or `?` for any";
                let mut fault = self.fault("expect::bad-cell", title, token.range.clone(), label);
                board::suggest(&mut fault, &token.text, |near| cells.read(near).is_some());
                return Err(Box::new(fault));
            };
            read.push(cell);
        }
        Ok(Value::Board(Grid::from_cells(cols, read).expect("as many cells as tokens")))
    }

    fn int(&self, value: &Node<'_>) -> Result<i64, Box<Diagnostic>> {
        value
            .value
            .as_int()
            .ok_or_else(|| self.wrong_kind(value.range.clone(), keys::whole_number(&value.value)))
    }

    fn text(&self, value: &Node<'_>) -> Result<String, Box<Diagnostic>> {
        match &value.value {
            Tree::Text(text) => Ok(text.clone().into_owned()),
            _ => Err(self.wrong_kind(value.range.clone(), "a text")),
        }
    }

    fn pattern(&self, value: &Node<'_>) -> Result<Regex, Box<Diagnostic>> {
        let text = self.text(value)?;
        Regex::new(&text).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            Box::new(self.fault(
                "expect::bad-pattern",
                "the regular expression cannot be read",
                value.range.clone(),
                reason,
            ))
        })
    }

    fn wrong_kind(&self, range: Range<usize>, expected: &str) -> Box<Diagnostic> {
        let title = "the expected value has the wrong type";
        Box::new(self.fault("expect::wrong-kind", title, range, format!("expected {expected}")))
    }

    fn fault(
        &self,
        code: &'static str,
        title: impl Into<String>,
        range: Range<usize>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(code, title).label(Span::new(self.source, range), label)
    }
}

/// The statement's output that the author wants, compared word by word.
#[derive(Clone, Debug)]
pub struct ExpectedOutput {
    /// The text.
    pub excerpt: Excerpt,
    /// Where it stands.
    pub span: Span,
}
