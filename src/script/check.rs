//! Checkers: scripts that judge.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rhai::{Dynamic, Map};

use super::answers::Facts;
use super::argument::Argument;
use super::convert;
use super::fault::heading;
use super::generate::{arguments, wrong_shape};
use super::host::Script;
use crate::diagnostic::Diagnostic;
use crate::engine::{AnyEngine, Moment, Questions, Start};
use crate::source::Span;
use crate::tree::Table;

/// A script that judges a run by its `fn check(scenario, facts, args)`, or every event of it by its
/// `fn check_step(state, event, args)`.
#[derive(Clone, Debug)]
pub struct Checker {
    script: Script,
    args: Dynamic,
    scenario: Dynamic,
    /// Where the scenario names the script.
    span: Span,
}

/// Why a checker did not say that all is well.
#[derive(Debug)]
pub enum Objection {
    /// Something is wrong with the run.
    Wrong(Box<Diagnostic>),
    /// Something is wrong with the script.
    Broken(Box<Diagnostic>),
}

impl Checker {
    /// The checker that the scenario names at `span`, for the scenario whose keys are `table`.
    ///
    /// # Errors
    /// When the script has none of the two functions.
    pub fn new(
        script: Script,
        args: &BTreeMap<String, Argument>,
        table: &Table<'_>,
        span: Span,
    ) -> Result<Self, Diagnostic> {
        if !script.has("check", 3) && !script.has("check_step", 3) {
            let name = script.source().name();
            let title = format!("`{name}` has neither `check` nor `check_step`");
            return Err(Diagnostic::new("script::no-function", title)
                .help("write `fn check(scenario, facts, args) { … }` for the end of a run")
                .help("write `fn check_step(state, event, args) { … }` for every event"));
        }
        Ok(Self { script, args: arguments(args), scenario: convert::of_table(table).into(), span })
    }

    /// Judges a run.
    ///
    /// # Errors
    /// What the checker objects to.
    pub fn judge(&self, game: &dyn Start, engine: &dyn AnyEngine) -> Result<(), Objection> {
        if self.script.has("check_step", 3) {
            let mut result = Ok(());
            game.follow(&mut |moment| {
                result = self.step(moment, engine);
                if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            result?;
        }
        if self.script.has("check", 3) {
            let answers =
                game.play(&Questions { facts: (0..engine.facts().len()).collect(), ..Questions::default() });
            let fact = |(spec, answer): (&crate::value::FactSpec, Result<_, _>)| {
                (spec.name.as_ref().into(), answer.map_or(Dynamic::UNIT, |value| convert::of_value(&value)))
            };
            let facts = Facts::new(engine.facts().iter().zip(answers.facts).map(fact).collect());
            let arguments = || vec![self.scenario.clone(), Dynamic::from(facts.clone()), self.args.clone()];
            self.ask("check", arguments, None)?;
        }
        Ok(())
    }

    fn step(&self, moment: &dyn Moment, engine: &dyn AnyEngine) -> Result<(), Objection> {
        let specs = engine.moments().iter().enumerate();
        let state: Map = specs
            .map(|(index, spec)| (spec.name.as_ref().into(), convert::of_value(&moment.answer(index))))
            .collect();
        let frame = moment.frame();
        let mut event = Map::new();
        event.insert("step".into(), (frame.step as i64).into());
        event.insert("rule".into(), frame.rule.as_str().into());
        event.insert("text".into(), frame.text.as_str().into());
        let place = format!("{} {}, {}: {}", engine.step(), frame.step, frame.rule, frame.text);
        let arguments = || vec![state.clone().into(), event.clone().into(), self.args.clone()];
        self.ask("check_step", arguments, Some(&place))
    }

    fn ask(
        &self,
        function: &str,
        arguments: impl Fn() -> Vec<Dynamic>,
        place: Option<&str>,
    ) -> Result<(), Objection> {
        let broken = |fault: Diagnostic| {
            Objection::Broken(Box::new(fault.label(self.span.clone(), "this scenario calls it")))
        };
        let answer = self.script.call(function, arguments).map_err(broken)?;
        let says = match (answer.as_bool(), answer.as_immutable_string_ref()) {
            (Ok(true), _) => return Ok(()),
            (Ok(false), _) => format!("`{function}` says no"),
            (_, Ok(text)) => format!("`{function}` says: {}", *text),
            _ => {
                let found = convert::kind(&answer);
                let expected = "`true`, `false` or a text that says what is wrong";
                return Err(broken(wrong_shape(&self.script, function, &found, expected)));
            }
        };
        let fault = Diagnostic::new("script::checker", says)
            .label(self.span.clone(), "this checker")
            .label(heading(self.script.source(), function), "its words");
        Err(Objection::Wrong(Box::new(match place {
            Some(place) => fault.note(place),
            None => fault,
        })))
    }
}
