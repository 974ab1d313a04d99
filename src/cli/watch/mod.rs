//! `run --watch`: runs again what a change of files touches.
//!
//! What the system tells of files is taken as a hint only: after each hint all files that are known are looked at, so
//! nothing depends on how an editor saves, or on which hints get lost.

mod folders;
mod keys;
mod known;

use std::collections::BTreeSet;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType};
use rulebook::diagnostic::count;
use rulebook::scenario::Needs;
use rulebook::visible::visible;

use self::folders::Folders;
use self::keys::{Key, Keys};
use self::known::{Changes, Known, Stamp};
use super::args::Run;
use super::exit::{Exit, Trouble};
use super::interrupt::Interrupt;
use super::output;
use super::run::{self, Round};
use super::selection::{self, Selection, Words};

/// How often files and keys are asked for news.
const TICK: Duration = Duration::from_millis(50);

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Task {
    All,
    /// What did not pass.
    Failed,
    /// All that is selected of these scenario files.
    Files(BTreeSet<PathBuf>),
}

/// What comes after a run.
enum Next {
    Run(Task),
    End,
    Interrupted,
}

/// Runs what is selected, and again whenever something of it changes, until somebody ends it; the exit code is that of
/// the last run.
pub(crate) fn watch(args: &Run) -> Result<Exit, Trouble> {
    let mut watch = Watch::new(args)?;
    let mut exit = watch.run(&Task::All)?;
    while exit != Exit::Interrupted {
        let task = match watch.wait() {
            Ok(Next::Run(task)) => task,
            Ok(Next::End) => break,
            Ok(Next::Interrupted) => return Ok(Exit::Interrupted),
            // Whoever closed the pipe has seen enough.
            Err(Trouble::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(trouble) => return Err(trouble),
        };
        exit = match watch.run(&task) {
            // Where nothing was there to be run, nothing has become better.
            Ok(Exit::Nothing) if task != Task::All => exit,
            Err(Trouble::Output(error)) => return Err(error.into()),
            run => run.unwrap_or_else(|trouble| output::complain(&trouble)),
        };
    }
    Ok(exit)
}

struct Watch<'a> {
    args: &'a Run,
    out: BufWriter<Box<dyn Write + Send>>,
    /// Whether somebody looks at the output and has a keyboard.
    terminal: bool,
    keys: Keys,
    words: Words,
    known: Known,
    interrupt: Interrupt,
    /// What was said to go unnoticed.
    unseen: BTreeSet<String>,
}

impl<'a> Watch<'a> {
    fn new(args: &'a Run) -> Result<Self, Trouble> {
        let taken = args.report.iter().any(|report| report.file.is_none());
        let (out, _) = output::stream(taken);
        let seen = if taken { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
        let terminal = seen && io::stdin().is_terminal();
        let mut watch = Self {
            args,
            out: BufWriter::new(out),
            terminal,
            keys: Keys::of(terminal).map_err(|error| Trouble::no_thread(&error))?,
            words: Words::of(&args.suite)?,
            known: Known::default(),
            interrupt: Interrupt::heard(),
            unseen: BTreeSet::new(),
        };
        watch.look()?;
        Ok(watch)
    }

    /// What is selected as things are now.
    fn selection(&self) -> Result<Selection, Trouble> {
        Selection::find(&self.args.suite, self.words.clone())
    }

    /// Looks at all files; what is new since the last look.
    fn look(&mut self) -> Result<Changes, Trouble> {
        let files = self.selection()?.files.iter().map(selection::path).collect();
        Ok(self.known.look(&files, Stamp::of))
    }

    fn run(&mut self, task: &Task) -> Result<Exit, Trouble> {
        if self.terminal {
            queue!(self.out, Clear(ClearType::All), MoveTo(0, 0))?;
            self.out.flush()?;
        }
        let needs = Arc::new(Needs::default());
        let since = SystemTime::now();
        let all = self.known.scenario_files();
        let (files, whole) = match task {
            Task::All => (None, all),
            Task::Failed => (None, BTreeSet::new()),
            Task::Files(files) => (Some(files.clone()), files.clone()),
        };
        let failed = *task == Task::Failed;
        let round = Round { files, failed, needs: Some(Arc::clone(&needs)) };
        let exit = run::round(self.args, self.selection()?, round);
        // A run that ends at what fails has come to no end.
        let ended = !self.args.fail_fast || matches!(exit, Ok(Exit::Passed | Exit::Nothing));
        let (whole, due) = if ended { (whole, BTreeSet::new()) } else { (BTreeSet::new(), whole) };
        self.known.ran(&needs.files(), &whole, &due, since, Stamp::of);
        exit
    }

    /// Waits until there is something to run, or no more.
    fn wait(&mut self) -> Result<Next, Trouble> {
        // A key, or a signal, that ends it finds the terminal as it was.
        self.interrupt.close();
        let mut told = false;
        loop {
            let roots = self.words.roots();
            // What changes behind this line is heard of, what has changed above it is seen.
            let mut folders = Folders::watch(&roots, self.known.files());
            let changes = self.look()?;
            if !changes.touched.is_empty() {
                return Ok(Next::Run(Task::Files(changes.touched)));
            }
            if !told || !changes.gone.is_empty() {
                self.tell(&folders, &changes.gone)?;
                told = true;
            }
            match self.hear(&mut folders) {
                None => {}
                Some(Key::All) => {
                    self.look()?;
                    return Ok(Next::Run(Task::All));
                }
                Some(Key::Failed) => return Ok(Next::Run(Task::Failed)),
                Some(Key::End) => return Ok(Next::End),
                Some(Key::Interrupt) => return Ok(Next::Interrupted),
            }
        }
    }

    /// The next key; nothing if files may have changed before it.
    fn hear(&self, folders: &mut Folders) -> Option<Key> {
        let keys = self.keys.listen();
        while !folders.have_changed() {
            if self.interrupt.is_pressed() {
                return Some(Key::Interrupt);
            }
            if let Some(key) = keys.next(TICK) {
                return Some(key);
            }
        }
        None
    }

    /// Says what is waited for.
    fn tell(&mut self, folders: &Folders, gone: &BTreeSet<PathBuf>) -> io::Result<()> {
        for unseen in &folders.unseen {
            if self.unseen.insert(unseen.clone()) {
                // Nobody is left to tell when standard error is gone.
                let _ = writeln!(io::stderr(), "note: {}; Enter runs all", visible(unseen));
            }
        }
        if self.args.suite.quiet {
            return Ok(());
        }
        if !gone.is_empty() {
            let (what, verb) = match gone.first() {
                Some(only) if gone.len() == 1 => (format!("`{}`", only.display()), "is"),
                _ => (count(gone.len() as u64, "file"), "are"),
            };
            writeln!(self.out, "{} {verb} no longer there", visible(&what))?;
        }
        let files = count(self.known.count() as u64, "file");
        writeln!(self.out, "watching {files} (Enter: run all, f: rerun failed, q: quit)")?;
        self.out.flush()
    }
}
