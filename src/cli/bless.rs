//! `run --bless` and `run --review`: what the runs came to goes into the files of the authors.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, BufRead, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebook::diagnostic::{Diagnostic, count};
use rulebook::report::diff::diff;
use rulebook::report::terminal;
use rulebook::scenario::bless::{File, Left, Part, Revised, Revision};
use rulebook::scenario::suite::Piece;
use rulebook::source;
use rulebook::verdict::CaseResult;

use super::args::{Bless, Run};
use super::exit::{Exit, Trouble};
use super::review::{Decision, Review};
use super::rewrite::{Rewritten, refuse_read_only, rewrite};

/// So many cases of one file that are left are shown, each with its reasons.
const SHOWN: usize = 20;

/// What is done with the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// They are made.
    Write,
    /// Each is shown, and made if somebody says so.
    Ask,
    /// They are shown.
    Show,
}

/// What the command asks for, if it asks for any of this.
///
/// # Errors
/// Where nobody looks at what is written.
pub(crate) fn how(args: &Run) -> Result<Option<How>, Trouble> {
    let how = match (args.review, args.bless) {
        (true, _) if io::stdin().is_terminal() && io::stdout().is_terminal() => How::Ask,
        (true, _) => How::Show,
        (false, Some(_)) => How::Write,
        (false, None) => return Ok(None),
    };
    let unattended = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    if unattended && how != How::Show && args.bless != Some(Bless::Force) {
        let fault = Diagnostic::new("usage::bless-in-ci", "`--bless` writes no files where `CI` is set");
        return Err(Trouble::Usage(
            fault
                .help("bless locally, review the diff and commit it")
                .help("`--bless=force` writes all the same"),
        ));
    }
    Ok(Some(how))
}

/// What is to be written, by file.
#[derive(Debug, Default)]
pub(crate) struct Blessings {
    files: Vec<(PathBuf, Arc<str>, File)>,
    /// Which file a path leads to: two paths may lead to one.
    known: HashMap<PathBuf, usize>,
    /// The file of the last report.
    last: Option<(Arc<str>, usize)>,
}

/// What came of the files.
#[derive(Debug, Default)]
struct Tally {
    /// What is said of the values.
    done: &'static str,
    values: u64,
    files: u64,
    /// Cases that are not settled by what is written, of those that could be run and of others.
    failed: u64,
    errored: u64,
    left: u64,
}

/// Whether files can be found again to be written: what a run knows of a file is its path as text.
///
/// # Errors
/// When a path is no text.
pub(crate) fn can_write(files: &[Result<PathBuf, Piece>]) -> Result<(), Trouble> {
    let Some(path) = files.iter().flatten().find(|path| path.to_str().is_none()) else { return Ok(()) };
    let title = format!("`{}` cannot be written: its path is not UTF-8", path.display());
    let fault = Diagnostic::new("usage::unwritable", title);
    Err(Trouble::Usage(fault.help("rename it, or select other files")))
}

impl Blessings {
    /// Hears what came of a case.
    pub(crate) fn add(&mut self, report: &CaseResult) {
        let index = match &self.last {
            Some((name, index)) if Arc::ptr_eq(name, &report.file) => *index,
            _ => {
                let path = PathBuf::from(&*report.file);
                let path = fs::canonicalize(&path).unwrap_or(path);
                let index = *self.known.entry(path.clone()).or_insert(self.files.len());
                if index == self.files.len() {
                    self.files.push((path, Arc::clone(&report.file), File::default()));
                }
                self.last = Some((Arc::clone(&report.file), index));
                index
            }
        };
        self.files[index].2.add(report);
    }

