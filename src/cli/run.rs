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
use rulebook::scenario::{Select, suite};
use rulebook::verdict::Summary;

use super::args::{Run, Suite, When};
use super::bless::{self, Blessings, How};
use super::console::{Console, Loudness};
use super::exit::{Exit, Trouble};
use super::output;
use super::progress::Progress;
use super::reports::Reports;

/// Runs scenarios and checks what they expect.
pub(crate) fn run(args: &Run) -> Result<Exit, Trouble> {
    let bless = bless::how(args)?;
    let json = args.summary_json.as_deref().map(output::create).transpose()?;
    let reports = Reports::open(&args.report, &Head::new(None, args.signature))?;
    walk(
        &args.suite,
        Walk {
            fail_fast: args.fail_fast,
            progress: args.progress,
            summary: args.summary.clone(),
            json,
            reports,
            slowest: args.slowest.unwrap_or(0),
            bless,
            ..Walk::default()
        },
    )
}

/// Loads scenarios and reports their faults.
pub(crate) fn check(args: &Suite) -> Result<Exit, Trouble> {
    walk(args, Walk { load_only: true, ..Walk::default() })
}

/// Lists scenarios.
pub(crate) fn list(args: &Suite) -> Result<Exit, Trouble> {
    walk(args, Walk { load_only: true, listing: true, progress: When::Never, ..Walk::default() })
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
}

fn walk(args: &Suite, walk: Walk) -> Result<Exit, Trouble> {
    let started = Instant::now();
    let stop = stop_on_interrupt();
    let (paths, name) = output::scenario(&args.paths);
    let asked = walk.summary.clone();
    let files = suite::files(&paths);
    let size = || files.iter().flatten().filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum();
    let progress = Progress::new(if args.quiet { When::Never } else { walk.progress }, size);
    let listing = walk.listing;
    let options = Options {
        jobs: args.jobs.map_or_else(cores, usize::from),
        fail_fast: walk.fail_fast,
        load_only: walk.load_only,
        select: Select {
            filter: args.filter.clone(),
            engine: args.engine.clone(),
            tag: args.tag.clone(),
            name,
            // A list has one line for a scenario, however many cases a script makes of it.
            indices: args.index.map_or(listing.then_some(0..1), |index| Some(index..index.saturating_add(1))),
            summary: walk.summary,
            text: false,
        },
        details: Details { blessing: walk.bless.is_some(), ..walk.reports.details() },
    };
    let (out, colour) = walk.reports.output_for_people();
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
    };
    let summary = runner::run(files, &options, &stop, &mut console);
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
    if summary.cases() == 0 && !interrupted {
        // A game in rhai is known only when its scenarios are.
        if let Some(name) = &args.engine {
            output::engine(name)?;
        }
        output::complain(&Trouble::Usage(nothing(args)));
        return Ok(Exit::Nothing);
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

fn nothing(args: &Suite) -> Diagnostic {
    let paths: Vec<_> = args.paths.iter().map(|path| path.display().to_string()).collect();
    let title = format!("no scenario was selected in {}", rulebook::diagnostic::names(&paths));
    let fault = Diagnostic::new("usage::nothing-selected", title);
    if let Some(index) = args.index {
        fault.help(format!("index {index} is for scenarios of which a script makes more cases than that"))
    } else if args.filter.is_some() || args.engine.is_some() || args.tag.is_some() {
        fault.help("`rulebook list` shows the scenarios that there are")
    } else {
        fault.help("scenario files end in `.toml`")
    }
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
