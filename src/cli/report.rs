//! `report`: the reports of earlier runs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rulebook::diagnostic::Diagnostic;
use rulebook::report::merge::Merge;
use rulebook::report::record::Record;
use rulebook::report::slowest::Slowest;
use rulebook::report::{jsonl, terminal};
use rulebook::source;
use rulebook::verdict::CaseResult;

use super::args::{ReportWish, Reporting};
use super::exit::{Exit, Trouble};
use super::files::{Files, Named};
use super::output;
use super::reports::Reports;

/// Merges reports, or prints their schema.
pub(crate) fn report(reporting: Reporting) -> Result<Exit, Trouble> {
    match reporting {
        Reporting::Merge { files, report, draw, slowest, signature, quiet, force } => {
            let shown = Shown { draw, slowest: slowest.unwrap_or(0), signature, quiet };
            merge(&files, &report, &shown, force)
        }
        Reporting::Schema => {
            let (mut out, _) = output::stdout();
            let schema = serde_json::to_string_pretty(&jsonl::schema()).map_err(io::Error::other)?;
            writeln!(out, "{schema}")?;
            out.flush()?;
            Ok(Exit::Passed)
        }
    }
}

/// What people are shown.
struct Shown {
    draw: u64,
    slowest: usize,
    signature: bool,
    quiet: bool,
}

/// Joins reports into one, in every format that is asked for; what is wrong with them is drawn at the end.
fn merge(files: &[PathBuf], asked: &[ReportWish], shown: &Shown, force: bool) -> Result<Exit, Trouble> {
    let mut in_use = Files::new(&Named::default(), force);
    for file in files {
        in_use.read(file);
    }
    let mut merge = Merge::new(files.iter().map(|path| (path.display().to_string(), open(path))));
    let mut reports = Reports::open(asked, merge.head(), &mut in_use)?;
    let (mut out, color) = reports.output_for_people();
    let mut slowest = Slowest::new(shown.slowest);
    let mut bad = 0_u64;
    while let Some(record) = merge.next_record() {
        slowest.add(&record);
        reports.case(&record);
        if record.verdict.is_bad() {
            bad += 1;
            if bad > shown.draw {
                continue;
            }
        }
        out.write_all(terminal::record(&record, color).as_bytes())?;
    }
    let (mut end, mut faults) = merge.end();
    if !faults.is_empty() {
        // Who reads the new report alone is to see that it is not whole.
        let not_whole = CaseResult::of_file("merged reports".into(), faults.clone());
        let record = Record::new(&not_whole);
        record.count(&mut end.summary);
        reports.case(&record);
    }
    let elapsed = Duration::try_from_secs_f64(end.seconds).unwrap_or_default();
    reports.end(&end.summary, elapsed);
    let mut text = terminal::undrawn(bad.saturating_sub(shown.draw));
    text += &terminal::slowest(slowest.cases());
    if let (true, Some(signature)) = (shown.signature, &end.signature) {
        text += &format!("signature {signature}\n");
    }
    if !shown.quiet {
        text += &terminal::summary(&end.summary, elapsed, color);
    }
    out.write_all(text.as_bytes()).and_then(|()| out.flush())?;
    if shown.signature && end.signature.is_none() && faults.is_empty() {
        let title = "the reports have no hashes to make a signature of";
        let fault = Diagnostic::new("report::no-signature", title);
        faults.push(fault.help("run them again with `--signature`"));
    }
    match reports.trouble() {
        Err(Trouble::Faults(more)) => faults.extend(more),
        other => other?,
    }
    if faults.is_empty() { Ok(Exit::of(&end.summary)) } else { Err(Trouble::Faults(faults)) }
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Diagnostic> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::with_capacity(1 << 16, file))),
        Err(error) => {
            let title = format!("`{}` cannot be read", path.display());
            Err(Diagnostic::new("report::unreadable", title).note(source::reason(&error)))
        }
    }
}
