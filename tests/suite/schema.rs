//! The JSON Schema of scenario files accepts what is right, and refuses what a schema can see is wrong.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use jsonschema::Validator;
use rulebook::scenario::suite;

use crate::command::{copy_folder, root, rulebook, stdout};
use crate::documents::blocks;
use crate::writing::{has, skipped};

/// The schema that the command prints.
fn printed() -> String {
    stdout(&rulebook().arg("schema").assert().code(0))
}

fn validator() -> Validator {
    let schema = serde_json::from_str(&printed()).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// What is wrong with a scenario file; `None` where it is not TOML at all.
fn faults(validator: &Validator, toml: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(toml).ok()?.trim_start_matches('\u{feff}');
    let json = serde_json::to_value(toml::from_str::<toml::Table>(text).ok()?).expect("JSON");
    Some(validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect())
}

fn files(folder: &str) -> Vec<PathBuf> {
    let found = suite::files(&[root().join(folder)]);
    found.into_iter().map(|file| file.expect("a file")).collect()
}

#[test]
fn every_scenario_that_ships_is_accepted() {
    let validator = validator();
    let mut seen = 0;
    for path in files("scenarios") {
        let faults = faults(&validator, &fs::read(&path).expect("a file")).expect("TOML");
        assert!(faults.is_empty(), "{}:\n{}", path.display(), faults.join("\n"));
        seen += 1;
    }
    assert!(seen > 10, "{seen} files");
}

#[test]
fn every_scenario_that_is_shown_or_new_is_accepted() {
    let validator = validator();
    let shown =
        blocks().into_iter().filter(|block| block.language == "toml" || block.language == "toml fails");
    let mut texts: Vec<_> = shown.map(|block| block.text).collect();
    assert!(texts.len() > 20, "{} texts", texts.len());
    for engine in ["scripts/games/lights-out.rhai"]
        .into_iter()
        .chain(rulebook::engines::Engines::builtin().iter().map(|e| e.name()))
    {
        texts.push(stdout(&rulebook().args(["new", engine]).assert().code(0)));
    }
    for text in texts {
        let faults = faults(&validator, text.as_bytes()).expect("TOML");
        assert!(faults.is_empty(), "{text}\n{}", faults.join("\n"));
    }
}

/// Of the scenarios in `tests/diagnostics` those whose fault no schema can see: it is no matter of keys and kinds, or
/// stands outside the file.
const UNSEEN: &[&str] = &[
    "duplicate-name",
    "enormous-board",
    "error-alone",
    "input",
    "input-file",
    "input-match3",
    "input-quento",
    "large-board",
    "ledger",
    "mismatched-boards",
    "mismatched-stacks",
    "mismatches",
    "missing-keys",
    "output",
    "outside",
    "quento-budget",
    "script-check",
    "script-files",
    "script-games",
    "script-generate",
    "script-limits",
    "script-play",
    "two-starts",
    "unreadable-input",
    "verdicts",
];

#[test]
fn every_broken_scenario_is_refused_where_a_schema_can_tell() {
    let validator = validator();
    let unseen: BTreeSet<_> = files("tests/diagnostics")
        .into_iter()
        .filter(|path| {
            faults(&validator, &fs::read(path).expect("a file")).is_some_and(|faults| faults.is_empty())
        })
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let expected: BTreeSet<_> = UNSEEN.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(unseen, expected);
}

#[test]
fn what_is_wrong_is_refused_where_it_stands() {
    let validator = validator();
    let quento = "engine = \"quento\"\n";
    for (text, place) in [
        ("target = 7", ""),
        ("engine = \"quinto\"\ntarget = 7", "/engine"),
        ("engine = \"quento\"\ntarget = \"7\"", "/target"),
        ("engine = \"quento\"\nswaps = []", ""),
        ("engine = \"quento\"\nexpect.turn = 1", "/expect"),
        ("engine = \"quento\"\nexpect.solutions = { atleast = 1 }", "/expect/solutions"),
        ("engine = \"quento\"\nexpect.solutions = { matches = 'x' }", "/expect/solutions"),
        ("engine = \"stacking\"\n[[checkpoint]]\nmoves = 1", "/checkpoint/0"),
        ("[[scenario]]\ntarget = 7", "/scenario/0"),
        ("engine = \"quento\"\n[[scenario]]\ntarget = 7\npieces = []", "/scenario/0"),
        ("engine = \"quento\"\ntargt = 8\n[[scenario]]\ntarget = 7", ""),
        ("engine = \"match3\"\n[[scenario]]\nengine = \"quento\"\nrules.line = 3", "/scenario/0/rules"),
        ("engine = \"quento\"\ngenerate = { count = 3 }", "/generate"),
    ] {
        let faults = faults(&validator, text.as_bytes()).expect("TOML");
        assert!(faults.iter().any(|fault| fault.starts_with(&format!("{place}: "))), "{text}\n{faults:?}");
    }
    for text in [
        "engine = \"match3\"\n[[scenario]]\nengine = \"quento\"\ntarget = 7",
        "engine = \"games/x.rhai\"\nheap = 3\nexpect = { left = 1 }",
        "heap = 3\n[[scenario]]\nengine = \"x.rhai\"\ntakes = []",
        "engine = \"x.rhai\"\nheap = 3\n[[scenario]]\ntakes = []",
    ] {
        let faults = faults(&validator, text.as_bytes()).expect("TOML");
        assert!(faults.is_empty(), "{text}\n{faults:?}");
    }
    assert!(faults(&validator, quento.as_bytes()).expect("TOML").is_empty());
}

/// Editors ask these two; they are asked here where `RULEBOOK_TEST_TOOLS=1` is set.
#[test]
fn the_tools_of_editors_take_the_schema() {
    if env::var_os("RULEBOOK_TEST_TOOLS").is_none_or(|wanted| wanted != "1") {
        return skipped("RULEBOOK_TEST_TOOLS is not 1");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("schema.json"), printed()).expect("a schema");
    fs::write(path("taplo.toml"), "[schema]\npath = \"./schema.json\"\n").expect("a file");
    fs::write(path("tombi.toml"), "[[schemas]]\npath = \"schema.json\"\ninclude = [\"**/*.toml\"]\n")
        .expect("a file");
    copy_folder(&root().join("scenarios"), &path("scenarios"));
    fs::create_dir(path("broken")).expect("a folder");
    for name in ["unknown-keys.toml", "wrong-kinds.toml", "facts-as-keys.toml"] {
        fs::copy(root().join("tests/diagnostics").join(name), path("broken").join(name)).expect("a copy");
    }
    let mut directed = "#:schema ../schema.json\n".to_owned();
    directed += &fs::read_to_string(path("broken/wrong-kinds.toml")).expect("a scenario");
    fs::write(path("broken/directed.toml"), directed).expect("a scenario");
    for (tool, options) in [("taplo", ["lint"].as_slice()), ("tombi", &["lint", "--offline"])] {
        if !has(tool) {
            continue;
        }
        let lint = |files: &[PathBuf]| {
            let output = Command::new(tool).args(options).args(files).current_dir(folder.path()).output();
            let output = output.expect("an installed tool");
            let says = [output.stdout, output.stderr].concat();
            (output.status.success(), String::from_utf8_lossy(&says).into_owned())
        };
        let shipped: Vec<_> =
            suite::files(&[path("scenarios")]).into_iter().map(|file| file.expect("a file")).collect();
        let (accepted, says) = lint(&shipped);
        assert!(accepted && !says.to_lowercase().contains("warning"), "{tool}: {says}");
        for broken in suite::files(&[path("broken")]) {
            let broken = broken.expect("a file");
            let (accepted, says) = lint(std::slice::from_ref(&broken));
            assert!(!accepted && says.contains(".toml:"), "{tool}: {}: {says}", broken.display());
        }
    }
}
