//! What a policy sees: a game under way as a value of a script.

use std::sync::{Arc, Mutex, PoisonError};

use rhai::{Array, Dynamic, ImmutableString};

use super::chance::trouble;
use super::convert;
use super::functions::{Function, Functions, Trouble};
use crate::engine::Session;

/// A game under way, held by the host and by whatever script looks at it.
#[derive(Clone)]
pub(super) struct State(Arc<Mutex<Box<dyn Session>>>);

impl State {
    pub(super) fn new(session: Box<dyn Session>) -> Self {
        Self(Arc::new(Mutex::new(session)))
    }

    pub(super) fn with<R>(&self, look: impl FnOnce(&mut dyn Session) -> R) -> R {
        look(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut())
    }

    fn see(&self, name: &str) -> Result<Dynamic, Trouble> {
        self.with(|session| {
            if name == "legal" {
                return Ok(session.legal().iter().map(convert::of_value).collect::<Array>().into());
            }
            let seen = session.see(name);
            seen.map(|value| convert::of_value(&value)).ok_or_else(|| {
                let names: Vec<_> = session.seen().into_iter().chain(["legal"]).collect();
                trouble(format!("a state has no `{name}`; it has {}", crate::diagnostic::names(&names)))
            })
        })
    }

    fn after(&self, choice: &Dynamic) -> Result<Self, Trouble> {
        let choice = convert::value(choice).map_err(trouble)?;
        let mut branch = self.with(|session| session.branch());
        branch.make(&choice).map_err(trouble)?;
        Ok(Self::new(branch))
    }
}

pub(super) fn register(functions: &mut Functions<'_>) {
    let engine = functions.engine();
    engine.register_type_with_name::<State>("State");
    engine.register_indexer_get(|state: &mut State, name: ImmutableString| state.see(&name));
    engine.register_fn("after", |state: &mut State, choice: Dynamic| state.after(&choice));
    functions.note(Function {
        signature: "state.legal".into(),
        about: "the legal moves, in a fixed order: what else a state has, \
                `rulebook engines NAME` shows",
        example: "",
    });
    functions.note(Function {
        signature: "state.after(move)".into(),
        about: "the state after a move, to try it; the game itself stays as it is",
        example: "",
    });
}
