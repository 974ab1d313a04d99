//! The contract without types: what the loader and the runner hold, implemented once for every engine.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use schemars::{Schema, schema_for};

use super::{Answers, Binder, Engine, Native, Now, Observer, Questions, Run, Session, Unanswered, keys};
use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::input::Input;
use crate::source::Source;
use crate::spanned::Spanned;
use crate::trace::{self, Frame};
use crate::tree::{Node, Table, Tree};
use crate::value::{FactSpec, Value};

/// An engine without its types: what the loader holds.
pub trait AnyEngine: Send + Sync {
    /// Returns the name that authors type, to be kept.
    fn shared_name(&self) -> &Arc<str>;
    /// Returns the name that authors type.
    fn name(&self) -> &str {
        self.shared_name()
    }
    /// One line: which game.
    fn about(&self) -> &str;
    /// The keys of a scenario to start from, with a word on each; it passes. `engine` stands above it.
    ///
    /// # Errors
    /// What a script has against the game that it plays.
    fn example(&self) -> Result<String, Vec<Diagnostic>>;
    /// The facts of a run.
    fn facts(&self) -> &[FactSpec];
    /// The facts that answer the game's question, by their index.
    fn answer(&self) -> Vec<usize>;
    /// What a checkpoint may ask.
    fn moments(&self) -> &[FactSpec];
    /// What a step is called.
    fn step(&self) -> &str;
    /// The events, each by the rule that acts.
    fn events(&self) -> &[CodeSpec];
    /// The faults that binding finds.
    fn codes(&self) -> &[CodeSpec];
    /// What a policy sees of a game under way, where there are moves to choose.
    fn seen(&self) -> &[FactSpec];
    /// The functions that scripts may call.
    fn natives(&self) -> &[Native];
    /// The schema of the game's own keys.
    fn doc_schema(&self) -> Schema;
    /// The schema of the house rules.
    fn rules_schema(&self) -> Schema;
    /// Returns the canonical spelling of a cell in the board `fact`, a fact or a moment, or `None` for what is not one.
    fn cell(&self, fact: &str, typed: &str) -> Option<String>;
    /// Binds a scenario's own keys and house rules.
    ///
    /// # Errors
    /// Every fault that was found.
    fn bind(&self, keys: Keys<'_>, place: &Place<'_>) -> Result<Box<dyn Start>, Vec<Diagnostic>>;
    /// Binds a scenario's own keys and house rules before any move is made.
    ///
    /// # Errors
    /// Every fault that was found.
    fn begin(&self, keys: Keys<'_>, place: &Place<'_>) -> Result<Box<dyn Start>, Vec<Diagnostic>>;
    /// Binds a scenario's own keys and house rules for somebody who chooses the moves; `None` for a game without any.
    ///
    /// # Errors
    /// Every fault that was found.
    fn session(&self, keys: Keys<'_>, place: &Place<'_>)
    -> Result<Option<Box<dyn Session>>, Vec<Diagnostic>>;
    /// Binds the statement's input format and house rules.
    ///
    /// # Errors
    /// Every fault that was found.
    fn read(
        &self,
        input: &mut Input,
        rules: Option<Node<'_>>,
        place: &Place<'_>,
    ) -> Result<Box<dyn Start>, Vec<Diagnostic>>;
}

/// The part of a scenario that an engine reads.
#[derive(Debug, Default)]
pub struct Keys<'t> {
    /// The game's own keys.
    pub doc: Table<'t>,
    /// Where the scenario stands.
    pub range: Range<usize>,
    /// The house rules.
    pub rules: Option<Node<'t>>,
}

/// Where a scenario stands and what holds for it.
#[derive(Debug)]
pub struct Place<'s> {
    /// The text that all spans point into.
    pub source: &'s Arc<Source>,
    /// Whether the statement's limits of size hold.
    pub size_limits: bool,
    /// Whether to look for every fault in the keys, not for the first alone; costs a copy of them.
    pub thorough: bool,
}

