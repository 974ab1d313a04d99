//! Runs that continue, and what a case is known by: its file, its name or line, its index, and nothing else.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

use serde_json::Value as Json;
use snapbox::cmd::OutputAssert;

use crate::command::{rulebook, stderr, stdout};

/// Keys of three solutions, without a name.
const BASE: &str = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ntarget = 7\ndigits = 2\n";

/// A default that holds for all of them.
const RIGHT: &str = "expect.solutions = 3\n";

/// A generator that fails for index 3 if its scenario wants it to.
const GENERATOR: &str = "fn generate(rng, index, args) {\n\
                         if index == args.broken { return 7 }\n#{ expect: #{ solutions: 3 + index % 2 } } }\n";

/// A directory with these files.
fn suite(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn run(folder: &Path, args: &[&str]) -> OutputAssert {
    rulebook().current_dir(folder).args(["run", "--no-config"]).args(args).assert()
}

fn code(assert: &OutputAssert) -> i32 {
    assert.get_output().status.code().expect("an exit code")
}

/// The lines of the report at `name`, without times and drawings.
fn lines(folder: &Path, name: &str) -> Vec<Json> {
    let text = fs::read_to_string(folder.join(name)).expect("a report");
    let line = |line: &str| {
        let mut line: Json = serde_json::from_str(line).expect("JSON");
        for object in ["", "/summary"] {
            if let Some(object) = line.pointer_mut(object).and_then(Json::as_object_mut) {
                object.remove("seconds");
            }
        }
        for fault in line.get_mut("faults").and_then(Json::as_array_mut).into_iter().flatten() {
            // A default is drawn with the first scenario that is run.
            fault.as_object_mut().expect("a fault").retain(|key, _| key == "code");
        }
        line
    };
    text.lines().map(line).collect()
}

/// Scenario files in which cases could be taken for each other, and those with what is particular to a run of many.
fn shapes() -> Vec<(&'static str, String)> {
    let scenario = |keys: &str| format!("[[scenario]]\n{keys}\n");
    let made = |keys: &str, broken: i32| {
        format!(
            "[[scenario]]\n{keys}\ngenerate = {{ script = 'm.rhai', count = 6, args.broken = {broken} }}\n"
        )
    };
    vec![
        ("one name for two", BASE.to_owned() + &*scenario("name = 'x'").repeat(2) + &*scenario("name = 'y'")),
        (
            "a name that is another's line",
            BASE.to_owned()
                + &*scenario("name = 'line 8'\nexpect.solutions = 3")
                + &*scenario("expect.solutions = 4"),
        ),
        ("a name that is an index", BASE.to_owned() + &*made("name = 'g'", -1) + &*scenario("name = 'g#1'")),
        (
            "a name for cases and a case",
            BASE.to_owned() + &*made("name = 'g'", -1) + &*scenario("name = 'g'"),
        ),
        ("several without a name", BASE.to_owned() + &*scenario("expect.solutions = 3").repeat(3)),
        ("a whole file", BASE.to_owned() + "expect.solutions = 4\n"),
        (
            "a signature",
            BASE.to_owned() + &*made("name = 'g'\nexpect.signature = 'xxh3:0'", -1) + &*scenario(""),
        ),
        ("a spread", BASE.to_owned() + &*made("summary = ['solutions']", -1) + &*scenario("name = 'x'")),
        ("a broken generator", BASE.to_owned() + &*made("name = 'g'", 3) + &*scenario("name = 'x'")),
        (
            "no TOML",
            BASE.to_owned()
                + &*scenario("name = 'x'")
                + &*scenario("name = 'y")
                + &*scenario("skip = 'later'"),
        ),
        (
            "known failures and a script that is missing",
            BASE.to_owned()
                + &*scenario("expect.solutions = 1\nexpect_failure = 'is 3'")
                + &*scenario("check.script = 'no.rhai'")
                + &*scenario("play.script = 'no.rhai'"),
        ),
        (
            "one name for two, of which one has no moves",
            BASE.to_owned()
                + &*scenario("play.script = 'no.rhai'\nname = 'p'")
                + &*scenario("name = 'p'\nexpect.solutions = 3"),
        ),
    ]
}

#[test]
fn a_run_that_continues_comes_to_what_the_whole_comes_to() {
    for (what, text) in shapes() {
        let other = BASE.to_owned() + "name = 'last'\nexpect.solutions = 2\n";
        let folder = suite(&[("a.toml", text), ("b/b.toml", other), ("m.rhai", GENERATOR.to_owned())]);
        let folder = folder.path();
        for flags in [&["--jobs", "1"][..], &["--jobs", "2", "--signature", "--shuffle", "5"]] {
            let args = |report: [&'static str; 2]| [&["a.toml", "b", "--quiet"], flags, &report].concat();
            let whole = run(folder, &args(["--report", "jsonl=whole.jsonl"]));
            let expected = lines(folder, "whole.jsonl");
            assert!(expected.len() > 3, "{what}");
            let bytes = fs::read(folder.join("whole.jsonl")).expect("a report");
            let ends = memchr::memchr_iter(b'\n', &bytes).map(|end| end + 1);
            let cuts: BTreeSet<_> =
                ends.flat_map(|end| [end - 1, end, end + 1, end + 40]).chain([0, 1, 20]).collect();
            for cut in cuts.into_iter().filter(|cut| *cut <= bytes.len()) {
                fs::write(folder.join("r.jsonl"), &bytes[..cut]).expect("a report");
                let resumed = run(folder, &args(["--resume", "r.jsonl"]));
                let said = stderr(&resumed);
                assert_eq!(code(&resumed), code(&whole), "{what} {flags:?}, cut to {cut} bytes: {said}");
                assert_eq!(lines(folder, "r.jsonl"), expected, "{what} {flags:?}, cut to {cut} bytes");
            }
        }
    }
}

#[test]
fn a_report_of_anything_else_is_refused_and_left_alone() {
    let plain = BASE.to_owned()
        + "[[scenario]]\nname = 'x'\n[[scenario]]\nexpect.solutions = 3\n[[scenario]]\nname = 'z'\n";
    let made = BASE.to_owned() + "[[scenario]]\ngenerate = { script = 'm.rhai', count = 3, seed = 1 }\n";
    let folder =
        suite(&[("s/a.toml", plain.clone()), ("s/m.toml", made.clone()), ("s/m.rhai", GENERATOR.to_owned())]);
    let folder = folder.path();
    fs::create_dir(folder.join("t")).expect("a directory");
    fs::copy(folder.join("s/a.toml"), folder.join("t/a.toml")).expect("a copy");
    run(folder, &["s", "--quiet", "--report", "jsonl=whole.jsonl"]);
    let whole = fs::read_to_string(folder.join("whole.jsonl")).expect("a report");
    let half: String = whole.lines().take(3).map(|line| line.to_owned() + "\n").collect();

    // Other words.
    for other in [
        &["t"][..],
        &["none.toml"],
        &["s/a.toml"],
        &["s", "t"],
        &["./s"],
        &["s", "--name", "x"],
        &["s", "--tag", "x"],
        &["s", "--engine", "quento"],
        &["s", "--filter", "all()"],
        &["s", "--index", "0"],
        &["s", "--shuffle", "1"],
        &["s", "x"],
        &["s", "--shard", "1/2"],
        &["s", "--signature"],
    ] {
        for report in [&whole, &half] {
            fs::write(folder.join("r.jsonl"), report).expect("a report");
            let refused = run(folder, &[other, &["--resume", "r.jsonl", "--quiet"]].concat());
            let said = stderr(&refused);
            assert_eq!(code(&refused), 3, "{other:?}: {said}");
            assert!(said.starts_with("error[report::other-run]: `r.jsonl` "), "{other:?}: {said}");
            assert_eq!(fs::read_to_string(folder.join("r.jsonl")).expect("a report"), *report, "{other:?}");
        }
    }

    // Scenarios that say something else, that are elsewhere, or that are gone.
    let edits: [(&str, &str, &str); 9] = [
        ("s/a.toml", "target = 7", "target = 8"),
        ("s/a.toml", "'4+3'", "'4+4'"),
        ("s/a.toml", "name = 'x'", "name = 'y'"),
        ("s/a.toml", "name = 'x'", "name = 'x'\nskip = 'later'"),
        ("s/a.toml", "[[scenario]]\nname = 'x'\n", ""),
        ("s/a.toml", "[[scenario]]\nname = 'x'\n", "\n[[scenario]]\nname = 'x'\n"),
        ("s/a.toml", "[[scenario]]\nexpect", "[[scenario]]\nname = 'new'\n[[scenario]]\nexpect"),
        ("s/m.toml", "seed = 1", "seed = 2"),
        ("s/m.toml", "count = 3", "count = 2"),
    ];
    for (file, from, to) in edits {
        let text = if file == "s/a.toml" { &plain } else { &made };
        assert!(text.contains(from), "{from}");
        fs::write(folder.join(file), text.replacen(from, to, 1)).expect("a file");
        // Nothing of the second file is in the half report.
        for report in [&whole, &half].into_iter().take(if file == "s/a.toml" { 2 } else { 1 }) {
            fs::write(folder.join("r.jsonl"), report).expect("a report");
            let refused = run(folder, &["s", "--resume", "r.jsonl", "--quiet"]);
            let said = stderr(&refused);
            assert_eq!(code(&refused), 3, "{to}: {said}");
            assert!(said.starts_with("error[report::other-run]: `r.jsonl` "), "{to}: {said}");
            assert_eq!(fs::read_to_string(folder.join("r.jsonl")).expect("a report"), *report, "{to}");
        }
        fs::write(folder.join(file), text).expect("a file");
    }

    // What means the same, and what is added at the end, is of the same run.
    let same = plain.replace("'x'", "\"x\" # a comment").replace("digits = 2", "digits   =  2");
    fs::write(folder.join("s/a.toml"), same).expect("a file");
    fs::write(folder.join("s/m.toml"), made + "[[scenario]]\nname = 'added'\n").expect("a file");
    run(folder, &["s", "--quiet", "--report", "jsonl=now.jsonl"]);
    for report in [&whole, &half] {
        fs::write(folder.join("r.jsonl"), report).expect("a report");
        run(folder, &["s", "--resume", "r.jsonl", "--quiet"]);
        assert_eq!(lines(folder, "r.jsonl"), lines(folder, "now.jsonl"));
    }
}

#[test]
fn a_report_that_holds_a_case_twice_is_refused() {
    for (what, text) in shapes() {
        let folder = suite(&[("a.toml", text), ("m.rhai", GENERATOR.to_owned())]);
        let folder = folder.path();
        run(folder, &["a.toml", "--quiet", "--report", "jsonl=r.jsonl"]);
        let whole = fs::read_to_string(folder.join("r.jsonl")).expect("a report");
        let cases: Vec<_> = whole.lines().filter(|line| line.contains("\"verdict\"")).collect();
        for case in &cases {
            let twice: String =
                whole.lines().take(2).chain([*case, *case]).map(|line| line.to_owned() + "\n").collect();
            fs::write(folder.join("r.jsonl"), &twice).expect("a report");
            let refused = run(folder, &["a.toml", "--quiet", "--resume", "r.jsonl"]);
            assert_eq!(code(&refused), 3, "{what}");
            assert!(
                stderr(&refused).starts_with("error[report::same-case]: "),
                "{what}: {}",
                stderr(&refused)
            );
            assert_eq!(fs::read_to_string(folder.join("r.jsonl")).expect("a report"), twice, "{what}");
        }
        assert!(!cases.is_empty(), "{what}");
    }
}

#[test]
fn a_report_belongs_to_one_run_at_a_time() {
    let folder = suite(&[("a.toml", BASE.to_owned() + "expect.solutions = 3\n")]);
    let folder = folder.path();
    for before in ["", "{\"rulebook\""] {
        fs::write(folder.join("r.jsonl"), before).expect("a report");
        let held = File::options().write(true).open(folder.join("r.jsonl")).expect("the report");
        held.lock().expect("a lock");
        for args in [["--resume", "r.jsonl"], ["--report", "jsonl=r.jsonl"]] {
            let refused = run(folder, &[&["a.toml"][..], &args].concat());
            assert_eq!(code(&refused), 2, "{args:?}");
            assert!(
                stderr(&refused).starts_with("error[report::in-use]: `r.jsonl` is in use\n"),
                "{}",
                stderr(&refused)
            );
            assert_eq!(fs::read_to_string(folder.join("r.jsonl")).expect("a report"), before, "{args:?}");
        }
        drop(held);
        assert_eq!(code(&run(folder, &["a.toml", "--resume", "r.jsonl"])), 0);
        assert_eq!(lines(folder, "r.jsonl").len(), 3);
    }
}

#[test]
fn no_two_cases_are_called_alike() {
    let texts: Vec<_> =
        shapes().into_iter().filter(|(what, _)| !what.starts_with("one name for two")).collect();
    for (what, text) in texts {
        let folder = suite(&[("a.toml", text), ("m.rhai", GENERATOR.to_owned())]);
        let folder = folder.path();
        run(
            folder,
            &[
                "a.toml",
                "--quiet",
                "--report",
                "tap=r.tap",
                "--report",
                "junit=r.xml",
                "--report",
                "jsonl=r.jsonl",
            ],
        );
        let report = lines(folder, "r.jsonl");
        let cases = report.iter().filter(|line| line.get("verdict").is_some()).count();
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a report");
        let tap = read("r.tap");
        let points = tap.lines().filter_map(|line| line.split_once(" - ")?.1.split(" # ").next());
        let xml = read("r.xml");
        let names = xml.lines().filter_map(|line| line.strip_prefix("<testcase name=\"")?.split('"').next());
        assert_eq!(points.collect::<BTreeSet<_>>().len(), cases, "{what}: {tap}");
        assert_eq!(names.collect::<BTreeSet<_>>().len(), cases, "{what}: {xml}");
    }
}

#[test]
fn a_scenario_is_found_by_the_name_that_is_shown_and_no_other_is() {
    let text = BASE.to_owned()
        + RIGHT
        + "[[scenario]]\nname = 'line 13'\ntags = ['named']\n[[scenario]]\nname = 'g'\n[[scenario]]\nname = 'g#1'\n\
           [[scenario]]\n[[scenario]]\nname = '\"g\"'\n";
    let folder = suite(&[("a.toml", text)]);
    let list = |args: &[&str]| {
        stdout(&rulebook().current_dir(folder.path()).args(["list", "--no-config"]).args(args).assert())
    };
    let all = list(&["a.toml"]);
    assert_eq!(all.lines().count(), 5);
    for shown in all.lines() {
        assert_eq!(list(&[shown]), format!("{shown}\n"));
        let name = shown.strip_prefix("a.toml::").expect("a name");
        assert_eq!(list(&["a.toml", "--filter", &format!("name(={name})")]), format!("{shown}\n"));
    }
    assert_eq!(list(&["a.toml::g#1"]), "a.toml::\"g#1\"\n");
    assert_eq!(list(&["a.toml", "--tag", "named"]), "a.toml::\"line 13\"\n");
    assert_eq!(list(&["a.toml::line 13"]), "a.toml::line 13\n");
}

#[test]
fn a_file_is_run_once_whatever_paths_lead_to_it() {
    let folder = suite(&[(
        "s/x.toml",
        BASE.to_owned() + RIGHT + "[[scenario]]\nname = 'a'\n[[scenario]]\nname = 'b'\n",
    )]);
    let folder = folder.path();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("x.toml", folder.join("s/link.toml")).expect("a link");
        std::os::unix::fs::symlink("s", folder.join("t")).expect("a link");
    }
    let absolute = folder.join("s/x.toml").display().to_string();
    let mut spellings = vec![
        vec!["s/x.toml", "./s/x.toml"],
        vec!["s", "./s/"],
        vec!["s//x.toml", "s/../s/x.toml"],
        vec!["s/*.toml", "s"],
        vec!["s/x.toml", &absolute],
        vec!["s/x.toml::a", "./s/x.toml::b"],
        vec!["s/x.toml::b", "s"],
        vec!["./s/x.toml:5", "s/x.toml:7"],
    ];
    if cfg!(unix) {
        spellings.extend([
            vec!["s"],
            vec!["s/x.toml", "s/link.toml"],
            vec!["t", "s"],
            vec!["t/link.toml::a", "s"],
        ]);
    }
    for paths in spellings {
        let ran = run(folder, &[&paths[..], &["--report", "tap"]].concat());
        let tap = stdout(&ran);
        let points: Vec<_> = tap.lines().filter_map(|line| line.split_once("::")).collect();
        assert_eq!(points.iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["a", "b"], "{paths:?}: {tap}");
        assert_eq!(
            points[0].0.split_once(" - ").map(|(_, file)| file),
            points[1].0.split_once(" - ").map(|(_, file)| file)
        );
    }
}

#[test]
fn shards_of_two_runs_are_not_one_run() {
    let text = BASE.to_owned() + &*"[[scenario]]\nexpect.solutions = 3\n".repeat(9);
    let folder = suite(&[("a.toml", text.clone()), ("b.toml", text)]);
    let folder = folder.path();
    run(folder, &["a.toml", "--shard", "1/2", "--report", "jsonl=1.jsonl"]);
    run(folder, &["b.toml", "--shard", "2/2", "--report", "jsonl=2.jsonl"]);
    run(folder, &["a.toml", "--shard", "2/2", "--report", "jsonl=3.jsonl"]);
    let merge =
        |second: &str| rulebook().current_dir(folder).args(["report", "merge", "1.jsonl", second]).assert();
    let said = stderr(&merge("2.jsonl").code(3));
    assert!(said.starts_with("error[report::other-run]: `2.jsonl` is the report of another run\n"), "{said}");
    assert!(said.contains("this is of `b.toml`, expected `a.toml`"), "{said}");
    merge("3.jsonl").success();
}
