//! One suite over many processes, and scenarios that come without end.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::command::{root, rulebook, stderr, stdout};
use crate::documents;

/// The lines of a report in JSON Lines, without what differs between two runs.
fn lines(report: &str) -> Vec<Json> {
    let read = |line: &str| {
        let mut line: Json = serde_json::from_str(line).expect("a line of JSON");
        for object in [Some(line.clone()), line.get("summary").cloned()].into_iter().flatten() {
            assert!(object.is_object(), "{object}");
        }
        line.as_object_mut().expect("an object").remove("seconds");
        if let Some(summary) = line.get_mut("summary").and_then(Json::as_object_mut) {
            summary.remove("seconds");
        }
        line
    };
    report.lines().map(read).collect()
}

/// Every scenario file that ships.
fn shipped() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("scenarios")).expect("the scenarios");
    let files = folders.flat_map(|folder| fs::read_dir(folder.expect("a folder").path()).expect("a folder"));
    let files = files.map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    assert!(files.len() > 5, "{files:?}");
    files
}

/// The defaults of a file for what a scenario does not say.
fn add(own: &mut toml::Table, defaults: &toml::Table) {
    for (key, default) in defaults {
        match (own.get_mut(key), default) {
            (None, _) => drop(own.insert(key.clone(), default.clone())),
            (Some(toml::Value::Table(own)), toml::Value::Table(default)) => add(own, default),
            (Some(toml::Value::Array(own)), toml::Value::Array(default)) if key == "tags" => {
                own.splice(..0, default.iter().cloned());
            }
            _ => {}
        }
    }
}

/// The scenarios of a file as JSON Lines.
fn as_json_lines(text: &str) -> String {
    let mut defaults: toml::Table = text.parse().expect("TOML");
    let scenarios = match defaults.remove("scenario") {
        Some(toml::Value::Array(scenarios)) => scenarios,
        _ => vec![toml::Value::Table(toml::Table::new())],
    };
    let line = |scenario: toml::Value| {
        let toml::Value::Table(mut scenario) = scenario else { panic!("a table") };
        add(&mut scenario, &defaults);
        serde_json::to_string(&scenario).expect("JSON") + "\n"
    };
    scenarios.into_iter().map(line).collect()
}

/// What a run of `path`, in its folder, with `input` writes: a report in JSON Lines.
fn report_of(folder: &Path, path: &str, input: &str) -> Vec<Json> {
    let command = rulebook().current_dir(folder).args(["run", path, "--report", "jsonl", "--signature"]);
    lines(&stdout(&command.stdin(input).assert()))
}

#[test]
fn what_comes_by_standard_input_is_what_a_file_would_be() {
    for path in shipped() {
        let text = fs::read_to_string(&path).expect("a scenario file");
        // Thousands of cases, and large ones; those of a script in a stream have a test of their own.
        if text.contains("generate") || path.ends_with("large.toml") {
            continue;
        }
        let folder = path.parent().expect("a folder");
        let name = path.file_name().expect("a name").to_string_lossy();
        let file = report_of(folder, &name, "");
        // Places and what is drawn of them differ in JSON; the name may be that of a line.
        let told = |report: &[Json], places: bool| {
            let record = |record: &Json| {
                let mut record = record.clone();
                let fields = record.as_object_mut().expect("an object");
                fields.remove("file");
                fields.remove("selection");
                if let Some(summary) = fields.get_mut("summary").and_then(Json::as_object_mut) {
                    summary.remove("signature");
                }
                if !places {
                    fields.remove("line");
                    // Another order of the keys.
                    fields.remove("scenario_hash");
                    if fields.get("name").and_then(Json::as_str).is_some_and(|name| name.starts_with("line "))
                    {
                        fields.remove("name");
                    }
                }
                assert!(!fields.contains_key("faults"), "all of them pass: {fields:?}");
                record
            };
            report.iter().map(record).collect::<Vec<_>>()
        };
        assert_eq!(told(&report_of(folder, "-", &text), true), told(&file, true), "{name}");
        assert_eq!(told(&report_of(folder, "-", &as_json_lines(&text)), false), told(&file, false), "{name}");
    }
}

