//! Which scenarios run, and in which order.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::command::{rulebook, stderr, stdout};

const ROWS: &str = "\
engine = 'quento'
tags = ['rows']
board = ['4+3', '-5-', '9-2']
target = 7
digits = 2

[[scenario]]
name = 'row one'
expect.solvable = true

# What stands above a header belongs to the scenario before it.
[[scenario]]
name = 'row [two]'
tags = ['slow']
expect.solvable = false

[[scenario]]
name = 'column'
expect.solutions = 3
";

const MADE: &str = "\
engine = 'stacking'

[[scenario]]
name = 'made'
generate = { script = 'make.rhai', count = 40 }
expect.turn = { at_least = -1 }
";

const MAKE: &str = "\
fn generate(rng, index, args) {
    #{ board: \". .\\n. .\", pieces: [#{ at: [1, 1], facing: \"right\" }], limits: \"none\", expect: #{ moves: #{ at_least: if index == 7 { 100000 } else { 0 } } } }
}
";

/// A folder with a suite in which one scenario and one case fail.
fn suite() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [("rows.toml", ROWS), ("sub/made.toml", MADE), ("sub/make.rhai", MAKE)] {
        let path = folder.path().join("scenarios").join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

/// What runs, by name and index, in the order in which it does.
fn runs(folder: &Path, args: &[&str]) -> Vec<String> {
    let assert = rulebook()
        .current_dir(folder)
        .args(["run", "--verbose", "--state", "state.json"])
        .args(args)
        .assert();
    ids(&stdout(&assert))
}

/// The cases that a run speaks of, by name and index.
fn ids(said: &str) -> Vec<String> {
    let id = |line: &str| {
        let (word, rest) = line.split_once(' ')?;
        let id = match word {
            "passed" | "skipped" => rest.rsplit_once(" (")?.0,
            "FAILED" | "ERROR" => rest,
            _ => return None,
        };
        Some(id.replace('\\', "/"))
    };
    said.lines().filter_map(id).collect()
}

#[test]
fn places_name_scenarios() {
    let folder = suite();
    let runs = |args: &[&str]| {
        let all = runs(folder.path(), args);
        all.iter().map(|id| id.replace("scenarios/", "")).collect::<Vec<_>>()
    };
    assert_eq!(runs(&["scenarios/rows.toml:7"]), ["rows.toml::row one"]);
    for line in ["8", "9", "11", "11:4"] {
        assert_eq!(runs(&[&format!("scenarios/rows.toml:{line}")]), ["rows.toml::row one"], "{line}");
    }
    assert_eq!(runs(&["scenarios/rows.toml:12"]), ["rows.toml::row [two]"]);
    let last = ROWS.split('\n').count();
    assert_eq!(runs(&[&format!("scenarios/rows.toml:{last}")]), ["rows.toml::column"]);
    // Above the first scenario stand the defaults of all.
    assert_eq!(runs(&["scenarios/rows.toml:2"]).len(), 3);
    assert_eq!(runs(&["scenarios/rows.toml::row [two]"]), ["rows.toml::row [two]"]);
    assert_eq!(runs(&["scenarios/rows.toml::row *"]).len(), 2);
    assert_eq!(runs(&["scenarios::column"]), ["rows.toml::column"]);
    let two = ["rows.toml::row one", "rows.toml::column"];
    assert_eq!(runs(&["scenarios/rows.toml::column", "scenarios/rows.toml:7"]), two);
    assert_eq!(runs(&["scenarios/rows.toml::column", "scenarios/rows.toml"]).len(), 3);
    assert_eq!(runs(&["scenarios", "scenarios"]).len(), 43);
    assert_eq!(runs(&["scenarios/*.toml"]).len(), 3);
    assert_eq!(runs(&["scen*/s?b"]).len(), 40);
    assert_eq!(runs(&["scenarios/**/*.toml::column"]), ["rows.toml::column"]);
    assert_eq!(runs(&["./scenarios//*.toml"]).len(), 3);
    assert_eq!(runs(&["scen*/"]).len(), 43);
    assert_eq!(runs(&["scenarios/sub/made.toml:3", "--index", "7"]), ["sub/made.toml::made#7"]);
    // What is no path is a part of a name, or of a file's.
    assert_eq!(runs(&["row one"]), ["rows.toml::row one"]);
    assert_eq!(runs(&["rows"]).len(), 3);
    assert_eq!(runs(&["one", "[two"]), ["rows.toml::row one", "rows.toml::row [two]"]);
    assert_eq!(runs(&["c*n"]), ["rows.toml::column"]);
    assert_eq!(runs(&["row", "scenarios/sub", "made"]).len(), 40);
}

#[test]
fn filters_choose() {
    let folder = suite();
    let count = |filter: &str| runs(folder.path(), &["--filter", filter]).len();
    assert_eq!(count("engine(quento)"), 3);
    assert_eq!(count("tag(slow)"), 1);
    assert_eq!(count("tag(rows) - tag(slow)"), 2);
    assert_eq!(count("name(/^row/) | engine(stacking)"), 42);
    assert_eq!(count("file(sub)"), 40);
    let assert = rulebook().current_dir(folder.path()).args(["run", "-E", "tga(slow)"]).assert().code(2);
    assert!(stderr(&assert).contains("--filter:1:1\n"), "{}", stderr(&assert));
    assert!(stderr(&assert).contains("did you mean `tag`?"), "{}", stderr(&assert));
}

#[test]
fn an_empty_selection_names_what_is_near() {
    let folder = suite();
    for (args, says) in [
        (&["scenarios/rows.toml::colum"][..], "did you mean `column`?"),
        (&["row tree"], "did you mean `row one`?"),
        (&["scenarios", "--name", "colunm"], "did you mean `column`?"),
        (&["--tag", "rosw"], "did you mean `rows`?"),
        (&["scenarios::made#7"], "`--index 7`"),
        (&["xyzzy"], "no scenario in `scenarios` has `xyzzy` in its `FILE::NAME`, and no file is called so"),
        (&["--filter", "none()"], "`rulebook list --verbose` shows"),
        (&["--filter", "name(/^x/) & tag(rows)"], "in `scenarios` by `--filter 'name(/^x/) & tag(rows)'`"),
        (&["--tag", "rosw", "--engine", "quento"], "by `--engine 'quento'` and `--tag 'rosw'`"),
        (&["scenarios/sub", "--index", "40"], "in `scenarios/sub` by `--index 40`"),
    ] {
        let assert = rulebook().current_dir(folder.path()).arg("run").args(args).assert().code(4);
        assert!(stderr(&assert).contains("[usage::"), "{args:?}: {}", stderr(&assert));
        assert!(stderr(&assert).contains(says), "{args:?}: {}", stderr(&assert));
    }
    let assert = rulebook().current_dir(folder.path()).args(["run", "--engine", "quanto"]).assert().code(2);
    assert!(stderr(&assert).contains("did you mean `quento`?"), "{}", stderr(&assert));
    rulebook().current_dir(folder.path()).args(["run", "rows.tml.toml"]).assert().code(3);
}

#[test]
fn what_failed_runs_again_until_it_passes() {
    let folder = suite();
    let failed = ["scenarios/rows.toml::row [two]", "scenarios/sub/made.toml::made#7"];
    let note = |args: &[&str]| {
        let args = [&["run", "--state", "state.json"], args].concat();
        stderr(&rulebook().current_dir(folder.path()).args(args).assert())
    };
    assert!(note(&["--last-failed"]).contains("note: no recorded failures: running everything"));
    assert_eq!(runs(folder.path(), &["--last-failed"]), failed);
    assert_eq!(runs(folder.path(), &["--last-failed", "scenarios/rows.toml"]), failed[..1]);
    let order = runs(folder.path(), &["--failed-first"]);
    assert_eq!(order[..2], failed);
    assert_eq!(order.len(), 43);
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 43);
    // What was not run stays remembered.
    assert_eq!(runs(folder.path(), &["scenarios/rows.toml::column"]).len(), 1);
    assert_eq!(runs(folder.path(), &["--last-failed"]), failed);
    let rows = folder.path().join("scenarios/rows.toml");
    fs::write(&rows, ROWS.replace("solvable = false", "solvable = true")).expect("a file");
    assert_eq!(runs(folder.path(), &["--last-failed"]), failed);
    assert_eq!(runs(folder.path(), &["--last-failed"]), failed[1..]);
    let script = folder.path().join("scenarios/sub/make.rhai");
    fs::write(script, MAKE.replace("100000", "0")).expect("a file");
    assert_eq!(runs(folder.path(), &["--last-failed"]), failed[1..]);
    assert!(note(&["--last-failed"]).contains("running everything"));
    fs::write(&rows, ROWS.replace("[two]", "[three]")).expect("a file");
    assert!(note(&["scenarios/rows.toml"]).is_empty());
    fs::write(&rows, ROWS).expect("a file");
    assert!(note(&["--last-failed"]).contains("no recorded failure matches the selection"));
}

