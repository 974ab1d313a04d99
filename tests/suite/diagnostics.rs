//! Every way in which a scenario can be wrong, as a pair of files: `NAME.toml` and what is said of it, `NAME.err`.
//!
//! `SNAPSHOTS=overwrite cargo test diagnostics` writes the `.err` files anew; they are read in review.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use rulebook::diagnostic::CodeSpec;
use rulebook::engines::Engines;
use rulebook::{board, engine, input, report, runner, scenario, script};
use snapbox::{Assert, Data};

use crate::command::{root, rulebook, stdout};
use crate::floors::sources;

/// Every code that a scenario file can meet, in the order of the reference.
pub(crate) fn codes() -> Vec<(String, Vec<CodeSpec>)> {
    let groups = vec![
        ("Files", scenario::suite::CODES.to_vec()),
        ("Scenarios", scenario::CODES.to_vec()),
        ("Keys", engine::keys::CODES.to_vec()),
        ("Boards", board::CODES.to_vec()),
        ("Inputs", input::CODES.to_vec()),
        ("Expectations", scenario::expect::CODES.to_vec()),
        ("Scripts", script::CODES.to_vec()),
        ("Verdicts", runner::CODES.to_vec()),
        ("Blessing", scenario::bless::CODES.to_vec()),
    ];
    let groups = groups.into_iter().map(|(name, codes)| (name.to_owned(), codes));
    let engines = Engines::builtin();
    let engines = engines.iter().map(|engine| (engine.name().to_owned(), engine.codes().to_vec()));
    groups.chain(engines).collect()
}

/// Codes that no scenario file can bring about, and where they are tested instead.
const ELSEWHERE: &[&str] = &[
    // Takes a board of more than 90,000 cells: the tests of the engine.
    "match3::rule",
    // A file that cannot be opened: `commands`.
    "suite::unreadable",
    // A line after the end of a file: `select`.
    "suite::no-such-line",
    // A link that leads out of a suite: `strangers`.
    "suite::outside",
    // 64 MiB of one scenario: the splitter's tests.
    "suite::too-long",
    // Lines of JSON come by standard input: `scaling`.
    "json::syntax",
    "json::no-object",
    "json::null",
    // A bug in an engine: there is none to show.
    "verdict::engine-panicked",
];

fn pairs() -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(root().join("tests/diagnostics"))
        .expect("the folder of diagnostics")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_fault_is_drawn_as_reviewed() {
    let assert = Assert::new().action_env("SNAPSHOTS");
    for path in pairs() {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        let result = rulebook().args(["run", "--quiet", "--jobs", "1", &name]).assert();
        let code = result.get_output().status.code();
        assert!(matches!(code, Some(1 | 3)), "{name} ends with {code:?}");
        assert.eq(stdout(&result), Data::read_from(&path.with_extension("err"), None).raw());
    }
}

/// What stands beside the pairs: files that scenarios read; their scripts have a folder.
const INPUTS: &[&str] = &["quento.in"];

#[test]
fn every_file_has_its_partner_and_is_small() {
    for entry in fs::read_dir(root().join("tests/diagnostics")).expect("the folder of diagnostics") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name == "scripts" {
            continue;
        }
        let partner = match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => path.with_extension("err"),
            Some("err") => path.with_extension("toml"),
            _ => {
                assert!(INPUTS.contains(&&*name), "{name} is no part of a pair");
                continue;
            }
        };
        assert!(partner.is_file(), "{name} is without its partner");
        let size = fs::metadata(&path).expect("its size").len();
        assert!(size <= 8 << 10, "{name} has {size} bytes, too many to be read in review");
    }
}

#[test]
fn every_code_has_a_pair() {
    let drawn: String = pairs()
        .iter()
        .map(|path| fs::read_to_string(path.with_extension("err")).expect("the `.err` beside every `.toml`"))
        .collect();
    let missing: BTreeSet<_> = codes()
        .into_iter()
        .flat_map(|(_, codes)| codes)
        .map(|spec| spec.code)
        .filter(|code| !drawn.contains(&format!("error[{code}]")) && !ELSEWHERE.contains(code))
        // Said where a file is written: the tests of `bless`.
        .filter(|code| !code.starts_with("bless::"))
        .collect();
    assert!(missing.is_empty(), "no pair shows {missing:?}");
}

