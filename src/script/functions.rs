//! The functions that scripts are given, each with the record that documents it.

use std::borrow::Cow;

use rhai::{Engine, EvalAltResult, RhaiNativeFunc};

/// What a function of ours fails with.
pub(super) type Trouble = Box<EvalAltResult>;

/// A function that scripts may call.
#[derive(Clone, Debug)]
pub struct Function {
    /// How it is called: `board.count(cell)`.
    pub signature: Cow<'static, str>,
    /// What it answers: units, numbering.
    pub about: &'static str,
    /// An expression that is true.
    pub example: &'static str,
}

impl Function {
    /// Its name alone.
    pub fn name(&self) -> &str {
        let head = self.signature.split('(').next().unwrap_or_default();
        head.rsplit(['.', ':']).next().unwrap_or_default()
    }
}

/// Registers functions and their records together, so that none is without the other.
pub(super) struct Functions<'e> {
    engine: &'e mut Engine,
    list: Vec<Function>,
}

impl<'e> Functions<'e> {
    pub(super) fn new(engine: &'e mut Engine) -> Self {
        Self { engine, list: Vec::new() }
    }

    pub(super) fn engine(&mut self) -> &mut Engine {
        self.engine
    }

    pub(super) fn add<
        A: 'static,
        const N: usize,
        const X: bool,
        R: Clone + Send + Sync + 'static,
        const F: bool,
    >(
        &mut self,
        signature: &'static str,
        about: &'static str,
        example: &'static str,
        function: impl RhaiNativeFunc<A, N, X, R, F> + Send + Sync + 'static,
    ) {
        let record = Function { signature: signature.into(), about, example };
        self.engine.register_fn(record.name(), function);
        self.list.push(record);
    }

    /// Notes a function that was registered otherwise.
    pub(super) fn note(&mut self, record: Function) {
        self.list.push(record);
    }

    pub(super) fn list(self) -> Vec<Function> {
        self.list
    }
}