/// The entries of the state: files, names and indices.
fn remembered(folder: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(folder.join("state.json")).expect("a state");
    assert!(text.len() < 100_000, "{} bytes", text.len());
    if text.is_empty() {
        return Vec::new();
    }
    let state: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    state["failed"].as_array().expect("a list").clone()
}

/// `count` scenarios that do not pass.
fn wrong(count: usize) -> String {
    let mut text = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\ntarget = 7\n".to_owned();
    (0..count).for_each(|i| text += &format!("[[scenario]]\nname = 'w{i}'\nexpect.solutions = 2\n"));
    text
}

#[test]
fn many_failures_are_remembered_in_bounded_space_and_found_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("scenarios")).expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join("scenarios").join(name), text).expect("a file");
    write("many.toml", &wrong(2500));
    write("few.toml", &wrong(3));
    assert_eq!(runs(folder.path(), &["--draw", "0"]).len(), 0);
    assert_eq!(remembered(folder.path()).len(), 4, "the file with many as a whole, the others one by one");
    let again = |args: &[&str]| {
        let args = [&["run", "--state", "state.json", "--draw", "0"], args].concat();
        let assert = rulebook().current_dir(folder.path()).args(args).assert();
        (stdout(&assert).lines().last().unwrap_or_default().to_owned(), stderr(&assert))
    };
    assert!(again(&["--last-failed"]).0.starts_with("2503 failed"));
    // A part that passes says nothing of the rest of the file.
    let mend = |text: &str| text.replacen("solutions = 2", "solutions = 3", 1);
    write("many.toml", &mend(&wrong(2500)));
    assert!(again(&["scenarios/many.toml::w0"]).0.starts_with("1 passed"));
    let (summary, _) = again(&["--last-failed"]);
    assert!(summary.contains("2502 failed") && summary.contains("1 passed"), "{summary}");
    write("many.toml", &wrong(2));
    assert!(again(&["--last-failed"]).0.starts_with("5 failed"));
    assert_eq!(remembered(folder.path()).len(), 5);
}