/// A legal start of any game: what the runner holds.
pub trait Start: Send + Sync {
    /// Plays and answers.
    fn play(&self, questions: &Questions) -> Answers;
    /// Plays and shows the events of `steps` until the sink breaks; step 0 is the start.
    fn replay(&self, steps: RangeInclusive<u64>, sink: &mut dyn FnMut(Frame) -> ControlFlow<()>);
    /// Plays and shows every moment until the sink breaks.
    fn follow(&self, sink: &mut dyn FnMut(&dyn Moment) -> ControlFlow<()>);
    /// Plays and gives the outcome in the statement's output format.
    ///
    /// # Errors
    /// When the engine gave up at a budget before it knew.
    fn output(&self) -> Result<String, Unanswered>;
    /// Whether `text`, in the statement's output format, is as good an answer as the game's own.
    fn accepts_output(&self, text: &str) -> bool;
    /// The table that explains the score, where the game has one.
    fn ledger(&self) -> Option<trace::Table>;
    /// The start in the statement's input format.
    fn input(&self) -> String;
    /// The start as the keys of a scenario.
    fn doc(&self) -> String;
}

/// A run right after an event.
pub trait Moment {
    /// The step under way, or the last one played, from 1; 0 at the start.
    fn step(&self) -> u64;
    /// What people see.
    fn frame(&self) -> Frame;
    /// The answer for a moment, by its index in the engine's list.
    fn answer(&self, moment: usize) -> Value;
}

/// An engine whose types are erased.
#[derive(Debug)]
pub struct Erased<E> {
    name: Arc<str>,
    /// Schema of the house rules, made when it is first asked for.
    rules: OnceLock<Schema>,
    facts: Vec<FactSpec>,
    moments: Vec<FactSpec>,
    seen: Vec<FactSpec>,
    types: PhantomData<E>,
}

impl<E: Engine> Default for Erased<E> {
    fn default() -> Self {
        Self {
            name: E::NAME.into(),
            rules: OnceLock::new(),
            facts: E::facts().iter().map(|fact| fact.spec().clone()).collect(),
            moments: E::moments().iter().map(|fact| fact.spec().clone()).collect(),
            seen: E::seen(),
            types: PhantomData,
        }
    }
}

impl<E: Engine> Erased<E> {
    fn setup(
        &self,
        keys: Keys<'_>,
        place: &Place<'_>,
        mut binder: Binder<'_>,
    ) -> Result<E::Setup, Vec<Diagnostic>> {
        let doc = Spanned { value: Tree::Table(keys.doc), range: keys.range };
        let doc = keys::read(doc, place.source, place.thorough);
        let (doc, rules) = both(doc, self.rules(keys.rules, place))?;
        let setup = E::bind(doc, rules, &mut binder);
        bound(setup, binder)
    }

    fn rules(&self, rules: Option<Node<'_>>, place: &Place<'_>) -> Result<E::Rules, Vec<Diagnostic>> {
        let schema = || self.rules.get_or_init(|| schema_for!(E::Rules));
        rules.map_or_else(|| Ok(E::Rules::default()), |rules| keys::read_as(rules, schema(), place.source))
    }
}

/// What was bound, or the faults: a binding without either would be the engine's own fault.
fn bound<T>(value: Option<T>, binder: Binder<'_>) -> Result<T, Vec<Diagnostic>> {
    match value {
        Some(value) if binder.is_clean() => Ok(value),
        _ => Err(binder.into_faults()),
    }
}

/// Both, or the faults of both.
fn both<A, B>(
    a: Result<A, Vec<Diagnostic>>,
    b: Result<B, Vec<Diagnostic>>,
) -> Result<(A, B), Vec<Diagnostic>> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(mut faults), Err(more)) => {
            faults.extend(more);
            Err(faults)
        }
        (Err(faults), _) | (_, Err(faults)) => Err(faults),
    }
}

impl<E: Engine> AnyEngine for Erased<E> {
    fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    fn about(&self) -> &str {
        E::ABOUT
    }

    fn example(&self) -> Result<String, Vec<Diagnostic>> {
        Ok(E::EXAMPLE.to_owned())
    }

    fn facts(&self) -> &[FactSpec] {
        &self.facts
    }

