//! The engines that are built in: the one list that names them.

pub mod quento;

use crate::engine::{Referee, Typed};

use self::quento::Quento;

/// Every engine that is built in, in the order in which they are shown.
pub static ENGINES: &[&dyn Referee] = &[&Typed::<Quento>::NEW];

/// The engine called `name`.
pub fn find(name: &str) -> Option<&'static dyn Referee> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}
