//! Progress on standard error while scenarios run.

use std::io::{self, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rulebook::report::terminal;
use rulebook::runner::Running;
use rulebook::verdict::Summary;

use super::args::When;

/// How often the bar is drawn anew.
const PERIOD: Duration = Duration::from_millis(100);

/// How often a line is written where there is no terminal to draw on.
const LINES_PERIOD: Duration = Duration::from_secs(1);

/// What takes longer is named.
const LONG: Duration = Duration::from_secs(1);

/// A bar over the bytes of the suite, with the verdicts so far; plain lines where progress is wanted without a
/// terminal; nothing where it is not wanted.
pub(crate) struct Progress(Option<Shown>);

struct Shown {
    bar: Option<ProgressBar>,
    summary: Arc<Mutex<Summary>>,
    running: Arc<Running>,
    /// Draws; ends when nobody can tell it to go on.
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Progress of a run that has not begun.
    pub(crate) fn new(when: When) -> Self {
        let target = ProgressDrawTarget::stderr();
        let is_drawn = match when {
            When::Never => return Self(None),
            When::Auto if target.is_hidden() => return Self(None),
            When::Always if target.is_hidden() => false,
            _ => true,
        };
        let bar = is_drawn.then(|| {
            let bar = ProgressBar::with_draw_target(None, target);
            bar.set_style(style(false));
            bar
        });
        let (summary, running) = (Arc::default(), Arc::default());
        let drawing = draw(bar.clone(), Arc::clone(&summary), Arc::clone(&running));
        Self(Some(Shown { bar, summary, running, drawing }))
    }

    /// What is to be told of what is being run, if it is to be shown.
    pub(crate) fn running(&self) -> Option<Arc<Running>> {
        self.0.as_ref().map(|shown| Arc::clone(&shown.running))
    }

    /// Begins anew, over the bytes of all that is run; where these are not known, without saying how far it is.
    pub(crate) fn begin(&self, bytes: impl FnOnce() -> Option<u64>) {
        let Some(bar) = self.0.as_ref().and_then(|shown| shown.bar.as_ref()) else { return };
        begin(bar, bytes());
    }

    /// So many bytes more are done, and the verdicts so far are these.
    pub(crate) fn advance(&self, bytes: u64, summary: &Summary) {
        let Some(shown) = &self.0 else { return };
        *shown.summary.lock().unwrap_or_else(PoisonError::into_inner) = *summary;
        if let Some(bar) = &shown.bar {
            bar.inc(bytes);
        }
    }

    /// Writes to standard output with the bar out of the way.
    pub(crate) fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        match self.0.as_ref().and_then(|shown| shown.bar.as_ref()) {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&mut self) {
        let Some(shown) = self.0.take() else { return };
        if let Some((go_on, thread)) = shown.drawing {
            drop(go_on);
            // A thread that draws and panics has nothing to say to anybody.
            let _ = thread.join();
        }
        let summary = *shown.summary.lock().unwrap_or_else(PoisonError::into_inner);
        match shown.bar {
            Some(bar) => bar.finish_and_clear(),
            // The last line of a log says how it ended, and the only one of a short run.
            None => drop(writeln!(io::stderr(), "{}", message(&summary, None))),
        }
    }
}

fn begin(bar: &ProgressBar, bytes: Option<u64>) {
    bar.set_style(style(bytes.is_some()));
    bar.set_position(0);
    match bytes {
        Some(bytes) => bar.set_length(bytes),
        None => bar.unset_length(),
    }
}

/// Returns the style of a bar, or of a line without one.
fn style(is_measured: bool) -> ProgressStyle {
    let template =
        if is_measured { "{wide_bar} {percent:>3}%  {msg}  {elapsed}" } else { "{msg}  {elapsed}" };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Shows how it goes from time to time: also while nothing ends.
fn draw(
    bar: Option<ProgressBar>,
    summary: Arc<Mutex<Summary>>,
    running: Arc<Running>,
) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (go_on, told) = mpsc::channel();
    let period = if bar.is_some() { PERIOD } else { LINES_PERIOD };
    let work = move || {
        while told.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
            let summary = *summary.lock().unwrap_or_else(PoisonError::into_inner);
            let text = message(&summary, running.slowest());
            match &bar {
                Some(bar) => bar.set_message(text),
                // Progress that nobody can read any more is no reason to stop.
                None => drop(writeln!(io::stderr(), "{text}")),
            }
        }
    };
    // Where there is no room for a thread the run goes on without.
    let thread = thread::Builder::new().spawn(work).ok()?;
    Some((go_on, thread))
}

/// `1204 run, 2 failed, 1 errored, at a.toml::b for 3 s`: the verdicts so far, and what has been running for long.
fn message(summary: &Summary, slowest: Option<(String, Duration)>) -> String {
    let mut text = format!("{} run", summary.cases());
    for (number, word) in [(summary.failed, "failed"), (summary.errored, "errored")] {
        if number > 0 {
            text += &format!(", {number} {word}");
        }
    }
    if let Some((id, time)) = slowest.filter(|(_, time)| *time >= LONG) {
        const LONGEST: usize = 60;
        let id = terminal::line_safe(&id);
        // The end of a name says more than the folders at its beginning.
        let cut = id.char_indices().rev().nth(LONGEST - 1).map_or(0, |(cut, _)| cut);
        let dots = if cut > 0 { "…" } else { "" };
        text += &format!(", at {dots}{} for {} s", &id[cut..], time.as_secs());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_begins_anew_and_measures_what_has_an_end() {
        let bar = ProgressBar::hidden();
        for (bytes, done) in [(Some(10), 10), (Some(7), 3), (None, 5), (Some(0), 0), (Some(8), 8)] {
            begin(&bar, bytes);
            assert_eq!((bar.position(), bar.length()), (0, bytes));
            bar.inc(done);
            assert_eq!((bar.position(), bar.length()), (done, bytes));
        }
    }

    #[test]
    fn the_message_names_only_what_there_is() {
        let summary = Summary { passed: 10, ..Summary::default() };
        assert_eq!(message(&summary, None), "10 run");
        let summary = Summary { passed: 10, failed: 2, errored: 1, ..Summary::default() };
        assert_eq!(message(&summary, None), "13 run, 2 failed, 1 errored");
    }

    #[test]
    fn the_message_names_what_takes_long() {
        let summary = Summary { passed: 10, ..Summary::default() };
        let at = |id: &str, millis| message(&summary, Some((id.to_owned(), Duration::from_millis(millis))));
        assert_eq!(at("a.toml::b", 999), "10 run");
        assert_eq!(at("a.toml::b", 1000), "10 run, at a.toml::b for 1 s");
        assert_eq!(at("a.toml::b\n\u{1b}[31m", 61_900), "10 run, at a.toml::b\\n\\u{1b}[31m for 61 s");
        let long = at(&"é".repeat(100), 2000);
        assert_eq!(long, format!("10 run, at …{} for 2 s", "é".repeat(60)));
    }
}
