//! The command line as typed.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args as ArgGroup, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use rulebook::diagnostic::names;
use rulebook::root::Bounds;

use super::files::Named;

/// Headings of the help, in the order in which it shows them.
const SELECTION: &str = "Selection";
const EXECUTION: &str = "Execution";
const UPDATING: &str = "Updating";
const OUTPUT: &str = "Output";
const REPORTS: &str = "Reports";
const SETTINGS: &str = "Settings";

/// Run, check and replay scenarios of board-game rules.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub(crate) struct Args {
    /// When to color the output.
    #[arg(long, global = true, help_heading = OUTPUT, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: When,
    /// Read settings from FILE instead of the nearest `rulebook.toml` above the working directory.
    #[arg(long, global = true, help_heading = SETTINGS, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Read no settings file.
    #[arg(long, global = true, help_heading = SETTINGS, conflicts_with = "config")]
    pub(crate) no_config: bool,
    /// Allow scenarios to name hidden files and files outside their suite.
    #[arg(long, global = true, help_heading = SETTINGS)]
    pub(crate) allow_outside: bool,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use a feature that is meant for terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// If the output is a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How to update scenario files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bless {
    /// Refuse if the variable `CI` is set.
    Write,
    /// Update even if `CI` is set.
    Force,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run scenarios and compare the results with what they expect.
    Run(Run),
    /// Report errors in scenario files without running them.
    Check(Suite),
    /// List scenarios as FILE::NAME.
    List(Suite),
    /// Print scenarios as plain TOML, with generated cases and chosen moves written out.
    Expand {
        /// Scenarios to print: `FILE`, `FILE::NAME` or `FILE:LINE`.
        #[arg(value_name = "FILE[::NAME|:LINE]")]
        scenario: String,
        /// Print only case N of generated scenarios.
        #[arg(long, value_name = "N", conflicts_with = "range")]
        index: Option<u64>,
        /// Print only the cases from A up to, but not including, B.
        #[arg(long, value_name = "A..B", value_parser = range)]
        range: Option<Range<u64>>,
    },
    /// List the engines, or show the keys, facts, rules, events and error codes of one.
    Engines {
        /// Engine to show in full; a path that ends in `.rhai` is a game in rhai.
        name: Option<String>,
        /// List the functions that scripts can call.
        #[arg(long, conflicts_with = "name")]
        script: bool,
    },
    /// Solve an input in the problem statement's format and print the answer in its format.
    Solve {
        /// Engine to solve with.
        engine: String,
        /// Input file; `-` reads standard input.
        #[arg(default_value = "-")]
        input: PathBuf,
        /// Lift the statement's size limits.
        #[arg(long)]
        no_limits: bool,
    },
    /// Show the run of a scenario step by step.
    Replay {
        /// Scenario to show: `FILE`, `FILE::NAME` or `FILE:LINE`.
        #[arg(value_name = "FILE[::NAME|:LINE]")]
        scenario: String,
        /// Show case N of a generated scenario.
        #[arg(long, value_name = "N")]
        index: Option<u64>,
        /// Show only step N (a turn or swap); 0 is the start.
        #[arg(long, value_name = "N", conflicts_with_all = ["from", "to"])]
        at: Option<u64>,
        /// First step to show.
        #[arg(long, value_name = "N")]
        from: Option<u64>,
        /// Last step to show.
        #[arg(long, value_name = "N")]
        to: Option<u64>,
        /// Print the trace as JSON, one line for each frame.
        #[arg(long)]
        json: bool,
    },
    /// Merge reports of earlier runs, or print their schema.
    #[command(subcommand)]
    Report(Reporting),
    /// Print pairs of NAME.in and NAME.out (or NAME.ans) files as a scenario file.
    Import {
        /// Engine of the inputs.
        engine: String,
        /// Directory of the pairs.
        dir: PathBuf,
        /// Keep each input as text instead of structured keys.
        #[arg(long)]
        raw: bool,
    },
    /// Write scenarios as pairs of NAME.in and NAME.out files.
    Export {
        /// Scenarios to write: `FILE`, `FILE::NAME` or `FILE:LINE`.
        #[arg(value_name = "FILE[::NAME|:LINE]")]
        scenario: String,
        /// Output directory (created if missing).
        dir: PathBuf,
        /// Export only case N of generated scenarios.
        #[arg(long, value_name = "N")]
        index: Option<u64>,
    },
    /// Print a commented starter scenario that passes as is.
    New {
        /// Engine of the scenario; a path that ends in `.rhai` is a game in rhai.
        engine: String,
    },
    /// Align the columns of boards in scenario files, changing nothing else.
    Fmt {
        /// Scenario files and directories; `-` formats standard input to standard output.
        #[arg(default_value = "scenarios", value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// List files that would change, without writing them.
        #[arg(long)]
        check: bool,
    },
    /// Print the JSON Schema of scenario files.
    Schema,
    /// Print shell completions.
    Completions {
        /// Shell to complete in.
        shell: Shell,
    },
    /// Print the manual page, or write all pages to a directory.
    Man {
        /// Write the pages to DIR, one for each subcommand.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Print the effective settings of `run` and where each one comes from.
    Config(Run),
}

