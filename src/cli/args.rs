//! The command line as typed.

use std::path::PathBuf;

use clap::{Args as ArgGroup, Parser, Subcommand, ValueEnum};

/// Runs, checks and replays scenarios of board-game rules.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub(crate) struct Args {
    /// When to colour the output.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: When,
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

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run scenarios and check what they expect.
    Run(Run),
    /// Load scenarios and report their faults, running nothing.
    Check(Suite),
    /// List scenarios as FILE::NAME.
    List(Suite),
    /// Show the engines: their facts, keys, house rules, events and fault codes.
    Engines {
        /// One engine, in full.
        name: Option<String>,
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
        /// The scenario: FILE, or FILE::NAME where the file holds several.
        #[arg(value_name = "FILE[::NAME]")]
        scenario: String,
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
    /// Write the scenarios of a file as NAME.in + NAME.out pairs.
    Export {
        /// The scenario file.
        file: PathBuf,
        /// The folder to write to; made if need be.
        dir: PathBuf,
    },
}

/// Which scenarios.
#[derive(ArgGroup, Debug)]
pub(crate) struct Suite {
    /// Scenario files, and folders of them.
    #[arg(default_value = "scenarios", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only scenarios with TEXT in their FILE::NAME.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Only scenarios of this engine.
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// Only scenarios with this tag.
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Number of workers; one for each core by default.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Say nothing but what went wrong.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say also what went well.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// How to run.
#[derive(ArgGroup, Debug)]
pub(crate) struct Run {
    /// Which scenarios.
    #[command(flatten)]
    pub(crate) suite: Suite,
    /// Stop at the first scenario that does not pass.
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// When to show progress on standard error.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) progress: When,
}
