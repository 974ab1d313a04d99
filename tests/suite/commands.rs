//! The subcommands, called from outside: what they print, where, and with which exit code.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use snapbox::str;
use tempfile::TempDir;

use crate::command::{root, rulebook, stderr, stdout};

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

const QUENTO: &str = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";

/// A passing, a failing and a broken scenario.
fn three() -> String {
    format!(
        "{QUENTO}\n[[scenario]]\nname = 'good'\ntags = ['a']\nexpect.solutions = 3\n\n[[scenario]]\nname = 'bad'\n\
         expect.solutions = 2\n\n[[scenario]]\nname = 'broken'\ntraget = 7\nexpect.solutions = 3\n"
    )
}

#[test]
fn run_tells_failed_from_errored_and_says_nothing_of_passes() {
    let folder = folder(&[("three.toml", &three())]);
    let run = |args: &[&str]| rulebook().current_dir(folder.path()).arg("run").args(args).assert();
    run(&["three.toml", "--quiet"]).code(3).stderr_eq("").stdout_eq(str![[r"
FAILED three.toml::bad
error[verdict::mismatch]: `solutions` is 3
  --> three.toml:13:20
   |
13 | expect.solutions = 2
   |                    ^ expected 2

ERROR three.toml::broken
error[scenario::unknown-key]: unknown key `traget`
  --> three.toml:17:1
   |
17 | traget = 7
   | ^^^^^^ not a key here
   |
   = help: did you mean `target`?


"]]);
    run(&["three.toml", "--name", "bad"]).code(1);
    run(&["three.toml", "--tag", "a"]).success().stdout_eq("1 passed in [..]\n");
    run(&["three.toml", "--tag", "a", "--quiet"]).success().stdout_eq("");
    run(&["three.toml", "--engine", "stacking"]).code(4);
    run(&["three.toml", "--engine", "quentin"]).code(2);
    run(&["nowhere.toml"]).code(3).stdout_eq(str![[r"
ERROR nowhere.toml
error[suite::unreadable]: `nowhere.toml` cannot be read
 |
 = note: no such file or directory

1 errored in [..]

"]]);
    run(&["--no-such-flag"]).code(2);
}

#[test]
fn results_are_the_same_for_any_number_of_workers() {
    let mut text = QUENTO.to_owned();
    for i in 0..700 {
        text += &format!("\n[[scenario]]\nname = 'case {i}'\nexpect.solutions = {}\n", i % 3 + 1);
    }
    let folder = folder(&[("a.toml", &text), ("b/c.toml", &three())]);
    let run = |jobs| {
        let args = ["run", ".", "-q", "-j", jobs, "--draw", "1000"];
        stdout(&rulebook().current_dir(folder.path()).args(args).assert().code(3))
    };
    let one = run("1");
    assert_eq!(one.matches("FAILED").count(), 467 + 1);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("7"));
}

#[test]
fn fail_fast_stops_at_the_first() {
    let folder = folder(&[("three.toml", &three())]);
    let assert =
        rulebook().current_dir(folder.path()).args(["run", "three.toml", "--fail-fast"]).assert().code(1);
    assert!(stdout(&assert).ends_with('\n'));
    assert!(stdout(&assert).contains("1 failed, 1 passed, stopped before the end in "));
}

#[test]
fn list_and_check_run_nothing() {
    let folder = folder(&[("three.toml", &three())]);
    let call = |command| rulebook().current_dir(folder.path()).args([command, "three.toml"]).assert();
    let list = call("list").code(3);
    assert_eq!(stdout(&list), "three.toml::good\nthree.toml::bad\n");
    assert!(stderr(&list).starts_with("ERROR three.toml::broken\n"), "{}", stderr(&list));
    let checked = stdout(&call("check").code(3));
    assert!(checked.starts_with("ERROR three.toml::broken\n"), "{checked}");
    assert!(checked.contains("1 errored, 2 passed in "), "{checked}");
}

#[test]
fn a_broken_file_or_scenario_leaves_the_others_alone() {
    let syntax = format!(
        "{QUENTO}\n[[scenario]]\nname = 'x'\nexpect.solvable = \n\n[[scenario]]\nname = 'y'\nexpect.solvable = true\n"
    );
    let folder = folder(&[("a.toml", &syntax), ("b.toml", &three()), ("c/ignored.txt", "")]);
    fs::write(folder.path().join("d.toml"), b"engine = 'quento'\nname = '\xff'\n").expect("a file");
    let text = stdout(&rulebook().current_dir(folder.path()).args(["run", ".", "-v"]).assert().code(3));
    for line in ["passed ./a.toml::y", "passed ./b.toml::good", "ERROR ./a.toml::", "ERROR ./d.toml"] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert!(text.contains("1 failed, 3 errored, 2 passed in "), "{text}");
}

#[test]
fn solve_stands_in_for_a_solution() {
    let solve = |engine, input: &str| rulebook().args(["solve", engine]).stdin(input).assert();
    solve("quento", "7 2\n4+3\n-5-\n9-2\n").success().stdout_eq("1\n0 0\n0 1\n0 2\n");
    solve("quento", "45 2\n4+3\n-5-\n9-2\n").success().stdout_eq("0\n");
    let sample = "4 4\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n1 1 1\n1 2 1\n1 3 1\n3 3 3\n";
    solve("stacking", sample).success().stdout_eq("2\n");
    solve("stacking", &sample.replace("4 4\n0 0 0 0", "4 4\n0 0 0 x")).code(3).stdout_eq("").stderr_eq(str![
        [r"
error[input::not-a-number]: `x` is not a whole number
 --> standard input:2:7
  |
2 | 0 0 0 x
  |       ^ expected [..]

"]
    ]);
    solve("stack", "").code(2);
}

#[test]
fn replay_shows_frames_as_text_and_as_json() {
    let folder =
        folder(&[("three.toml", &three()), ("one.toml", &format!("{QUENTO}expect.solvable = true\n"))]);
    let replay = |args: &[&str]| rulebook().current_dir(folder.path()).arg("replay").args(args).assert();
    let text = stdout(&replay(&["one.toml"]).success());
    assert!(text.contains("start") && text.contains("[quento::walk]"), "{text}");
    assert_eq!(text, stdout(&replay(&["three.toml::good"]).success()));
    let json = stdout(&replay(&["one.toml", "--json"]).success());
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["format"], 1);
    assert!(
        lines[1..].iter().all(|line| line["rule"].as_str().is_some_and(|rule| rule.starts_with("quento::")))
    );
    let at = stdout(&replay(&["one.toml", "--at", "2", "--json"]).success());
    assert_eq!(at.lines().count(), 2, "{at}");
    assert!(stderr(&replay(&["three.toml"]).code(2)).contains("usage::which-scenario"));
    assert!(stderr(&replay(&["three.toml::no"]).code(2)).contains("usage::no-such-scenario"));
    assert!(stderr(&replay(&["one.toml", "--from", "90"]).code(2)).contains("usage::no-such-step"));
    assert!(stderr(&replay(&["three.toml::broken"]).code(3)).contains("scenario::unknown-key"));
}

#[test]
fn import_and_export_undo_each_other() {
    let pairs = [
        ("judge/1.in", "7 2\n4+3\n-5-\n9-2\n"),
        ("judge/1.out", "1\n0 0\n0 1\n0 2\n"),
        ("judge/2.in", "45 2\r\n4+3\r\n-5-\r\n9-2"),
        ("judge/2.ans", "0"),
    ];
    let folder = folder(&pairs);
    for raw in [false, true] {
        let mut import = rulebook().current_dir(folder.path()).args(["import", "quento", "judge"]);
        if raw {
            import = import.arg("--raw");
        }
        let file = stdout(&import.assert().success());
        assert_eq!(file.contains("input = "), raw);
        fs::write(folder.path().join("suite.toml"), &file).expect("a file");
        let call = |args: &[&str]| rulebook().current_dir(folder.path()).args(args).assert();
        call(&["run", "suite.toml"]).success();
        let out = if raw { "raw" } else { "plain" };
        call(&["export", "suite.toml", out]).success();
        for (name, text) in pairs {
            let name = name.replace("judge", out).replace(".ans", ".out");
            let written = fs::read_to_string(folder.path().join(name)).expect("an exported file");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&written), words(text));
        }
        assert!(stderr(&call(&["export", "suite.toml", out]).code(3)).contains("export::unwritable"));
    }
}

#[test]
fn imports_tell_strays_from_pairs_and_go_in_natural_order() {
    let input = "7 2\n4+3\n-5-\n9-2\n";
    let names = ["10", "9", "2b", "1"];
    let mut files = vec![("judge/3.in".to_owned(), input), ("judge/4.ans".to_owned(), "0")];
    files.extend(["judge/notes.txt", "judge/.DS_Store"].map(|name| (name.to_owned(), "")));
    for name in names {
        files.extend([
            (format!("judge/{name}.in"), input),
            (format!("judge/{name}.out"), "1\n0 0\n0 1\n0 2\n"),
        ]);
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let folder = folder(&files);
    let assert = rulebook().current_dir(folder.path()).args(["import", "quento", "judge"]).assert().success();
    let said =
        "warning: 3 files without a partner: `3.in`, `4.ans` and `notes.txt`\nnote: 4 pairs imported\n";
    assert_eq!(stderr(&assert), said);
    let order: Vec<_> =
        stdout(&assert).lines().filter_map(|line| Some(line.strip_prefix("name = ")?.to_owned())).collect();
    assert_eq!(order, ["\"1\"", "\"2b\"", "\"9\"", "\"10\""]);
    for name in names {
        fs::write(folder.path().join(format!("judge/{name}.ans")), "0").expect("a second output");
    }
    let assert = rulebook().current_dir(folder.path()).args(["import", "quento", "judge"]).assert().code(3);
    assert_eq!(stderr(&assert).matches("import::two-outputs").count(), 4);
    assert!(stderr(&assert).contains("note: 0 pairs imported"));
}

#[test]
fn exports_take_what_is_selected_and_name_each_case() {
    let script = "fn generate(rng, index, args) { #{ board: [\"4+3\", \"-5-\", \"9-2\"], target: index + 1, digits: 2 } }";
    let plain = "[[scenario]]\nname = 'g#1'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";
    let suite = format!(
        "engine = 'quento'\n[[scenario]]\nname = 'g'\ngenerate = {{ script = 'g.rhai', count = 12 }}\n\n{plain}"
    );
    let folder = folder(&[("suite.toml", &suite), ("g.rhai", script)]);
    let export = |args: &[&str], dir: &str| {
        let call = rulebook().current_dir(folder.path()).arg("export").args(args).arg(dir).assert();
        let mut names: Vec<_> = match fs::read_dir(folder.path().join(dir)) {
            Ok(entries) => entries
                .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
                .collect(),
            Err(_) => Vec::new(),
        };
        names.retain(|name| Path::new(name).extension().is_some_and(|end| end == "in"));
        names.sort();
        (call, names)
    };
    let (all, names) = export(&["suite.toml"], "all");
    all.success();
    let mut expected: Vec<_> = (0..12).map(|index| format!("g-{index:02}.in")).collect();
    expected.push("g-1.in".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).expect("an exported file");
    assert_eq!(read("all/g-11.in"), "12 2\n4+3\n-5-\n9-2\n");
    let (one, names) = export(&["suite.toml::g", "--index", "7"], "one");
    one.success();
    assert_eq!(names, ["g-07.in"]);
    let (plain, names) = export(&["suite.toml::g#1"], "plain");
    plain.success();
    assert_eq!(names, ["g-1.in"]);
    for nothing in [&["suite.toml::h"][..], &["suite.toml::g", "--index", "12"]] {
        let (call, names) = export(nothing, "nothing");
        assert!(stderr(&call.code(2)).contains("[usage::no-such-scenario]"), "{nothing:?}");
        assert!(names.is_empty());
    }
}

#[test]
fn what_is_skipped_is_said_where_it_would_be_shown_or_written() {
    let start = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\n[[scenario]]\nname = 'a'\ntarget = 7\n";
    let skipped = "skip = 'not yet'\n[[scenario]]\nname = 'b'\ntarget = 0\nexpect.error = 'quento::target'\n";
    let cases = [
        (
            format!("{start}{skipped}"),
            "note: 0 cases exported, 2 left out: skipped, or expected to be refused\n",
        ),
        (format!("{start}[[scenario]]\ntarget = 8\n{skipped}"), "note: 1 case exported, 2 left out: "),
        (start.to_owned(), "note: 1 case exported\n"),
    ];
    for (text, said) in cases {
        let folder = folder(&[("s.toml", &text)]);
        let call = |args: &[&str]| rulebook().current_dir(folder.path()).args(args).assert();
        let export = call(&["export", "s.toml", "out"]);
        assert!(stderr(&export).contains(said), "{text}: {}", stderr(&export));
        export.code(0);
    }
    let folder = folder(&[("s.toml", &format!("{start}{skipped}"))]);
    let replay = rulebook().current_dir(folder.path()).args(["replay", "s.toml::a"]).assert().code(2);
    assert!(
        stderr(&replay).contains("error[usage::skipped]: `a` is skipped: not yet"),
        "{}",
        stderr(&replay)
    );
}

/// A cell of a table without its padding.
fn cell(text: &str) -> String {
    text.trim().to_owned()
}

/// The keys of a schema with what they mean.
fn described(schema: &schemars::Schema) -> Vec<Vec<String>> {
    let keys = rulebook::engine::keys::properties(schema.as_value(), schema).expect("keys");
    keys.iter()
        .map(|(name, key)| {
            vec![name.clone(), key["description"].as_str().expect("a word of it").replace('\n', " ")]
        })
        .collect()
}

#[test]
fn engines_describe_themselves() {
    let all = stdout(&rulebook().arg("engines").assert().success());
    for engine in &rulebook::engines::Engines::builtin() {
        assert!(all.contains(engine.name()));
        let one = stdout(&rulebook().args(["engines", engine.name()]).assert().success());
        let cells = |line: &str| line.split("  ").filter(|cell| !cell.is_empty()).map(cell).collect();
        let rows: Vec<Vec<String>> = one.lines().map(cells).collect();
        let facts = engine.facts().iter().chain(engine.moments());
        let facts =
            facts.map(|fact| vec![fact.name.to_string(), fact.kind.to_string(), fact.about.to_string()]);
        let codes = engine.events().iter().chain(engine.codes());
        let codes = codes.map(|spec| vec![spec.code.to_owned(), spec.about.to_owned()]);
        for row in
            facts.chain(codes).chain(described(&engine.doc_schema())).chain(described(&engine.rules_schema()))
        {
            assert!(rows.contains(&row), "{row:?} in\n{one}");
        }
    }
    rulebook().args(["engines", "chess"]).assert().code(2);
}

#[test]
fn nothing_to_do_is_said_by_code() {
    let twice = format!("{QUENTO}\n[[scenario]]\nname = 'a/b'\n\n[[scenario]]\nname = 'a:b'\n");
    let folder = folder(&[("three.toml", &three()), ("twice.toml", &twice), ("judge/notes.txt", "")]);
    let call = |args: &[&str]| rulebook().current_dir(folder.path()).args(args).assert();
    assert!(stderr(&call(&["import", "quento", "judge"]).code(2)).contains("[usage::no-pairs]"));
    for command in ["run", "check", "list"] {
        let assert = call(&[command, "three.toml", "--name", "nowhere"]).code(4);
        assert!(stderr(&assert).contains("[usage::nothing-selected]"), "{command}");
    }
    assert!(stderr(&call(&["export", "twice.toml", "out"]).code(3)).contains("[export::same-file]"));
    assert!(folder.path().join("out/a-b.in").is_file(), "the first is written all the same");
}

#[test]
fn colors_come_only_where_they_are_wanted() {
    let folder = folder(&[("three.toml", &three())]);
    let run = |args: &[&str]| {
        let command =
            rulebook().current_dir(folder.path()).env_remove("NO_COLOR").args(["run", "three.toml"]);
        stdout(&command.args(args).assert().code(3))
    };
    assert!(!run(&[]).contains('\u{1b}'), "standard output is no terminal");
    assert!(run(&["--color", "always"]).contains('\u{1b}'));
    assert!(!run(&["--color", "never"]).contains('\u{1b}'));
}

#[test]
fn progress_without_a_terminal_comes_only_when_asked_for() {
    let folder = folder(&[("three.toml", &three())]);
    let run =
        |args: &[&str]| stderr(&rulebook().current_dir(folder.path()).args(["run", "."]).args(args).assert());
    assert_eq!(run(&[]), "");
    assert!(run(&["--progress", "always"]).contains(" run"));
    assert_eq!(run(&["--progress", "always", "--quiet"]), "");
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_ends_the_run_quietly() {
    let mut text = QUENTO.to_owned();
    for i in 0..5000 {
        text += &format!("\n[[scenario]]\nname = 'case {i}'\nexpect.solutions = 1\n");
    }
    let folder = folder(&[("many.toml", &text)]);
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(folder.path())
        .args(["run", "many.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1), "a scenario had failed");
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_with_the_summary_so_far() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("endless.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let child = std::process::Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .args(["run", "--jobs", "1"])
        .arg(&pipe)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary");
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).expect("the pipe");
    write!(writer, "{QUENTO}").expect("the defaults");
    let interrupt = || {
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    };
    // Scenarios without end: only the interrupt ends the run.
    for i in 0.. {
        let scenario = format!("\n[[scenario]]\nname = 'case {i}'\nexpect.solutions = 3\n");
        if writer.write_all(scenario.as_bytes()).is_err() {
            break;
        }
        if i == 20_000 {
            interrupt();
        }
        assert!(i < 50_000_000, "the run goes on");
    }
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("stopped before the end"), "{output:?}");
}

#[test]
fn shipped_scenarios_pass() {
    let assert = rulebook().arg("run").assert().success();
    let text = stdout(&assert);
    let last = text.lines().last().expect("a summary");
    let passed: usize = last.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!(passed >= 120, "{text}");
    assert!(root().join("scenarios").is_dir());
}
