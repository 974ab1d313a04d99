//! `run`, `check` and `list`: everything that goes through a whole suite.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rulebook::diagnostic::Diagnostic;
use rulebook::engines::ENGINES;
use rulebook::report::slowest::Slowest;
use rulebook::report::{Head, terminal};
use rulebook::runner::{self, Details, Options};
use rulebook::scenario::Select;
use rulebook::verdict::Summary;

use super::args::{Run, Suite, When};
use super::bless::{self, Blessings, How};
use super::console::{Console, Loudness};
use super::exit::{Exit, Trouble};
use super::output;
use super::progress::Progress;
use super::reports::Reports;
use super::selection::{self, Selection};
use super::state::State;

/// Runs scenarios and checks what they expect.
pub(crate) fn run(args: &Run) -> Result<Exit, Trouble> {
    let bless = bless::how(args)?;
    let json = args.summary_json.as_deref().map(output::create).transpose()?;
    let selection = Selection::of(&args.suite)?;
    let shard = selection.select.shard.map(|shard| (shard.index().into(), shard.count().into()));
    let reports = Reports::open(&args.report, &Head::new(shard, args.signature))?;
    walk(
        &args.suite,
        selection,
        Walk {
            fail_fast: args.fail_fast,
            progress: args.progress,
            summary: args.summary.clone(),
            json,
            reports,
            slowest: args.slowest.unwrap_or(0),
            bless,
            state: State::open(args.state.as_deref())?,
            last_failed: args.last_failed,
            failed_first: args.failed_first,
            shuffle: args.shuffle,
            ..Walk::default()
        },
    )
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
    json: Option<File>,
    /// Where cases are written to.
    reports: Reports,
    /// How many of the slowest cases are shown.
    slowest: usize,
    /// What is done with values that are not as expected.
    bless: Option<How>,
    /// What did not pass when it was last run.
    state: Option<State>,
    /// Whether only that is wanted, or that first.
    last_failed: bool,
    failed_first: bool,
    /// The seed of the order.
    shuffle: Option<u64>,
}

fn walk(args: &Suite, selection: Selection, walk: Walk) -> Result<Exit, Trouble> {
    let started = Instant::now();
    let stop = stop_on_interrupt();
    let Selection { files, select } = selection;
    let asked = walk.summary.clone();
    let size = || files.iter().flatten().filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum();
    let progress = Progress::new(if args.quiet { When::Never } else { walk.progress }, size);
    let listing = walk.listing;
    let options = Options {
        jobs: args.jobs.map_or_else(cores, usize::from),
        fail_fast: walk.fail_fast,
        load_only: walk.load_only,
        select: Select {
            // A list has one line for a scenario, however many cases a script makes of it.
            indices: select.indices.or(listing.then_some(0..1)),
            summary: walk.summary,
            ..select
        },
        details: Details { blessing: walk.bless.is_some(), ..walk.reports.details() },
        shuffle: walk.shuffle,
    };
    let (out, colour) = walk.reports.output_for_people();
    let known = walk.state.as_ref().map(|state| state.failed().clone()).filter(|known| !known.is_empty());
    let known = known.filter(|_| walk.last_failed || walk.failed_first).map(Arc::new);
    if known.is_none() && (walk.last_failed || walk.failed_first) && !args.quiet {
        note("nothing is known to have failed here: all scenarios are run");
    }
    let loudness = match (args.quiet, args.verbose) {
        (true, _) => Loudness::Quiet,
        (_, true) => Loudness::Verbose,
        _ => Loudness::Normal,
    };
    let mut console = Console {
        out,
        colour,
        loudness,
        listing,
        progress,
        summary: Summary::default(),
        json: walk.json.map(BufWriter::new),
        reports: walk.reports,
        slowest: Slowest::new(walk.slowest),
        spreads: 0,
        spread: BTreeSet::new(),
        trouble: None,
        blessings: walk.bless.map(|_| Blessings::default()),
        state: walk.state,
    };
    let summary = match known {
        None => runner::run(files, &options, &stop, &mut console),
        Some(known) => {
            let only = options.clone();
            let only = Options { select: Select { only: Some(Arc::clone(&known)), ..only.select }, ..only };
            // What cannot be read is said once, with the others.
            let readable = files.iter().flatten().cloned().map(Ok).collect();
            let first = runner::run(readable, &only, &stop, &mut console);
            if walk.failed_first && !first.stopped {
                let rest = Select { except: Some(known), ..options.select };
                first.and(runner::run(files, &Options { select: rest, ..options }, &stop, &mut console))
            } else if first.cases() == 0 && !first.stopped {
                if !args.quiet {
                    note("none of what failed is selected, or there any more: all scenarios are run");
                }
                runner::run(files, &options, &stop, &mut console)
            } else {
                first
            }
        }
    };
    if let Some(state) = &console.state {
        state.save()?;
    }
    console.progress.clear();
    console.end_json();
    let end = console.reports.end(&summary, started.elapsed());
    let not_whole = console.reports.trouble().err().map(|trouble| output::complain(&trouble));
    if let Some(error) = console.trouble
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        return Err(error.into());
    }
    let interrupted = stop.load(Ordering::Relaxed);
    // A part of a suite may well be empty.
    if summary.cases() == 0 && !interrupted && args.shard.is_none() {
        return selection::nothing(args);
    }
    if !listing {
        let mut text = terminal::slowest(console.slowest.cases());
        if let Some(signature) = &end.signature {
            text += &format!("signature {signature}\n");
        }
        output::ignore_closed_pipe(console.out.write_all(text.as_bytes()))?;
    }
    if let (Some(how), Some(blessings), false) = (walk.bless, console.blessings, interrupted) {
        let answers = io::stdin().lock();
        let exit = blessings.finish(how, answers, &mut console.out, args.quiet, colour)?;
        return Ok(not_whole.unwrap_or(exit));
    }
    if !args.quiet && !listing {
        let text = terminal::summary(&summary, started.elapsed(), colour);
        output::ignore_closed_pipe(console.out.write_all(text.as_bytes()))?;
    }
    output::ignore_closed_pipe(console.out.flush())?;
    let missing = asked.iter().find(|fact| !console.spread.contains(*fact));
    if let Some(fact) = missing.filter(|_| !interrupted && summary.failed + summary.errored == 0) {
        let known = ENGINES.iter().flat_map(|engine| engine.facts()).filter(|fact| fact.spreads());
        let known = known.map(|fact| fact.name.as_ref()).filter(|known| known != fact);
        let title = format!("no scenario that was run has a fact `{fact}` that spreads");
        let fault = Diagnostic::new("usage::unknown-fact", title);
        return Err(Trouble::Usage(fault.suggest(fact, known.collect::<BTreeSet<_>>())));
    }
    Ok(not_whole.unwrap_or(if interrupted { Exit::Interrupted } else { Exit::of(&summary) }))
}

/// Says something on the way that is no fault.
fn note(text: &str) {
    // Nobody is left to tell when standard error is gone.
    let _ = writeln!(io::stderr(), "note: {text}");
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A flag that the first Ctrl-C raises; the second ends the process.
fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let handler = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, reason = "who presses Ctrl-C twice wants no more work done")]
            std::process::exit(Exit::Interrupted as i32);
        }
    });
    // Without a handler Ctrl-C ends the process at once, as everywhere.
    drop(handler);
    stop
}
