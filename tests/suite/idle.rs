//! What is skipped is not opened, and what is only loaded is not played.

use std::fs;

use tempfile::TempDir;

use crate::command::{rulebook, stderr, stdout};
use crate::scripts::folder;

/// A script of every role whose functions fail when they are called.
const CALLED: &[u8] = b"fn generate(rng, index, args) { throw \"called\" }\n\
    fn choose(state, rng, args) { throw \"called\" }\n\
    fn check(scenario, facts, args) { throw \"called\" }\n";

/// A heap that players take one or two from.
const HEAP: &[u8] = b"fn game() { #{ about: \"Heap\", step: \"take\", moves: \"takes\",\n\
    keys: #{ heap: #{ kind: \"int\", about: \"how many\" }, takes: #{ kind: \"[int]\", about: \"in turn\" } },\n\
    facts: #{ left: #{ kind: \"int\", about: \"how many are left\" } } } }\n\
    fn setup(doc) { if doc.heap < 1 { throw \"no heap\" } #{ left: doc.heap } }\n\
    fn legal(state) { if state.left > 1 { [1, 2] } else { [] } }\n\
    fn step(state, take) { state.left -= take; state }\n\
    fn facts(state) { state }\n";

const MADE: &[u8] = b"fn generate(rng, index, args) { #{ target: 7 + index } }\n";

/// The exit code of `rulebook` with these arguments, and all that it says.
fn said(folder: &TempDir, args: &[&str]) -> (i32, String) {
    let assert = rulebook().current_dir(folder.path()).args(args).assert();
    let code = assert.get_output().status.code().expect("an end of its own");
    (code, [stdout(&assert), stderr(&assert)].concat())
}

fn suite(text: &str) -> TempDir {
    folder(&[
        ("a.toml", text.as_bytes()),
        ("called.rhai", CALLED),
        ("heap.rhai", HEAP),
        ("made.rhai", MADE),
        ("none.rhai", b"fn x() { }\n"),
        ("syntax.rhai", b"fn ( {\n"),
    ])
}

#[test]
fn what_is_skipped_is_not_opened() {
    // Each is at fault in its own way, and opens what there is not, or what fails.
    let skipped = [
        "engine = 'quento'\ngenerate = { script = 'missing.rhai', count = 9 }",
        "engine = 'quento'\ngenerate = { script = 'called.rhai', count = 900_000_000_000 }",
        "engine = 'quento'\ngenerate = { script = 'syntax.rhai', count = 0 }",
        "engine = 'quento'\ngenerate = { scrpt = 'x' }",
        "engine = 'quento'\ngenerate.script = 'made.rhai'\nlimits.script.operations = 0",
        "engine = 'match3'\nboard = '1 2'\nplay = { script = 'missing.rhai' }",
        "engine = 'match3'\nboard = '1 2'\nplay = { script = 'called.rhai', moves = 1, swaps = 1 }",
        "engine = 'stacking'\ncheck = { script = 'missing.rhai' }",
        "engine = 'stacking'\ncheck = { script = 'called.rhai', what = 1 }",
        "engine = 'stacking'\ninput_file = 'missing.in'",
        "engine = 'stacking'\ninput_file = '.'\ninput = 'x'",
        "engine = 'missing.rhai'\nheap = 3",
        "engine = 'syntax.rhai'",
        "engine = 'none.rhai'",
        "engine = 'heap.rhai'\nheap = 0\nplay = { script = 'syntax.rhai' }",
        "engine = 'chess'\nexpect.mate = true",
        "expect.x = 1\nsummary = ['x']\nrules = 3\ncheckpoint = 4\nxyzzy = 5",
    ];
    for (number, keys) in skipped.iter().enumerate() {
        let shapes = [
            // One scenario, with and without a name; one of several; by the file's defaults, in any spelling.
            format!("{keys}\nskip = 'later'\n"),
            format!("name = 'a name'\r\nskip = ''\r\n{}\r\n", keys.replace('\n', "\r\n")),
            format!("[[scenario]]\nskip = \"later\"\n{keys}"),
            format!("\u{feff}skip = 'later'\n[[scenario]]\nname = 'n'\n{keys}\n"),
            format!("{keys}\n\n[[ scenario ]] # all is above\nname = 'n'\n'skip' = 'later'\n"),
        ];
        for shape in shapes {
            let folder = suite(&shape);
            for args in [&["run", "a.toml"][..], &["check", "a.toml"], &["run", "a.toml", "--jobs", "3"]] {
                let (code, text) = said(&folder, args);
                assert_eq!(code, 0, "{number}: {shape}\n{text}");
                assert!(text.contains("1 skipped in "), "{number}: {shape}\n{text}");
            }
            let (code, text) = said(&folder, &["list", "a.toml"]);
            assert_eq!((code, text.lines().count()), (0, 1), "{shape}\n{text}");
            let (code, text) = said(&folder, &["expand", "a.toml"]);
            assert_eq!(code, 0, "{shape}\n{text}");
            assert!(text.contains("skip = "), "{text}");
            let (code, text) = said(&folder, &["fmt", "--check", "a.toml"]);
            assert_eq!(code, 0, "{shape}\n{text}");
        }
        // As a line of JSON, beside one that runs.
        let json = format!(
            "{}\n{{\"engine\": \"quento\", \"board\": \"4+3 -5- 9-2\", \"target\": 7}}\n",
            r#"{"skip": "later", "engine": "missing.rhai", "check": {"script": "missing.rhai"}}"#
        );
        if number == 0 {
            let assert = rulebook().args(["run", "-"]).stdin(json).assert();
            assert!(stdout(&assert).contains("\"skipped\":1"), "{}", stdout(&assert));
        }
    }
}

