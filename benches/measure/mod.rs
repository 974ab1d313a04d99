//! What benchmarks of whole runs have in common.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rulebook::runner::{self, Listener, Options};
use rulebook::scenario::suite;
use rulebook::verdict::{CaseResult, Summary};

/// The least time of some rounds, with what it came to.
pub(crate) fn fastest<R>(rounds: usize, mut work: impl FnMut() -> (Duration, R)) -> (Duration, R) {
    let runs = (0..rounds).map(|_| work());
    runs.min_by_key(|(time, _)| *time).expect("some rounds")
}

/// Runs the file at `path` with so many workers.
pub(crate) fn run(path: &Path, jobs: usize) -> (Duration, Summary) {
    let options = Options { jobs, ..Options::default() };
    let start = Instant::now();
    let files = suite::files(&[PathBuf::from(path)]);
    let summary =
        runner::run(files, &options, &AtomicBool::new(false), &mut Silent).expect("room for a worker");
    (start.elapsed(), summary)
}

struct Silent;

impl Listener for Silent {
    fn case(&mut self, _: &CaseResult) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The most memory that the process held, where the system tells.
pub(crate) fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |line| line.trim().to_owned())
}
