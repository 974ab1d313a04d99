//! `run`, `check` and `list`: everything that goes through a whole suite.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rulebook::diagnostic::{Diagnostic, count};
use rulebook::report::Head;
use rulebook::report::alike::Alike;
use rulebook::report::slowest::Slowest;
use rulebook::runner::{self, Details, Listener, NoWorker, Options};
use rulebook::scenario::suite::{self, Piece};
use rulebook::scenario::{Cases, Needs, Select};
use rulebook::verdict::{CaseResult, Summary};

use super::args::{ReportFormat, ReportWish, Run, Suite, When};
use super::bless::{self, Blessings, How};
use super::console::{Console, Loudness, Shared};
use super::exit::{Exit, Trouble};
use super::files::Files;
use super::interrupt::Interrupt;
use super::output;
use super::progress::Progress;
use super::reports::Reports;
use super::resume::{Check, Earlier, Resumed};
use super::selection::{self, Selection};
use super::spreads::Spreads;
use super::state::{Extent, State};
use super::watch;

/// Runs scenarios and checks what they expect.
pub(crate) fn run(args: &Run) -> Result<Exit, Trouble> {
    let selection = Selection::of(&args.suite)?;
    if selection.streams() {
        refuse_stream(args)?;
    }
    if args.watch {
        return watch::watch(args);
    }
    round(args, selection, Round::default())
}

/// What one run of several does otherwise.
#[derive(Default)]
pub(crate) struct Round {
    /// The only scenario files of those selected that it runs, if not all.
    pub(crate) files: Option<BTreeSet<PathBuf>>,
    /// Whether it runs what failed only.
    pub(crate) failed: bool,
    /// Where it notes which files it needs.
    pub(crate) needs: Option<Arc<Needs>>,
}

/// One run.
pub(crate) fn round(args: &Run, mut selection: Selection, round: Round) -> Result<Exit, Trouble> {
    // What is opened here is ended by the run, be it one without a case.
    Interrupt::heard().begin(|| ());
    let bless = bless::how(args)?;
    if bless.is_some() {
        bless::can_write(&selection.files)?;
    }
    let streams = selection.streams();
    let extent = match &selection.select {
        select if select.is_all() && args.resume.is_none() => Extent::Files,
        select if select.indices.is_none() && select.shard.is_none() => Extent::Scenarios,
        _ => Extent::Cases,
    };
    if let Some(files) = &round.files {
        selection.files.retain(|found| files.contains(&selection::path(found)));
    }
    // A stream is not there to be run again.
    let remembered = args.state.as_deref().map(|path| args.named.allowed(path)).transpose()?;
    let state = if streams {
        None
    } else {
        State::open(remembered.as_deref(), extent, round.failed || args.last_failed || args.failed_first)?
    };
    let shard = selection.select.shard.map(|shard| (shard.index().into(), shard.count().into()));
    // Who writes scenarios to a process reads what became of them.
    let answers = [ReportWish { format: ReportFormat::Jsonl, file: None }];
    let by_default = streams && args.report.is_empty() && args.resume.is_none();
    let asked = if by_default { &answers } else { args.report.as_slice() };
    let head = Head::new(shard, args.signature, Some(selection::report(&args.suite, args.shuffle)));
    let mut slowest = Slowest::new(args.slowest.unwrap_or(0));
    let mut files = Files::new(&args.named, args.force);
    // Whatever ends in `.toml` is not written over anyway.
    let odd = |path: &&PathBuf| path.extension().is_none_or(|end| end != "toml");
    selection.files.iter().flatten().filter(odd).for_each(|path| files.read(path));
    if args.force {
        for path in inputs(&selection)? {
            files.read(&path);
        }
    }
    files.wait_for(args.outputs().into_iter().map(|(_, path)| path))?;
    let json = args.summary_json.as_deref().map(|path| Spreads::create(path, &mut files)).transpose()?;
    let (reports, earlier) = match args.resume.as_deref() {
        None => (Reports::open(asked, &head, &mut files)?, None),
        Some(path) => resume(path, asked, &head, &mut slowest, &mut files)?,
    };
    walk(
        &args.suite,
        selection,
        Walk {
            fail_fast: args.fail_fast,
            progress: args.progress,
            summary: args.summary.clone(),
            json,
            reports,
            slowest,
            earlier,
            bless,
            state,
            again: match (round.failed || args.last_failed, args.failed_first) {
                (true, _) => Again::Only,
                (_, true) if round.files.is_none() => Again::First,
                _ => Again::No,
            },
            shuffle: args.shuffle,
            round,
            ..Walk::default()
        },
    )
}