#[test]
fn what_cannot_say_that_it_is_skipped_is_not() {
    for text in ["engine = 'quento'\nskip = 3\ngenerate.script = 'made.rhai'\n", "skip = true\n"] {
        let (code, text) = said(&suite(text), &["run", "a.toml"]);
        assert_eq!(code, 3, "{text}");
        assert!(text.contains("error[scenario::wrong-kind]: `skip` has the wrong type"), "{text}");
    }
}

#[test]
fn a_generator_may_skip_its_cases() {
    let folder = suite(
        "engine = 'quento'\nname = 'g'\ngenerate = { script = 'some.rhai', count = 4 }\nexpect.solvable = true\n",
    );
    let script = "fn generate(rng, index, args) {\n\
                  if index % 2 == 0 { return #{ skip: \"even\", input_file: \"missing.in\" } }\n\
                  #{ board: \"4+3\\n-5-\\n9-2\", target: 7, digits: 2 } }\n";
    fs::write(folder.path().join("some.rhai"), script).expect("a script");
    let (code, text) = said(&folder, &["run", "a.toml"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("2 passed, 2 skipped in "), "{text}");
}

#[test]
fn what_is_only_loaded_is_not_played() {
    let played = [
        "engine = 'match3'\nboard = ['11213', '33142', '24341']\nexpect.combo = 50",
        "engine = 'match3'\nboard = ['11213', '33142', '24341']\nexpect.combo = 50\nplay.swaps = 1",
        "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ntarget = 7\ndigits = 2",
        "engine = 'heap.rhai'\nheap = 9\nexpect.left = 0",
        "engine = 'heap.rhai'\nheap = 9\ncheck.script = 'called.rhai'",
        "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\ngenerate = { script = 'made.rhai', count = 5 }",
    ];
    for keys in played {
        let text = format!("name = 'p'\nplay.script = 'called.rhai'\n{keys}\n");
        let folder = suite(&text);
        let (code, run) = said(&folder, &["run", "a.toml"]);
        assert!(code == 3 && run.contains("`choose` says: called"), "{run}");
        for args in [
            &["check", "a.toml"][..],
            &["check", "a.toml", "--verbose"],
            &["list", "a.toml"],
            &["list", "a.toml", "--verbose"],
        ] {
            let (code, said) = said(&folder, args);
            assert_eq!(code, 0, "{text}\n{said}");
        }
        // What a selection misses is looked for among what there is.
        let (_, text) = said(&folder, &["run", "a.toml", "--name", "xyzzy"]);
        assert!(!text.contains("called"), "{text}");
    }
}

#[test]
fn what_is_only_loaded_has_its_faults_all_the_same() {
    let faulty = [
        ("script::no-function", "play.script = 'none.rhai'\nengine = 'heap.rhai'\nheap = 9\nexpect.left = 0"),
        ("script::syntax", "play.script = 'syntax.rhai'\nengine = 'heap.rhai'\nheap = 9\nexpect.left = 0"),
        ("script::refused", "play.script = 'called.rhai'\nengine = 'heap.rhai'\nheap = 0\nexpect.left = 0"),
        (
            "expect::unknown-fact",
            "play.script = 'called.rhai'\nengine = 'heap.rhai'\nheap = 9\nexpect.lft = 0",
        ),
        ("verdict::expects-nothing", "play.script = 'called.rhai'\nengine = 'heap.rhai'\nheap = 9"),
        (
            "script::no-moves",
            "play.script = 'called.rhai'\nengine = 'stacking'\nlimits = 'none'\nboard = '.'\n\
             pieces = [{ at = [1, 1], facing = 'up' }]\nexpect.turn = -1",
        ),
        (
            "script::given-twice",
            "play.script = 'called.rhai'\nengine = 'heap.rhai'\nheap = 9\ntakes = [1]\nexpect.left = 0",
        ),
        ("script::unreadable", "check.script = 'missing.rhai'\nengine = 'heap.rhai'\nheap = 9"),
        ("script::unreadable", "generate.script = 'missing.rhai'\nengine = 'heap.rhai'"),
        (
            "script::setting",
            "play = { script = 'called.rhai', moves = 0 }\nengine = 'heap.rhai'\nheap = 9\nexpect.left = 0",
        ),
    ];
    for (code, keys) in faulty {
        let (exit, text) = said(&suite(&format!("{keys}\n")), &["check", "a.toml"]);
        assert_eq!(exit, 3, "{keys}\n{text}");
        assert!(text.contains(&format!("error[{code}]")), "{keys}\n{text}");
    }
}
