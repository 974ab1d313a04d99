//! A scriptable replay and batch engine for board-game rules.

pub mod board;
pub mod diagnostic;
pub mod engine;
pub mod engines;
pub mod grid;
pub mod input;
pub mod rng;
pub mod scenario;
pub mod source;
pub mod spanned;
pub mod trace;
pub mod value;
