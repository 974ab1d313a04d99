//! Runs any text as a script under tight limits: it ends, twice in the same way, and makes TOML or a fault.

#![no_main]

use std::alloc::System;
use std::collections::BTreeMap;
use std::fs;
use std::sync::{LazyLock, Mutex};

use alloc_metrics::MetricAlloc;
use libfuzzer_sys::fuzz_target;
use rulebook::script::{self, Generator, Limits, Scripts};
use rulebook::tree;
use tempfile::TempDir;

/// Counts memory, so that its limit holds.
#[global_allocator]
static ALLOCATOR: MetricAlloc<System> = MetricAlloc::new(System);

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a directory"));

/// An interpreter, and the number of scripts that it has run and keeps: making one takes longer than a script.
static SCRIPTS: LazyLock<Mutex<(Scripts, u32)>> = LazyLock::new(Mutex::default);

fuzz_target!(|text: &str| {
    // Time differs from run to run; steps do not.
    let limits = Limits {
        operations: 2000,
        array: 1000,
        map: 100,
        string: 10_000,
        cells: 2500,
        milliseconds: u32::MAX,
        ..Limits::default()
    };
    let mut scripts = SCRIPTS.lock().expect("no panic before");
    let (scripts, runs) = &mut *scripts;
    if *runs == 100 {
        (*scripts, *runs) = (Scripts::default(), 0);
    }
    *runs += 1;
    let path = DIRECTORY.path().join(format!("{runs}.rhai"));
    fs::write(&path, text).expect("a script");
    let make = || {
        let made = scripts
            .open(&path, &limits)
            .and_then(|script| Generator::new(script, 7, &BTreeMap::new()).make(0));
        (made.map_err(|fault| fault.draw(false)), script::printed())
    };
    let made = make();
    assert!(made.0.as_ref().map_or(true, |text| tree::parse(text).is_some()), "{made:?}");
    assert_eq!(made, make());
});
