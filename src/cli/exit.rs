//! Exit codes, and what keeps a subcommand from doing its work.

use std::io;
use std::process::ExitCode;

use rulebook::diagnostic::Diagnostic;
use rulebook::runner::NoWorker;
use rulebook::source;
use rulebook::verdict::Summary;

/// How a subcommand ended; the numbers are promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Passed = 0,
    /// A scenario failed.
    Failed = 1,
    /// The command was not understood.
    Usage = 2,
    /// Something could not be read, loaded or run; stronger than `Failed`.
    Errored = 3,
    /// The selection is empty.
    Nothing = 4,
    /// The user pressed Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// The code of a run that came to `summary`.
    pub(crate) fn of(summary: &Summary) -> Self {
        match summary {
            Summary { errored: 1.., .. } => Self::Errored,
            Summary { failed: 1.., .. } => Self::Failed,
            _ if summary.cases() == 0 && !summary.stopped => Self::Nothing,
            _ => Self::Passed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What keeps a subcommand from doing its work.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The output cannot be written.
    Output(io::Error),
    /// The command asks for something that is not there; what, and what to do.
    Usage(Diagnostic),
    /// The environment or the suite's settings file has faults.
    Settings(Vec<Diagnostic>),
    /// The input has faults.
    Faults(Vec<Diagnostic>),
}

impl Trouble {
    /// Returns the trouble of a command that needs a thread which the system has no room for.
    pub(crate) fn no_thread(error: &io::Error) -> Self {
        let fault = Diagnostic::new("usage::no-thread", "there is no room for a thread");
        fault.note(source::reason(error)).help("raise the limits of threads and memory").into()
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<NoWorker> for Trouble {
    fn from(NoWorker(error): NoWorker) -> Self {
        Self::no_thread(&error)
    }
}

impl From<Diagnostic> for Trouble {
    fn from(fault: Diagnostic) -> Self {
        Self::Faults(vec![fault])
    }
}
