//! The contract between the rules of a game and everything around them.
//!
//! An [`Engine`] turns a typed document into a [`Engine::Setup`] (a legal start, made by `bind` or `read_input`
//! alone), runs it to an [`Engine::Outcome`] and answers for facts; it writes no comparison, parsing or drawing of
//! its own. [`AnyEngine`] and [`Start`] are the same contract without types: what the loader and the runner hold.
//! They are implemented once, for every engine, by [`Erased`].
//!
//! Any setup runs to an end without a panic; the same setup has the same outcome, observed or not.

mod erased;
mod fact;
pub mod keys;
mod session;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::erased::{AnyEngine, Erased, Keys, Moment, Place, Start};
pub use self::fact::{Answer, Choice, Fact, MomentFact, Now, Run, StateField};
pub use self::session::{Native, Session};

use crate::board::{self, BoardText, Token};
use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::grid::Grid;
use crate::input::Input;
use crate::source::{Source, Span};
use crate::spanned::Spanned;
use crate::trace::{Frame, Table};
use crate::value::{FactSpec, Value};

/// Somebody who watches a run: told every event, with the state after it.
///
/// `()` watches nothing and costs nothing.
pub trait Observer<S: ?Sized, V> {
    /// Whether anything more is wanted; an engine may then go the fast way.
    fn active(&self) -> bool;

    /// Returns the next step after step `after` that is wanted even if the engine knows the outcome by then; steps
    /// between the two may be left out. How the game ends is told in any case.
    fn next(&self, after: u64) -> Option<u64>;

    /// Something happened; `event` is made only for those who look at it.
    fn on(&mut self, state: &S, event: impl FnOnce() -> V);
}

impl<S: ?Sized, V> Observer<S, V> for () {
    #[inline]
    fn active(&self) -> bool {
        false
    }

    #[inline]
    fn next(&self, _: u64) -> Option<u64> {
        None
    }

    #[inline]
    fn on(&mut self, _: &S, _: impl FnOnce() -> V) {}
}

/// The rules of one game.
pub trait Engine: Sized + Send + Sync + 'static {
    /// The name that authors type.
    const NAME: &'static str;
    /// One line: which game.
    const ABOUT: &'static str;
    /// The keys of a scenario to start from, with a word on each; it passes. `engine` stands above it.
    const EXAMPLE: &'static str;
    /// What a step is called: `turn`, `swap`.
    const STEP: &'static str;
    /// The events, each by the rule that acts.
    const EVENTS: &'static [CodeSpec];
    /// The faults that `bind` and `read_input` find.
    const CODES: &'static [CodeSpec];
    /// The functions that scripts may call as `NAME::function`.
    const NATIVES: &'static [Native] = &[];

    /// The keys of a scenario that are this game's own, as typed; unknown keys refused.
    type Doc: DeserializeOwned + JsonSchema;
    /// The house rules, a field each, every one optional as typed; unknown keys refused. The default is the statement.
    type Rules: Clone + Debug + PartialEq + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync;
    /// A legal start.
    type Setup: Clone + Debug + PartialEq + Send + Sync;
    /// A game under way.
    type State;
    /// Something that happened.
    type Event;
    /// How a game ended.
    type Outcome: Send;

    /// The legal start that `doc` describes; pushes every fault that it finds.
    fn bind(doc: Self::Doc, rules: Self::Rules, binder: &mut Binder<'_>) -> Option<Self::Setup>;

    /// The legal start that the statement's input format describes; pushes every fault that it finds.
    fn read_input(input: &mut Input, rules: Self::Rules, binder: &mut Binder<'_>) -> Option<Self::Setup>;

    /// Plays from the start to the end.
    fn run<O: Observer<Self::State, Self::Event>>(setup: &Self::Setup, observer: &mut O) -> Self::Outcome;

    /// The step under way, or the last one played, from 1; 0 at the start.
    fn at(state: &Self::State) -> u64;

    /// The step that `event` completes, from 1; `None` while a step goes on.
    fn step(event: &Self::Event) -> Option<u64>;

    /// Returns the facts of a run.
    fn facts() -> &'static [Fact<Self>];

    /// Returns the facts that a checkpoint may ask after a step.
    fn moments() -> &'static [MomentFact<Self>];

    /// Returns the fields of the state that a policy sees, where there are moves to choose.
    fn seen() -> Vec<FactSpec> {
        Vec::new()
    }

    /// Returns the answer for the fact called `name`, or `None` where the end of a run answers no such fact.
    fn answer(setup: &Self::Setup, outcome: &Self::Outcome, name: &str) -> Option<Result<Value, Unanswered>> {
        let mut facts = Self::facts().iter().filter(|fact| !fact.spec().course);
        let fact = facts.find(|fact| fact.spec().name == name)?;
        Some(fact.answer(&Run { setup, outcome }, Vec::new()))
    }

    /// What people see of an event: the boards after it and what happened.
    fn frame(setup: &Self::Setup, state: &Self::State, event: &Self::Event) -> Frame;

    /// The start in the statement's input format.
    fn write_input(setup: &Self::Setup) -> String;

    /// The outcome in the statement's output format.
    ///
    /// # Errors
    /// When the engine gave up at a budget before it knew.
    fn write_output(setup: &Self::Setup, outcome: &Self::Outcome) -> Result<String, Unanswered>;

    /// Whether `text`, in the statement's output format, is as good an answer as the engine's own, where house rules
    /// leave a choice.
    fn accepts_output(_setup: &Self::Setup, _text: &str) -> bool {
        false
    }

    /// Returns the start as the keys of a scenario that are this game's own, each a field.
    fn write_doc(setup: &Self::Setup) -> impl Serialize;

    /// Returns the house rules of a start.
    fn rules(setup: &Self::Setup) -> &Self::Rules;

    /// Returns the canonical spelling of a cell in the board `fact`, a fact or a moment, or `None` for what is not one.
    fn cell(fact: &str, typed: &str) -> Option<String>;

    /// The table that explains a score, where the game has one: of a long game its beginning and its end.
    fn ledger(_setup: &Self::Setup) -> Option<Table> {
        None
    }

    /// The start, for somebody to choose the moves, where the game has any: those of the setup itself are not made.
    fn session(_setup: &Self::Setup) -> Option<Box<dyn Session>> {
        None
    }
}

/// Why an engine has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// The stable code of the reason.
    pub code: &'static str,
    /// What happened.
    pub why: String,
    /// What to do.
    pub help: String,
}