    /// Makes the changes, or shows them, and says what was done; how it went.
    pub(crate) fn finish<W: Write>(
        self,
        how: How,
        answers: impl BufRead,
        out: &mut W,
        quiet: bool,
        color: bool,
    ) -> io::Result<Exit> {
        let done = if how == How::Show { "to be written" } else { "written" };
        let mut tally = Tally { done, ..Tally::default() };
        let mut review = Review::new(answers);
        let wrong = self.files.iter().filter(|(.., file)| !file.is_right());
        for (path, name, file) in wrong {
            let mut shown = 0;
            let mut choose = |revision: &Revision, before: &str, out: &mut W| {
                let id = revision.id.clone().unwrap_or_else(|| name.to_string());
                let lines = diff(before, &revision.after, revision.line, color);
                let change = format!("{}\n{lines}\n", terminal::line_safe(&id));
                match how {
                    How::Write => Ok(Decision::Make),
                    How::Ask => review.ask(&change, out),
                    How::Show => {
                        shown += revision.count;
                        out.write_all(change.as_bytes()).map(|()| Decision::Leave)
                    }
                }
            };
            let outcome = write(path, file, |revision, before| choose(revision, before, out))?;
            let Outcome { written, values, revised, trouble } = outcome;
            let values = values + shown;
            tally.values += values;
            tally.files += u64::from(values > 0);
            let unsettled = revised.left.iter().filter(|left| !left.is_settled(&written));
            for left in unsettled.clone() {
                *if left.errored { &mut tally.errored } else { &mut tally.failed } += 1;
            }
            // What is shown may well be written.
            let left: Vec<_> = unsettled.filter(|left| how != How::Show || left.stays()).collect();
            tally.left += left.len() as u64;
            if !(quiet && left.is_empty()) {
                let text = said(name, &tally, values, &left, trouble.as_ref(), color);
                out.write_all(text.as_bytes())?;
            }
        }
        if !quiet {
            writeln!(out, "{tally}")?;
        }
        out.flush()?;
        Ok(match tally {
            Tally { errored: 1.., .. } => Exit::Errored,
            Tally { failed: 1.., .. } => Exit::Failed,
            _ => Exit::Passed,
        })
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let left = self.left;
        match (self.values, left) {
            (0, 0) => f.write_str("all is as expected: nothing was written"),
            (0, _) => write!(f, "nothing was written, {} not settled", count(left, "case")),
            (values, _) => {
                let (values, files) = (count(values, "value"), count(self.files, "file"));
                write!(f, "{values} {} in {files}", self.done)?;
                if left > 0 { write!(f, ", {} not settled", count(left, "case")) } else { Ok(()) }
            }
        }
    }
}

/// What is said of a file.
fn said(
    name: &str,
    tally: &Tally,
    values: u64,
    left: &[&Left],
    trouble: Option<&Diagnostic>,
    color: bool,
) -> String {
    let mut text = format!("{}: {} {}", terminal::line_safe(name), count(values, "value"), tally.done);
    if !left.is_empty() {
        text += &format!(", {} not settled", count(left.len() as u64, "case"));
    }
    text.push('\n');
    if let Some(fault) = trouble {
        text += &fault.draw(color);
    }
    let explained = left.iter().filter(|left| !left.why.is_empty());
    for left in explained.clone().take(SHOWN) {
        text += &terminal::left(&left.id, &left.why, color);
    }
    let more = explained.count().saturating_sub(SHOWN);
    if more > 0 {
        text += &format!("… and {} more\n", count(more as u64, "case"));
    }
    text
}

/// What became of a file.
struct Outcome {
    written: BTreeSet<Part>,
    values: u64,
    revised: Revised,
    /// Why it cannot be written.
    trouble: Option<Diagnostic>,
}

