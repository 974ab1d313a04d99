//! The engines that a suite may name.

mod arguments;
pub mod match3;
pub mod quento;
pub mod stacking;

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::engine::{AnyEngine, Engine, Erased};

/// The engines that a suite may name, in the order in which they are listed.
///
/// A clone is the same list; it costs nothing.
#[derive(Clone)]
pub struct Engines(Arc<[Arc<dyn AnyEngine>]>);

static BUILT_IN: LazyLock<Engines> = LazyLock::new(|| {
    let engines: [Arc<dyn AnyEngine>; 3] = [
        Arc::new(Erased::<stacking::Stacking>::default()),
        Arc::new(Erased::<match3::Match3>::default()),
        Arc::new(Erased::<quento::Quento>::default()),
    ];
    Engines(engines.into())
});

impl Engines {
    /// Returns the engines that are built in: `stacking`, `match3` and `quento`.
    pub fn builtin() -> Self {
        BUILT_IN.clone()
    }

    /// Returns these engines and `E`, which replaces one of the same name.
    #[must_use]
    pub fn with<E: Engine>(self) -> Self {
        let others = self.iter().filter(|engine| engine.name() != E::NAME).cloned();
        let added: Arc<dyn AnyEngine> = Arc::new(Erased::<E>::default());
        Self(others.chain([added]).collect())
    }

    /// Returns the engine called `name`.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn AnyEngine>> {
        self.iter().find(|engine| engine.name() == name)
    }

    /// Returns each engine.
    pub fn iter(&self) -> std::slice::Iter<'_, Arc<dyn AnyEngine>> {
        self.0.iter()
    }

    /// Returns the name of each engine.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|engine| engine.name())
    }
}

impl Default for Engines {
    /// Returns [`Self::builtin`].
    fn default() -> Self {
        Self::builtin()
    }
}

impl<'e> IntoIterator for &'e Engines {
    type Item = &'e Arc<dyn AnyEngine>;
    type IntoIter = std::slice::Iter<'e, Arc<dyn AnyEngine>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
