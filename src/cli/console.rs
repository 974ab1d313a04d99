//! What a run says on standard output while it goes on.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rulebook::diagnostic::count;
use rulebook::report::record::Record;
use rulebook::report::slowest::Slowest;
use rulebook::report::terminal;
use rulebook::runner::{Listener, Statistics};
use rulebook::verdict::{Report, Summary, Verdict};

use super::bless::Blessings;
use super::exit::{Exit, Trouble};
use super::output;
use super::progress::Progress;
use super::reports::Reports;
use super::state::State;

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loudness {
    Quiet,
    Normal,
    Verbose,
}

/// Writes results to standard output as they come.
pub(crate) struct Console {
    pub(crate) out: BufWriter<Box<dyn Write + Send>>,
    pub(crate) colour: bool,
    pub(crate) loudness: Loudness,
    pub(crate) listing: bool,
    /// Whether somebody who writes scenarios may wait for what became of them.
    pub(crate) streams: bool,
    pub(crate) progress: Progress,
    pub(crate) started: Instant,
    pub(crate) summary: Summary,
    /// How many cases that do not pass may be drawn still.
    pub(crate) draw: u64,
    /// How many more there were.
    pub(crate) undrawn: u64,
    /// How many scenarios' spreads were shown.
    pub(crate) spreads: u64,
    /// The facts that were among them.
    pub(crate) spread: BTreeSet<String>,
    /// Where they are written to, as an array.
    pub(crate) json: Option<BufWriter<File>>,
    pub(crate) reports: Reports,
    pub(crate) slowest: Slowest,
    pub(crate) trouble: Option<io::Error>,
    /// Where what is wrong goes, if it is to be put right in the scenario files.
    pub(crate) blessings: Option<Blessings>,
    /// What did not pass when it was last run.
    pub(crate) state: Option<State>,
}

impl Console {
    fn write_json(&mut self, statistics: &Statistics) -> io::Result<()> {
        let Some(file) = &mut self.json else { return Ok(()) };
        file.write_all(if self.spreads == 1 { b"[" } else { b",\n" })?;
        Ok(serde_json::to_writer(file, statistics)?)
    }

    fn end_json(&mut self) {
        let Some(mut file) = self.json.take() else { return };
        let written =
            file.write_all(if self.spreads == 0 { b"[]\n" } else { b"]\n" }).and_then(|()| file.flush());
        self.trouble = self.trouble.take().or(written.err());
    }
}

impl Console {
    /// Says something on the way that is no fault.
    pub(crate) fn note(&self, text: &str) {
        if self.loudness != Loudness::Quiet {
            // Nobody is left to tell when standard error is gone.
            let _ = self.progress.suspend(|| writeln!(io::stderr(), "note: {text}"));
        }
    }

    /// Ends what was begun: files, reports, the bar. The exit code if a report is not whole.
    pub(crate) fn close(&mut self, summary: &Summary) -> Result<Option<Exit>, Trouble> {
        self.progress.clear();
        self.end_json();
        self.reports.end(summary, self.started.elapsed());
        let not_whole = self.reports.trouble().err().map(|trouble| output::complain(&trouble));
        self.state.as_ref().map(State::save).transpose()?;
        match self.trouble.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(not_whole),
        }
    }

    /// What was asked for beside the summary.
    pub(crate) fn say_more(&mut self) -> io::Result<()> {
        if self.listing {
            return Ok(());
        }
        let mut text = String::new();
        if self.undrawn > 0 {
            text += &format!(
                "{} more did not pass and {} not drawn: `--draw N` draws as many as you like, and reports hold all\n",
                count(self.undrawn, "case"),
                if self.undrawn == 1 { "is" } else { "are" },
            );
        }
        text += &terminal::slowest(self.slowest.cases());
        if let Some(signature) = self.reports.signature() {
            text += &format!("signature {signature}\n");
        }
        output::ignore_closed_pipe(self.out.write_all(text.as_bytes()))
    }

    /// What all came to.
    pub(crate) fn say(&mut self, summary: &Summary) -> io::Result<()> {
        self.say_more()?;
        if self.loudness != Loudness::Quiet && !self.listing {
            let text = terminal::summary(summary, self.started.elapsed(), self.colour);
            output::ignore_closed_pipe(self.out.write_all(text.as_bytes()))?;
        }
        output::ignore_closed_pipe(self.out.flush())
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
    fn case(&mut self, report: &Report) -> ControlFlow<()> {
        self.lock().case(report)
    }

    fn statistics(&mut self, statistics: &Statistics) {
        self.lock().statistics(statistics);
    }

    fn bytes(&mut self, done: u64) {
        self.lock().bytes(done);
    }
}

impl Listener for Console {
    fn case(&mut self, report: &Report) -> ControlFlow<()> {
        self.summary.add(&report.verdict);
        if let Some(state) = &mut self.state {
            state.note(report);
        }
        if self.reports.listen() || self.slowest.listens() {
            let record = Record::new(report);
            self.reports.case(&record);
            self.slowest.add(&record);
            if self.reports.are_closed() {
                return ControlFlow::Break(());
            }
        }
        if let Some(blessings) = &mut self.blessings {
            blessings.add(report);
            return ControlFlow::Continue(());
        }
        if matches!(report.verdict, Verdict::Failed(_) | Verdict::Errored(_)) {
            let Some(left) = self.draw.checked_sub(1) else {
                self.undrawn += 1;
                return ControlFlow::Continue(());
            };
            self.draw = left;
        }
        let text = match &report.verdict {
            Verdict::Errored(_) if self.listing => {
                // A list is for other programs to read: its faults go elsewhere.
                let faults = terminal::case(report, false, self.colour);
                drop(io::stderr().write_all(faults.as_bytes()));
                return ControlFlow::Continue(());
            }
            _ if self.listing => listed(report, self.loudness == Loudness::Verbose),
            _ => terminal::case(report, self.loudness == Loudness::Verbose, self.colour),
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
        match self.progress.suspend(write) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.trouble = Some(error);
                // Reports are for others, who want all of it.
                if self.reports.listen() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            }
        }
    }

    fn statistics(&mut self, statistics: &Statistics) {
        self.spreads += 1;
        self.spread.extend(statistics.facts.iter().map(|(name, _)| name.clone()));
        if self.loudness == Loudness::Quiet {
            self.trouble = self.trouble.take().or(self.write_json(statistics).err());
            return;
        }
        let text = terminal::statistics(
            statistics.scenario.as_deref(),
            &statistics.file,
            statistics.cases,
            &statistics.facts,
        );
        let out = &mut self.out;
        let shown = self.progress.suspend(|| out.write_all(text.as_bytes()));
        let written = shown.and(self.write_json(statistics));
        self.trouble = self.trouble.take().or(written.err());
    }

    fn bytes(&mut self, done: u64) {
        self.progress.advance(done, &self.summary);
        if self.streams {
            self.reports.flush();
        }
    }
}

/// `FILE::NAME`, with `verbose` also the line, the engine and the tags.
fn listed(report: &Report, verbose: bool) -> String {
    let mut text = terminal::line_safe(&format!("{}::{}", report.file, report.name));
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