    fn answer(&self) -> Vec<usize> {
        let facts = E::facts().iter().enumerate();
        facts.filter(|(_, fact)| fact.is_asked_first()).map(|(index, _)| index).collect()
    }

    fn moments(&self) -> &[FactSpec] {
        &self.moments
    }

    fn step(&self) -> &str {
        E::STEP
    }

    fn events(&self) -> &[CodeSpec] {
        E::EVENTS
    }

    fn codes(&self) -> &[CodeSpec] {
        E::CODES
    }

    fn seen(&self) -> &[FactSpec] {
        &self.seen
    }

    fn natives(&self) -> &[Native] {
        E::NATIVES
    }

    fn doc_schema(&self) -> Schema {
        schema_for!(E::Doc)
    }

    fn rules_schema(&self) -> Schema {
        self.rules.get_or_init(|| schema_for!(E::Rules)).clone()
    }

    fn cell(&self, fact: &str, typed: &str) -> Option<String> {
        E::cell(fact, typed)
    }

    fn bind(&self, keys: Keys<'_>, place: &Place<'_>) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
        let setup = self.setup(keys, place, Binder::new(place.source, place.size_limits))?;
        Ok(Box::new(Bound::<E>(setup)))
    }

    fn begin(&self, keys: Keys<'_>, place: &Place<'_>) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
        let setup = self.setup(keys, place, Binder::new(place.source, place.size_limits).for_session())?;
        Ok(Box::new(Bound::<E>(setup)))
    }

    fn session(
        &self,
        keys: Keys<'_>,
        place: &Place<'_>,
    ) -> Result<Option<Box<dyn Session>>, Vec<Diagnostic>> {
        let setup = self.setup(keys, place, Binder::new(place.source, place.size_limits).for_session())?;
        Ok(E::session(&setup))
    }

    fn read(
        &self,
        input: &mut Input,
        rules: Option<Node<'_>>,
        place: &Place<'_>,
    ) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
        let rules = self.rules(rules, place)?;
        let source = Arc::clone(input.excerpt().source());
        let mut binder = Binder::new(&source, place.size_limits);
        let setup = E::read_input(input, rules, &mut binder);
        Ok(Box::new(Bound::<E>(bound(setup, binder)?)))
    }
}

/// A setup without its type.
struct Bound<E: Engine>(E::Setup);

impl<E: Engine> Start for Bound<E> {
    fn play(&self, questions: &Questions) -> Answers {
        let setup = &self.0;
        let of_course = |fact: &usize| E::facts()[*fact].spec().course;
        let mut record = Record::<E> {
            setup,
            gathered: questions
                .facts
                .iter()
                .copied()
                .filter(of_course)
                .map(|fact| (fact, Vec::new()))
                .collect(),
            moments: &questions.moments,
            answers: vec![None; questions.moments.len()],
            next: 0,
            steps: 0,
        };
        let outcome = if record.active() { E::run(setup, &mut record) } else { E::run(setup, &mut ()) };
        let run = Run { setup, outcome: &outcome };
        let items = |fact: usize| record.gathered.iter().find(|(gathered, _)| *gathered == fact);
        let fact = |&fact: &usize| {
            let gathered = items(fact).map(|(_, items)| items.clone()).unwrap_or_default();
            E::facts()[fact].answer(&run, gathered)
        };
        Answers {
            facts: questions.facts.iter().map(fact).collect(),
            moments: record.answers,
            steps: record.steps,
            output: questions.output.then(|| E::write_output(setup, &outcome)),
        }
    }

    fn replay(&self, steps: RangeInclusive<u64>, sink: &mut dyn FnMut(Frame) -> ControlFlow<()>) {
        let mut show = Show::<E> { setup: &self.0, steps, sink, open: true };
        E::run(&self.0, &mut show);
    }

    fn follow(&self, sink: &mut dyn FnMut(&dyn Moment) -> ControlFlow<()>) {
        E::run(&self.0, &mut Follow::<E> { setup: &self.0, sink, open: true });
    }

