//! Markdown, as it is shown for the summary of a job: a table of the files, and the failures.

use std::io::{self, Write};

use super::record::Record;
use super::terminal::counts;
use super::text::{visible, visible_lines};
use super::{ByFile, End, Format};
use crate::diagnostic::count;
use crate::verdict::Word;

/// Most bytes of failures that are shown: a summary of a job holds 1 MiB.
const MOST_BYTES: usize = 256 << 10;
/// Most files in the table.
const MOST_FILES: usize = 1000;

/// Beginning of every report in this format.
const OPENING: &str = "# Rulebook: ";

/// Writes Markdown at the end; keeps the failures that it shows, and the numbers of each file.
#[derive(Debug, Default)]
pub struct Markdown {
    files: ByFile,
    failures: String,
    left_out: u64,
}

impl Format for Markdown {
    fn opening(&self) -> &'static str {
        OPENING
    }

    fn case(&mut self, record: &Record<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.files.add(record);
        if !record.verdict.is_bad() {
            return Ok(());
        }
        let failure = failure(record);
        if self.failures.len() + failure.len() > MOST_BYTES {
            self.left_out += 1;
        } else {
            self.failures += &failure;
        }
        Ok(())
    }

    fn end(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{OPENING}{}\n", counts(&end.summary, false))?;
        if !self.files.files.is_empty() {
            out.write_all(b"| file | passed | failed | errored | skipped |\n")?;
            out.write_all(b"| --- | ---: | ---: | ---: | ---: |\n")?;
        }
        for (file, summary, _) in self.files.files.iter().take(MOST_FILES) {
            let (file, passed) = (code(file), summary.passed);
            let (failed, errored, skipped) = (summary.failed, summary.errored, summary.skipped);
            writeln!(out, "| {file} | {passed} | {failed} | {errored} | {skipped} |")?;
        }
        if let Some(more) = self.files.files.len().checked_sub(MOST_FILES).filter(|more| *more > 0) {
            writeln!(out, "\n… and {}", count(more as u64, "more file"))?;
        }
        if let Some(signature) = &end.signature {
            writeln!(out, "\nSignature: `{signature}`")?;
        }
        out.write_all(self.failures.as_bytes())?;
        if self.left_out > 0 {
            writeln!(
                out,
                "\n… and {} that {} left out here",
                count(self.left_out, "more failure"),
                are(self.left_out)
            )?;
        }
        Ok(())
    }
}

fn are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

fn failure(record: &Record<'_>) -> String {
    let word = if record.verdict == Word::Errored { "Errored" } else { "Failed" };
    let mut text = format!("\n## {word}: {}\n\n{}", code(&record.id()), fenced(&record.drawing()));
    if !record.printed.is_empty() {
        text += &format!("\nPrinted by its scripts:\n\n{}", fenced(&record.printed));
    }
    text
}

/// A text in a fence that is longer than any row of backticks in it.
fn fenced(text: &str) -> String {
    let text = visible_lines(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// A name as code, in a table too: nothing in it is markup.
fn code(text: &str) -> String {
    let mut safe = String::from("<code>");
    for c in visible(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '/' | '.' | '-') {
            safe += &format!("&#{};", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe + "</code>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("a"), "```text\na\n```\n");
        assert_eq!(fenced("````\n"), "`````text\n````\n`````\n");
    }

    #[test]
    fn a_name_leaves_neither_its_cell_nor_its_code() {
        assert_eq!(code("a|`<b>`\n"), "<code>a&#124;&#96;&#60;b&#62;&#96;&#92;n</code>");
    }
}