#[test]
fn failures_in_too_many_files_are_said_to_be_more() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("scenarios")).expect("a folder");
    for i in 0..2100 {
        fs::write(folder.path().join(format!("scenarios/{i}.toml")), wrong(1)).expect("a file");
    }
    let said = |args: &[&str]| {
        let args = [&["run", "--state", "state.json", "--draw", "0"], args].concat();
        stderr(&rulebook().current_dir(folder.path()).args(args).assert().code(1))
    };
    assert_eq!(said(&[]), "");
    assert_eq!(remembered(folder.path()).len(), 1000);
    assert!(said(&["--last-failed"]).contains("more cases failed than are remembered"));
}

#[test]
fn what_is_gone_or_renamed_is_forgotten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("scenarios")).expect("a folder");
    let path = |name: &str| folder.path().join("scenarios").join(name);
    for name in ["a.toml", "b.toml", "c.toml"] {
        fs::write(path(name), wrong(2)).expect("a file");
    }
    runs(folder.path(), &[]);
    assert_eq!(remembered(folder.path()).len(), 6);
    fs::write(path("a.toml"), wrong(2).replace("w0", "renamed")).expect("a file");
    // A run of some scenarios does not know of the others.
    runs(folder.path(), &["scenarios/a.toml::w1"]);
    runs(folder.path(), &["scenarios/a.toml", "--name", "renamed"]);
    assert_eq!(remembered(folder.path()).len(), 7);
    runs(folder.path(), &["scenarios/a.toml"]);
    let names: Vec<_> = remembered(folder.path()).iter().map(|entry| entry[1].to_string()).collect();
    assert_eq!(names, ["\"renamed\"", "\"w1\"", "\"w0\"", "\"w1\"", "\"w0\"", "\"w1\""]);
    fs::remove_file(path("b.toml")).expect("the file");
    fs::write(path("c.toml"), wrong(2).replace("solutions = 2", "solutions = 3")).expect("a file");
    runs(folder.path(), &["scenarios/c.toml"]);
    assert_eq!(remembered(folder.path()).len(), 2);
}