/// Which scenarios.
#[derive(ArgGroup, Debug)]
pub(crate) struct Suite {
    /// Files, directories or globs; `FILE::NAME` or `FILE:LINE` selects one scenario; any other argument matches part of
    /// `FILE::NAME`; `-` reads TOML or JSON Lines from standard input.
    #[arg(default_value = "scenarios", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Run only scenarios matching a filter expression, e.g. `engine(match3) & tag(cascade) - name(/slow/)`.
    #[arg(long, short = 'E', value_name = "EXPR", help_heading = SELECTION)]
    pub(crate) filter: Option<String>,
    /// Run only scenarios with TEXT in `FILE::NAME`.
    #[arg(long, value_name = "TEXT", help_heading = SELECTION)]
    pub(crate) name: Option<String>,
    /// Run only scenarios of this engine.
    #[arg(long, value_name = "NAME", help_heading = SELECTION)]
    pub(crate) engine: Option<String>,
    /// Run only scenarios with this tag.
    #[arg(long, value_name = "TAG", help_heading = SELECTION)]
    pub(crate) tag: Option<String>,
    /// Run only case N of generated scenarios.
    #[arg(long, value_name = "N", help_heading = SELECTION)]
    pub(crate) index: Option<u64>,
    /// Run shard I of N; `auto` reads the shard from the environment of the CI or batch system.
    #[arg(long, value_name = "I/N", help_heading = SELECTION)]
    pub(crate) shard: Option<String>,
    /// Number of worker threads [default: one for each core].
    #[arg(long, short, value_name = "N", value_parser = jobs, help_heading = EXECUTION)]
    pub(crate) jobs: Option<u16>,
    /// Show the first N failures, equal ones too [default: 100, equal ones counted]; reports contain all.
    #[arg(long, value_name = "N", help_heading = OUTPUT)]
    pub(crate) draw: Option<u64>,
    /// Print failures only.
    #[arg(long, short, conflicts_with = "verbose", help_heading = OUTPUT)]
    pub(crate) quiet: bool,
    /// Also print passing cases.
    #[arg(long, short, help_heading = OUTPUT)]
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
    /// Rerun only the cases that failed last time (all, if none did).
    #[arg(long, conflicts_with = "failed_first", help_heading = SELECTION)]
    pub(crate) last_failed: bool,
    /// Run the cases that failed last time first.
    #[arg(long, help_heading = SELECTION)]
    pub(crate) failed_first: bool,
    /// Remember failures in FILE instead of the user cache.
    #[arg(long, value_name = "FILE", help_heading = SELECTION)]
    pub(crate) state: Option<PathBuf>,
    /// Shuffle files and scenarios, using SEED.
    #[arg(long, value_name = "SEED", help_heading = EXECUTION)]
    pub(crate) shuffle: Option<u64>,
    /// Stop at the first failure.
    #[arg(long, help_heading = EXECUTION)]
    pub(crate) fail_fast: bool,
    /// Watch files and rerun affected scenarios on change.
    #[arg(long, conflicts_with_all = ["bless", "review", "last_failed", "shard"], help_heading = EXECUTION)]
    pub(crate) watch: bool,
    /// Update expected values in the scenario files to the actual results.
    #[arg(
        long,
        help_heading = UPDATING,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "write",
        conflicts_with = "fail_fast"
    )]
    pub(crate) bless: Option<Bless>,
    /// Review each `--bless` change interactively (only show it without a terminal).
    #[arg(long, conflicts_with = "fail_fast", help_heading = UPDATING)]
    pub(crate) review: bool,
    /// Print summary statistics of FACT (repeatable).
    #[arg(long, value_name = "FACT", help_heading = OUTPUT)]
    pub(crate) summary: Vec<String>,
    /// Write summary statistics to FILE as JSON.
    #[arg(long, value_name = "FILE", help_heading = REPORTS)]
    pub(crate) summary_json: Option<PathBuf>,
    /// Write a report in FORMAT to FILE or standard output (repeatable).
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = ReportWish::parse, help_heading = REPORTS)]
    pub(crate) report: Vec<ReportWish>,
    /// Resume an interrupted run: skip the cases in the JSON Lines report FILE and append the rest.
    #[arg(long, value_name = "FILE", help_heading = REPORTS, conflicts_with_all = ["last_failed", "failed_first", "bless", "review", "watch"])]
    pub(crate) resume: Option<PathBuf>,
    /// List the N slowest cases.
    #[arg(long, value_name = "N", help_heading = OUTPUT)]
    pub(crate) slowest: Option<usize>,
    /// Print one signature of all results.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) signature: bool,
    /// Replace output files even if they were not written by Rulebook.
    #[arg(long, help_heading = REPORTS)]
    pub(crate) force: bool,
    /// When to show progress on standard error.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = OUTPUT)]
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
    /// Merge JSON Lines reports, such as those of the shards of a run.
    Merge {
        /// Reports to merge; `-` reads standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Write a report in FORMAT to FILE or standard output (repeatable).
        #[arg(long, value_name = "FORMAT[=FILE]", value_parser = ReportWish::parse)]
        report: Vec<ReportWish>,
        /// Show at most N failures; reports contain all.
        #[arg(long, value_name = "N", default_value_t = 100)]
        draw: u64,
        /// List the N slowest cases.
        #[arg(long, value_name = "N")]
        slowest: Option<usize>,
        /// Print one signature of all results.
        #[arg(long)]
        signature: bool,
        /// Print failures only.
        #[arg(long, short)]
        quiet: bool,
        /// Replace output files even if they were not written by Rulebook.
        #[arg(long)]
        force: bool,
    },
    /// Print the JSON Schema of the lines of a JSON Lines report.
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
    /// JUnit XML.
    Junit,
    /// TAP version 14.
    Tap,
    /// GitHub Actions annotations.
    Github,
    /// HTML page.
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
