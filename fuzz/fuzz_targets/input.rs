//! Reads any text as each engine's input: what is read is written, and read again as the same start.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rulebook::diagnostic::Diagnostic;
use rulebook::engine::{Game, Place, Referee};
use rulebook::engines::ENGINES;
use rulebook::input::Input;
use rulebook::source::{Excerpt, Source};

fn read(engine: &dyn Referee, text: &str) -> Result<Box<dyn Game>, Vec<Diagnostic>> {
    let source: Arc<Source> = Source::new("input", text);
    let place = Place { source: &source, size_limits: true, thorough: true };
    engine.read(&mut Input::new(Excerpt::all(&source)), None, &place)
}

fuzz_target!(|text: &str| {
    for engine in ENGINES {
        match read(*engine, text) {
            Err(faults) => assert!(faults.iter().all(|fault| !fault.draw(false).is_empty())),
            Ok(game) => {
                let again = read(*engine, &game.input()).unwrap_or_else(|faults| panic!("{faults:?}"));
                assert_eq!((again.input(), again.doc()), (game.input(), game.doc()));
            }
        }
    }
});
