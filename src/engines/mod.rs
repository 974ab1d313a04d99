//! The engines that are built in: the one list that names them.

mod arguments;
pub mod match3;
pub mod quento;
pub mod stacking;

use crate::engine::{Referee, Typed};

/// Every engine that is built in, in the order in which they are shown.
pub static ENGINES: &[&dyn Referee] =
    &[&Typed::<stacking::Stacking>::NEW, &Typed::<match3::Match3>::NEW, &Typed::<quento::Quento>::NEW];

/// The engine called `name`.
pub fn find(name: &str) -> Option<&'static dyn Referee> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}