/// Faults of one code that are kept of a scenario; the rest of a board so full of them tells nothing new.
const SHOWN: u64 = 10;

/// Gathers faults while a scenario is bound, and draws boards and places from its source.
#[derive(Debug)]
pub struct Binder<'s> {
    source: &'s Arc<Source>,
    size_limits: bool,
    session: bool,
    faults: Vec<Diagnostic>,
    /// How often each code was found.
    found: BTreeMap<&'static str, u64>,
    /// The last fault that was not kept.
    spare: Option<Diagnostic>,
}

impl<'s> Binder<'s> {
    /// A binder for what stands in `source`; without `size_limits` boards and counts may be larger than the
    /// statement's.
    pub fn new(source: &'s Arc<Source>, size_limits: bool) -> Self {
        Self { source, size_limits, session: false, faults: Vec::new(), found: BTreeMap::new(), spare: None }
    }

    /// Whether the statement's limits of size hold.
    pub fn size_limits(&self) -> bool {
        self.size_limits
    }

    /// The same for somebody who chooses the moves: the document need not give them.
    #[must_use]
    pub fn for_session(self) -> Self {
        Self { session: true, ..self }
    }

    /// Whether somebody chooses the moves.
    pub fn is_session(&self) -> bool {
        self.session
    }

    /// The place `range` of the source.
    pub fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    /// Pushes a fault; of those of one code only the first are kept, and counted are all.
    pub fn push(&mut self, fault: Diagnostic) -> &mut Diagnostic {
        let found = self.found.entry(fault.code).or_default();
        *found += 1;
        if *found <= SHOWN { self.faults.push_mut(fault) } else { self.spare.insert(fault) }
    }

    /// Pushes a fault with one place; more can be added through the reference.
    pub fn fault(
        &mut self,
        code: &'static str,
        title: impl Into<String>,
        range: std::ops::Range<usize>,
        label: impl Into<String>,
    ) -> &mut Diagnostic {
        let fault = Diagnostic::new(code, title).label(self.span(range), label);
        self.push(fault)
    }

    /// Pushes the fault that the key `key` is missing; `what` says what to type.
    pub fn missing(&mut self, key: &str, what: &str) {
        self.push(Diagnostic::new("scenario::missing-key", format!("`{key}` is missing")).help(what));
    }

    /// The value, or `None` with the fault pushed.
    pub fn ok<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(fault) => {
                self.push(fault);
                None
            }
        }
    }

    /// The cells of a board, or `None` with the fault pushed.
    pub fn board<'t>(&mut self, board: &'t Spanned<BoardText>) -> Option<Grid<Token<'t>>>
    where
        's: 't,
    {
        let cells = board::read(board, self.source, None);
        self.ok(cells)
    }

    /// Whether no fault was pushed so far.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// The faults, in the order in which they were found; the last of a code says how many more there are.
    pub fn into_faults(mut self) -> Vec<Diagnostic> {
        for (code, found) in self.found {
            let last = self.faults.iter_mut().rfind(|fault| fault.code == code);
            if let Some(last) = last.filter(|_| found > SHOWN) {
                last.notes.push(format!("… and {} more like it", found - SHOWN));
            }
        }
        self.faults
    }
}

/// What is asked of a run. Facts and moments are named by their index in the engine's lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// Facts of the outcome.
    pub facts: Vec<usize>,
    /// Moments after a step, in the order of their steps.
    pub moments: Vec<(u64, Vec<usize>)>,
    /// Whether the statement's output is wanted.
    pub output: bool,
}

/// The answers to [`Questions`], in the same order.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The facts.
    pub facts: Vec<Result<Value, Unanswered>>,
    /// The moments; `None` where the run ended before the step.
    pub moments: Vec<Option<Vec<Value>>>,
    /// The number of steps played, if the run was observed.
    pub steps: u64,
    /// The statement's output, if wanted.
    pub output: Option<Result<String, Unanswered>>,
}