/// Writes into the file at `path` what its cases want and somebody chooses.
fn write(
    path: &Path,
    file: &File,
    mut choose: impl FnMut(&Revision, &str) -> io::Result<Decision>,
) -> io::Result<Outcome> {
    const MARK: char = '\u{feff}';
    let unwritable = |reason: String| {
        let title = format!("`{}` cannot be written", path.display());
        Diagnostic::new("bless::unwritable", title).note(reason)
    };
    let mut chosen: Option<BTreeSet<Part>> = None;
    loop {
        let left = |revised, trouble| Outcome { written: BTreeSet::new(), values: 0, revised, trouble };
        let old = match read(path) {
            Ok(old) => old,
            Err(reason) => return Ok(left(file.unread(), Some(unwritable(reason)))),
        };
        let text = old.strip_prefix(MARK).unwrap_or(&old);
        let revised = file.revise(text);
        let parts = if let Some(parts) = &chosen {
            parts
        } else {
            let mut parts = BTreeSet::new();
            for revision in &revised.revisions {
                if choose(revision, &text[revision.place.clone()])? == Decision::Make {
                    parts.insert(revision.part);
                }
            }
            chosen.insert(parts)
        };
        let made = revised.revisions.iter().filter(|revision| parts.contains(&revision.part));
        let (written, values) =
            (made.clone().map(|made| made.part).collect(), made.map(|made| made.count).sum());
        if values == 0 {
            return Ok(left(revised, None));
        }
        let Some(new) = revised.text(text, parts) else {
            let reason = "what would be written is no TOML: this is a bug, please report it".to_owned();
            return Ok(left(revised, Some(unwritable(reason))));
        };
        let new = if text.len() == old.len() { new } else { format!("{MARK}{new}") };
        match rewrite(path, &old, &new) {
            Ok(Rewritten::Done) => return Ok(Outcome { written, values, revised, trouble: None }),
            // Somebody was faster: what was not touched can be written still.
            Ok(Rewritten::Changed) => {}
            Err(error) => return Ok(left(revised, Some(unwritable(source::reason(&error))))),
        }
    }
}

/// All of a file that may be written.
fn read(path: &Path) -> Result<String, String> {
    let said = |error: io::Error| source::reason(&error);
    refuse_read_only(path).map_err(said)?;
    let bytes = source::bytes(fs::File::open(path).map_err(said)?).map_err(said)?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    use rulebook::runner::{self, Details, Listener, Options};
    use rulebook::scenario::suite;

    use super::*;

    struct Gather(Blessings);

    impl Listener for Gather {
        fn case(&mut self, report: &CaseResult) -> ControlFlow<()> {
            self.0.add(report);
            ControlFlow::Continue(())
        }
    }

    /// Three scenarios of which none is right, each reviewed with these answers: what is said, and the file by then.
    fn reviewed(answers: &str) -> (Exit, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        let scenario = "[[scenario]]\nexpect.solutions = 1\n";
        let start = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";
        fs::write(&path, format!("{start}{}", scenario.repeat(3))).unwrap();
        let mut gather = Gather(Blessings::default());
        let details = Details { blessing: true, ..Details::default() };
        let options = Options { jobs: 1, details, ..Options::default() };
        let files = suite::files(&[folder.path().to_owned()]);
        runner::run(files, &options, &AtomicBool::new(false), &mut gather).unwrap();
        let mut out = Vec::new();
        let exit = gather.0.finish(How::Ask, answers.as_bytes(), &mut out, false, false).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let values = text.lines().filter_map(|line| line.strip_prefix("expect.solutions = ")).collect();
        (exit, String::from_utf8(out).unwrap(), values)
    }

    #[test]
    fn what_is_chosen_is_written_and_nothing_else() {
        let (exit, said, values) = reviewed("n\ny\nn\n");
        assert_eq!((exit, &*values), (Exit::Failed, "131"));
        assert!(
            said.contains("7 | - expect.solutions = 1\n") || said.contains("8 | - expect.solutions = 1\n"),
            "{said}"
        );
        assert!(said.ends_with("1 value written in 1 file, 2 cases not settled\n"), "{said}");
        assert_eq!(reviewed("a\n").0, Exit::Passed);
        assert_eq!(reviewed("y\nall\n").2, "333");
        assert_eq!(reviewed("y\nq\n").2, "311");
        assert_eq!(reviewed("").2, "111");
    }
}
