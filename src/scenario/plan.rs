//! What a scenario is to do and to come to: its start bound by the engine, and its expectations.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::case::{ExpectedError, Plan};
use super::expect::{ExpectedOutput, Reader};
use super::header::{self, Header, Size};
use super::load::{Loader, refuse_unknown};
use crate::diagnostic::{Diagnostic, Label};
use crate::engine::{AnyEngine, Keys, Place, Session, Start};
use crate::input::Input;
use crate::source::{self, Excerpt, Source, Span};
use crate::spanned::Spanned;
use crate::tree::{Key, Node, Table, Tree};

/// What is said at the scenario of a fault that has no place of its own in the file.
pub(super) const PLACED: &str = "in this scenario";

impl<'a> Loader<'a> {
    /// Returns the plan of the keys that are left in `table`, and the time that the start took; pushes its faults.
    pub(super) fn plan(
        &self,
        mut table: Table<'a>,
        header: &Header,
        engine: &dyn AnyEngine,
        place: Span,
        thorough: bool,
        faults: &mut Vec<Diagnostic>,
    ) -> (Option<Plan>, Duration) {
        let rules = table.remove("rules").filter(|rules| {
            let sound = rules.value.as_table().is_some();
            if !sound {
                let fault = Diagnostic::new("scenario::wrong-kind", "`rules` has the wrong type");
                faults.push(fault.label(self.span(&rules.range), "expected a table of house rules"));
            }
            sound
        });
        let house_rules = rules.as_ref().map(|rules| self.span(&rules.range));
        let expect = table.remove("expect");
        let checkpoint = table.remove("checkpoint");
        let mut reader = Reader { source: self.source, faults };
        let mut error = None;
        let mut output = None;
        let mut expectations = Vec::new();
        if let Some(expect) = expect {
            let span = expect.range;
            match expect.value {
                Tree::Table(mut expect) => {
                    error = expect.remove("error").and_then(|value| expected_error(&value, &mut reader));
                    output = expect.remove("output").and_then(|value| expected_output(value, &mut reader));
                    if error.is_some() && (output.is_some() || !expect.is_empty() || checkpoint.is_some()) {
                        reader.faults.push(
                            Diagnostic::new("expect::error-alone", "`expect.error` stands beside other expectations")
                                .label(Span::new(self.source, span.clone()), "what is refused has no facts")
                                .help("keep `expect.error`, or the other expectations"),
                        );
                    }
                    expectations = reader.expectations(expect, engine, false);
                }
                _ => reader.faults.push(
                    Diagnostic::new("scenario::wrong-kind", "`expect` has the wrong type")
                        .label(Span::new(self.source, span), "expected a table of facts")
                        .help("write `expect.FACT = VALUE`, or `[scenario.expect]` in single brackets above the facts"),
                ),
            }
        }
        let checkpoints = checkpoint.map(|value| reader.checkpoints(value, engine)).unwrap_or_default();
        let mut unknown = Vec::new();
        if thorough {
            refuse_unknown(&mut table, &[engine], self.source, &mut unknown);
        }
        let checker = header.check.as_ref().map(|check| self.checker(check, header, &table, rules.as_ref()));
        let summary = self.summary(header, engine, faults);
        let place_of_keys = Place { source: self.source, size_limits: size_limits(header), thorough };
        let start = Instant::now();
        let game = self.game(table, rules, header, engine, &place, &place_of_keys);
        let spent = start.elapsed();
        let game = match game {
            Ok(game) if unknown.is_empty() => Ok(game),
            Err(_) if !thorough => return (None, spent),
            game => {
                let refused = unknown.into_iter().chain(game.err().into_iter().flatten());
                let refused: Vec<_> = refused.map(|fault| placed(fault, &place)).collect();
                if error.is_none() {
                    faults.extend(refused);
                    return (None, spent);
                }
                Err(refused)
            }
        };
        let checker = match checker.transpose() {
            Ok(checker) => checker,
            Err(fault) => {
                faults.push(fault);
                return (None, spent);
            }
        };
        let plan = Plan {
            place,
            game,
            rules: house_rules,
            error,
            expectations,
            checkpoints,
            output,
            checker,
            summary,
        };
        (Some(plan), spent)
    }

