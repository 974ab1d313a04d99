//! What a run says on standard output while it goes on.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rulebook::engine::AnyEngine;
use rulebook::identity::Name;
use rulebook::report::alike::Alike;
use rulebook::report::record::Record;
use rulebook::report::slowest::Slowest;
use rulebook::report::terminal;
use rulebook::runner::{Listener, Statistics};
use rulebook::verdict::{CaseResult, Summary, Verdict};
use rulebook::visible::visible;

use super::args::Suite;
use super::bless::Blessings;
use super::exit::Exit;
use super::output::{self, Leavable};
use super::progress::Progress;
use super::reports::Reports;
use super::resume::Check;
use super::spreads::Spreads;
use super::state::State;

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loudness {
    Quiet,
    Normal,
    Verbose,
}

impl Loudness {
    /// Returns what the flags ask for.
    pub(crate) fn of(args: &Suite) -> Self {
        match (args.quiet, args.verbose) {
            (true, _) => Self::Quiet,
            (_, true) => Self::Verbose,
            _ => Self::Normal,
        }
    }
}

/// Writes results to standard output as they come.
pub(crate) struct Console {
    pub(crate) out: BufWriter<Leavable<Box<dyn Write + Send>>>,
    pub(crate) color: bool,
    pub(crate) loudness: Loudness,
    pub(crate) listing: bool,
    /// Whether somebody who writes scenarios may wait for what became of them.
    pub(crate) streams: bool,
    pub(crate) progress: Progress,
    pub(crate) started: Instant,
    pub(crate) summary: Summary,
    /// How many cases that do not pass may be drawn still.
    pub(crate) draw: u64,
    /// Counts failures that are alike, unless each is to be drawn.
    pub(crate) alike: Option<Alike>,
    /// How many more there were.
    pub(crate) undrawn: u64,
    /// The facts whose spreads are asked for on the command line: they are shown however quiet it is.
    pub(crate) asked: Vec<String>,
    /// The facts that spread, of all engines of the run.
    pub(crate) spreading: BTreeSet<String>,
    /// The facts whose spreads were shown.
    pub(crate) spread: BTreeSet<String>,
    /// Where they are written to.
    pub(crate) json: Option<Spreads>,
    pub(crate) reports: Reports,
    pub(crate) slowest: Slowest,
    /// Why standard output cannot be written.
    pub(crate) trouble: Option<io::Error>,
    /// How the command ends if something is not whole that was to be written.
    pub(crate) not_whole: Option<Exit>,
    /// The files that could not be read.
    pub(crate) unread: BTreeSet<String>,
    /// Where what is wrong goes, if it is to be put right in the scenario files.
    pub(crate) blessings: Option<Blessings>,
    /// What did not pass when it was last run.
    pub(crate) state: Option<State>,
    /// Whether what was run before is of this run.
    pub(crate) check: Option<Check>,
}

impl Console {
    /// Says something on the way that is no fault.
    pub(crate) fn note(&self, text: &str) {
        if self.loudness != Loudness::Quiet {
            // Nobody is left to tell when standard error is gone.
            let _ = self.progress.suspend(|| writeln!(io::stderr(), "note: {}", visible(text)));
        }
    }

    /// Leaves what was begun as it is.
    pub(crate) fn abandon(&mut self) {
        self.progress.clear();
        self.reports.abandon();
    }

    /// Ends what was begun: files, reports, the bar. What is not whole is said, and keeps nothing else from its end.
    pub(crate) fn close(&mut self, summary: &Summary) {
        self.progress.clear();
        self.reports.end(summary, self.started.elapsed());
        let json = self.json.take().map_or(Ok(()), Spreads::end);
        let state = self.state.as_mut().map_or(Ok(()), |state| state.save(summary.stopped));
        for trouble in [self.reports.trouble(), json, state].into_iter().filter_map(Result::err) {
            self.not_whole = Some(output::complain(&trouble));
        }
    }

    /// What was asked for beside the summary.
    pub(crate) fn say_more(&mut self) {
        if self.listing {
            return;
        }
        let mut text = self.alike.as_ref().map(terminal::alike).unwrap_or_default();
        text += &terminal::undrawn(self.undrawn);
        text += &terminal::slowest(self.slowest.cases());
        if let Some(signature) = self.reports.signature() {
            text += &format!("signature {signature}\n");
        }
        self.write(&text);
    }

    /// What all came to.
    pub(crate) fn say(&mut self, summary: &Summary) {
        self.say_more();
        if self.loudness != Loudness::Quiet && !self.listing {
            self.write(&terminal::summary(summary, self.started.elapsed(), self.color));
        } else if summary.cases() > 0 && summary.cases() == summary.skipped && !self.listing {
            // A green exit code alone would hide that nothing was seen to hold.
            let _ = writeln!(io::stderr(), "warning: {}", terminal::counts(summary, false));
        }
        if self.trouble.is_none() {
            self.trouble = self.out.flush().err();
        }
        if let Some(error) = self.trouble.take() {
            self.not_whole = Some(output::complain(&error.into()));
        }
    }