#[test]
fn what_is_no_scenario_is_an_errored_case_at_its_line() {
    let sound =
        r#"{"engine":"quento","board":["4+3","-5-","9-2"],"target":7,"digits":2,"expect":{"solutions":3}}"#;
    let input = [
        "",
        sound,
        "no JSON",
        "[]",
        "  ",
        &sound.replace('7', "null"),
        &sound.replace("quento", "quanto"),
        &sound.replace("}}", "},\"target\":8}"),
        &sound.replace(":7", ":99999999999999999999"),
        &sound.replace(":3}", ":4}"),
        r#"{"scenario":[]}"#,
        sound,
        "\u{a0}",
        &format!("{sound}\u{2003}"),
        &sound.replace("\"quento\"", "\"quen\u{1}to\""),
    ]
    .join("\n");
    // The first byte that is no blank is that of JSON Lines.
    let run = rulebook().args(["run", "-"]).stdin(input).assert().code(3);
    let report = lines(&stdout(&run));
    let told = report.iter().filter(|line| line.get("verdict").is_some()).map(|line| {
        let code = line.pointer("/faults/0/code").and_then(Json::as_str).unwrap_or_default();
        (line["line"].as_u64().expect("a line"), code.to_owned())
    });
    let expected = [
        (2, ""),
        (3, "json::syntax"),
        (4, "json::no-object"),
        (6, "json::null"),
        (7, "scenario::unknown-engine"),
        (8, "json::syntax"),
        (9, "scenario::wrong-kind"),
        (10, "verdict::mismatch"),
        (11, "scenario::no-engine"),
        (12, ""),
        (13, "json::syntax"),
        (14, "json::syntax"),
        (15, "json::syntax"),
    ];
    let expected = expected.map(|(line, code)| (line, code.to_owned()));
    assert_eq!(told.collect::<Vec<_>>(), expected);
    let said = stderr(&run);
    assert!(said.contains("--> -:3:1\n  |\n3 | no JSON\n  | ^^"), "{said}");
    assert!(
        said.contains("\n6 | {\"engine\":\"quento\",") && said.contains(" ^^^^ expected a value"),
        "{said}"
    );
    assert!(said.ends_with(" ms\n") && said.contains("1 failed, 10 errored, 2 passed in "), "{said}");
}

#[test]
fn bytes_that_are_no_text_cost_one_line() {
    let sound =
        br#"{"engine":"quento","board":["4+3","-5-","9-2"],"target":7,"digits":2,"expect":{"solutions":3}}"#;
    let input = [sound, b"{\"engine\":\"\xff\"}".as_slice(), sound].join(&b'\n');
    let run = rulebook().args(["run", "-"]).stdin(input).assert().code(3);
    let said = stderr(&run);
    assert!(said.contains("error[suite::not-utf8]: the line is not UTF-8 text\n --> -:2:12\n"), "{said}");
    assert!(said.contains("1 errored, 2 passed"), "{said}");
}

#[test]
fn an_explicit_report_overrules_that_of_a_stream() {
    let file = fs::read_to_string(root().join("docs/first.toml")).expect("a scenario file");
    let run = || rulebook().args(["run", "-"]).stdin(file.as_str());
    assert!(stdout(&run().assert().code(1)).starts_with("{\"rulebook\":"));
    assert!(stdout(&run().args(["--report", "tap"]).assert().code(1)).starts_with("TAP version 14\n"));
    let check = rulebook().args(["check", "-"]).stdin(file.as_str()).assert().success();
    assert!(stdout(&check).starts_with("1 passed in "));
    let listed = rulebook().args(["list", "-"]).stdin(file.as_str()).assert().success();
    assert_eq!(stdout(&listed), "-::line 1\n");
}