    /// Returns the names of the facts whose spread is wanted of a scenario that names `own`: those that `engine` has, if it
    /// is known.
    pub(super) fn asked<'n>(
        &'n self,
        own: impl Iterator<Item = &'n str>,
        engine: Option<&dyn AnyEngine>,
    ) -> Vec<String> {
        let spreads = |name: &str| engine.is_none_or(|engine| fact_that_spreads(engine, name).is_some());
        let mut names: Vec<String> = Vec::new();
        for name in own.chain(self.select.summary.iter().map(String::as_str)).filter(|name| spreads(name)) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// The facts whose spread is wanted: those that the scenario names, and those that the run asks for.
    fn summary(&self, header: &Header, engine: &dyn AnyEngine, faults: &mut Vec<Diagnostic>) -> Vec<usize> {
        let named = |name: &str| fact_that_spreads(engine, name);
        let mut summary: Vec<_> = Vec::new();
        for name in header.summary.iter().flatten() {
            if let Some(fact) = named(name) {
                if !summary.contains(&fact) {
                    summary.push(fact);
                }
                continue;
            }
            let title = format!("`{}` has no fact `{}` that spreads", engine.name(), name.value);
            let known = engine.facts().iter().filter(|fact| fact.spreads());
            let fault = Diagnostic::new("expect::unknown-fact", title)
                .label(self.span(&name.range), "not a number or boolean among its facts")
                .suggest(name, known.map(|fact| fact.name.as_ref()));
            faults.push(fault);
        }
        let asked = self.select.summary.iter().filter_map(|name| named(name));
        for fact in asked {
            if !summary.contains(&fact) {
                summary.push(fact);
            }
        }
        summary
    }

    /// The start for somebody to choose the moves from.
    pub(super) fn start(
        &self,
        mut table: Table<'a>,
        header: &Header,
        engine: &dyn AnyEngine,
        place: &Span,
    ) -> Result<Option<Box<dyn Session>>, Vec<Diagnostic>> {
        let own =
            |key: &Key<'_>| header::KEYS.contains(&&*key.value) || header::TABLES[1..].contains(&&*key.value);
        drop(table.take(own));
        let rules = table.remove("rules");
        let limits = Place { source: self.source, size_limits: size_limits(header), thorough: true };
        if let Some(input) = header.input.as_ref().or(header.input_file.as_ref()) {
            let fault = Diagnostic::new("script::setting", "a policy plays from keys, not from an input")
                .label(self.span(&input.range), "the input gives the moves, too")
                .help("`rulebook import` makes keys of inputs");
            return Err(vec![fault]);
        }
        let bound = engine.session(Keys { doc: table, range: place.range.clone(), rules }, &limits);
        bound.map_err(|faults| faults.into_iter().map(|fault| placed(fault, place)).collect())
    }

    fn game(
        &self,
        table: Table<'a>,
        rules: Option<Node<'a>>,
        header: &Header,
        engine: &dyn AnyEngine,
        place: &Span,
        limits: &Place<'_>,
    ) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
        let excerpt = match (&header.input, &header.input_file) {
            (None, None) => {
                let keys = Keys { doc: table, range: place.range.clone(), rules };
                return if self.begins { engine.begin(keys, limits) } else { engine.bind(keys, limits) };
            }
            (Some(input), Some(file)) => {
                return Err(vec![self.two_starts("input_file", &file.range, &input.range)]);
            }
            (Some(input), None) => Excerpt::string(self.source, input.range.clone(), input.value.clone()),
            (None, Some(path)) => Excerpt::all(&self.input_file(path).map_err(|fault| vec![fault])?),
        };
        if let Some(key) = table.keys().next() {
            let input =
                header.input.as_ref().or(header.input_file.as_ref()).map_or(0..0, |i| i.range.clone());
            return Err(vec![self.two_starts(key, &key.range, &input)]);
        }
        engine.read(&mut Input::new(excerpt), rules, limits)
    }

    fn two_starts(
        &self,
        key: &str,
        at: &std::ops::Range<usize>,
        other: &std::ops::Range<usize>,
    ) -> Diagnostic {
        Diagnostic::new("scenario::two-starts", format!("`{key}` gives the start a second time"))
            .label(self.span(at), "stands beside an input")
            .label(self.span(other), "the input")
            .help("keep one of the two")
    }

    fn input_file(&self, path: &Spanned<String>) -> Result<Arc<Source>, Diagnostic> {
        let directory = &self.file.folder;
        let full = directory.join(&path.value);
        let reach = self.file.scripts.reach();
        reach.check(directory, &full).map_err(|beyond| self.beyond(path, &beyond))?;
        self.file.opens(&full);
        let text = source::text(reach.open(directory, &full).and_then(source::bytes));
        text.map(|text| Source::new(full.display().to_string(), text)).map_err(|reason| {
            Diagnostic::new(
                "scenario::unreadable-input",
                format!("the input file `{}` cannot be read", path.value),
            )
            .label(self.span(&path.range), reason)
            .help("its path is taken from the scenario file's folder")
        })
    }
}

fn size_limits(header: &Header) -> bool {
    header.limits.as_ref().is_none_or(|limits| limits.size == Size::Statement)
}

/// A fault that knows no place in the file belongs to the whole scenario.
fn placed(fault: Diagnostic, place: &Span) -> Diagnostic {
    let here = |label: &Label| Arc::ptr_eq(&label.span.source, &place.source);
    if fault.labels.iter().any(here) { fault } else { fault.label(place.clone(), PLACED) }
}

fn expected_error(value: &Node<'_>, reader: &mut Reader<'_>) -> Option<ExpectedError> {
    let span = Span::new(reader.source, value.range.clone());
    let code = |value: &Tree<'_>| value.as_str().map(str::to_owned);
    let codes: Option<Vec<_>> = match &value.value {
        Tree::Array(codes) => codes.iter().map(|value| code(value)).collect(),
        single => code(single).map(|code| vec![code]),
    };
    let codes = codes.filter(|codes| !codes.is_empty());
    if codes.is_none() {
        let fault = Diagnostic::new("expect::wrong-kind", "`error` names no fault")
            .label(span.clone(), "expected the code of a fault, or several in an array");
        reader.faults.push(fault);
    }
    codes.map(|codes| ExpectedError { codes, span })
}

fn expected_output(value: Node<'_>, reader: &mut Reader<'_>) -> Option<ExpectedOutput> {
    let span = Span::new(reader.source, value.range);
    let Tree::Text(text) = value.value else {
        let fault =
            Diagnostic::new("expect::wrong-kind", "the value expected of `output` has the wrong type")
                .label(span, "expected the statement's output as a string");
        reader.faults.push(fault);
        return None;
    };
    let excerpt = Excerpt::string(reader.source, span.range.clone(), text.into_owned());
    Some(ExpectedOutput { excerpt, span })
}

/// Returns the index of the fact `name` of `engine`, if its values spread.
fn fact_that_spreads(engine: &dyn AnyEngine, name: &str) -> Option<usize> {
    engine.facts().iter().position(|fact| fact.name == name && fact.spreads())
}
