//! Verdicts as text, one file a format.

pub mod terminal;
