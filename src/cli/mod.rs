//! The command line: one file a subcommand, each returning how it went.

pub(crate) mod args;

mod console;
mod engines;
mod exit;
mod expand;
mod export;
mod import;
mod output;
mod progress;
mod replay;
#[cfg_attr(not(test), expect(dead_code, reason = "for the subcommands that write files"))]
mod rewrite;
mod run;
mod solve;

use std::process::ExitCode;

use self::args::{Args, Command, When};

/// Runs the subcommand.
pub(crate) fn main(args: Args) -> ExitCode {
    let choice = match args.color {
        When::Auto => anstream::ColorChoice::Auto,
        When::Always => anstream::ColorChoice::Always,
        When::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    let result = match args.command {
        Command::Run(run) => run::run(&run),
        Command::Check(suite) => run::check(&suite),
        Command::List(suite) => run::list(&suite),
        Command::Expand { scenario, index, range } => {
            expand::expand(&scenario, index.map(|index| index..index.saturating_add(1)).or(range))
        }
        Command::Engines { script: true, .. } => engines::functions(),
        Command::Engines { name, .. } => engines::engines(name.as_deref()),
        Command::Solve { engine, input, no_limits } => solve::solve(&engine, &input, !no_limits),
        Command::Replay { scenario, index, at, from, to, json } => {
            let steps = at.map_or(from.unwrap_or(0)..=to.unwrap_or(u64::MAX), |at| at..=at);
            replay::replay(&scenario, index, steps, json)
        }
        Command::Import { engine, dir, raw } => import::import(&engine, &dir, raw),
        Command::Export { file, dir } => export::export(&file, &dir),
    };
    result.unwrap_or_else(|trouble| output::complain(&trouble)).into()
}