    fn output(&self) -> Result<String, Unanswered> {
        E::write_output(&self.0, &E::run(&self.0, &mut ()))
    }

    fn accepts_output(&self, text: &str) -> bool {
        E::accepts_output(&self.0, text)
    }

    fn ledger(&self) -> Option<trace::Table> {
        E::ledger(&self.0)
    }

    fn input(&self) -> String {
        E::write_input(&self.0)
    }

    fn doc(&self) -> String {
        keys::write(&E::write_doc(&self.0), E::rules(&self.0))
    }
}

/// Gathers the course of a run and answers the checkpoints.
struct Record<'a, E: Engine> {
    setup: &'a E::Setup,
    /// The facts of the course, each with its items so far.
    gathered: Vec<(usize, Vec<Value>)>,
    moments: &'a [(u64, Vec<usize>)],
    answers: Vec<Option<Vec<Value>>>,
    next: usize,
    steps: u64,
}

impl<E: Engine> Observer<E::State, E::Event> for Record<'_, E> {
    fn active(&self) -> bool {
        !self.gathered.is_empty() || self.next < self.moments.len()
    }

    fn next(&self, _: u64) -> Option<u64> {
        self.moments.get(self.next).map(|(step, _)| *step)
    }

    fn on(&mut self, state: &E::State, event: impl FnOnce() -> E::Event) {
        if !self.active() {
            return;
        }
        let event = event();
        let now = Now { setup: self.setup, state, event: &event };
        for (fact, items) in &mut self.gathered {
            items.extend(E::facts()[*fact].gather(&now));
        }
        let Some(step) = E::step(&event) else { return };
        self.steps = step;
        while let Some((after, moments)) = self.moments.get(self.next)
            && *after <= step
        {
            if *after == step {
                let answer = |&moment: &usize| E::moments()[moment].answer(&now);
                self.answers[self.next] = Some(moments.iter().map(answer).collect());
            }
            self.next += 1;
        }
    }
}

/// Shows a run frame by frame.
struct Show<'a, E: Engine> {
    setup: &'a E::Setup,
    steps: RangeInclusive<u64>,
    sink: &'a mut dyn FnMut(Frame) -> ControlFlow<()>,
    open: bool,
}

impl<E: Engine> Observer<E::State, E::Event> for Show<'_, E> {
    fn active(&self) -> bool {
        self.open
    }

    fn next(&self, after: u64) -> Option<u64> {
        let (&start, &end) = (self.steps.start(), self.steps.end());
        // Without an end the engine itself knows best when there is nothing new to see.
        let last = if end == u64::MAX { start } else { end };
        Some(start.max(after.saturating_add(1))).filter(|&next| next <= last)
    }

    fn on(&mut self, state: &E::State, event: impl FnOnce() -> E::Event) {
        if !self.open {
            return;
        }
        let step = E::at(state);
        if step > *self.steps.end() {
            self.open = false;
        } else if self.steps.contains(&step) {
            self.open = (self.sink)(E::frame(self.setup, state, &event())).is_continue();
        }
    }
}

/// Shows every moment of a run.
struct Follow<'a, E: Engine> {
    setup: &'a E::Setup,
    sink: &'a mut dyn FnMut(&dyn Moment) -> ControlFlow<()>,
    open: bool,
}

impl<E: Engine> Observer<E::State, E::Event> for Follow<'_, E> {
    fn active(&self) -> bool {
        self.open
    }

    fn next(&self, after: u64) -> Option<u64> {
        self.open.then(|| after.saturating_add(1))
    }

    fn on(&mut self, state: &E::State, event: impl FnOnce() -> E::Event) {
        if self.open {
            let now = Now::<E> { setup: self.setup, state, event: &event() };
            self.open = (self.sink)(&now).is_continue();
        }
    }
}

impl<E: Engine> Moment for Now<'_, E> {
    fn step(&self) -> u64 {
        E::at(self.state)
    }

    fn frame(&self) -> Frame {
        E::frame(self.setup, self.state, self.event)
    }

    fn answer(&self, moment: usize) -> Value {
        E::moments()[moment].answer(self)
    }
}
