//! The `rulebook` command: parse the arguments, run the subcommand, return its exit code.

mod cli;

use std::env;
use std::panic;
use std::process::ExitCode;
use std::thread;

use rulebook::script::STACK;

fn main() -> ExitCode {
    // Scripts run on this thread too.
    let main = thread::Builder::new().name("main".to_owned()).stack_size(STACK);
    match main.spawn(|| cli::main(&env::args_os().collect::<Vec<_>>())) {
        Ok(main) => main.join().unwrap_or_else(|panic| panic::resume_unwind(panic)),
        Err(error) => cli::no_thread(&error),
    }
}
