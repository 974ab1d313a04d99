//! The `rulebook` command: parse the arguments, run the subcommand, return its exit code.

mod cli;

use std::panic;
use std::process::ExitCode;
use std::thread;

use clap::Parser as _;
use rulebook::script::STACK;

fn main() -> ExitCode {
    let args = cli::args::Args::parse();
    // Scripts run on this thread too.
    let main = thread::Builder::new().name("main".to_owned()).stack_size(STACK);
    let main = main.spawn(|| cli::main(args)).expect("the system has room for a thread");
    main.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
}
