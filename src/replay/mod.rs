//! Frames as text.

pub mod terminal;
