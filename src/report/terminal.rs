//! Verdicts as people read them in a terminal.

use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::alike::{Alike, More};
use super::record::{Record, drawn};
use super::slowest::Slow;
use crate::diagnostic::{Diagnostic, count};
use crate::spread::Spread;
use crate::verdict::{CaseResult, Summary, Verdict, Word};
pub use crate::visible::line_safe;
use crate::visible::{visible, visible_lines};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// The case's line and, below it, every fault drawn. Nothing for a case that passed or was skipped unless
/// `verbose`.
pub fn case(report: &CaseResult, verbose: bool, color: bool) -> String {
    if !verbose && matches!(report.verdict, Verdict::Passed { .. } | Verdict::Skipped(_)) {
        return String::new();
    }
    let id = line_safe(&report.id().to_string());
    let (style, word, diagnostics) = match &report.verdict {
        Verdict::Failed(mismatches) => (BAD, "FAILED", mismatches.as_slice()),
        Verdict::Errored(faults) => (BAD, "ERROR", faults.as_slice()),
        Verdict::Passed { known_failure } => {
            let note = if *known_failure { ", fails as it is known to" } else { "" };
            let time = millis(report.elapsed);
            return format!(
                "{} {id} {}\n{}",
                paint(GOOD, "passed", color),
                paint(DIM, &format!("({time}{note})"), color),
                printed(&report.printed)
            );
        }
        Verdict::Skipped(reason) => {
            let reason = line_safe(reason);
            return format!(
                "{} {id} {}\n",
                paint(DIM, "skipped", color),
                paint(DIM, &format!("({reason})"), color)
            );
        }
    };
    let mut text = format!("{} {id}\n", paint(style, word, color));
    text += &drawn(diagnostics, |diagnostic| diagnostic.draw(color));
    text.push_str(&printed(&report.printed));
    text
}

/// What is left of a case as its author wrote it, and why.
pub fn left(id: &str, why: &[Diagnostic], color: bool) -> String {
    let why = drawn(why, |why| why.draw(color));
    format!("{} {}\n{why}", paint(BAD, "LEFT", color), line_safe(id))
}

/// What is said of a case of an earlier run that failed or errored; nothing of any other.
pub fn record(record: &Record<'_>, color: bool) -> String {
    let word = match record.verdict {
        Word::Failed => "FAILED",
        Word::Errored => "ERROR",
        Word::Passed | Word::Skipped => return String::new(),
    };
    let mut text = format!("{} {}\n", paint(BAD, word, color), line_safe(&record.id()));
    text += &drawn(&record.faults, |fault| visible_lines(&fault.drawing));
    text.push_str(&printed(&record.printed));
    text
}

/// That so many cases did not pass and are not drawn; nothing of none.
pub fn undrawn(cases: u64) -> String {
    if cases == 0 {
        return String::new();
    }
    let are = if cases == 1 { "is" } else { "are" };
    let cases = count(cases, "case");
    format!(
        "{cases} more did not pass and {are} not drawn: `--draw N` draws as many as you like, and reports hold all\n"
    )
}

/// Failures that are counted with others like them, a line for each kind.
pub fn alike(alike: &Alike) -> String {
    let line = |More { like, count, range: (from, to) }: More<'_>| {
        let (like, from, to) = (line_safe(like), line_safe(from), line_safe(to));
        match count {
            1 => format!("1 case more fails like `{like}`: `{from}`\n"),
            _ => format!("{count} cases more fail like `{like}`: `{from}` to `{to}`\n"),
        }
    };
    alike.more().map(line).collect()
}

/// The slowest cases, one a line.
pub fn slowest(cases: &[Slow]) -> String {
    let line = |slow: &Slow| {
        let time = millis(Duration::try_from_secs_f64(slow.seconds).unwrap_or_default());
        format!("  {time:>10}  {}\n", line_safe(&slow.id))
    };
    let lines: String = cases.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("slowest:\n{lines}") }
}

/// What the scripts of a case have printed.
fn printed(text: &str) -> String {
    let lines = text.lines().map(|line| format!("  | {}\n", visible_lines(line)));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("printed by its scripts:\n{lines}") }
}

/// How facts spread over the cases of a scenario, or of a file, beside those that ended in an error.
pub fn statistics(
    scenario: Option<&str>,
    file: &str,
    (cases, errored): (u64, u64),
    facts: &[(String, Spread)],
) -> String {
    let name = scenario.map_or_else(|| file.to_owned(), |name| format!("{file}::{name}"));
    let left_out = if errored == 0 { String::new() } else { format!(", {errored} errored and left out") };
    let mut text = format!("{}: {}{left_out}\n", line_safe(&name), count(cases, "case"));
    for (fact, spread) in facts {
        text += &format!("  {}\n", visible(fact));
        for line in spread.lines() {
            text += &format!("    {line}\n");
        }
    }
    text
}

/// The last line of a run: what came to what, and how long it took.
pub fn summary(summary: &Summary, elapsed: Duration, color: bool) -> String {
    format!("{} in {}\n", counts(summary, color), millis(elapsed))
}

/// `2 failed, 1 errored, 7 passed, 3 skipped (1 known failure)`; `0 run, 3 skipped`.
pub fn counts(summary: &Summary, color: bool) -> String {
    let words = [
        (summary.failed, "failed", BAD),
        (summary.errored, "errored", BAD),
        (summary.passed, "passed", GOOD),
        (summary.skipped, "skipped", DIM),
    ];
    let some = words.iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<_> =
        some.map(|(number, word, style)| paint(*style, &format!("{number} {word}"), color)).collect();
    let parts = match summary.cases() {
        0 => "nothing was run".to_owned(),
        // Nothing was seen to hold.
        cases if cases == summary.skipped => format!("{}, {}", paint(BAD, "0 run", color), parts.join(", ")),
        _ => parts.join(", "),
    };
    let known = match summary.known_failures {
        0 => String::new(),
        known => format!(" ({})", count(known, "known failure")),
    };
    let stopped = if summary.stopped { ", stopped before the end" } else { "" };
    format!("{parts}{known}{stopped}")
}

/// `0.4 ms`, `1.25 s`.
fn millis(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1000.0) } else { format!("{seconds:.2} s") }
}

fn paint(style: Style, text: &str, color: bool) -> String {
    if color { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_and_says_what_it_left_out() {
        let all = Summary { passed: 12, known_failures: 1, failed: 2, stopped: true, ..Summary::default() };
        let text = summary(&all, Duration::from_millis(1250), false);
        assert_eq!(text, "2 failed, 12 passed (1 known failure), stopped before the end in 1.25 s\n");
        assert_eq!(summary(&Summary::default(), Duration::ZERO, false), "nothing was run in 0.0 ms\n");
    }
}
