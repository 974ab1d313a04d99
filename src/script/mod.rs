//! Scripts in rhai: authors who type fast, players, judges, and whole games.
//!
//! [`Generator`]s make cases, [`Policy`]s make moves, [`Checker`]s judge, and `game` makes whole games engines.
//!
//! `host` is the interpreter with its limits; `board`, `chance`, `natives` and `session` are what scripts are given.

mod answers;
mod argument;
mod board;
mod call;
mod chance;
mod check;
mod compile;
mod convert;
mod example;
mod fault;
mod functions;
mod game;
mod generate;
mod host;
mod import;
mod limits;
mod natives;
mod policy;
mod session;
mod sizes;
mod steps;

pub use self::argument::Argument;
/// So many bytes of stack a thread has that runs scripts: values stand in values as deep as arrays are long.
pub const STACK: usize = 64 << 20;

pub use self::call::printed;
pub use self::check::{Checker, Objection};
pub use self::fault::{CODES, is_broken};
pub use self::functions::Function;
pub use self::generate::Generator;
pub use self::host::{Script, Scripts, evaluate, functions};
pub use self::limits::Limits;
pub use self::policy::Policy;
