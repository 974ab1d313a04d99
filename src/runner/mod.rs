//! Runs the scenarios of a suite and judges them.
//!
//! Files are cut into pieces as they are read; workers load, run and judge a piece at a time; the calling thread
//! alone hears of the results, in the order of the input. Memory grows with the workers, not with the
//! scenarios, but for a hash of each name of the file under way.

mod bless;
mod check;
mod gather;
mod pool;
mod running;

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash as _, Hasher};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use self::check::CODES;
use self::check::Judgement;
pub use self::gather::Statistics;
use self::gather::{Gatherer, Share};
pub use self::pool::NoWorker;
pub use self::running::Running;
use crate::diagnostic::Diagnostic;
use crate::engine::AnyEngine;
use crate::engines::Engines;
use crate::identity::Name;
use crate::scenario::suite::{Piece, Pieces};
use crate::scenario::{Case, File, Needs, Select, load};
use crate::script::{self, Scripts};
use crate::source::Span;
use crate::verdict::{CaseResult, Summary, Verdict};

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Number of workers, threads of their own; 0 for as many as the machine runs at once.
    pub jobs: usize,
    /// Whether to stop at the first case that does not pass.
    pub fail_fast: bool,
    /// The engines that scenarios may name, beside games in rhai.
    pub engines: Engines,
    /// Which scenarios.
    pub select: Select,
    /// What reports are to hold.
    pub details: Details,
    /// The seed of the order that files, and scenarios in them, are run in; without one it is the order of the input.
    pub shuffle: Option<u64>,
    /// Where workers say what they are at, if anybody wants to know.
    pub running: Option<Arc<Running>>,
    /// Where is noted which files the scenarios need, if anybody wants to know.
    pub needs: Option<Arc<Needs>>,
}

/// What reports hold beside verdicts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details {
    /// Whether they hold the facts that scenarios ask for.
    pub facts: bool,
    /// Whether they hold the hash of all facts: then all are computed.
    pub outcomes: bool,
    /// Whether they hold what would make the authors' values true.
    pub blessing: bool,
}

/// Who wants to hear of results; called on the thread that runs, in the order of the input.
pub trait Listener {
    /// A case has its verdict.
    fn case(&mut self, report: &CaseResult) -> ControlFlow<()>;

    /// An earlier run has left the verdict of a case, as [`Select::known`] tells: the report says which case it is.
    fn known(&mut self, report: &CaseResult) -> ControlFlow<()> {
        let _ = report;
        ControlFlow::Continue(())
    }

    /// A case of `engine` has its verdict, and the one before it was of another.
    fn engine(&mut self, engine: &dyn AnyEngine) {
        let _ = engine;
    }

    /// How facts spread over the cases of a scenario, or over the plain scenarios of a file.
    fn statistics(&mut self, statistics: &Statistics) {
        let _ = statistics;
    }

    /// So many bytes of scenario files are done.
    fn bytes(&mut self, done: u64) {
        let _ = done;
    }
}

impl<F: FnMut(&CaseResult)> Listener for F {
    fn case(&mut self, report: &CaseResult) -> ControlFlow<()> {
        self(report);
        ControlFlow::Continue(())
    }
}

/// A loaded scenario that becomes a report.
struct Judged {
    report: CaseResult,
    engine: Option<Arc<dyn AnyEngine>>,
    named: Option<Span>,
    share: Share,
}

/// Runs the selected scenarios of `files` until the end, the first failure if so wished, or `stop`.
///
/// # Errors
/// When the system has no room for a single worker.
pub fn run(
    files: Vec<Result<PathBuf, Piece>>,
    options: &Options,
    stop: &AtomicBool,
    listener: &mut impl Listener,
) -> Result<Summary, NoWorker> {
    run_pieces(Pieces::new(files, options.select.indices.clone()), options, stop, listener)
}

