//! Runs the scenarios of a suite and judges them.
//!
//! Files are cut into pieces as they are read; workers load, run and judge a piece at a time; the calling thread
//! alone hears of the results, in the order of the input. Memory grows with the workers, not with the
//! scenarios, but for a hash of each name of the file under way.

mod check;
mod pool;

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash as _, Hasher};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use self::check::CODES;
use crate::diagnostic::Diagnostic;
use crate::scenario::suite::{Piece, Pieces};
use crate::scenario::{Case, Select, load};
use crate::source::Span;
use crate::verdict::{Report, Summary, Verdict};

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of workers.
    pub jobs: usize,
    /// Whether to stop at the first case that does not pass.
    pub fail_fast: bool,
    /// Whether to load and bind only.
    pub load_only: bool,
    /// Which scenarios.
    pub select: Select,
}

/// Who wants to hear of results; called on the thread that runs, in the order of the input.
pub trait Listener {
    /// A case has its verdict.
    fn case(&mut self, report: &Report) -> ControlFlow<()>;

    /// So many bytes of scenario files are done.
    fn bytes(&mut self, done: u64) {
        let _ = done;
    }
}

/// A loaded scenario that becomes a report.
struct Judged {
    report: Report,
    named: Option<Span>,
}

/// Runs the selected scenarios of `files` until the end, the first failure if so wished, or `stop`.
pub fn run(
    files: Vec<Result<PathBuf, Piece>>,
    options: &Options,
    stop: &AtomicBool,
    listener: &mut impl Listener,
) -> Summary {
    let mut summary = Summary::default();
    let mut said = Said::default();
    let work = |piece: Piece| {
        let bytes = piece.content.as_ref().map_or(0, |chunk| chunk.text.len().max(1)) as u64;
        let file = Arc::clone(&piece.file.name);
        let judged = catch_unwind(AssertUnwindSafe(|| judge_piece(piece, options, stop)));
        (
            judged
                .unwrap_or_else(|panic| vec![Judged::of_file(file, check::loader_panicked(panic.as_ref()))]),
            bytes,
        )
    };
    pool::in_order(Pieces::new(files), options.jobs, work, |(judged, bytes)| {
        for mut judged in judged {
            said.of_file(&judged.report.file);
            said.name_twice(&mut judged);
            said.default_once(&mut judged.report.verdict);
            summary.add(&judged.report.verdict);
            let bad = is_bad(&judged.report.verdict);
            let flow = listener.case(&judged.report);
            if flow.is_break() || stop.load(Ordering::Relaxed) || bad && options.fail_fast {
                summary.stopped = true;
                return ControlFlow::Break(());
            }
        }
        listener.bytes(bytes);
        if stop.load(Ordering::Relaxed) {
            summary.stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    summary
}

impl Judged {
    /// What is wrong with a file as such.
    fn of_file(file: Arc<str>, fault: Diagnostic) -> Self {
        let report = Report {
            file,
            name: String::new(),
            line: 1,
            engine: "",
            tags: Vec::new(),
            verdict: Verdict::Errored(vec![fault]),
            elapsed: Duration::ZERO,
        };
        Self { report, named: None }
    }
}

/// The cases of a piece, each judged; up to the first that ends the run, if one does.
fn judge_piece(piece: Piece, options: &Options, stop: &AtomicBool) -> Vec<Judged> {
    let Piece { file, content } = piece;
    let chunk = match content {
        Ok(chunk) => chunk,
        Err(fault) => return vec![Judged::of_file(Arc::clone(&file.name), fault)],
    };
    let judged = |case: Case| {
        let start = Instant::now();
        let verdict = check::judge(&case, options.load_only);
        let engine = case.referee.map_or("", |referee| referee.name());
        let Case { name, named, line, tags, .. } = case;
        let file = Arc::clone(&file.name);
        Judged { report: Report { file, name, line, engine, tags, verdict, elapsed: start.elapsed() }, named }
    };
    let mut all = Vec::new();
    let _ = load(&chunk, &file, &options.select, &mut |case| {
        if stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let last = all.push_mut(judged(case));
        if options.fail_fast && is_bad(&last.report.verdict) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    all
}

fn is_bad(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed(_) | Verdict::Errored(_))
}

/// The hash of what is a hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| hash.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// What was said so far of the file that is being reported.
#[derive(Default)]
struct Said {
    file: Option<Arc<str>>,
    /// Its scenarios' names, by their hashes.
    names: HashSet<u64, BuildHasherDefault<Hashed>>,
    /// The faults in its defaults, by place and title.
    defaults: HashSet<(usize, String)>,
}

impl Said {
    /// So many names of one file are remembered; what comes behind them is not checked for doubles.
    const MOST: usize = 1 << 20;

    /// Forgets the last file when `file` is another.
    fn of_file(&mut self, file: &Arc<str>) {
        if !self.file.as_ref().is_some_and(|last| Arc::ptr_eq(last, file)) {
            *self = Self { file: Some(Arc::clone(file)), ..Self::default() };
        }
    }

    /// Cuts a fault in the file's defaults short when an earlier scenario has shown it.
    fn default_once(&mut self, verdict: &mut Verdict) {
        let Verdict::Errored(faults) = verdict else { return };
        let mut shown = Vec::new();
        for fault in faults {
            let Some(Span { source, range }) = fault.labels.first().map(|label| &label.span) else {
                continue;
            };
            let key = (range.start, fault.title.clone());
            if self.defaults.contains(&key) {
                *fault = Diagnostic::new(fault.code, &*fault.title)
                    .note("it stands in the defaults of the file and is shown with an earlier scenario");
            } else if range.start < source.piece_start() {
                shown.push(key);
            }
        }
        self.defaults.extend(shown);
    }

    /// Makes a case whose name was given before in its file an errored one.
    fn name_twice(&mut self, judged: &mut Judged) {
        let report = &mut judged.report;
        let Some(place) = &judged.named else { return };
        if self.names.len() >= Self::MOST {
            return;
        }
        let mut hasher = DefaultHasher::new();
        report.name.hash(&mut hasher);
        if !self.names.insert(hasher.finish()) {
            let title = format!("two scenarios of the file are named `{}`", report.name);
            let fault = Diagnostic::new("scenario::duplicate-name", title)
                .label(place.clone(), "an earlier one has this name")
                .help("give every scenario of a file a name of its own");
            let mut faults = match std::mem::replace(&mut report.verdict, Verdict::Skipped(String::new())) {
                Verdict::Errored(faults) | Verdict::Failed(faults) => faults,
                Verdict::Passed { .. } | Verdict::Skipped(_) => Vec::new(),
            };
            faults.push(fault);
            report.verdict = Verdict::Errored(faults);
        }
    }
}