#[test]
fn a_file_that_is_something_else_is_not_written_over() {
    let folder = suite();
    let run = |state: &str| rulebook().current_dir(folder.path()).args(["run", "--state", state]).assert();
    let assert = run("scenarios/rows.toml").code(2);
    assert!(stderr(&assert).contains("[usage::state]"), "{}", stderr(&assert));
    assert_eq!(fs::read_to_string(folder.path().join("scenarios/rows.toml")).expect("a file"), ROWS);
    let assert = run("scenarios").code(2);
    assert!(stderr(&assert).contains("[usage::state]"), "{}", stderr(&assert));
    let assert = run("scenarios/rows.toml/state.json").code(2);
    assert!(stderr(&assert).contains("scenarios/rows.toml/state.json"), "{}", stderr(&assert));
    run("new/folder/state.json").code(1);
    assert!(folder.path().join("new/folder/state.json").is_file());
}

#[test]
fn a_line_after_the_end_of_a_file_is_a_fault() {
    let folder = suite();
    for (word, says) in [
        ("scenarios/rows.toml:900", "`scenarios/rows.toml` has no line 900"),
        ("scenarios/rows.toml:900:3", "it has 19 lines"),
        ("scenarios/sub/made.toml:77", "`scenarios/sub/made.toml` has no line 77"),
    ] {
        for command in ["run", "check", "list", "expand", "replay"] {
            let assert = rulebook().current_dir(folder.path()).args([command, word]).assert().code(3);
            let said = format!("{}{}", stdout(&assert), stderr(&assert));
            assert!(
                said.contains("[suite::no-such-line]") && said.contains(says),
                "{command} {word}: {said}"
            );
        }
    }
}

#[test]
fn a_run_of_skipped_cases_alone_says_that_nothing_was_run() {
    let folder = suite();
    let path = folder.path().join("scenarios/rows.toml");
    fs::write(&path, format!("skip = 'later'\n{ROWS}")).expect("a file");
    let run = |args: &[&str]| rulebook().current_dir(folder.path()).arg("run").args(args).assert().success();
    assert!(stdout(&run(&["scenarios/rows.toml"])).contains("0 run, 3 skipped in "));
    assert_eq!(stderr(&run(&["scenarios/rows.toml", "--quiet"])), "warning: 0 run, 3 skipped\n");
    assert!(stdout(&run(&["scenarios/rows.toml::column"])).contains("0 run, 1 skipped in "));
}

#[test]
fn an_order_comes_of_its_seed() {
    let folder = suite();
    let plain = runs(folder.path(), &[]);
    let shuffled = |seed: &str, jobs: &str| runs(folder.path(), &["--shuffle", seed, "--jobs", jobs]);
    let orders: Vec<_> = (0..20).map(|seed: u32| shuffled(&seed.to_string(), "1")).collect();
    assert!(orders[3] == shuffled("3", "2"));
    assert!(orders.iter().collect::<BTreeSet<_>>().len() > 4);
    for mut order in orders {
        let (a, b) = (plain.iter().collect::<BTreeSet<_>>(), order.len());
        assert_eq!((a.len(), plain.len()), (b, b));
        order.sort();
        let mut sorted = plain.clone();
        sorted.sort();
        assert!(order == sorted);
    }
}

#[test]
fn shards_share_out_all_cases() {
    let runs = |args: &[&str]| {
        let command = rulebook().args(["run", "--verbose", "scenarios/scripted", "scenarios/quento"]);
        ids(&stdout(&command.args(args).assert().success()))
    };
    let mut whole = runs(&[]);
    let mut parts: Vec<_> =
        ["1/3", "2/3", "3/3"].iter().flat_map(|shard| runs(&["--shard", shard])).collect();
    assert!(whole.len() > 100);
    whole.sort();
    parts.sort();
    assert!(whole == parts, "{} cases, and {} in parts", whole.len(), parts.len());
}

