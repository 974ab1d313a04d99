//! Progress on standard error while scenarios run.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rulebook::verdict::Summary;

use super::args::When;

/// How often the bar is drawn anew at the most.
const PERIOD: Duration = Duration::from_millis(100);

/// How often a line is written where there is no terminal to draw on.
const LINES_PERIOD: Duration = Duration::from_secs(1);

/// A bar over the bytes of the suite, with the verdicts so far; plain lines where progress is wanted without a
/// terminal; nothing where it is not wanted.
pub(crate) struct Progress {
    shown: Shown,
    next: Instant,
}

enum Shown {
    Nothing,
    Lines,
    Bar(ProgressBar),
}

impl Progress {
    /// Progress over `bytes`.
    pub(crate) fn new(when: When, bytes: impl FnOnce() -> u64) -> Self {
        let target = ProgressDrawTarget::stderr();
        let shown = match when {
            When::Never => Shown::Nothing,
            When::Auto if target.is_hidden() => Shown::Nothing,
            When::Always if target.is_hidden() => Shown::Lines,
            _ => {
                let bar = ProgressBar::with_draw_target(Some(bytes()), target);
                let style = ProgressStyle::with_template("{wide_bar} {percent:>3}%  {msg}  {elapsed}");
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                Shown::Bar(bar)
            }
        };
        Self { shown, next: Instant::now() }
    }

    /// So many bytes more are done, and the verdicts so far are these.
    pub(crate) fn advance(&mut self, bytes: u64, summary: &Summary) {
        let period = match &self.shown {
            Shown::Nothing => return,
            Shown::Lines => LINES_PERIOD,
            Shown::Bar(bar) => {
                bar.inc(bytes);
                PERIOD
            }
        };
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + period;
        match &self.shown {
            Shown::Bar(bar) => bar.set_message(message(summary)),
            // Progress that nobody can read any more is no reason to stop.
            _ => drop(writeln!(io::stderr(), "{}", message(summary))),
        }
    }

    /// Writes to standard output with the bar out of the way.
    pub(crate) fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        if let Shown::Bar(bar) = &self.shown { bar.suspend(write) } else { write() }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// `1204 run, 2 failed, 1 errored`: what a bar says of the verdicts so far.
fn message(summary: &Summary) -> String {
    let mut text = format!("{} run", summary.cases());
    for (number, word) in [(summary.failed, "failed"), (summary.errored, "errored")] {
        if number > 0 {
            text += &format!(", {number} {word}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_only_what_there_is() {
        let summary = Summary { passed: 10, ..Summary::default() };
        assert_eq!(message(&summary), "10 run");
        let summary = Summary { passed: 10, failed: 2, errored: 1, ..Summary::default() };
        assert_eq!(message(&summary), "13 run, 2 failed, 1 errored");
    }
}
