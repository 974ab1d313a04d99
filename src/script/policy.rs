//! Policies: scripts that make moves.

use std::cell::Cell;
use std::collections::BTreeMap;

use rhai::Dynamic;

use super::argument::Argument;
use super::chance::{Chance, stream};
use super::convert;
use super::fault::heading;
use super::generate::{arguments, wrong_shape};
use super::host::Script;
use super::session::State;
use crate::diagnostic::Diagnostic;
use crate::engine::Session;

/// A script that plays by its `fn choose(state, rng, args)`.
#[derive(Clone, Debug)]
pub struct Policy {
    script: Script,
    seed: i64,
    args: Dynamic,
    most: u64,
}

impl Policy {
    /// The policy of `seed` that makes at most so many moves, with what the scenario hands it.
    pub fn new(script: Script, seed: i64, args: &BTreeMap<String, Argument>, most: u64) -> Self {
        Self { script, seed, args: arguments(args), most }
    }

    /// What the text of its moves is called.
    pub fn name(&self, index: u64) -> String {
        format!("the moves of {}, seed {}, index {index}", self.script.source().name(), self.seed)
    }

    /// The moves that it makes from a start, as TOML for the key that holds them; they depend on the start, the script,
    /// the seed and the index alone.
    ///
    /// # Errors
    /// When the script fails, or chooses what is no move.
    pub fn play(&self, session: Box<dyn Session>, index: u64) -> Result<String, Diagnostic> {
        self.script.needs("choose", 3)?;
        let sitting = State::new(session);
        let rng = Chance::new(stream(self.seed, "play"), index);
        for number in 1..=self.most {
            if sitting.with(|session| session.is_over()) {
                break;
            }
            // The first call draws from the generator of all moves; a second one sees what the first has seen.
            let (first, spare) = (Cell::new(Some(rng.clone())), rng.copy());
            let arguments = || {
                let rng = first.take().unwrap_or_else(|| spare.copy());
                vec![Dynamic::from(sitting.clone()), Dynamic::from(rng), self.args.clone()]
            };
            let choice = self.script.call("choose", arguments)?;
            if choice.is_unit() {
                break;
            }
            let choice = convert::value(&choice).map_err(|_| {
                wrong_shape(&self.script, "choose", &convert::kind(&choice), "a move, or `()` to stop")
            })?;
            sitting.with(|session| session.make(&choice)).map_err(|why| {
                Diagnostic::new("script::illegal-move", format!("`choose` makes {choice} its move {number}"))
                    .label(heading(self.script.source(), "choose"), why)
                    .help("`state.legal` has the moves that can be made")
            })?;
        }
        let (key, moves) = sitting.with(|session| (session.key().to_owned(), session.moves()));
        let moves: Vec<_> = moves.iter().map(convert::of_value).collect();
        let written = convert::written(&key, moves);
        written.map_err(|_| wrong_shape(&self.script, "choose", "what no scenario holds", "a move"))
    }
}