#[test]
fn the_system_says_which_shard_it_is() {
    let folder = suite();
    let count = |vars: &[(&str, &str)]| {
        let command = rulebook().current_dir(folder.path()).args(["list", "--shard", "auto"]);
        let assert = vars.iter().fold(command, |command, (name, value)| command.env(name, value)).assert();
        (stdout(&assert).lines().count(), assert.get_output().status.code())
    };
    let first = count(&[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "2")]);
    let second = count(&[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "2")]);
    assert_eq!(first.0 + second.0, 4);
    assert_eq!((first.1, second.1), (Some(0), Some(0)));
    // A part may have nothing to do.
    let empty = (1..=50)
        .filter(|i: &u32| count(&[("CI_NODE_INDEX", &i.to_string()), ("CI_NODE_TOTAL", "50")]).0 == 0);
    assert!(empty.count() >= 46);
    assert_eq!(count(&[("CI_NODE_INDEX", "1")]).1, Some(2));
}

#[test]
fn a_broken_script_is_said_in_one_part() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "engine = 'quento'\n[[scenario]]\nname = 'broken'\n\
                generate = { script = 'no.rhai', count = 900 }\nexpect.solvable = true\n";
    fs::create_dir(folder.path().join("scenarios")).expect("a folder");
    fs::write(folder.path().join("scenarios/a.toml"), text).expect("a file");
    let parts = ["1/3", "2/3", "3/3"].map(|shard| runs(folder.path(), &["--shard", shard]));
    assert_eq!(parts.concat(), ["scenarios/a.toml::broken#0"]);
    assert_eq!(runs(folder.path(), &["--failed-first"]), ["scenarios/a.toml::broken#0"]);
}

#[test]
fn what_is_said_of_all_cases_is_run_with_all_of_them() {
    let folder = suite();
    let path = folder.path().join("scenarios/sub/made.toml");
    let write = |signature: &str| {
        fs::write(&path, format!("{MADE}expect.signature = '{signature}'\n")).expect("a file");
    };
    write("xxh3:0");
    // The forty cases, of which one fails, and what they come to together.
    assert_eq!(runs(folder.path(), &["scenarios/sub"]).len(), 41);
    assert_eq!(runs(folder.path(), &["--last-failed", "scenarios/sub"]).len(), 41);
    assert_eq!(runs(folder.path(), &["--failed-first", "scenarios/sub"]).len(), 41);
    let args = ["run", "scenarios/sub", "--state", "state.json"];
    let said = stdout(&rulebook().current_dir(folder.path()).args(args).assert().code(1));
    let actual = said.split("the signature of all cases is `").nth(1).and_then(|rest| rest.split('`').next());
    write(actual.expect("the signature"));
    assert_eq!(runs(folder.path(), &["--last-failed", "scenarios/sub"]).len(), 40);
    let state = fs::read_to_string(folder.path().join("state.json")).expect("a state");
    assert!(state.contains("\"made\",7") && !state.contains("null"), "{state}");
}

#[test]
fn two_runs_at_once_remember_what_both_found() {
    let folder = suite();
    for _ in 0..5 {
        let start = |filter: &str| {
            std::process::Command::new(env!("CARGO_BIN_EXE_rulebook"))
                .current_dir(folder.path())
                .args(["run", "--quiet", "--state", "both.json", "--filter", filter])
                .stdout(std::process::Stdio::null())
                .spawn()
                .expect("a process")
        };
        let mut both = [start("engine(quento)"), start("engine(stacking)")];
        for child in &mut both {
            assert!(child.wait().is_ok());
        }
        let path = folder.path().join("both.json");
        let state = fs::read_to_string(&path).expect("a state");
        assert!(state.contains("row [two]") && state.contains("\"made\",7"), "{state}");
        fs::remove_file(path).expect("the state is gone");
    }
}

