//! The command line as typed.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args as ArgGroup, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use rulebook::diagnostic::names;
use rulebook::root::Bounds;

use super::files::Named;

/// Runs, checks and replays scenarios of board-game rules.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub(crate) struct Args {
    /// When to colour the output.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: When,
    /// Take settings from FILE instead of the nearest `rulebook.toml` above the working directory.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Take settings from no file.
    #[arg(long, global = true, conflicts_with = "config")]
    pub(crate) no_config: bool,
    /// Let scenarios name files outside of their suite, and hidden ones.
    #[arg(long, global = true)]
    pub(crate) allow_outside: bool,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to do something that suits terminals only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Whether scenario files are written where nobody may be looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bless {
    /// Not where the variable `CI` is set.
    Write,
    /// Everywhere.
    Force,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run scenarios and check what they expect.
    Run(Run),
    /// Load scenarios and report their faults, running nothing.
    Check(Suite),
    /// List scenarios as FILE::NAME.
    List(Suite),
    /// Print scenarios as plain TOML: what generators make and policies choose is written out.
    Expand {
        /// The scenarios: `FILE`, `FILE::NAME` or `FILE:LINE`.
        #[arg(value_name = "FILE[::NAME|:LINE]")]
        scenario: String,
        /// Only the case with this index.
        #[arg(long, value_name = "N", conflicts_with = "range")]
        index: Option<u64>,
        /// Only the cases with the indices from A to below B.
        #[arg(long, value_name = "A..B", value_parser = range)]
        range: Option<Range<u64>>,
    },
    /// Show the engines: their facts, keys, house rules, events and fault codes.
    Engines {
        /// One engine, in full; a path that ends in `.rhai` is a game in rhai.
        name: Option<String>,
        /// The functions that scripts may call.
        #[arg(long, conflicts_with = "name")]
        script: bool,
    },
    /// Solve an input in the statement's format and print the statement's output.
    Solve {
        /// The engine.
        engine: String,
        /// The input; `-` is standard input.
        #[arg(default_value = "-")]
        input: PathBuf,
        /// Lift the statement's limits of size.
        #[arg(long)]
        no_limits: bool,
    },
    /// Show a scenario's run frame by frame.
    Replay {
        /// The scenario: `FILE`, or `FILE::NAME` or `FILE:LINE` where the file holds several.
        #[arg(value_name = "FILE[::NAME|:LINE]")]
        scenario: String,
        /// Of a scenario whose cases a script makes: the case with this index.
        #[arg(long, value_name = "N")]
        index: Option<u64>,
        /// Only this step (turn or swap); 0 is the start.
        #[arg(long, value_name = "N", conflicts_with_all = ["from", "to"])]
        at: Option<u64>,
        /// From this step on.
        #[arg(long, value_name = "N")]
        from: Option<u64>,
        /// Up to this step.
        #[arg(long, value_name = "N")]
        to: Option<u64>,
        /// The trace as JSON, one line a frame.
        #[arg(long)]
        json: bool,
    },
    /// Work with the reports of earlier runs.
    #[command(subcommand)]
    Report(Reporting),
    /// Turn NAME.in + NAME.out (or .ans) pairs into a scenario file, on standard output.
    Import {
        /// The engine.
        engine: String,
        /// The folder of the pairs.
        dir: PathBuf,
        /// Keep the statement's text instead of structured keys.
        #[arg(long)]
        raw: bool,
    },
    /// Write scenarios as NAME.in + NAME.out pairs.
    Export {
        /// The scenarios: a file, `FILE::NAME` or `FILE:LINE`.
        #[arg(value_name = "FILE[::NAME|:LINE]")]
        scenario: String,
        /// Output directory (created if missing).
        dir: PathBuf,
        /// Export only case N of generated scenarios.
        #[arg(long, value_name = "N")]
        index: Option<u64>,
    },
    /// Print a scenario to start from, with a word on every key; it passes as it is.
    New {
        /// The engine; a path that ends in `.rhai` is a game in rhai.
        engine: String,
    },
    /// Align the columns of boards in scenario files, and change nothing else.
    Fmt {
        /// Scenario files, and folders of them; `-` alone is standard input, written to standard output.
        #[arg(default_value = "scenarios", value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Change nothing, and list the files that would be.
        #[arg(long)]
        check: bool,
    },
    /// Print the JSON Schema of scenario files, for editors.
    Schema,
    /// Print what a shell needs to complete commands and flags.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page.
    Man {
        /// Write it to DIR, with one page for each subcommand.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Print the settings of `run`, each with where it comes from; takes the flags of `run`.
    Config(Run),
}

/// Which scenarios.
#[derive(ArgGroup, Debug)]
pub(crate) struct Suite {
    /// Scenario files, folders of them, and globs; `FILE::NAME` and `FILE:LINE` are scenarios of a file, and what is no path
    /// is a part of `FILE::NAME`; `-` is standard input, TOML or JSON Lines.
    #[arg(default_value = "scenarios", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Of scenarios whose cases a script makes: only the case with this index.
    #[arg(long, value_name = "N")]
    pub(crate) index: Option<u64>,
    /// Only scenarios with TEXT in their FILE::NAME.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Only scenarios that a filter takes, such as `engine(match3) & tag(cascade) - name(/slow/)`.
    #[arg(long, short = 'E', value_name = "FILTER")]
    pub(crate) select: Option<String>,
    /// Only the part I of N of the scenarios; `auto` asks the system that started this process.
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Only scenarios of this engine.
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// Only scenarios with this tag.
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Number of workers; one for each core by default.
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<u16>,
    /// Show the first N failures one by one; by default 100, with equal ones counted (reports always contain all).
    #[arg(long, value_name = "N")]
    pub(crate) draw: Option<u64>,
    /// Say nothing but what went wrong.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say also what went well.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Limits of what scenarios may name.
    #[arg(skip)]
    pub(crate) bounds: Bounds,
}

/// How to run.
#[derive(ArgGroup, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that is given or not")]
pub(crate) struct Run {
    /// Which scenarios.
    #[command(flatten)]
    pub(crate) suite: Suite,
    /// Only the cases that did not pass when they were last run; all, if there are none.
    #[arg(long, conflicts_with = "failed_first")]
    pub(crate) last_failed: bool,
    /// The cases that did not pass when they were last run before all others.
    #[arg(long)]
    pub(crate) failed_first: bool,
    /// Where to remember what did not pass, instead of the user's cache.
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Run files, and the scenarios in them, in an order that SEED gives.
    #[arg(long, value_name = "SEED")]
    pub(crate) shuffle: Option<u64>,
    /// Stop at the first scenario that does not pass.
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Stay, and run again what changes of files touch.
    #[arg(long, conflicts_with_all = ["bless", "review", "last_failed", "shard"])]
    pub(crate) watch: bool,
    /// Write what the runs came to into the scenario files, in place of what was expected.
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "write",
        conflicts_with = "fail_fast"
    )]
    pub(crate) bless: Option<Bless>,
    /// Show what `--bless` would write, scenario by scenario, and ask; without a terminal, show it.
    #[arg(long, conflicts_with = "fail_fast")]
    pub(crate) review: bool,
    /// Show how FACT spreads over the cases; may be given several times.
    #[arg(long, value_name = "FACT")]
    pub(crate) summary: Vec<String>,
    /// Write the spread of all facts that are summed up to FILE, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary_json: Option<PathBuf>,
    /// Report the run in FORMAT, to FILE or to standard output; may be given several times.
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = ReportWish::parse)]
    pub(crate) report: Vec<ReportWish>,
    /// Go on with a run that was ended: leave out the cases that FILE, its report in JSON Lines, holds, and add the others
    /// to it; begin it if there is none.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["last_failed", "failed_first", "bless", "review", "watch"])]
    pub(crate) resume: Option<PathBuf>,
    /// List the N slowest cases.
    #[arg(long, value_name = "N")]
    pub(crate) slowest: Option<usize>,
    /// Print one hash over all facts of all cases.
    #[arg(long)]
    pub(crate) signature: bool,
    /// Let reports and other outputs replace files that are not former outputs.
    #[arg(long)]
    pub(crate) force: bool,
    /// When to show progress on standard error.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) progress: When,
    /// The outputs that a settings file names.
    #[arg(skip)]
    pub(crate) named: Named,
}

