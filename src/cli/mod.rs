//! The command line: one file a subcommand, each returning how it went.

mod args;
mod bless;
mod completions;
mod config;
mod console;
mod engines;
mod exit;
mod expand;
mod export;
mod files;
mod fmt;
mod import;
mod interrupt;
mod man;
mod new;
mod output;
mod progress;
mod replay;
mod report;
mod reports;
mod resume;
mod review;
mod rewrite;
mod run;
mod schema;
mod selection;
mod settings;
mod shard;
mod solve;
mod spreads;
mod standing;
mod state;
mod watch;

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use self::args::{Command, When};
use self::exit::Trouble;
use self::settings::Refusal;

/// Says that the system has no room for the thread that does all the work.
pub(crate) fn no_thread(error: &io::Error) -> ExitCode {
    output::complain(&Trouble::no_thread(error)).into()
}

/// Runs the subcommand that was typed.
pub(crate) fn main(typed: &[OsString]) -> ExitCode {
    let folder = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let settings = match settings::read(typed, |variable| env::var_os(variable), &folder) {
        Ok(settings) => settings,
        Err(Refusal::Faults(faults)) => return output::complain(&Trouble::Settings(faults)).into(),
        Err(Refusal::CommandLine(error)) => {
            output::complain_of_words(&error, typed);
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    let choice = match settings.args.color {
        When::Auto => anstream::ColorChoice::Auto,
        When::Always => anstream::ColorChoice::Always,
        When::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    let command = settings.args.command;
    let bounds = &settings.bounds;
    let result = match command {
        Command::Run(run) => run::run(&run),
        Command::Check(suite) => run::check(&suite),
        Command::List(suite) => run::list(&suite),
        Command::Expand { scenario, index, range } => {
            expand::expand(&scenario, index.map(|index| index..index.saturating_add(1)).or(range), bounds)
        }
        Command::Engines { script: true, .. } => engines::functions(),
        Command::Engines { name, .. } => engines::engines(name.as_deref()),
        Command::Solve { engine, input, no_limits } => solve::solve(&engine, &input, !no_limits),
        Command::Replay { scenario, index, at, from, to, json } => {
            let steps = at.map_or(from.unwrap_or(0)..=to.unwrap_or(u64::MAX), |at| at..=at);
            replay::replay(&scenario, index, steps, json, bounds)
        }
        Command::Report(reporting) => report::report(reporting),
        Command::Import { engine, dir, raw } => import::import(&engine, &dir, raw, bounds),
        Command::Config(_) => config::config(&settings.matches, &settings.origins),
        Command::New { engine } => new::new(&engine),
        Command::Fmt { paths, check } => fmt::fmt(&paths, check, bounds),
        Command::Schema => schema::schema(),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { dir } => man::man(dir.as_deref()),
        Command::Export { scenario, dir, index } => {
            export::export(&scenario, index.map(|index| index..index.saturating_add(1)), &dir, bounds)
        }
    };
    result.unwrap_or_else(|trouble| output::complain(&trouble)).into()
}