#[test]
fn a_stream_may_be_empty_and_is_not_run_twice() {
    for input in ["", "\n \n\n"] {
        let run = rulebook().args(["run", "-"]).stdin(input).assert().success();
        assert_eq!(lines(&stdout(&run)).len(), 2);
    }
    for flag in ["--bless", "--review", "--last-failed", "--failed-first"] {
        let run = rulebook().args(["run", "-", flag]).env_remove("CI").stdin("").assert().code(2);
        let expected = format!("error[usage::standard-input]: `{flag}` is not for standard input\n");
        assert!(stderr(&run).starts_with(&expected), "{}", stderr(&run));
    }
}

#[test]
fn shards_filters_and_scripts_apply_to_a_stream() {
    let line = |number: usize| {
        json!({
            "engine": "stacking",
            "name": format!("rows {number}"),
            "generate": { "script": "scripts/stacking-random.rhai", "count": 3, "seed": number },
            "expect": { "turn": { "at_least": -1 } },
        })
        .to_string()
    };
    let input: Vec<_> = (0..20).map(line).collect();
    let input = input.join("\n");
    let run = |args: &[&str]| {
        let run = rulebook().args(["run", "-"]).args(args).stdin(input.as_str()).assert();
        let ids = lines(&stdout(&run)).into_iter().filter(|line| line.get("verdict").is_some());
        ids.map(|line| format!("{}#{} {}", line["name"], line["index"], line["verdict"])).collect::<Vec<_>>()
    };
    let whole = run(&[]);
    assert_eq!(whole.len(), 60, "{whole:?}");
    let mut parts: Vec<_> = ["1/3", "2/3", "3/3"].iter().flat_map(|part| run(&["--shard", part])).collect();
    parts.sort();
    let mut sorted = whole.clone();
    sorted.sort();
    assert_eq!(parts, sorted);
    assert_eq!(run(&["--name", "rows 7", "--index", "1"]), [whole[22].as_str()]);
}

/// A process that is written scenarios to and answers.
struct Peer {
    process: Child,
    to: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    fn start(jobs: &str) -> Self {
        let mut process = Command::new(snapbox::cmd::cargo_bin!("rulebook"))
            .args(["run", "-", "--jobs", jobs])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary");
        let to = process.stdin.take().expect("its input");
        let mut answers = BufReader::new(process.stdout.take().expect("its output")).lines();
        assert!(answers.next().expect("a header").expect("text").starts_with("{\"rulebook\""));
        Self { process, to, answers }
    }

    fn write(&mut self, number: usize) {
        let target = number % 45 + 1;
        let line = json!({
            "engine": "quento", "name": format!("scenario {number}"), "board": ["4+3", "-5-", "9-2"],
            "target": target, "digits": 2, "expect": { "solvable": { "one_of": [true, false] } },
        });
        writeln!(self.to, "{line}").expect("a pipe");
    }

    fn read(&mut self, number: usize) {
        let answer = self.answers.next().expect("an answer").expect("text");
        let answer: Json = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["name"], format!("scenario {number}"));
        assert_eq!(answer["verdict"], "passed");
    }
}

