//! Loads any text as a scenario file: every scenario gets a result, and every fault can be drawn.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebook_fuzz::{load_only, run};

fuzz_target!(|text: &str| {
    for result in run(text, &load_only()) {
        for fault in result.verdict.faults() {
            assert!(!fault.draw(true).is_empty());
        }
    }
});
