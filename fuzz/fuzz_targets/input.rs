//! Reads any text as each engine's input: what is read is written, and read again as the same start.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rulebook::diagnostic::Diagnostic;
use rulebook::engine::{AnyEngine, Place, Start};
use rulebook::engines::Engines;
use rulebook::input::Input;
use rulebook::source::{Excerpt, Source};

fn read(engine: &dyn AnyEngine, text: &str) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
    let source: Arc<Source> = Source::new("input", text);
    let place = Place { source: &source, size_limits: true, thorough: true };
    engine.read(&mut Input::new(Excerpt::all(&source)), None, &place)
}

fuzz_target!(|text: &str| {
    for engine in Engines::builtin().iter() {
        match read(&**engine, text) {
            Err(faults) => assert!(faults.iter().all(|fault| !fault.draw(false).is_empty())),
            Ok(start) => {
                let again = read(&**engine, &start.input()).unwrap_or_else(|faults| panic!("{faults:?}"));
                assert_eq!((again.input(), again.doc()), (start.input(), start.doc()));
            }
        }
    }
});
