//! `run`, `check` and `list`: everything that goes through a whole suite.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rulebook::diagnostic::Diagnostic;
use rulebook::report::terminal;
use rulebook::runner::{self, Listener, Options};
use rulebook::scenario::{Select, suite};
use rulebook::verdict::{Report, Summary, Verdict};

use super::args::{Run, Suite, When};
use super::exit::{Exit, Trouble};
use super::output;
use super::progress::Progress;

/// Runs scenarios and checks what they expect.
pub(crate) fn run(args: &Run) -> Result<Exit, Trouble> {
    walk(
        &args.suite,
        &Walk { load_only: false, listing: false, fail_fast: args.fail_fast, progress: args.progress },
    )
}

/// Loads scenarios and reports their faults.
pub(crate) fn check(args: &Suite) -> Result<Exit, Trouble> {
    walk(args, &Walk { load_only: true, listing: false, fail_fast: false, progress: When::Auto })
}

/// Lists scenarios.
pub(crate) fn list(args: &Suite) -> Result<Exit, Trouble> {
    walk(args, &Walk { load_only: true, listing: true, fail_fast: false, progress: When::Never })
}

/// What the three subcommands do differently.
struct Walk {
    load_only: bool,
    listing: bool,
    fail_fast: bool,
    progress: When,
}

fn walk(args: &Suite, walk: &Walk) -> Result<Exit, Trouble> {
    let started = Instant::now();
    if let Some(name) = &args.engine {
        output::engine(name)?;
    }
    let stop = stop_on_interrupt();
    let files = suite::files(&args.paths);
    let size = || files.iter().flatten().filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum();
    let progress = Progress::new(if args.quiet { When::Never } else { walk.progress }, size);
    let options = Options {
        jobs: args.jobs.map_or_else(cores, usize::from),
        fail_fast: walk.fail_fast,
        load_only: walk.load_only,
        select: Select {
            text: args.filter.clone(),
            engine: args.engine.clone(),
            tag: args.tag.clone(),
            ..Select::default()
        },
    };
    let (out, colour) = output::stdout();
    let verbose = args.verbose;
    let listing = walk.listing;
    let mut console =
        Console { out, colour, verbose, listing, progress, summary: Summary::default(), trouble: None };
    let summary = runner::run(files, &options, &stop, &mut console);
    console.progress.clear();
    if let Some(error) = console.trouble
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        return Err(error.into());
    }
    let interrupted = stop.load(Ordering::Relaxed);
    if summary.cases() == 0 && !interrupted {
        output::complain(&Trouble::Usage(nothing(args)));
        return Ok(Exit::Nothing);
    }
    if !args.quiet && !listing {
        let text = terminal::summary(&summary, started.elapsed(), colour);
        ignore_closed_pipe(console.out.write_all(text.as_bytes()))?;
    }
    ignore_closed_pipe(console.out.flush())?;
    Ok(if interrupted { Exit::Interrupted } else { Exit::of(&summary) })
}

/// Whoever closed the pipe has seen enough; the exit code still says how the run went.
fn ignore_closed_pipe(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

fn nothing(args: &Suite) -> Diagnostic {
    let paths: Vec<_> = args.paths.iter().map(|path| path.display().to_string()).collect();
    let title = format!("no scenario was selected in {}", rulebook::diagnostic::names(&paths));
    let fault = Diagnostic::new("usage::nothing-selected", title);
    if args.filter.is_some() || args.engine.is_some() || args.tag.is_some() {
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

/// Writes results to standard output as they come.
struct Console {
    out: BufWriter<Stdout>,
    colour: bool,
    verbose: bool,
    listing: bool,
    progress: Progress,
    summary: Summary,
    trouble: Option<io::Error>,
}

impl Listener for Console {
    fn case(&mut self, report: &Report) -> ControlFlow<()> {
        self.summary.add(&report.verdict);
        let text = match &report.verdict {
            Verdict::Errored(_) if self.listing => {
                // A list is for other programs to read: its faults go elsewhere.
                let faults = terminal::case(report, false, self.colour);
                drop(io::stderr().write_all(faults.as_bytes()));
                return ControlFlow::Continue(());
            }
            _ if self.listing => listed(report, self.verbose),
            _ => terminal::case(report, self.verbose, self.colour),
        };
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        let out = &mut self.out;
        let at_once = io::stdout().is_terminal() || !matches!(report.verdict, Verdict::Passed { .. });
        let write = || {
            out.write_all(text.as_bytes())?;
            if at_once { out.flush() } else { Ok(()) }
        };
        match self.progress.suspend(write) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.trouble = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn bytes(&mut self, done: u64) {
        self.progress.advance(done, &self.summary);
    }
}

/// `FILE::NAME`, with `verbose` also the line, the engine and the tags.
fn listed(report: &Report, verbose: bool) -> String {
    let mut text = terminal::line_safe(&report.id());
    if verbose {
        text += &format!("  (line {}, {}", report.line, report.engine);
        if !report.tags.is_empty() {
            text += &format!(", tags {}", report.tags.join(" "));
        }
        text.push(')');
    }
    text.push('\n');
    text
}
