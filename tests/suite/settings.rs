//! Flags, their variables and `rulebook.toml`, each beating the next.

use std::fs;
use std::path::Path;

use snapbox::cmd::OutputAssert;
use tempfile::TempDir;

use crate::command::{copy_folder, root, rulebook, stderr, stdout};
use crate::documents::blocks;

const PASSES: &str = "\
engine = \"quento\"
target = 7
digits = 2
board = [\"4+3\", \"-5-\", \"9-2\"]
expect.solvable = true
";

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn call(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> OutputAssert {
    let command = rulebook().current_dir(folder).args(args);
    variables.iter().fold(command, |command, (name, value)| command.env(name, value)).assert()
}

/// What `rulebook config` says of `key`: the value, and where it comes from.
fn setting(config: &OutputAssert, key: &str) -> (String, String) {
    let text = stdout(config);
    let line = text.lines().find(|line| line.split(" =").next() == Some(key)).expect("the key");
    let (value, origin) =
        line.split_once(" = ").and_then(|(_, rest)| rest.rsplit_once("  # ")).expect("a value");
    (value.trim().to_owned(), origin.to_owned())
}

#[test]
fn the_command_line_beats_the_environment_beats_the_file_beats_the_default() {
    let folder =
        folder(&[("rulebook.toml", "jobs = 3\n\nprogress = \"never\"\n"), ("deep/er/a.toml", PASSES)]);
    let at = |args: &[&str], variables: &[(&str, &str)]| {
        let config = call(&folder.path().join("deep/er"), &[&["config"], args].concat(), variables).code(0);
        (setting(&config, "jobs"), setting(&config, "progress"), setting(&config, "color"))
    };
    let pair = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
    let (jobs, progress, color) = at(&[], &[]);
    assert_eq!(jobs, pair("3", "../../rulebook.toml:1"));
    assert_eq!(progress, pair("\"never\"", "../../rulebook.toml:3"));
    assert_eq!(color, pair("\"auto\"", "default"));
    let (jobs, _, color) = at(&[], &[("RULEBOOK_JOBS", "5"), ("RULEBOOK_COLOR", "never")]);
    assert_eq!(jobs, pair("5", "RULEBOOK_JOBS"));
    assert_eq!(color, pair("\"never\"", "RULEBOOK_COLOR"));
    let (jobs, _, color) =
        at(&["--color", "always", "-j", "7"], &[("RULEBOOK_JOBS", "5"), ("RULEBOOK_COLOR", "never")]);
    assert_eq!(jobs, pair("7", "command line"));
    assert_eq!(color, pair("\"always\"", "command line"));
    // An empty variable asks for nothing.
    assert_eq!(at(&[], &[("RULEBOOK_JOBS", "")]).0, pair("3", "../../rulebook.toml:1"));
    let other = folder.path().join("other");
    fs::write(&other, "jobs = 9").expect("a file");
    let other = other.to_str().expect("a path");
    assert_eq!(at(&["--config", other], &[]).0.0, "9");
    assert_eq!(at(&[], &[("RULEBOOK_CONFIG", other)]).0.0, "9");
    let none = call(folder.path(), &["config", "--no-config"], &[("RULEBOOK_CONFIG", other)]).code(0);
    assert!(stdout(&none).contains("# jobs is not set"));
}

#[test]
fn the_settings_printed_are_a_settings_file() {
    let folder =
        folder(&[("rulebook.toml", "paths = [\"suite\"]\nsummary = [\"solutions\"]\nquiet = true\n")]);
    let printed =
        stdout(&call(folder.path(), &["config", "--jobs", "2", "--summary-json", "s.json"], &[]).code(0));
    let values: toml::Table = printed.parse().expect("TOML");
    assert_eq!(values["paths"].to_string(), "[\"suite\"]");
    assert_eq!(values["summary"].to_string(), "[\"solutions\"]");
    assert_eq!(values["quiet"].as_bool(), Some(true));
    assert_eq!(values["jobs"].as_integer(), Some(2));
    fs::write(folder.path().join("rulebook.toml"), &printed).expect("a file");
    let again: toml::Table = stdout(&call(folder.path(), &["config"], &[]).code(0)).parse().expect("TOML");
    assert_eq!(again, values);
}

#[test]
fn paths_are_taken_from_the_file_and_the_file_is_no_scenario() {
    let folder = folder(&[
        ("rulebook.toml", "paths = [\"suite\"]"),
        ("suite/a.toml", PASSES),
        ("suite/rulebook.toml", "quiet = true"),
        ("elsewhere/b.toml", PASSES),
    ]);
    let listed = |at: &str, args: &[&str]| stdout(&call(&folder.path().join(at), args, &[]).code(0));
    assert_eq!(listed("", &["list"]), "suite/a.toml::line 1\n");
    assert_eq!(listed("elsewhere", &["list"]), "../suite/a.toml::line 1\n");
    assert_eq!(listed("", &["list", "elsewhere"]), "elsewhere/b.toml::line 1\n");
    assert_eq!(listed("", &["list", "--", "elsewhere"]), "elsewhere/b.toml::line 1\n");
}

#[test]
fn who_asks_later_gives_way() {
    let folder = folder(&[("rulebook.toml", "quiet = true"), ("a.toml", PASSES)]);
    let says = |args: &[&str], variables: &[(&str, &str)]| {
        let args = [&["run", "a.toml"], args].concat();
        stdout(&call(folder.path(), &args, variables).code(0))
    };
    assert_eq!(says(&[], &[]), "");
    assert!(says(&["--verbose"], &[]).contains("passed"));
    assert!(says(&[], &[("RULEBOOK_VERBOSE", "1")]).contains("passed"));
    assert!(says(&[], &[("RULEBOOK_QUIET", "no")]).contains("1 passed"));
    assert_eq!(says(&["--quiet"], &[("RULEBOOK_VERBOSE", "1")]), "");
    // An index belongs to a range as little as a range to an index.
    let expand = ["expand", "a.toml", "--range", "0..1"];
    call(folder.path(), &expand, &[("RULEBOOK_INDEX", "0")]).code(0);
}

#[test]
fn a_variable_that_is_not_understood_is_named() {
    let folder = folder(&[("a.toml", PASSES)]);
    for (variable, value, says) in [
        ("RULEBOOK_JOBS", "many", "expected a number from 1 to 1024"),
        ("RULEBOOK_DRAW", "many", "expected a whole number, 0 or more"),
        ("RULEBOOK_DRAW", "99999999999999999999", "too large"),
        ("RULEBOOK_JOBS", "0", "expected a number from 1 to 1024"),
        ("RULEBOOK_QUIET", "perhaps", "expected `1` or `0`"),
        ("RULEBOOK_COLOR", "alway", "did you mean `always`?"),
        ("RULEBOOK_CONFIG", "nowhere.toml", "`nowhere.toml` cannot be read"),
    ] {
        let text = stderr(&call(folder.path(), &["run", "a.toml"], &[(variable, value)]).code(2));
        assert!(text.contains(says), "{text}");
        let code = if variable == "RULEBOOK_CONFIG" { "config::unreadable" } else { "usage::variable" };
        assert!(text.contains(code) && (code != "usage::variable" || text.contains(variable)), "{text}");
    }
    let both = [("RULEBOOK_QUIET", "1"), ("RULEBOOK_VERBOSE", "1")];
    let text = stderr(&call(folder.path(), &["run", "a.toml"], &both).code(2));
    assert!(text.contains("`RULEBOOK_QUIET` and `RULEBOOK_VERBOSE` exclude each other"), "{text}");
}

#[test]
fn every_fault_of_the_file_is_drawn() {
    let text = "jobbs = 4\njobs = \"four\"\ncolor = true\nfilter = \"x\"\nsummary = \"score\"\n";
    let folder = folder(&[("rulebook.toml", text), ("a.toml", PASSES)]);
    let drawn = stderr(&call(folder.path(), &["run", "a.toml"], &[]).code(2));
    for says in [
        "--> rulebook.toml:1:1",
        "did you mean `jobs`?",
        "--> rulebook.toml:2:8",
        "expected a whole number",
        "--> rulebook.toml:3:9",
        "give `--filter` on the command line",
        "expected an array of strings",
    ] {
        assert!(drawn.contains(says), "{says} is not in\n{drawn}");
    }
    for (text, says) in [
        ("jobs = 0", "expected a number from 1 to 1024"),
        ("color = \"nevr\"", "did you mean `never`?"),
        ("jobs = ", "toml::syntax"),
        ("quiet = true\nverbose = true", "`quiet` and `verbose` exclude each other"),
    ] {
        fs::write(folder.path().join("rulebook.toml"), text).expect("a file");
        let drawn = stderr(&call(folder.path(), &["run", "a.toml"], &[]).code(2));
        assert!(drawn.contains(says) && drawn.contains("--> rulebook.toml:"), "{drawn}");
        call(folder.path(), &["run", "--no-config", "a.toml"], &[]).code(0);
    }
}

#[test]
fn help_names_the_variables() {
    let help = stdout(&rulebook().args(["run", "--help"]).assert().code(0));
    for variable in ["[env: RULEBOOK_JOBS]", "[env: RULEBOOK_FAIL_FAST]", "[env: RULEBOOK_COLOR]"] {
        assert!(help.contains(variable), "{help}");
    }
}

#[test]
fn the_settings_shown_are_understood() {
    let shown: Vec<_> = blocks().into_iter().filter(|block| block.language == "toml settings").collect();
    assert!(!shown.is_empty(), "the pages show settings");
    for block in shown {
        let folder = folder(&[("rulebook.toml", &block.text)]);
        call(folder.path(), &["config"], &[]).code(0);
        // It is for a fresh checkout.
        copy_folder(&root().join("scenarios"), &folder.path().join("scenarios"));
        let deep = folder.path().join("deep");
        fs::create_dir(&deep).expect("a directory");
        call(&deep, &["run"], &[]).code(0);
        for output in ["out/report.xml", "out/report.html", "out/spread.json"] {
            let size = fs::metadata(folder.path().join(output)).map(|data| data.len()).expect("an output");
            assert!(size > 0, "{output}");
        }
    }
}

#[test]
fn what_is_asked_for_is_printed_however_quiet_it_is() {
    let suite = format!(
        "summary = ['solvable']\n[[scenario]]\nname = 'a'\n{PASSES}\n[[scenario]]\nname = 'b'\n{PASSES}"
    );
    let folder = folder(&[("a.toml", &suite)]);
    let quiet =
        |more: &[&str]| stdout(&call(folder.path(), &[&["run", "a.toml", "-q"], more].concat(), &[]).code(0));
    assert_eq!(quiet(&[]), "", "what the file asks for is for who wants to hear of it");
    assert!(quiet(&["--slowest", "1"]).starts_with("slowest:\n"));
    assert!(quiet(&["--signature"]).starts_with("signature xxh3:"));
    let asked = quiet(&["--summary", "solutions"]);
    assert!(asked.contains("  solutions\n    mean 3.00") && !asked.contains("solvable"), "{asked}");
    let folder_asks = "quiet = true\nsummary = ['solutions']\nslowest = 1\nsignature = true";
    fs::write(folder.path().join("rulebook.toml"), folder_asks).expect("a file");
    let all = stdout(&call(folder.path(), &["run", "a.toml"], &[]).code(0));
    for part in ["  solutions\n", "slowest:\n", "signature "] {
        assert!(all.contains(part), "{part} is not in\n{all}");
    }
}

#[test]
fn reports_of_the_file_lie_in_its_folder() {
    let folder = folder(&[
        ("rulebook.toml", "report = ['tap=report.tap', 'jsonl']\npaths = ['suite']\n"),
        ("suite/a.toml", PASSES),
        ("suite/deep/b.toml", PASSES),
    ]);
    let run = call(&folder.path().join("suite/deep"), &["run"], &[]).code(0);
    assert_eq!(stdout(&run).lines().count(), 4, "{}", stdout(&run));
    let report = fs::read_to_string(folder.path().join("report.tap")).expect("the report");
    assert!(report.ends_with("\n1..2\n"), "{report}");
}