/// Returns the files that the selected scenarios open; nothing is run.
fn inputs(selection: &Selection) -> Result<BTreeSet<PathBuf>, Trouble> {
    struct Unheard;
    impl Listener for Unheard {
        fn case(&mut self, _: &CaseResult) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }
    let needs = Arc::new(Needs::default());
    let indices = selection.select.indices.clone().or(Some(0..1));
    let select = Select { indices, load_only: true, ..selection.select.clone() };
    let options = Options { select, needs: Some(Arc::clone(&needs)), ..Options::default() };
    // What comes by a pipe is not there to be read twice.
    let files = selection.files.iter().filter(|found| found.as_ref().is_ok_and(|path| path.is_file()));
    runner::run(files.cloned().collect(), &options, &AtomicBool::new(false), &mut Unheard)?;
    Ok(needs.files().into_values().flatten().collect())
}

/// The reports of a run that goes on with the one at `path`: all that it holds stands in the others, too.
fn resume(
    path: &Path,
    asked: &[ReportWish],
    head: &Head,
    slowest: &mut Slowest,
    files: &mut Files,
) -> Result<(Reports, Option<(Earlier, Check)>), Trouble> {
    let same = |report: &&ReportWish| report.file.as_deref() == Some(path);
    if asked.iter().filter(same).any(|report| report.format != ReportFormat::Jsonl) {
        let title = format!("two reports go to `{}`", path.display());
        let fault = Diagnostic::new("usage::one-output", title);
        return Err(Trouble::Usage(fault.help("give each a file of its own")));
    }
    let others: Vec<_> = asked.iter().filter(|report| !same(report)).cloned().collect();
    let mut resumed = Resumed::open(path, head)?;
    files.read(path);
    let mut reports = Reports::open(&others, head, files)?;
    // Reports are not left in the middle of what was run before.
    Interrupt::heard().close();
    let earlier = resumed.read(|record| {
        reports.case(record);
        slowest.add(record);
    })?;
    let begins = earlier.is_none().then_some(head);
    let is_whole = earlier.as_ref().is_some_and(|earlier| earlier.is_whole);
    let (rest, check) = resumed.split()?;
    reports.go_on(path.to_owned(), rest, begins, is_whole);
    Ok((reports, earlier.map(|earlier| (earlier, check))))
}

/// Refuses what needs the scenarios again when they are standard input.
fn refuse_stream(args: &Run) -> Result<(), Trouble> {
    let flags = [
        ("--watch", args.watch),
        ("--bless", args.bless.is_some()),
        ("--review", args.review),
        ("--last-failed", args.last_failed),
        ("--failed-first", args.failed_first),
        ("--force", args.force),
    ];
    let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let title = format!("`{flag}` is not for standard input");
    let fault = Diagnostic::new("usage::standard-input", title);
    Err(Trouble::Usage(fault.help("write the scenarios to a file, and give that")))
}

/// Loads scenarios and reports their faults.
pub(crate) fn check(args: &Suite) -> Result<Exit, Trouble> {
    walk(args, Selection::of(args)?, Walk { load_only: true, ..Walk::default() })
}

/// Lists scenarios.
pub(crate) fn list(args: &Suite) -> Result<Exit, Trouble> {
    walk(
        args,
        Selection::of(args)?,
        Walk { load_only: true, listing: true, progress: When::Never, ..Walk::default() },
    )
}

/// What the three subcommands do differently.
#[derive(Default)]
struct Walk {
    load_only: bool,
    listing: bool,
    fail_fast: bool,
    progress: When,
    /// Facts whose spread is shown.
    summary: Vec<String>,
    /// Where spreads are written to.
    json: Option<Spreads>,
    /// Where cases are written to.
    reports: Reports,
    /// The slowest cases, as many as are shown.
    slowest: Slowest,
    /// What was run before and is not to be run again, and the check that it is of this run.
    earlier: Option<(Earlier, Check)>,
    /// What is done with values that are not as expected.
    bless: Option<How>,
    /// What did not pass when it was last run.
    state: Option<State>,
    again: Again,
    /// The seed of the order.
    shuffle: Option<u64>,
    /// Which part of all it is.
    round: Round,
}

