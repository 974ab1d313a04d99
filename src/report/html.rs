//! A page for a browser that needs nothing else: no network, no other file.
//!
//! The page is written at the end. It keeps the failures up to a bound, the slowest cases and the numbers of each file,
//! so it stays small whatever the number of cases.

use std::io::{self, Write};

use super::record::Record;
use super::slowest::Slowest;
use super::terminal::counts;
use super::text::{escaped, visible, visible_lines};
use super::{ByFile, End, Format};
use crate::diagnostic::count;

/// Most failures that the page shows.
pub const MOST_FAILURES: u64 = 1000;
/// Most bytes of failures that the page shows.
pub const MOST_BYTES: usize = 8 << 20;
/// Most files that the page shows.
pub const MOST_FILES: usize = 10_000;
/// How many of the slowest cases the page shows.
pub const SLOWEST: usize = 20;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Beginning of every report in this format.
const OPENING: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
                       content=\"width=device-width\">\n<title>Rulebook: ";

/// Writes a page at the end.
#[derive(Debug)]
pub struct Html {
    files: ByFile,
    slowest: Slowest,
    failures: String,
    shown: u64,
    left_out: u64,
}

impl Default for Html {
    fn default() -> Self {
        Self {
            files: ByFile::default(),
            slowest: Slowest::new(SLOWEST),
            failures: String::new(),
            shown: 0,
            left_out: 0,
        }
    }
}

impl Format for Html {
    fn opening(&self) -> &'static str {
        OPENING
    }

    fn case(&mut self, record: &Record<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.files.add(record);
        self.slowest.add(record);
        if !record.verdict.is_bad() {
            return Ok(());
        }
        let failure = failure(record);
        if self.shown == MOST_FAILURES || self.failures.len() + failure.len() > MOST_BYTES {
            self.left_out += 1;
        } else {
            self.shown += 1;
            self.failures += &failure;
        }
        Ok(())
    }

    fn end(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let bad = end.summary.failed + end.summary.errored > 0;
        let counts = counts(&end.summary, false);
        write!(
            out,
            "{OPENING}{counts}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <h1 class=\"{}\">{counts} in {:.2} s</h1>\n",
            if bad { "failed" } else { "passed" },
            end.seconds,
        )?;
        if let Some(signature) = &end.signature {
            writeln!(out, "<p>signature <code>{}</code></p>", escaped(signature))?;
        }
        out.write_all(b"<p><input id=\"filter\" type=\"search\" placeholder=\"show only what holds these words\"></p>\n")?;
        if self.shown > 0 {
            writeln!(out, "<h2>Failures</h2>\n{}", self.failures)?;
        }
        if self.left_out > 0 {
            writeln!(
                out,
                "<p>… and {} that this page leaves out.</p>",
                count(self.left_out, "more failure")
            )?;
        }
        self.write_files(out)?;
        self.write_slowest(out)?;
        write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n")
    }
}

impl Html {
    fn write_files(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads = ["passed", "failed", "errored", "skipped", "seconds"];
        let heads: String = heads.map(|head| format!("<th class=\"number\">{head}</th>")).concat();
        writeln!(out, "<h2>Files</h2>\n<table>\n<tr><th>file</th>{heads}</tr>")?;
        for (file, summary, seconds) in self.files.files.iter().take(MOST_FILES) {
            let numbers = [summary.passed, summary.failed, summary.errored, summary.skipped];
            let numbers: String =
                numbers.map(|number| format!("<td class=\"number\">{number}</td>")).concat();
            let file = escaped(&visible(file));
            writeln!(
                out,
                "<tr data-row><td>{file}</td>{numbers}<td class=\"number\">{seconds:.3}</td></tr>"
            )?;
        }
        out.write_all(b"</table>\n")?;
        match self.files.files.len().saturating_sub(MOST_FILES) {
            0 => Ok(()),
            more => writeln!(out, "<p>… and {}.</p>", count(more as u64, "more file")),
        }
    }

    fn write_slowest(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(
            b"<h2>Slowest</h2>\n<table>\n<tr><th>case</th><th class=\"number\">milliseconds</th></tr>\n",
        )?;
        for slow in self.slowest.cases() {
            let (id, time) = (escaped(&visible(&slow.id)), slow.seconds * 1000.0);
            writeln!(out, "<tr data-row><td>{id}</td><td class=\"number\">{time:.3}</td></tr>")?;
        }
        out.write_all(b"</table>\n")
    }
}

fn failure(record: &Record<'_>) -> String {
    let id = escaped(&visible(&record.id()));
    let drawing = escaped(&visible_lines(&record.drawing()));
    let mut text = format!(
        "<details open data-row>\n<summary><b>{}</b> {id}</summary>\n<pre>{drawing}</pre>\n",
        record.verdict.as_str()
    );
    if !record.printed.is_empty() {
        text += &format!(
            "<p>printed by its scripts:</p>\n<pre>{}</pre>\n",
            escaped(&visible_lines(&record.printed))
        );
    }
    text + "</details>\n"
}
