//! A scenario made ready to run, or its faults.

use std::sync::Arc;
use std::time::Duration;

use super::expect::{Checkpoint, Expectation, ExpectedOutput};
use crate::diagnostic::Diagnostic;
use crate::engine::{AnyEngine, Questions, Start};
use crate::identity::Name;
use crate::script::Checker;
use crate::source::Span;

/// One run of one scenario.
pub struct Case {
    /// The scenario's name.
    pub name: Name,
    /// Where the author gives the name.
    pub named: Option<Span>,
    /// The line of the file that the scenario begins on, from 1.
    pub line: usize,
    /// Which of its scenario's cases this is, if a script makes them.
    pub made: Option<Made>,
    /// The engine, if it is known.
    pub engine: Option<Arc<dyn AnyEngine>>,
    /// The tags, the file's first.
    pub tags: Vec<String>,
    /// Names of the facts whose spread is wanted, of a case without a plan.
    pub summary: Vec<String>,
    /// Why it is not to be run.
    pub skip: Option<String>,
    /// Why it is known to fail, and where the author says so.
    pub expect_failure: Option<(String, Span)>,
    /// What its scripts have printed while it was loaded.
    pub printed: String,
    /// The time that its generator, its policy and its start took.
    pub spent: Duration,
    /// The hash of the scenario with its file's defaults, if [`Select::hashes`](super::Select) asks for it.
    pub hash: Option<u64>,
    /// The scenario as TOML, without the scripts that made it, if [`Select::text`](super::Select) asks for it.
    pub toml: Option<String>,
    /// What to do, or every fault that keeps it from being run; no fault at all if [`Select::known`](super::Select) tells
    /// its verdict.
    pub plan: Result<Plan, Vec<Diagnostic>>,
}

/// One of the cases that a script makes of a scenario.
#[derive(Clone, Debug)]
pub struct Made {
    /// Which, from 0.
    pub index: u64,
    /// How many there are.
    pub count: u64,
    /// Whether it is the last for a fault of the script: what comes behind it is not made.
    pub ends: bool,
    /// The signature that is expected of all cases together.
    pub signature: Option<Signature>,
}

/// The signature that is expected of a scenario's cases.
#[derive(Clone, Debug)]
pub struct Signature {
    /// What it says.
    pub text: String,
    /// Where the author gives it.
    pub span: Span,
    /// Where the scenario begins.
    pub place: Span,
}

/// What a case is to do and to come to.
pub struct Plan {
    /// Where the scenario begins.
    pub place: Span,
    /// The start, or why the engine refused it where the author expects just that.
    pub game: Result<Box<dyn Start>, Vec<Diagnostic>>,
    /// Where house rules are given, if they are.
    pub rules: Option<Span>,
    /// The codes of the faults for which it must be refused.
    pub error: Option<ExpectedError>,
    /// What is wanted of the facts at the end.
    pub expectations: Vec<Expectation>,
    /// What is wanted on the way, in the order of the steps.
    pub checkpoints: Vec<Checkpoint>,
    /// What is wanted of the statement's output.
    pub output: Option<ExpectedOutput>,
    /// The script that judges.
    pub checker: Option<Checker>,
    /// The facts whose spread is shown, by their index in the engine's list.
    pub summary: Vec<usize>,
}

/// The codes with which a scenario must be refused, all of them and no others.
#[derive(Clone, Debug)]
pub struct ExpectedError {
    /// The codes.
    pub codes: Vec<String>,
    /// Where the author gives them.
    pub span: Span,
}

impl Plan {
    /// What must be asked of a run to judge it; the facts of the summary come behind those expected.
    pub fn questions(&self) -> Questions {
        let facts = |expectations: &[Expectation]| expectations.iter().map(|e| e.fact).collect::<Vec<_>>();
        Questions {
            facts: facts(&self.expectations).into_iter().chain(self.summary.iter().copied()).collect(),
            moments: self.checkpoints.iter().map(|c| (c.after, facts(&c.expectations))).collect(),
            output: self.output.is_some(),
        }
    }

    /// Whether nothing at all is expected.
    pub fn expects_nothing(&self) -> bool {
        self.error.is_none()
            && self.output.is_none()
            && self.expectations.is_empty()
            && self.checker.is_none()
            && self.summary.is_empty()
            && self.checkpoints.iter().all(|checkpoint| checkpoint.expectations.is_empty())
    }
}