    /// Writes unless standard output cannot be written.
    fn write(&mut self, text: &str) {
        if self.trouble.is_none() {
            self.trouble = self.out.write_all(text.as_bytes()).err();
        }
    }
}

/// A console that several threads hold: the one that runs, and the one that ends a run which does not end.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Console>>);

impl Shared {
    pub(crate) fn new(console: Console) -> Self {
        Self(Arc::new(Mutex::new(console)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Console> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Shared {
    fn case(&mut self, report: &CaseResult) -> ControlFlow<()> {
        self.lock().case(report)
    }

    fn known(&mut self, report: &CaseResult) -> ControlFlow<()> {
        self.lock().known(report)
    }

    fn engine(&mut self, engine: &dyn AnyEngine) {
        self.lock().engine(engine);
    }

    fn statistics(&mut self, statistics: &Statistics) {
        self.lock().statistics(statistics);
    }

    fn bytes(&mut self, done: u64) {
        self.lock().bytes(done);
    }
}

impl Listener for Console {
    fn known(&mut self, report: &CaseResult) -> ControlFlow<()> {
        self.check.as_mut().map_or(ControlFlow::Continue(()), |check| check.case(report, true))
    }

    fn case(&mut self, report: &CaseResult) -> ControlFlow<()> {
        if let Some(check) = &mut self.check {
            check.case(report, false)?;
        }
        self.summary.add(&report.verdict);
        if let Some(state) = &mut self.state {
            state.note(report);
        }
        if report.name == Name::File {
            self.unread.insert(report.file.to_string());
        }
        if self.reports.listen() || self.slowest.listens() {
            let record = Record::new(report);
            self.reports.case(&record);
            self.slowest.add(&record);
        }
        if let Some(blessings) = &mut self.blessings {
            blessings.add(report);
            return ControlFlow::Continue(());
        }
        if matches!(report.verdict, Verdict::Failed(_) | Verdict::Errored(_)) {
            if self.alike.as_mut().is_some_and(|alike| self.draw > 0 && !alike.add(report)) {
                return ControlFlow::Continue(());
            }
            let Some(left) = self.draw.checked_sub(1) else {
                self.undrawn += 1;
                return ControlFlow::Continue(());
            };
            self.draw = left;
        }
        let text = match &report.verdict {
            Verdict::Errored(_) if self.listing => {
                // A list is for other programs to read: its faults go elsewhere.
                let faults = terminal::case(report, false, self.color);
                drop(io::stderr().write_all(faults.as_bytes()));
                return ControlFlow::Continue(());
            }
            _ if self.listing => listed(report, self.loudness == Loudness::Verbose),
            _ => terminal::case(report, self.loudness == Loudness::Verbose, self.color),
        };
        if text.is_empty() || self.trouble.is_some() {
            return ControlFlow::Continue(());
        }
        let out = &mut self.out;
        let at_once = io::stdout().is_terminal() || !matches!(report.verdict, Verdict::Passed { .. });
        let write = || {
            out.write_all(text.as_bytes())?;
            if at_once { out.flush() } else { Ok(()) }
        };
        self.trouble = self.progress.suspend(write).err();
        ControlFlow::Continue(())
    }

    fn engine(&mut self, engine: &dyn AnyEngine) {
        let spreading = engine.facts().iter().filter(|fact| fact.spreads());
        self.spreading.extend(spreading.map(|fact| fact.name.to_string()));
    }

    fn statistics(&mut self, statistics: &Statistics) {
        self.spread.extend(statistics.facts.iter().map(|(name, _)| name.clone()));
        if let Some(json) = &mut self.json {
            json.add(statistics);
        }
        let shown = |name: &String| self.loudness != Loudness::Quiet || self.asked.contains(name);
        let facts: Vec<_> = statistics.facts.iter().filter(|(name, _)| shown(name)).cloned().collect();
        if facts.is_empty() || self.trouble.is_some() {
            return;
        }
        let text = terminal::statistics(
            statistics.scenario.as_deref(),
            &statistics.file,
            (statistics.cases, statistics.errored),
            &facts,
        );
        let out = &mut self.out;
        self.trouble = self.progress.suspend(|| out.write_all(text.as_bytes())).err();
    }

    fn bytes(&mut self, done: u64) {
        self.progress.advance(done, &self.summary);
        if self.streams {
            self.reports.flush();
        }
    }
}

/// `FILE::NAME`, with `verbose` also the line, the engine and the tags.
fn listed(report: &CaseResult, verbose: bool) -> String {
    let mut text = report.id_of_scenario().to_string();
    if verbose {
        text += &format!("  (line {}, {}", report.line, report.engine);
        if !report.tags.is_empty() {
            text += &format!(", tags {}", report.tags.join(" "));
        }
        text.push(')');
    }
    terminal::line_safe(&text) + "\n"
}