impl Run {
    /// Returns the files that results are written to, each with the argument that names it.
    pub(crate) fn outputs(&self) -> Vec<(&'static str, &Path)> {
        let reports = self.report.iter().filter_map(|report| Some(("report", report.file.as_deref()?)));
        let others = [("summary_json", self.summary_json.as_deref()), ("state", self.state.as_deref())];
        reports.chain(others.into_iter().filter_map(|(id, path)| Some((id, path?)))).collect()
    }
}

/// `report`.
#[derive(Debug, Subcommand)]
pub(crate) enum Reporting {
    /// Join reports in JSON Lines, such as those of the shards of a run.
    Merge {
        /// The reports; `-` is standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Report all of them in FORMAT, to FILE or to standard output; may be given several times.
        #[arg(long, value_name = "FORMAT[=FILE]", value_parser = ReportWish::parse)]
        report: Vec<ReportWish>,
        /// Draw at most so many of the cases that do not pass; reports hold all.
        #[arg(long, value_name = "N", default_value_t = 100)]
        draw: u64,
        /// List the N slowest cases.
        #[arg(long, value_name = "N")]
        slowest: Option<usize>,
        /// Print one hash over all facts of all cases.
        #[arg(long)]
        signature: bool,
        /// Say nothing but what went wrong.
        #[arg(long, short)]
        quiet: bool,
        /// Let reports replace files that are not former reports.
        #[arg(long)]
        force: bool,
    },
    /// Print the JSON Schema of the lines of a report in JSON Lines.
    Schema,
}

