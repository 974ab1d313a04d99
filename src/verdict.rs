//! What became of cases: one by one, and counted.

use std::sync::Arc;
use std::time::Duration;

use crate::diagnostic::Diagnostic;

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

/// A case and its verdict.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file, as the user wrote its path.
    pub file: Arc<str>,
    /// The scenario's name, or `line N`; of a file that could not be read, nothing.
    pub name: String,
    /// Which of the cases that a script makes of the scenario, from 0, if one does.
    pub index: Option<u64>,
    /// The line that the scenario begins on, from 1.
    pub line: usize,
    /// The name of the engine, or nothing where it is not known.
    pub engine: &'static str,
    /// The tags, the file's first.
    pub tags: Vec<String>,
    /// What its scripts have printed.
    pub printed: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How long it took to run and judge; loading is not counted.
    pub elapsed: Duration,
}

impl Report {
    /// `FILE::NAME`, by which the scenario can be asked for, with `#INDEX` behind it for one of its cases; of a file that
    /// could not be read, the file.
    pub fn id(&self) -> String {
        let Self { file, name, index, .. } = self;
        match index {
            _ if name.is_empty() => file.to_string(),
            None => format!("{file}::{name}"),
            Some(index) => format!("{file}::{name}#{index}"),
        }
    }
}

/// How many cases came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

    /// Counts one more case.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed { known_failure } => {
                self.passed += 1;
                self.known_failures += u64::from(*known_failure);
            }
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Errored(_) => self.errored += 1,
            Verdict::Skipped(_) => self.skipped += 1,
        }
    }
}
