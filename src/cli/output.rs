//! Standard output and standard error, colored where that is wanted.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use rulebook::diagnostic::Diagnostic;
use rulebook::engine::AnyEngine;
use rulebook::engines::Engines;
use rulebook::root::Bounds;
use rulebook::scenario::suite::Piece;
use rulebook::scenario::{Select, Targets, Which, Word};
use rulebook::script::{Limits, Scripts};
use rulebook::visible::{self, Lines};

use super::exit::{Exit, Trouble};

/// A stream whose reader may leave: what is written after that goes nowhere, and the command goes on to its own exit
/// code.
#[derive(Debug)]
pub(crate) struct Leavable<W>(pub(crate) W);

impl<W: Write> Write for Leavable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

/// The result, or `done` where the reader has left.
fn unless_closed<T>(result: io::Result<T>, done: T) -> io::Result<T> {
    result.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(done) } else { Err(error) })
}

/// Standard output, block-buffered.
pub(crate) fn stdout() -> (io::BufWriter<Leavable<io::Stdout>>, bool) {
    let stdout = io::stdout();
    let color = AutoStream::choice(&stdout) != ColorChoice::Never;
    (io::BufWriter::with_capacity(1 << 16, Leavable(stdout)), color)
}

/// The stream for what people read while a command runs, and whether it is colored: standard output, or standard error
/// where the former is for a program.
pub(crate) fn stream(stdout_is_taken: bool) -> (Box<dyn Write + Send>, bool) {
    let (stream, color): (Box<dyn Write + Send>, _) = if stdout_is_taken {
        (Box::new(io::stderr()), AutoStream::choice(&io::stderr()))
    } else {
        (Box::new(io::stdout()), AutoStream::choice(&io::stdout()))
    };
    (stream, color != ColorChoice::Never)
}

/// The same, block-buffered.
pub(crate) fn for_people(stdout_is_taken: bool) -> (io::BufWriter<Leavable<Box<dyn Write + Send>>>, bool) {
    let (stream, color) = stream(stdout_is_taken);
    (io::BufWriter::with_capacity(1 << 16, Leavable(stream)), color)
}

/// Draws what went wrong on standard error, as far as that is possible.
pub(crate) fn complain(trouble: &Trouble) -> Exit {
    let mut stderr = io::stderr().lock();
    let color = AutoStream::choice(&stderr) != ColorChoice::Never;
    let (faults, exit) = match trouble {
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
        let _ = stderr.write_all(fault.draw(color).as_bytes());
    }
    exit
}

/// Prints what clap says of the words of the command line: with its colors unless they hold what must not be shown.
pub(crate) fn complain_of_words(error: &clap::Error, typed: &[OsString]) {
    let plain = typed.iter().all(|word| visible::is_plain(&word.to_string_lossy(), Lines::Part));
    // Nobody is left to tell when the stream is gone.
    let _ = if plain {
        error.print()
    } else {
        io::stderr().write_all(visible::visible_lines(&error.render().to_string()).as_bytes())
    };
}

/// The engine that the command line names.
pub(crate) fn engine(name: &str) -> Result<Arc<dyn AnyEngine>, Trouble> {
    let engines = Engines::builtin();
    engines.find(name).cloned().ok_or_else(|| {
        let fault = Diagnostic::new("usage::unknown-engine", format!("there is no engine `{name}`"));
        Trouble::Usage(fault.suggest(name, engines.names()))
    })
}

/// The engine that the command line names, or the game in rhai at that path.
pub(crate) fn engine_or_game(name: &str) -> Result<Arc<dyn AnyEngine>, Trouble> {
    let path = Path::new(name);
    if path.extension().is_none_or(|end| end != "rhai") {
        return engine(name);
    }
    let game = Scripts::default().game(path, &Limits::default());
    game.map_err(|fault| Trouble::Faults(vec![fault]))
}

/// The files of a word, `FILE`, `FILE:LINE` or `FILE::NAME`, and which of their scenarios it means.
pub(crate) fn scenarios(word: &str, bounds: &Bounds) -> (Vec<Result<PathBuf, Piece>>, Select) {
    let target = match Word::read(Path::new(word)) {
        Word::Target(path, which) => (path, which),
        Word::Name(name) => (name.into(), Which::All),
    };
    let Targets { files, places } = Targets::find(vec![target], bounds);
    (files, Select { places, bounds: bounds.clone(), ..Select::default() })
}

/// The fault of a word that selects none of the cases of its file.
pub(crate) fn no_such_case(word: &str) -> Trouble {
    Trouble::Usage(Diagnostic::new("usage::no-such-scenario", format!("`{word}` has no such case")))
}
