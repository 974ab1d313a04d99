//! The `rulebook` command: parse the arguments, run the subcommand, return its exit code.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    cli::main(cli::args::Args::parse())
}