#[test]
fn a_path_may_have_colons_of_its_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["x::y.toml", "c::d/a.toml", "z:7.toml"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, ROWS).expect("a file");
    }
    let runs = |word: &str| runs(folder.path(), &[word]);
    for file in ["x::y.toml", "c::d/a.toml", "z:7.toml"] {
        assert_eq!(runs(file).len(), 3);
        assert_eq!(runs(&format!("{file}::column")), [format!("{file}::column")]);
        assert_eq!(runs(&format!("{file}:12")), [format!("{file}::row [two]")]);
        assert_eq!(runs(&format!("{file}:12:3")), [format!("{file}::row [two]")]);
    }
}

#[test]
#[cfg(unix)]
fn a_glob_leaves_nothing_out_in_silence() {
    let folder = suite();
    std::os::unix::fs::symlink("nowhere", folder.path().join("scenarios/gone.toml")).expect("a link");
    let assert = rulebook().current_dir(folder.path()).args(["check", "scenarios/*.toml"]).assert().code(3);
    assert!(stdout(&assert).contains("gone.toml` cannot be read"), "{}", stdout(&assert));
}

#[test]
fn what_failed_is_one_file_however_its_path_is_spelled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("s")).expect("a folder");
    let file = folder.path().join("s/x.toml");
    let absolute = file.display().to_string();
    let spellings = ["s/x.toml", "./s/x.toml", "s//x.toml", "s/../s/x.toml", "s", "./s", "s/.", &absolute];
    for first in spellings {
        for second in spellings {
            fs::write(folder.path().join("state.json"), "").expect("a state");
            fs::write(&file, wrong(1)).expect("a file");
            runs(folder.path(), &[first]);
            runs(folder.path(), &[second]);
            assert_eq!(remembered(folder.path()).len(), 1, "{first}, {second}");
            let again = rulebook().current_dir(folder.path()).args([
                "run",
                "--state",
                "state.json",
                "--last-failed",
                second,
            ]);
            assert_eq!(stderr(&again.assert()), "", "{first}, {second}: it is found again");
            fs::write(&file, wrong(1).replace("solutions = 2", "solutions = 3")).expect("a file");
            runs(folder.path(), &[second]);
            assert_eq!(remembered(folder.path()).len(), 0, "{first}, {second}: it is forgotten");
        }
    }
}

#[test]
fn what_a_list_prints_selects_that_case_and_no_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names = [
        r#""a\nb""#,
        r"'a\nb'",
        r#""c\u202ed""#,
        r"'c\u{202e}d'",
        r#""e\tf""#,
        r"'e\tf'",
        "'g#1'",
        "'line 3'",
        "'x y'",
    ];
    let mut text = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\ntarget = 7\n".to_owned();
    for name in names {
        text += &format!("[[scenario]]\nname = {name}\nexpect.solutions = 3\n");
    }
    fs::write(folder.path().join("a.toml"), text).expect("a file");
    let list = |args: &[&str]| {
        stdout(&rulebook().current_dir(folder.path()).arg("list").args(args).assert().code(0))
    };
    let all = list(&["a.toml"]);
    assert_eq!(all.lines().count(), names.len());
    for line in all.lines() {
        assert_eq!(list(&[line]), format!("{line}\n"));
    }
    let past = rulebook().current_dir(folder.path()).args(["list", "a.toml:0"]).assert().code(3);
    assert!(stderr(&past).contains("`a.toml` has no line 0"), "{}", stderr(&past));
}

#[test]
fn former_spellings_of_filters_are_refused_with_the_new_ones() {
    let folder = suite();
    let call = |args: &[&str]| rulebook().current_dir(folder.path()).args(args).assert().code(2);
    assert!(stderr(&call(&["run", "--select", "all()"])).contains("'--filter'"));
    assert!(
        stderr(&call(&["list", "--filter", "row two"])).contains("`--name \"row two\"` selects by a part")
    );
    let set =
        rulebook().current_dir(folder.path()).env("RULEBOOK_SELECT", "all()").arg("list").assert().code(2);
    assert!(stderr(&set).contains("set `RULEBOOK_FILTER`"), "{}", stderr(&set));
    fs::write(folder.path().join("rulebook.toml"), "select = 'all()'\n").expect("a settings file");
    assert!(stderr(&call(&["run"])).contains("give `--filter` on the command line"));
}