#[test]
fn the_reference_lists_every_code() {
    let mut text = String::from(
        "# Fault codes\n\nEvery fault and mismatch carries a stable code. This page lists them all, from the records \
         that the program itself uses.\n",
    );
    for (group, codes) in codes() {
        text += &format!("\n## {group}\n\n| code | meaning |\n| --- | --- |\n");
        for spec in codes {
            text += &format!("| `{}` | {} |\n", spec.code, spec.about);
        }
    }
    text += "\n## Reports\n\n| code | meaning |\n| --- | --- |\n";
    for spec in report::CODES {
        text += &format!("| `{}` | {} |\n", spec.code, spec.about);
    }
    text += "\n## The command line\n\n| code | meaning |\n| --- | --- |\n";
    for spec in COMMAND_LINE {
        text += &format!("| `{}` | {} |\n", spec.code, spec.about);
    }
    let path = root().join("docs/errors.md");
    Assert::new().action_env("SNAPSHOTS").eq(text, Data::read_from(&path, None).raw());
}

/// The codes of faults in what is typed on the command line.
const COMMAND_LINE: &[CodeSpec] = &[
    CodeSpec { code: "usage::unknown-engine", about: "the command names an engine that does not exist" },
    CodeSpec { code: "usage::filter", about: "a filter that cannot be read" },
    CodeSpec { code: "usage::nothing-selected", about: "no scenario is selected" },
    CodeSpec { code: "usage::shard", about: "an invalid shard, or `auto` found none in the environment" },
    CodeSpec { code: "usage::state", about: "the file for what failed holds something else" },
    CodeSpec { code: "usage::standard-input", about: "standard input is to be run twice, or written to" },
    CodeSpec { code: "usage::no-such-scenario", about: "a file has no scenario of that name" },
    CodeSpec { code: "usage::which-scenario", about: "a file has several scenarios, and one must be named" },
    CodeSpec { code: "usage::skipped", about: "a scenario to be replayed is skipped" },
    CodeSpec { code: "usage::no-such-step", about: "a run has no steps in the range that is to be shown" },
    CodeSpec { code: "usage::unknown-fact", about: "a fact is to be summed up that no scenario has" },
    CodeSpec { code: "usage::bless-in-ci", about: "scenario files are to be written where `CI` is set" },
    CodeSpec { code: "usage::unwritable", about: "a file that is to hold results cannot be written" },
    CodeSpec {
        code: "usage::one-output",
        about: "two reports go to one place, or one to a file that is read",
    },
    CodeSpec {
        code: "usage::not-a-report",
        about: "an output would replace a file that is not a former output",
    },
    CodeSpec { code: "usage::no-pairs", about: "a folder has nothing to import" },
    CodeSpec { code: "usage::no-thread", about: "the system has no room for a thread" },
    CodeSpec { code: "usage::variable", about: "a variable of the environment that is not understood" },
    CodeSpec { code: "config::unreadable", about: "the settings file cannot be read" },
    CodeSpec { code: "config::foreign", about: "the settings file that was found belongs to another user" },
    CodeSpec { code: "config::outside", about: "a path in the settings file leads out of its directory" },
    CodeSpec { code: "config::unknown-key", about: "a key of the settings file that means nothing" },
    CodeSpec { code: "config::wrong-kind", about: "a setting of another kind than its key takes" },
    CodeSpec { code: "config::value", about: "an invalid or conflicting setting" },
    CodeSpec {
        code: "fmt::unwritable",
        about: "a file that cannot be rewritten, or that somebody else changed meanwhile",
    },
    CodeSpec { code: "import::two-outputs", about: "an input with an `.out` and an `.ans`" },
    CodeSpec { code: "export::house-rules", about: "a scenario that the statement's format cannot hold" },
    CodeSpec { code: "export::same-file", about: "two scenarios would be written to one file" },
    CodeSpec { code: "export::unwritable", about: "a file or folder cannot be written, or exists already" },
];

#[test]
fn every_code_of_the_command_line_is_listed() {
    for (_, text) in sources().into_iter().filter(|(path, _)| path.starts_with("src/cli")) {
        for area in ["usage", "config", "fmt", "import", "export"] {
            for rest in text.split(&format!("\"{area}::")).skip(1) {
                let code = format!("{area}::{}", rest.split('"').next().unwrap_or_default());
                assert!(COMMAND_LINE.iter().any(|spec| spec.code == code), "`{code}` is not listed");
            }
        }
    }
}
