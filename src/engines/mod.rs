//! The engines that are built in: the one list that names them.

pub mod match3;

use crate::engine::{Referee, Typed};

/// Every engine that is built in, in the order in which they are shown.
pub static ENGINES: &[&dyn Referee] = &[&Typed::<match3::Match3>::NEW];