#[test]
fn a_line_is_answered_before_the_next_is_written() {
    for jobs in ["1", "2", "5"] {
        let mut peer = Peer::start(jobs);
        for number in 0..200 {
            peer.write(number);
            peer.read(number);
        }
        drop(peer.to);
        assert!(peer.answers.next().expect("a summary").expect("text").contains("\"passed\":200,"));
        assert!(peer.process.wait().expect("an end").success());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_takes_no_more_memory_when_it_goes_on() {
    /// The most memory that the process had, in KiB.
    fn peak(peer: &Peer) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", peer.process.id())).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
    const COUNT: usize = 10_000;
    // So much may be on the way, written and not yet answered.
    const AHEAD: usize = 20;
    let mut peer = Peer::start("2");
    let mut go_on = |numbers: std::ops::Range<usize>| {
        for number in numbers {
            peer.write(number);
            if number >= AHEAD {
                peer.read(number - AHEAD);
            }
        }
        peak(&peer)
    };
    let some = go_on(0..COUNT);
    let most = go_on(COUNT..10 * COUNT);
    // The names alone of what came since would take more.
    assert!(most < some + 1024, "{some} KiB, then {most}");
    drop(peer);
}

/// A suite of two files, one with a script, in which some cases fail.
fn suite() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut plain = String::from("engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\n");
    for number in 0..60 {
        plain += &format!("[[scenario]]\nname = 'number {number}'\ntarget = {}\n", number % 12 + 1);
        plain += "expect.solvable = true\n";
    }
    let script = fs::read_to_string(root().join("scripts/stacking-random.rhai")).expect("a script");
    let made = "engine = 'stacking'\nname = 'made'\ngenerate = { script = 'made.rhai', count = 60, seed = 3 }\n\
                expect.turn = { at_least = 1 }\n";
    for (name, text) in [("a.toml", &*plain), ("b.toml", made), ("made.rhai", &script)] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// The command in the folder of a suite.
fn at(folder: &Path, args: &[&str]) -> snapbox::cmd::OutputAssert {
    rulebook().current_dir(folder).args(args).assert()
}

/// The report at `name`.
fn report_at(folder: &Path, name: &str) -> Vec<Json> {
    lines(&fs::read_to_string(folder.join(name)).expect("a report"))
}

#[test]
fn shards_come_to_what_the_whole_comes_to() {
    let suite = suite();
    let folder = suite.path();
    at(folder, &["run", "a.toml", "b.toml", "--report", "jsonl=whole.jsonl", "--signature"]).code(1);
    let shards = ["1/3", "2/3", "3/3"].map(|shard| {
        let report = format!("jsonl=shard{}.jsonl", &shard[..1]);
        let mut command = Command::new(snapbox::cmd::cargo_bin!("rulebook"));
        command.current_dir(folder).args([
            "run",
            "a.toml",
            "b.toml",
            "--shard",
            shard,
            "--signature",
            "--no-config",
        ]);
        command.args(["--report", &report]).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("XDG_CACHE_HOME", folder).spawn().expect("the binary")
    });
    for mut shard in shards {
        shard.wait().expect("an end");
    }
    let merge =
        ["report", "merge", "shard1.jsonl", "shard2.jsonl", "shard3.jsonl", "--report", "jsonl=all.jsonl"];
    at(folder, &merge).code(1);
    let whole = report_at(folder, "whole.jsonl");
    assert_eq!(whole.len(), 122);
    assert_eq!(report_at(folder, "all.jsonl"), whole);

    // A shard that is killed in the middle of a line is noticed, and gone on with.
    let path = folder.join("shard2.jsonl");
    let report = fs::read(&path).expect("a report");
    fs::write(&path, &report[..report.len() / 2]).expect("a half");
    let merged = at(folder, &merge).code(3);
    assert!(stderr(&merged).contains("error[report::cut-off]: "), "{}", stderr(&merged));
    let run = ["run", "a.toml", "b.toml", "--shard", "2/3", "--signature"];
    let resumed = at(folder, &[&run[..], &["--resume", "shard2.jsonl"]].concat());
    assert!(
        stderr(&resumed).starts_with("note: ")
            && stderr(&resumed).ends_with(" stand in `shard2.jsonl` already\n")
    );
    at(folder, &merge).code(1);
    assert_eq!(report_at(folder, "all.jsonl"), whole);

    // One whose report is gone is noticed, and run alone.
    fs::remove_file(&path).expect("the report");
    let merged = at(folder, &["report", "merge", "shard1.jsonl", "shard3.jsonl"]).code(3);
    assert!(stderr(&merged).contains("error[report::missing-shard]: "), "{}", stderr(&merged));
    at(folder, &[&run[..], &["--report", "jsonl=shard2.jsonl"]].concat());
    at(folder, &merge).code(1);
    assert_eq!(report_at(folder, "all.jsonl"), whole);
}

#[test]
fn a_report_may_be_cut_off_anywhere() {
    let suite = suite();
    let folder = suite.path();
    let run = |args: &[&str]| at(folder, &[&["run", "a.toml", "b.toml"], args].concat());
    run(&["--report", "jsonl=whole.jsonl", "--report", "tap=whole.tap"]).code(1);
    let whole = report_at(folder, "whole.jsonl");
    let bytes = fs::read(folder.join("whole.jsonl")).expect("a report");
    let header = bytes.iter().position(|&byte| byte == b'\n').expect("a header");
    let last = bytes.len() - 1;
    for length in [0, header, header + 1, header + 9, bytes.len() / 3, bytes.len() / 2, last - 9, last] {
        fs::write(folder.join("killed.jsonl"), &bytes[..length]).expect("a part");
        run(&["--resume", "killed.jsonl", "--report", "tap=all.tap", "--report", "jsonl=killed.jsonl"])
            .code(1);
        assert_eq!(report_at(folder, "killed.jsonl"), whole, "cut off behind {length} bytes");
        let tap = |name| fs::read_to_string(folder.join(name)).expect("a report");
        assert_eq!(tap("all.tap"), tap("whole.tap"), "cut off behind {length} bytes");
        at(folder, &["report", "merge", "killed.jsonl"]).code(1);
    }
    // It may have been ended in good order, too.
    run(&["--report", "jsonl=killed.jsonl", "--fail-fast"]).code(1);
    assert!(report_at(folder, "killed.jsonl").len() < whole.len());
    run(&["--resume", "killed.jsonl"]).code(1);
    assert_eq!(report_at(folder, "killed.jsonl"), whole);
    // What is whole is not run.
    let again = run(&["--resume", "killed.jsonl"]).code(1);
    assert_eq!(stderr(&again), "note: `killed.jsonl` is whole, with 120 cases: nothing is run\n");
    assert_eq!(report_at(folder, "killed.jsonl"), whole);
    // One that is not there is begun.
    run(&["--resume", "new.jsonl"]).code(1);
    assert_eq!(report_at(folder, "new.jsonl"), whole);
}

#[test]
fn only_the_report_of_the_same_run_is_gone_on_with() {
    let suite = suite();
    let folder = suite.path();
    let run = |args: &[&str]| at(folder, &[&["run", "a.toml"], args].concat());
    run(&["--report", "jsonl=half.jsonl", "--shard", "1/2"]);
    let before = fs::read(folder.join("half.jsonl")).expect("a report");
    for (args, expected) in [
        (&["--shard", "2/2"][..], "this is of shard 1 of 2, expected shard 2 of 2\n"),
        (&[], "this is of shard 1 of 2, expected the whole suite\n"),
        (&["--shard", "1/2", "--signature"], "this is without hashes for a signature, expected with\n"),
    ] {
        let refused = run(&[args, &["--resume", "half.jsonl"]].concat()).code(3);
        let said = stderr(&refused);
        assert!(
            said.starts_with("error[report::other-run]: `half.jsonl` is the report of another run\n"),
            "{said}"
        );
        assert!(said.contains(expected), "{said}");
    }
    let older = String::from_utf8_lossy(&before).replace(env!("CARGO_PKG_VERSION"), "0.0.1");
    fs::write(folder.join("older.jsonl"), older).expect("a report");
    let refused = run(&["--shard", "1/2", "--resume", "older.jsonl"]).code(3);
    assert!(stderr(&refused).contains("release 0.0.1 wrote it"), "{}", stderr(&refused));
    for (file, code) in [("a.toml", "report::no-report"), (".", "report::unreadable")] {
        let refused = run(&["--resume", file]).code(3);
        assert!(stderr(&refused).contains(code), "{}", stderr(&refused));
    }
    run(&["--resume", "half.jsonl", "--shard", "1/2", "--report", "tap=half.jsonl"]).code(2);
    assert_eq!(fs::read(folder.join("half.jsonl")).expect("a report"), before);
}

#[test]
fn an_empty_shard_is_no_fault() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::copy(root().join("scenarios/quento/statement.toml"), folder.path().join("a.toml")).expect("a copy");
    for shard in 1..=90 {
        at(folder.path(), &["run", "a.toml", "--shard", &format!("{shard}/90")]).success();
    }
}

/// The recipe on the page that is written in `language` and contains `word`.
fn recipe(language: &str, word: &str) -> String {
    let recipes = documents::blocks().into_iter().filter(|block| block.language == language);
    let mut recipes = recipes.filter(|block| block.text.contains(word));
    recipes.next().unwrap_or_else(|| panic!("a recipe with `{word}`")).text
}

/// Whether tests with other programs are wanted, and all of these are there; says why not.
fn has(programs: &[&str]) -> bool {
    let there = |program: &&str| {
        let found =
            Command::new("sh").args(["-c", &format!("command -v {program}")]).stdout(Stdio::null()).status();
        found.is_ok_and(|status| status.success())
    };
    let why = match programs.iter().find(|program| !there(program)) {
        _ if std::env::var_os("RULEBOOK_TEST_TOOLS").is_none_or(|value| value != "1") => {
            "RULEBOOK_TEST_TOOLS is not 1".to_owned()
        }
        Some(program) => format!("there is no `{program}`"),
        None => return true,
    };
    writeln!(std::io::stderr(), "skipped: {why}").expect("standard error");
    false
}

/// Runs `script` in a folder whose `scenarios` are a suite; its standard output.
fn in_shell(folder: &Path, script: &str) -> String {
    let binary = snapbox::cmd::cargo_bin!("rulebook");
    let folder_of_binary = binary.parent().expect("a folder").display();
    let path = format!("{folder_of_binary}:{}", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder).env("PATH", path);
    let output = command.env("XDG_CACHE_HOME", folder).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(127), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a recipe that leaves reports of parts, merges them, and compares them with the report of the whole.
fn compare(script: &str) {
    let suite = suite();
    let folder = suite.path();
    fs::create_dir(folder.join("scenarios")).expect("a folder");
    for name in ["a.toml", "b.toml", "made.rhai"] {
        fs::rename(folder.join(name), folder.join("scenarios").join(name)).expect("another place");
    }
    at(folder, &["run", "scenarios", "--report", "jsonl=whole.jsonl"]).code(1);
    let said = in_shell(folder, script);
    let parts: Vec<_> = (1..=4).map(|part| format!("part{part}.jsonl")).collect();
    let parts: Vec<_> = parts.iter().map(String::as_str).collect();
    at(folder, &[&["report", "merge"], &parts[..], &["--report", "jsonl=all.jsonl"]].concat()).code(1);
    assert_eq!(report_at(folder, "all.jsonl"), report_at(folder, "whole.jsonl"), "{said}");
}

#[test]
fn gnu_parallel_runs_parts() {
    if has(&["parallel"]) {
        compare(&recipe("sh", "parallel"));
    }
}

#[test]
fn slurm_runs_parts() {
    if has(&["slurmctld", "slurmd", "munged", "sbatch"]) {
        let start = fs::read_to_string(root().join("tests/suite/slurm.sh")).expect("a script");
        let job = recipe("sh", "SBATCH");
        compare(&format!("cat > job.sh <<'END'\n{job}END\n{start}"));
    }
}

#[test]
fn spark_pipes_scenarios() {
    if has(&["python3", "java", "spark-submit"]) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("pipe.py"), recipe("python", "pyspark")).expect("a script");
        let said = in_shell(folder.path(), "python3 pipe.py");
        assert!(said.ends_with("[('failed', 332), ('passed', 668)]\n"), "{said}");
    }
}

#[test]
fn the_manifest_is_one_of_an_indexed_job() {
    let manifest = recipe("yaml", "kind: Job");
    let value = |key: &str| {
        let line = manifest.lines().find_map(|line| line.trim().strip_prefix(key));
        line.unwrap_or_else(|| panic!("`{key}`")).trim().trim_matches('"').to_owned()
    };
    assert_eq!(value("completionMode:"), "Indexed");
    let (_, count) = manifest.split_once("- name: JOB_COMPLETIONS\n").expect("the variable");
    assert_eq!(count.trim().lines().next(), Some(&*format!("value: \"{}\"", value("completions:"))));
    if has(&["kubernetes-validate"]) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("job.yaml"), &manifest).expect("a manifest");
        let said = in_shell(folder.path(), "kubernetes-validate --strict job.yaml 2>&1 && echo valid");
        assert!(said.ends_with("valid\n"), "{said}");
    }
}
