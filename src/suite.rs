//! A suite of scenarios: files, or a text.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::runner::{self, Listener, NoWorker, Options};
use crate::scenario::suite::{self, Pieces};
use crate::verdict::Summary;

/// Scenarios that are run together.
///
/// ```
/// use rulebook::{CaseResult, Options, Suite};
///
/// let suite = Suite::from_toml(
///     "quento.toml",
///     r#"
///     engine = "quento"
///     board = ["4+3", "-5-", "9-2"]
///     target = 7
///     digits = 2
///     expect.solutions = 4
///     "#,
/// );
/// let mut seen = Vec::new();
/// let summary = suite.run(&Options::default(), &mut |case: &CaseResult| seen.push(case.clone()))?;
/// assert_eq!(summary.failed, 1);
/// let fault = &seen[0].verdict.faults()[0];
/// assert_eq!(fault.title, "`solutions` is 3");
/// println!("{}", fault.draw(false));
/// # Ok::<(), rulebook::NoWorker>(())
/// ```
#[derive(Clone, Debug)]
pub struct Suite(Origin);

/// Where the scenarios come from.
#[derive(Clone, Debug)]
enum Origin {
    Paths(Vec<PathBuf>),
    Text { name: PathBuf, text: String },
}

impl Suite {
    /// Returns the suite of the scenario files at `paths`: files, and directories with every `.toml` below them.
    ///
    /// What cannot be read becomes an errored case of the run.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self(Origin::Paths(paths.into_iter().map(|path| path.as_ref().to_owned()).collect()))
    }

    /// Returns the suite of a scenario file called `name` that says `text`.
    ///
    /// Scripts and inputs that it names are taken from the directory of `name`.
    pub fn from_toml(name: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self(Origin::Text { name: name.into(), text: text.into() })
    }

    /// Runs the scenarios and tells `listener` of each result, in the order of the files, on this thread.
    ///
    /// # Errors
    /// When the system has no room for a single worker thread.
    pub fn run(&self, options: &Options, listener: &mut impl Listener) -> Result<Summary, NoWorker> {
        let indices = options.select.indices.clone();
        let pieces = match &self.0 {
            Origin::Paths(paths) => Pieces::new(suite::files_within(paths, &options.select.bounds), indices),
            Origin::Text { name, text } => Pieces::of_text(name, text.clone(), indices),
        };
        runner::run_pieces(pieces, options, &AtomicBool::new(false), listener)
    }
}
