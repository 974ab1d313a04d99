//! Scenario files run through the library, and what is said of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use rulebook::runner::{self, Options};
use rulebook::verdict::{CaseResult, Summary, Verdict};

use crate::diagnostics;

/// Every code that a scenario can meet.
static CODES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    diagnostics::codes().into_iter().flat_map(|(_, codes)| codes).map(|spec| spec.code).collect()
});

/// What is said of a case.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) verdict: &'static str,
    /// Every diagnostic, drawn.
    pub(crate) drawn: String,
}

impl Told {
    fn new(report: &CaseResult) -> Self {
        let (verdict, faults) = match &report.verdict {
            Verdict::Passed { known_failure: false } => ("passed", &[][..]),
            Verdict::Passed { known_failure: true } => ("known failure", &[][..]),
            Verdict::Skipped(_) => ("skipped", &[][..]),
            Verdict::Failed(faults) => ("failed", &faults[..]),
            Verdict::Errored(faults) => ("errored", &faults[..]),
        };
        let bad = matches!(verdict, "failed" | "errored");
        assert_eq!(bad, !faults.is_empty(), "{verdict} with {} faults", faults.len());
        for fault in faults {
            assert!(CODES.contains(fault.code), "the code `{}` is listed", fault.code);
            assert!(fault.code != "verdict::engine-panicked", "{}", fault.draw(false));
        }
        let drawn = faults.iter().map(|fault| fault.draw(false)).collect();
        Self { name: report.name.to_string(), line: report.line, verdict, drawn }
    }
}

/// Runs the file at `path` with `jobs` workers; `hear` is told of every case.
pub(crate) fn hear(path: &Path, jobs: usize, hear: impl FnMut(&CaseResult)) -> Summary {
    hear_with(path, &Options { jobs, ..Options::default() }, hear)
}

/// Runs the file at `path` with these options; `hear` is told of every case.
pub(crate) fn hear_with(path: &Path, options: &Options, mut hear: impl FnMut(&CaseResult)) -> Summary {
    runner::run(vec![Ok(path.to_owned())], options, &AtomicBool::new(false), &mut hear)
        .expect("room for a worker")
}

/// What is said of the scenarios of the file at `path`; every fault is drawn and has a listed code.
pub(crate) fn run(path: &Path, jobs: usize) -> Vec<Told> {
    let mut told = Vec::new();
    hear(path, jobs, |report| told.push(Told::new(report)));
    told
}
