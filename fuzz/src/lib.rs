//! A suite of one text, run in memory.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rulebook::runner::{self, Listener, Options};
use rulebook::scenario::split::Splitter;
use rulebook::scenario::suite::Piece;
use rulebook::scenario::{File, Select};
use rulebook::verdict::Report;

/// Path of the text; there is no such directory, so that scenarios reach no other file.
pub const PATH: &str = "nowhere/fuzz.toml";

/// Options that load scenarios without playing them.
pub fn load_only() -> Options {
    Options { select: Select { load_only: true, ..Select::default() }, ..Options::default() }
}

/// Returns the results of the scenarios in `text`, in their order.
pub fn run(text: &str, options: &Options) -> Vec<Report> {
    let file = Arc::new(File::new(Path::new(PATH), &Arc::default()));
    let chunks = Splitter::new(text.as_bytes()).map(|chunk| chunk.expect("short text in UTF-8"));
    let pieces = chunks.map(|chunk| Err(Piece { file: Arc::clone(&file), content: Ok(chunk) }));
    let mut results = Results(Vec::new());
    runner::run(pieces.collect(), options, &AtomicBool::new(false), &mut results);
    results.0
}

struct Results(Vec<Report>);

impl Listener for Results {
    fn case(&mut self, result: &Report) -> ControlFlow<()> {
        self.0.push(result.clone());
        ControlFlow::Continue(())
    }
}
