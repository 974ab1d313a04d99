//! The engines that are built in: the one list that names them.

pub mod stacking;

use crate::engine::Referee;

/// Every engine that is built in, in the order in which they are shown.
pub static ENGINES: &[&dyn Referee] = &[];
