//! TAP, the Test Anything Protocol, version 14: one test point a case, faults as YAML below it.

use std::io::{self, Write};

use super::record::{Mark, Record};
use super::{End, Format, Head};
use crate::verdict::Word;
use crate::visible::{Lines, is_plain, quoted, visible};

/// Beginning of every report in this format.
const OPENING: &str = "TAP version 14\n";

/// Writes TAP as cases end; the plan stands at the end.
#[derive(Debug, Default)]
pub struct Tap {
    points: u64,
}

impl Format for Tap {
    fn opening(&self) -> &'static str {
        OPENING
    }

    fn begin(&mut self, _: &Head, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(OPENING.as_bytes())
    }

    fn case(&mut self, record: &Record<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.points += 1;
        let (ok, directive) = match record.verdict {
            Word::Passed if record.known_failure => ("not ok", " # TODO fails as it is known to".to_owned()),
            Word::Passed => ("ok", String::new()),
            Word::Skipped => ("ok", format!(" # SKIP {}", described(record.reason.as_deref().unwrap_or("")))),
            Word::Failed | Word::Errored => ("not ok", String::new()),
        };
        let text = format!("{ok} {} - {}{directive}", self.points, described(&record.id()));
        writeln!(out, "{}", text.trim_end())?;
        if record.faults.is_empty() && record.printed.is_empty() {
            return Ok(());
        }
        out.write_all(b"  ---\n")?;
        if let Some(first) = record.faults.first() {
            let severity = if record.verdict == Word::Errored { "error" } else { "fail" };
            writeln!(out, "  message: {}", quoted(&first.title))?;
            writeln!(out, "  severity: {severity}\n  code: {}", quoted(&first.code))?;
            if let Some(Mark { file, line, column, .. }) = first.labels.first() {
                let file = quoted(file);
                writeln!(out, "  at:\n    file: {file}\n    line: {line}\n    column: {column}")?;
            }
            block("drawing", &record.drawing(), out)?;
        }
        if !record.printed.is_empty() {
            block("printed", &record.printed, out)?;
        }
        out.write_all(b"  ...\n")
    }

    fn end(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "1..{}", self.points)?;
        if end.summary.stopped {
            out.write_all(b"Bail out! the run was stopped before the end\n")?;
        }
        Ok(())
    }
}

/// A description on one line, in which nothing begins a directive.
fn described(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('#', "\\#")
}

/// A text of several lines, as they are where YAML can hold them.
fn block(key: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let plain = is_plain(text, Lines::Several) && !text.contains('\t');
    if !plain || text.starts_with([' ', '\n']) || text.trim().is_empty() {
        return writeln!(out, "  {key}: {}", quoted(text));
    }
    writeln!(out, "  {key}: |")?;
    for line in text.trim_end_matches('\n').split('\n') {
        if line.is_empty() { out.write_all(b"\n")? } else { writeln!(out, "    {line}")? }
    }
    Ok(())
}