/// What becomes of what did not pass when it was last run.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Again {
    /// Nothing of its own.
    #[default]
    No,
    /// It is run before all others.
    First,
    /// Only it is run.
    Only,
}

fn walk(args: &Suite, selection: Selection, walk: Walk) -> Result<Exit, Trouble> {
    let interrupt = Interrupt::heard();
    let streams = selection.streams();
    let Selection { files, select } = selection;
    let progress = Progress::new(if args.quiet { When::Never } else { walk.progress });
    let listing = walk.listing;
    let resumes = walk.earlier.is_some();
    let report = walk.earlier.as_ref().map(|(_, check)| check.path.clone());
    let (earlier, check) = walk.earlier.unzip();
    let before = earlier.as_ref().map(|earlier| earlier.summary).unwrap_or_default();
    let may_be_whole = earlier.as_ref().is_some_and(|earlier| earlier.is_whole);
    let options = Options {
        jobs: args.jobs.map_or(0, usize::from),
        fail_fast: walk.fail_fast,
        select: Select {
            load_only: walk.load_only,
            // A list has one line for a scenario, however many cases a script makes of it.
            indices: select.indices.or(listing.then_some(0..1)),
            summary: walk.summary.clone(),
            hashes: walk.reports.details().facts,
            known: earlier.map(|earlier| Arc::new(earlier.known)),
            ..select
        },
        details: Details { blessing: walk.bless.is_some(), ..walk.reports.details() },
        shuffle: walk.shuffle,
        running: progress.running(),
        needs: walk.round.needs.clone(),
        ..Options::default()
    };
    let failed = walk.state.as_ref().and_then(State::failed).filter(|_| walk.again != Again::No).cloned();
    let has_more = walk.again == Again::Only && walk.state.as_ref().is_some_and(|state| state.more);
    let (out, color) = walk.reports.output_for_people();
    let console = Shared::new(Console {
        out,
        color,
        loudness: Loudness::of(args),
        listing,
        streams,
        progress,
        started: Instant::now(),
        summary: before,
        // A list has a place for every scenario, and another for every fault.
        draw: if listing { u64::MAX } else { args.draw.unwrap_or(DRAWN) },
        alike: (!listing && args.draw.is_none()).then(Alike::default),
        undrawn: 0,
        json: walk.json,
        reports: walk.reports,
        slowest: walk.slowest,
        asked: walk.summary.clone(),
        spreading: BTreeSet::new(),
        spread: BTreeSet::new(),
        trouble: None,
        not_whole: None,
        unread: BTreeSet::new(),
        blessings: walk.bless.map(|_| Blessings::default()),
        state: walk.state,
        check,
    });
    let cases_before = count(before.cases(), "case");
    if let Some(path) = report.as_ref().filter(|_| !may_be_whole) {
        console.lock().note(&format!("{cases_before} stand in `{}` already", path.display()));
    }
    if has_more {
        console.lock().note("more cases failed than are remembered: run once without `--last-failed`");
    }
    let given_up = console.clone();
    interrupt.begin(move || {
        let mut console = given_up.lock();
        let summary = Summary { stopped: true, ..console.summary };
        console.close(&summary);
        console.say(&summary);
    });
    let stages = Stages { files, options, again: walk.again, failed: failed.map(Arc::new) };
    let ran = stages.run(&interrupt, &console);
    interrupt.close();
    let console = &mut *console.lock();
    let abandon = |console: &mut Console, trouble| {
        console.abandon();
        interrupt.end();
        Err(trouble)
    };
    let summary = match ran {
        Ok(summary) => before.and(summary),
        Err(error) => return abandon(console, error.into()),
    };
    if let Some(fault) = console.check.as_mut().and_then(|check| check.end(summary.stopped)) {
        return abandon(console, fault.into());
    }
    if let Some(path) = report.filter(|_| may_be_whole && summary.cases() == before.cases()) {
        console.note(&format!("`{}` is whole, with {cases_before}: nothing is run", path.display()));
    }
    console.close(&summary);
    interrupt.end();
    let is_part = walk.round.files.is_some() || resumes;
    let end = End {
        may_be_empty: is_part || streams,
        is_part,
        bless: walk.bless,
        is_interrupted: interrupt.is_pressed(),
    };
    end.run(args, console, &summary)
}