/// Runs the selected scenarios of `pieces`, as [`run`] those of files.
///
/// # Errors
/// When the system has no room for a single worker.
pub fn run_pieces(
    pieces: Pieces,
    options: &Options,
    stop: &AtomicBool,
    listener: &mut impl Listener,
) -> Result<Summary, NoWorker> {
    let mut summary = Summary::default();
    let mut said = Said::default();
    let mut gatherer = Gatherer::default();
    let work = |piece: Piece| {
        let bytes = piece.bytes;
        let file = Arc::clone(&piece.file.name);
        let judged = catch_unwind(AssertUnwindSafe(|| judge_piece(piece, options, stop)));
        (
            judged
                .unwrap_or_else(|panic| vec![Judged::of_file(file, check::loader_panicked(panic.as_ref()))]),
            bytes,
        )
    };
    let workers = match options.jobs {
        0 => thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    pool::in_order(
        pieces
            .opening(Scripts::within(options.select.bounds.clone()).with(options.engines.clone()))
            .shuffled(options.shuffle)
            .noting(options.needs.clone()),
        workers,
        work,
        |(judged, bytes)| {
            let mut tell = |report: &CaseResult, listener: &mut _| {
                let known = options.select.knows(report.id(), report.line);
                let flow = hear(report, known, &mut summary, listener);
                let bad = is_bad(&report.verdict) && !known;
                let ends = flow.is_break() || stop.load(Ordering::Relaxed) || bad && options.fail_fast;
                summary.stopped |= ends;
                if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            for mut judged in judged {
                if gatherer.is_past(&judged.report, &judged.share) {
                    continue;
                }
                said.of_file(&judged.report.file);
                said.name_twice(&mut judged);
                said.default_once(&mut judged.report.verdict);
                if let Some(engine) = said.another(judged.engine) {
                    listener.engine(&*engine);
                }
                for (statistics, signature) in gatherer.add(&judged.report, judged.share) {
                    if let Some(statistics) = statistics {
                        listener.statistics(&statistics);
                    }
                    signature.iter().try_for_each(|report| tell(report, listener))?;
                }
                tell(&judged.report, listener)?;
            }
            listener.bytes(bytes);
            if stop.load(Ordering::Relaxed) {
                summary.stopped = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        },
    )?;
    for (statistics, signature) in gatherer.end() {
        if let Some(statistics) = statistics {
            listener.statistics(&statistics);
        }
        if let (Some(report), false) = (signature, summary.stopped) {
            let known = options.select.knows(report.id(), report.line);
            let _ = hear(&report, known, &mut summary, listener);
        }
    }
    Ok(summary)
}

/// Tells `listener` of a case, and counts it unless its verdict is known.
fn hear(
    report: &CaseResult,
    known: bool,
    summary: &mut Summary,
    listener: &mut impl Listener,
) -> ControlFlow<()> {
    if known {
        return listener.known(report);
    }
    summary.add(&report.verdict);
    listener.case(report)
}

impl Judged {
    /// What is wrong with a file as such.
    fn of_file(file: Arc<str>, fault: Diagnostic) -> Self {
        let report = CaseResult::of_file(file, vec![fault]);
        Self { report, engine: None, named: None, share: Share::default() }
    }
}

/// The cases of a piece, each judged; up to the first that ends the run, if one does.
fn judge_piece(piece: Piece, options: &Options, stop: &AtomicBool) -> Vec<Judged> {
    let Piece { file, content, .. } = piece;
    let chunk = match content {
        Ok(chunk) => chunk,
        // What is left out may be a fault of a file as such, too.
        Err(_)
            if options
                .select
                .except
                .as_ref()
                .is_some_and(|except| except.has(&file.name, &Name::File, None)) =>
        {
            return Vec::new();
        }
        Err(fault) => return vec![Judged::of_file(Arc::clone(&file.name), *fault)],
    };
    let worker = options.running.as_ref().map(|running| running.begin(&file.name));
    let is_at = |name: &Name, spent| {
        if let Some(worker) = &worker {
            worker.is_at(&name.text(), spent);
        }
    };
    let mut all = Vec::new();
    let _ = load(&chunk, &file, &options.select, &mut |case| {
        if stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        is_at(&case.name, case.spent);
        let last = all.push_mut(judge_case(case, &file, options));
        is_at(&Name::File, Duration::ZERO);
        let made = last.share.made.as_ref();
        if let (Some(batch), Some(made)) = (&chunk.batch, made.filter(|made| made.ends)) {
            batch.breaks_at(made.index);
        }
        let known = options.select.knows(last.report.id(), last.report.line);
        let ends =
            made.is_some_and(|made| made.ends) || options.fail_fast && !known && is_bad(&last.report.verdict);
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    all
}

/// Judges a case of `file`.
fn judge_case(case: Case, file: &File, options: &Options) -> Judged {
    let start = Instant::now();
    let Judgement { verdict, facts, spreads, outcome, broken, blessing } = check::judge(&case, options);
    let engine = case.engine.as_ref().map(|engine| Arc::clone(engine.shared_name())).unwrap_or_default();
    let Case { name, named, line, tags, mut made, printed, spent, hash, engine: played, .. } = case;
    if let (true, Some(made)) = (broken, &mut made) {
        made.ends = true;
    }
    let index = made.as_ref().map(|made| made.index);
    let printed = printed + script::printed().as_str();
    let elapsed = spent + start.elapsed();
    let whole = options.details.outcomes.then(|| gather::whole(verdict.word(), outcome));
    let mut report = CaseResult {
        file: Arc::clone(&file.name),
        name,
        index,
        line,
        engine,
        tags,
        printed,
        verdict,
        facts,
        outcome: whole,
        scenario_hash: hash,
        elapsed,
        blessing,
    };
    say_how_to_replay(&mut report);
    // Of a stream the names would have to be remembered without end.
    let named = named.filter(|_| !file.is_stream());
    Judged { report, engine: played, named, share: Share { made, facts: spreads, outcome } }
}

/// A case that a script made can be run alone: says by which command.
fn say_how_to_replay(report: &mut CaseResult) {
    let Some(index) = report.index else { return };
    let command =
        format!("`rulebook run '{}' --index {index}` runs this case alone", report.id_of_scenario());
    if let Verdict::Failed(faults) | Verdict::Errored(faults) = &mut report.verdict
        && let Some(last) = faults.last_mut()
    {
        last.help.push(command);
    }
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
    /// The engine of the last case that had one.
    engine: Option<Arc<dyn AnyEngine>>,
    /// The line of the last scenario whose cases a script made: they share a name.
    line: usize,
    /// Its scenarios' names, by their hashes.
    names: HashSet<u64, BuildHasherDefault<Hashed>>,
    /// The faults in its defaults, by place and title.
    defaults: HashSet<(usize, String)>,
}

impl Said {
    /// So many names of one file are remembered; what comes behind them is not checked for doubles.
    const MOST: usize = 1 << 20;

    /// Returns the engine of a case if it is another than that of the last case that had one.
    fn another(&mut self, engine: Option<Arc<dyn AnyEngine>>) -> Option<Arc<dyn AnyEngine>> {
        let engine = engine?;
        if self.engine.as_ref().is_some_and(|last| Arc::ptr_eq(last, &engine)) {
            return None;
        }
        self.engine = Some(Arc::clone(&engine));
        Some(engine)
    }

    /// Forgets the last file when `file` is another.
    fn of_file(&mut self, file: &Arc<str>) {
        if !self.file.as_ref().is_some_and(|last| Arc::ptr_eq(last, file)) {
            let engine = self.engine.take();
            *self = Self { file: Some(Arc::clone(file)), engine, ..Self::default() };
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
        if report.index.is_some() && std::mem::replace(&mut self.line, report.line) == report.line {
            return;
        }
        if self.names.len() >= Self::MOST {
            return;
        }
        let mut hasher = DefaultHasher::new();
        report.name.hash(&mut hasher);
        if !self.names.insert(hasher.finish()) {
            let title = format!("two scenarios of the file are named `{}`", report.name.text());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::split::Splitter;

    #[test]
    fn the_time_of_a_case_holds_what_was_spent_before_it_runs() {
        const DAY: Duration = Duration::from_hours(24);
        let text = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\nexpect.solutions = 3\n";
        let file = File::new("a.toml".as_ref(), &Arc::default());
        let mut times = Vec::new();
        for chunk in Splitter::new(text.as_bytes()) {
            let chunk = chunk.expect("a scenario");
            let _ = load(&chunk, &file, &Select::default(), &mut |case| {
                let case = Case { spent: case.spent + DAY, ..case };
                let judged = judge_case(case, &file, &Options::default());
                times.push((judged.report.verdict.word(), judged.report.elapsed));
                ControlFlow::Continue(())
            });
        }
        let [(word, time)] = times[..] else { panic!("one case: {times:?}") };
        assert!(word == crate::verdict::Word::Passed && time > DAY, "{word:?} after {time:?}");
    }
}
