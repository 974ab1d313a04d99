//! One row per fact: its name, its meaning, its kind (the type of its answer) and its answer.

use std::fmt;

use super::{Engine, Unanswered};
use crate::grid::Grid;
use crate::value::{FactSpec, Kind, Value};

/// A Rust value that answers a fact; its type is the kind of the fact.
pub trait Answer {
    /// The kind.
    const KIND: Kind;

    /// Returns the value as scenarios see it.
    fn value(self) -> Value;
}

impl Answer for bool {
    const KIND: Kind = Kind::BOOL;

    fn value(self) -> Value {
        Value::Bool(self)
    }
}

impl Answer for i32 {
    const KIND: Kind = Kind::INT;

    fn value(self) -> Value {
        Value::Int(self.into())
    }
}

impl Answer for i64 {
    const KIND: Kind = Kind::INT;

    fn value(self) -> Value {
        Value::Int(self)
    }
}

/// A count.
impl Answer for u64 {
    const KIND: Kind = Kind::INT;

    fn value(self) -> Value {
        Value::Int(self as i64)
    }
}

/// A count.
impl Answer for usize {
    const KIND: Kind = Kind::INT;

    fn value(self) -> Value {
        Value::Int(self as i64)
    }
}

impl Answer for String {
    const KIND: Kind = Kind::TEXT;

    fn value(self) -> Value {
        Value::Text(self)
    }
}

impl Answer for &'static str {
    const KIND: Kind = Kind::TEXT;

    fn value(self) -> Value {
        Value::Text(self.to_owned())
    }
}

/// A board, each cell as the engine writes it.
impl Answer for Grid<String> {
    const KIND: Kind = Kind::BOARD;

    fn value(self) -> Value {
        Value::Board(self)
    }
}

impl<T: Answer> Answer for Vec<T> {
    const KIND: Kind = T::KIND.list();

    fn value(self) -> Value {
        Value::List(self.into_iter().map(T::value).collect())
    }
}

impl<T: Answer, const N: usize> Answer for [T; N] {
    const KIND: Kind = T::KIND.list();

    fn value(self) -> Value {
        Value::List(self.into_iter().map(T::value).collect())
    }
}

/// An answer, or several of which each is as good as the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    /// The only answer.
    One(T),
    /// Several answers.
    AnyOf(Vec<T>),
}

impl<T: Answer> Answer for Choice<T> {
    const KIND: Kind = T::KIND;

    fn value(self) -> Value {
        match self {
            Self::One(answer) => answer.value(),
            Self::AnyOf(answers) => Value::AnyOf(answers.into_iter().map(T::value).collect()),
        }
    }
}

/// A run that is over.
pub struct Run<'a, E: Engine> {
    /// The start.
    pub setup: &'a E::Setup,
    /// How it ended.
    pub outcome: &'a E::Outcome,
}

/// A run right after an event.
pub struct Now<'a, E: Engine> {
    /// The start.
    pub setup: &'a E::Setup,
    /// The state after the event.
    pub state: &'a E::State,
    /// The event.
    pub event: &'a E::Event,
}

/// A fact of a run.
pub struct Fact<E: Engine> {
    spec: FactSpec,
    asked_first: bool,
    source: Source<E>,
}

