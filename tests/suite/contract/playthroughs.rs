//! Games shown in full, as pairs of files: a scenario, `NAME.toml`, and its replay as text, `NAME.txt`.
//!
//! `SNAPSHOTS=overwrite cargo test playthroughs` writes the replays anew; they are read in review.

use std::fs;
use std::path::PathBuf;

use rulebook::engines::Engines;
use snapbox::{Assert, Data};

use crate::command::{root, rulebook, stdout};
use crate::reports;

/// The largest replay that anybody would read, in bytes.
const READABLE: usize = 8_000;

fn scenarios() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("tests/golden")).expect("the folder of playthroughs");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

#[test]
fn playthroughs_are_as_reviewed() {
    let assert = Assert::new().action_env("SNAPSHOTS");
    for path in scenarios() {
        let replay = stdout(&rulebook().arg("replay").arg(&path).assert().success());
        assert!(replay.len() < READABLE, "{} is long", path.display());
        assert.eq(replay, Data::read_from(&path.with_extension("txt"), None).raw());
    }
}

#[test]
fn every_engine_has_two_playthroughs_that_pass() {
    let mut engines = Vec::new();
    for path in scenarios() {
        reports::hear(&path, 1, |report| engines.push(report.engine.to_string()));
        let told = reports::run(&path, 1);
        let passed = told.iter().filter(|told| told.verdict == "passed").count();
        assert!(passed == 1 && told.len() == 1, "{} is one scenario that passes", path.display());
    }
    for engine in &Engines::builtin() {
        let own = engines.iter().filter(|name| *name == engine.name()).count();
        assert!(own >= 2, "`{}` has {own}", engine.name());
    }
}