/// A report that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportWish {
    /// How it is written.
    pub(crate) format: ReportFormat,
    /// The file that it goes to, if not to standard output.
    pub(crate) file: Option<PathBuf>,
}

/// The formats of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// JSON Lines.
    Jsonl,
    /// JUnit's XML.
    Junit,
    /// TAP, version 14.
    Tap,
    /// Annotations of GitHub Actions.
    Github,
    /// A page for a browser.
    Html,
    /// Markdown.
    Markdown,
}

impl ReportWish {
    /// `FORMAT[=FILE]`.
    pub(crate) fn parse(typed: &str) -> Result<Self, String> {
        let (format, file) = match typed.split_once('=') {
            Some((_, "")) => return Err("expected a file behind `=`".to_owned()),
            Some((format, file)) => (format, Some(PathBuf::from(file))),
            None => (typed, None),
        };
        let known = ReportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let known: Vec<_> = known.map(|format| format.get_name().to_owned()).collect();
        let format = ReportFormat::from_str(format, false)
            .map_err(|_| format!("there is no format `{format}`; choose from {}", names(&known)))?;
        Ok(Self { format, file })
    }

    /// What was written as [`Self::parse`] takes it, its file taken from `folder`.
    pub(crate) fn below(folder: &Path, written: &str) -> OsString {
        let Some((format, file)) = written.split_once('=').filter(|(_, file)| !file.is_empty()) else {
            return written.into();
        };
        let mut typed = OsString::from(format!("{format}="));
        typed.push(folder.join(file));
        typed
    }
}

/// A number of workers.
fn jobs(typed: &str) -> Result<u16, &'static str> {
    let jobs = typed.parse().ok().filter(|jobs| (1..=1024).contains(jobs));
    jobs.ok_or("expected a number from 1 to 1024")
}

/// `A..B`.
fn range(typed: &str) -> Result<Range<u64>, String> {
    let range = typed.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.filter(|range| !range.is_empty()).ok_or_else(|| "expected A..B, with A below B".to_owned())
}