/// How a run ends beyond its results.
struct End {
    /// Whether nothing need be selected: of a part of a suite, or of a stream.
    may_be_empty: bool,
    /// Whether facts asked for may be in another part.
    is_part: bool,
    bless: Option<How>,
    is_interrupted: bool,
}

impl End {
    fn run(self, args: &Suite, console: &mut Console, summary: &Summary) -> Result<Exit, Trouble> {
        let is_empty = summary.cases() == 0 && !self.is_interrupted;
        if is_empty && !self.may_be_empty && !(args.shard.is_some() && selection::is_any(args)?) {
            return selection::nothing(args);
        }
        if let (Some(how), Some(blessings), false) =
            (self.bless, console.blessings.take(), self.is_interrupted)
        {
            console.say_more();
            let answers = io::stdin().lock();
            let exit = blessings.finish(how, answers, &mut console.out, args.quiet, console.color)?;
            return Ok(console.not_whole.unwrap_or(exit));
        }
        console.say(summary);
        let missing = console.asked.iter().find(|fact| !console.spread.contains(*fact));
        if let (Some(fact), false) = (missing.filter(|_| !self.is_part), self.is_interrupted) {
            let fault = no_spread(fact, &console.spreading);
            if summary.failed + summary.errored == 0 {
                return Err(fault);
            }
            // It may be for what is wrong that there is no such fact.
            output::complain(&fault);
        }
        let exit = match Exit::of(summary) {
            _ if self.is_interrupted => Exit::Interrupted,
            // What must not be empty was refused above.
            Exit::Nothing => Exit::Passed,
            exit => exit,
        };
        Ok(console.not_whole.unwrap_or(exit))
    }
}

/// Returns the fault of a fact to be summed up that no case had; `known` are those that the engines of the run have.
fn no_spread(fact: &str, known: &BTreeSet<String>) -> Trouble {
    let title = format!("no scenario that was run has a fact `{fact}` that spreads");
    let known = known.iter().map(String::as_str).filter(|known| *known != fact);
    Trouble::Usage(Diagnostic::new("usage::unknown-fact", title).suggest(fact, known))
}

/// What is run, one after the other.
struct Stages {
    files: Vec<Result<PathBuf, Piece>>,
    options: Options,
    again: Again,
    /// What did not pass when it was last run, if that matters.
    failed: Option<Arc<Cases>>,
}

impl Stages {
    /// Runs them.
    ///
    /// # Errors
    /// When the system has no room for a worker.
    fn run(self, interrupt: &Interrupt, console: &Shared) -> Result<Summary, NoWorker> {
        let Self { files, options, again, failed } = self;
        let run = |files: Vec<_>, options: &Options| {
            let bytes = || files.iter().flatten().map(|path: &PathBuf| suite::size(path)).sum();
            console.lock().progress.begin(bytes);
            runner::run(files, options, interrupt.flag(), &mut console.clone())
        };
        let Some(failed) = failed.filter(|failed| !failed.is_empty()) else {
            if again != Again::No {
                console.lock().note("no recorded failures: running everything");
            }
            return run(files, &options);
        };
        let only = Select { only: Some(Arc::clone(&failed)), ..options.select.clone() };
        // What cannot be read is said once, with the others.
        let readable = files.iter().flatten().cloned().map(Ok).collect();
        let first = run(readable, &Options { select: only, ..options.clone() })?;
        if first.stopped {
            Ok(first)
        } else if again == Again::First {
            let rest = Select { except: Some(failed), ..options.select };
            let said = console.lock().unread.clone();
            let is_new = |file: &Result<PathBuf, Piece>| {
                !file.as_ref().is_ok_and(|path| said.contains(&*path.display().to_string()))
            };
            let files = files.into_iter().filter(is_new).collect();
            Ok(first.and(run(files, &Options { select: rest, ..options })?))
        } else if first.cases() == 0 {
            console.lock().note("no recorded failure matches the selection: running everything");
            run(files, &options)
        } else {
            Ok(first)
        }
    }
}

/// Largest number of failures drawn by default.
const DRAWN: u64 = 100;
