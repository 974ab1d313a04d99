//! The `rulebook` command: parse the arguments, run the subcommand, return its exit code.

#![forbid(unsafe_code)]

mod cli;

use std::alloc::System;
use std::env;
use std::panic;
use std::process::ExitCode;
use std::thread;

use alloc_metrics::MetricAlloc;
use rulebook::script::STACK;

/// The system's allocator, counting what each thread has: the `memory` of scripts is held against it.
#[global_allocator]
static ALLOCATOR: MetricAlloc<System> = MetricAlloc::new(System);

fn main() -> ExitCode {
    // Scripts run on this thread too.
    let main = thread::Builder::new().name("main".to_owned()).stack_size(STACK);
    match main.spawn(|| cli::main(&env::args_os().collect::<Vec<_>>())) {
        Ok(main) => main.join().unwrap_or_else(|panic| panic::resume_unwind(panic)),
        Err(error) => cli::no_thread(&error),
    }
}