type OfRun<E> = dyn Fn(&Run<'_, E>) -> Result<Value, Unanswered> + Send + Sync;
type OfEvent<E> = dyn Fn(&Now<'_, E>) -> Option<Value> + Send + Sync;

/// The part of a run that answers a fact.
enum Source<E: Engine> {
    /// Its end.
    Outcome(Box<OfRun<E>>),
    /// Its course: the run is observed, and each event may add an item.
    Course(Box<OfEvent<E>>),
}

impl<E: Engine> Fact<E> {
    /// Returns a fact that the end of a run answers.
    pub fn new<T: Answer>(
        name: &'static str,
        about: &'static str,
        answer: impl Fn(&Run<'_, E>) -> T + Send + Sync + 'static,
    ) -> Self {
        Self::fallible(name, about, move |run| Ok(answer(run)))
    }

    /// Returns a fact that the end of a run answers, unless the engine gave up before it knew.
    pub fn fallible<T: Answer>(
        name: &'static str,
        about: &'static str,
        answer: impl Fn(&Run<'_, E>) -> Result<T, Unanswered> + Send + Sync + 'static,
    ) -> Self {
        let answer = Box::new(move |run: &Run<'_, E>| answer(run).map(T::value));
        let spec = FactSpec::new(name, T::KIND, about);
        Self { spec, asked_first: false, source: Source::Outcome(answer) }
    }

    /// Returns a list that is gathered in the course of a run: of each event the item that it adds, if any.
    ///
    /// A run of which it is asked is observed, which is slower.
    pub fn of_course<T: Answer>(
        name: &'static str,
        about: &'static str,
        item: impl Fn(&Now<'_, E>) -> Option<T> + Send + Sync + 'static,
    ) -> Self {
        let item = Box::new(move |now: &Now<'_, E>| item(now).map(T::value));
        let spec = FactSpec::of_course(name, T::KIND.list(), about);
        Self { spec, asked_first: false, source: Source::Course(item) }
    }

    /// Marks a fact that answers the game's question: an author who expects nothing yet would ask it first.
    #[must_use]
    pub fn asked_first(self) -> Self {
        Self { asked_first: true, ..self }
    }

    /// Whether the fact answers the game's question.
    pub fn is_asked_first(&self) -> bool {
        self.asked_first
    }

    /// Returns the name, kind and meaning.
    pub fn spec(&self) -> &FactSpec {
        &self.spec
    }

    /// Returns the item that an event adds to a fact of the course.
    pub fn gather(&self, now: &Now<'_, E>) -> Option<Value> {
        match &self.source {
            Source::Outcome(_) => None,
            Source::Course(item) => item(now),
        }
    }

    /// Returns the answer; `gathered` are the items of a fact of the course.
    ///
    /// # Errors
    /// When the engine gave up at a budget before it knew.
    pub fn answer(&self, run: &Run<'_, E>, gathered: Vec<Value>) -> Result<Value, Unanswered> {
        match &self.source {
            Source::Outcome(answer) => answer(run),
            Source::Course(_) => Ok(Value::List(gathered)),
        }
    }
}

/// A fact that a checkpoint may ask after a step.
pub struct MomentFact<E: Engine> {
    spec: FactSpec,
    answer: MomentAnswer<E>,
}

/// How a fact of a checkpoint is answered.
type MomentAnswer<E> = Box<dyn Fn(&Now<'_, E>) -> Value + Send + Sync>;

impl<E: Engine> MomentFact<E> {
    /// Returns a fact that a checkpoint may ask.
    pub fn new<T: Answer>(
        name: &'static str,
        about: &'static str,
        answer: impl Fn(&Now<'_, E>) -> T + Send + Sync + 'static,
    ) -> Self {
        let answer = Box::new(move |now: &Now<'_, E>| answer(now).value());
        Self { spec: FactSpec::new(name, T::KIND, about), answer }
    }

    /// Returns the name, kind and meaning.
    pub fn spec(&self) -> &FactSpec {
        &self.spec
    }

    /// Returns the answer.
    pub fn answer(&self, now: &Now<'_, E>) -> Value {
        (self.answer)(now)
    }
}

/// A field of the state that a policy sees, of the session `S`.
pub struct StateField<S> {
    spec: FactSpec,
    answer: Box<dyn Fn(&S) -> Value + Send + Sync>,
}

impl<S: 'static> StateField<S> {
    /// Returns a field of the state.
    pub fn new<T: Answer>(
        name: &'static str,
        about: &'static str,
        answer: impl Fn(&S) -> T + Send + Sync + 'static,
    ) -> Self {
        let answer = Box::new(move |session: &S| answer(session).value());
        Self { spec: FactSpec::new(name, T::KIND, about), answer }
    }

    /// Returns the name, kind and meaning.
    pub fn spec(&self) -> &FactSpec {
        &self.spec
    }

    /// Returns what `session` shows in the field of `fields` called `name`.
    pub fn see(fields: &[Self], session: &S, name: &str) -> Option<Value> {
        fields.iter().find(|field| field.spec.name == name).map(|field| (field.answer)(session))
    }
}

impl<E: Engine> fmt::Debug for Fact<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl<E: Engine> fmt::Debug for MomentFact<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl<S> fmt::Debug for StateField<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl<E: Engine> fmt::Debug for Run<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("setup", self.setup).finish_non_exhaustive()
    }
}

impl<E: Engine> fmt::Debug for Now<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Now").field("setup", self.setup).finish_non_exhaustive()
    }
}
