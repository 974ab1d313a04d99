//! Loads any text as a scenario file: every fault of a scenario can be drawn.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebook::Options;
use rulebook::scenario::Select;
use rulebook_fuzz::run;

fuzz_target!(|text: &str| {
    let select = Select { load_only: true, ..Select::default() };
    for case in run(text, &Options { jobs: 1, select, ..Options::default() }) {
        for fault in case.verdict.faults() {
            assert!(!fault.draw(true).is_empty());
        }
    }
});
