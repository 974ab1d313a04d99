//! Standard output and standard error, coloured where that is wanted.

use std::io::{self, Write as _};
use std::path::PathBuf;

use anstream::{AutoStream, ColorChoice};
use rulebook::diagnostic::Diagnostic;
use rulebook::engine::Referee;
use rulebook::engines::{self, ENGINES};

use super::exit::{Exit, Trouble};

/// Standard output, block-buffered.
pub(crate) fn stdout() -> (io::BufWriter<io::Stdout>, bool) {
    let stdout = io::stdout();
    let colour = AutoStream::choice(&stdout) != ColorChoice::Never;
    (io::BufWriter::with_capacity(1 << 16, stdout), colour)
}

/// Draws what went wrong on standard error, as far as that is possible.
pub(crate) fn complain(trouble: &Trouble) -> Exit {
    let mut stderr = io::stderr().lock();
    let colour = AutoStream::choice(&stderr) != ColorChoice::Never;
    let (faults, exit) = match trouble {
        // Who closed the pipe has seen enough.
        Trouble::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return Exit::Passed,
        Trouble::Output(error) => {
            let _ = writeln!(stderr, "error: the output cannot be written: {error}");
            return Exit::Errored;
        }
        Trouble::Usage(fault) => (std::slice::from_ref(fault), Exit::Usage),
        Trouble::Settings(faults) => (faults.as_slice(), Exit::Usage),
        Trouble::Faults(faults) => (faults.as_slice(), Exit::Errored),
    };
    for fault in faults {
        // Nobody is left to tell when standard error is gone.
        let _ = stderr.write_all(fault.draw(colour).as_bytes());
    }
    exit
}

/// The engine that the command line names.
pub(crate) fn engine(name: &str) -> Result<&'static dyn Referee, Trouble> {
    engines::find(name).ok_or_else(|| {
        let fault = Diagnostic::new("usage::unknown-engine", format!("there is no engine `{name}`"));
        Trouble::Usage(fault.suggest(name, ENGINES.iter().map(|engine| engine.name())))
    })
}

/// The paths of the command line; of a single `FILE::NAME` the file, and the scenario's name.
pub(crate) fn scenario(paths: &[PathBuf]) -> (Vec<PathBuf>, Option<String>) {
    if let [path] = paths
        && let Some((file, name)) = path.to_str().and_then(|path| path.split_once("::"))
        && !path.exists()
    {
        return (vec![PathBuf::from(file)], Some(name.to_owned()));
    }
    (paths.to_vec(), None)
}
