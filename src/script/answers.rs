//! What a checker sees: the facts of a run as a value of a script.

use std::sync::Arc;

use rhai::{Array, Dynamic, ImmutableString, Map};

use super::chance::trouble;
use super::functions::{Function, Functions, Trouble};
use crate::diagnostic::nearest;

/// All facts of a run by their names. Unlike a map it knows of a name that nothing stands for.
#[derive(Clone)]
pub(super) struct Facts(Arc<Map>);

impl Facts {
    pub(super) fn new(facts: Map) -> Self {
        Self(Arc::new(facts))
    }

    fn get(&self, name: &str) -> Result<Dynamic, Trouble> {
        self.0.get(name).cloned().ok_or_else(|| {
            let known = self.0.keys().map(AsRef::<str>::as_ref);
            let near = nearest(name, known).map(|near| format!(": did you mean `{near}`?"));
            trouble(format!("there is no fact `{name}`{}", near.unwrap_or_default()))
        })
    }
}

pub(super) fn register(functions: &mut Functions<'_>) {
    let engine = functions.engine();
    engine.register_type_with_name::<Facts>("Facts");
    engine.register_indexer_get(|facts: &mut Facts, name: ImmutableString| facts.get(&name));
    engine.register_fn("contains", |facts: &mut Facts, name: &str| facts.0.contains_key(name));
    engine.register_fn("keys", |facts: &mut Facts| {
        facts.0.keys().map(|name| name.as_str().into()).collect::<Array>()
    });
    engine.register_fn("to_string", |facts: &mut Facts| Dynamic::from((*facts.0).clone()).to_string());
    engine.register_fn("to_debug", |facts: &mut Facts| format!("{:?}", facts.0));
    functions.note(Function {
        signature: "facts.NAME".into(),
        about: "in a checker, a fact of the run: which there are, `rulebook engines NAME` shows; one that there is not \
                throws. `facts[\"NAME\"]` is the same, `facts.keys()` lists the names, and `\"NAME\" in facts` asks for one",
        example: "",
    });
}
