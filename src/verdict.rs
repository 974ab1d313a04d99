//! What became of cases: one by one, and counted.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::identity::{Id, Name};
use crate::source::Span;
use crate::value::Value;

/// What became of a case.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All is as expected; or it fails as it is known to.
    Passed {
        /// Whether it failed as its author said it would.
        known_failure: bool,
    },
    /// Something is not as expected.
    Failed(Vec<Diagnostic>),
    /// It could not be run.
    Errored(Vec<Diagnostic>),
    /// Its author does not want it run, and why.
    Skipped(String),
}

impl Verdict {
    /// The verdict in one word; a known failure has passed.
    pub fn word(&self) -> Word {
        match self {
            Self::Passed { .. } => Word::Passed,
            Self::Failed(_) => Word::Failed,
            Self::Errored(_) => Word::Errored,
            Self::Skipped(_) => Word::Skipped,
        }
    }

    /// What is wrong.
    pub fn faults(&self) -> &[Diagnostic] {
        match self {
            Self::Failed(faults) | Self::Errored(faults) => faults,
            Self::Passed { .. } | Self::Skipped(_) => &[],
        }
    }
}

/// A verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// All is as expected; or it fails as it is known to.
    Passed,
    /// Something is not as expected.
    Failed,
    /// It could not be run.
    Errored,
    /// Its author does not want it run.
    Skipped,
}

impl Word {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Errored => "errored",
            Self::Skipped => "skipped",
        }
    }

    /// Whether the case neither passed nor was skipped.
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Errored)
    }
}

/// A case and its verdict.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The file, as the user wrote its path.
    pub file: Arc<str>,
    /// The scenario's name.
    pub name: Name,
    /// Which of the cases that a script makes of the scenario, from 0, if one does.
    pub index: Option<u64>,
    /// The line that the scenario begins on, from 1.
    pub line: usize,
    /// The name of the engine, or nothing where it is not known.
    pub engine: Arc<str>,
    /// The tags, the file's first.
    pub tags: Vec<String>,
    /// What its scripts have printed.
    pub printed: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The facts that the scenario asks for, expected ones first, and what they came to, where that is wanted; those
    /// without an answer are left out.
    pub facts: Vec<(Cow<'static, str>, Value)>,
    /// A hash of the verdict and of all facts that the engine has, asked for or not, where that is wanted.
    pub outcome: Option<u64>,
    /// The hash of the scenario with its file's defaults, where that is wanted.
    pub scenario_hash: Option<u64>,
    /// The time of its generator, its policy, its start, the run and the verdict. Reading its file and compiling its
    /// scripts are not counted.
    pub elapsed: Duration,
    /// What would make its author's values true, where that is asked for and there is something to say.
    pub blessing: Option<Box<Blessing>>,
}

impl CaseResult {
    /// What is wrong with a file as such, or with whatever else is no case.
    pub fn of_file(file: Arc<str>, faults: Vec<Diagnostic>) -> Self {
        Self {
            file,
            name: Name::File,
            index: None,
            line: 1,
            engine: Arc::default(),
            tags: Vec::new(),
            printed: String::new(),
            verdict: Verdict::Errored(faults),
            facts: Vec::new(),
            outcome: None,
            scenario_hash: None,
            elapsed: Duration::ZERO,
            blessing: None,
        }
    }

    /// Returns the identity of the scenario, whichever of its cases it is.
    pub fn id_of_scenario(&self) -> Id<'_> {
        Id { index: None, ..self.id() }
    }

    /// Returns the identity of the case.
    pub fn id(&self) -> Id<'_> {
        Id { file: &self.file, name: &self.name, index: self.index }
    }
}

/// What a run wants its author's values to be.
#[derive(Clone, Debug)]
pub struct Blessing {
    /// Where the scenario begins.
    pub place: Span,
    /// Of a scenario whose cases a script makes: how many there are.
    pub cases: Option<u64>,
    /// The values that it has a word on.
    pub claims: Vec<Claim>,
    /// What is not as expected and cannot be written, and why.
    pub left: Vec<Diagnostic>,
}

/// What a run wants one value to be.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Where the author gives it; an empty place where there is none yet.
    pub value: Span,
    /// How many values are written there.
    pub count: u64,
    /// The changes; none where it is right as it stands.
    pub edits: Vec<Edit>,
}

/// Bytes of an author's text, and what is to stand there instead.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The bytes.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// How many cases came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// As expected, known failures among them.
    pub passed: u64,
    /// Of those, the ones that fail as they are known to.
    pub known_failures: u64,
    /// Not as expected.
    pub failed: u64,
    /// Not run for a fault.
    pub errored: u64,
    /// Not run at the author's wish.
    pub skipped: u64,
    /// Whether the run ended before all were run.
    pub stopped: bool,
}

impl Summary {
    /// All cases.
    pub fn cases(&self) -> u64 {
        self.passed + self.failed + self.errored + self.skipped
    }

    /// Both runs together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            known_failures: self.known_failures + other.known_failures,
            failed: self.failed + other.failed,
            errored: self.errored + other.errored,
            skipped: self.skipped + other.skipped,
            stopped: self.stopped || other.stopped,
        }
    }

    /// Counts one more case.
    pub fn add(&mut self, verdict: &Verdict) {
        self.count(verdict.word(), matches!(verdict, Verdict::Passed { known_failure: true }));
    }

    /// Counts one more case that came to `word`, and whether it failed as it is known to.
    pub fn count(&mut self, word: Word, known_failure: bool) {
        let number = match word {
            Word::Passed => &mut self.passed,
            Word::Failed => &mut self.failed,
            Word::Errored => &mut self.errored,
            Word::Skipped => &mut self.skipped,
        };
        *number += 1;
        self.known_failures += u64::from(known_failure);
    }
}
