//! One suite over many processes, and scenarios that come without end.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::command::{root, rulebook, stderr, stdout};

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
                if let Some(summary) = fields.get_mut("summary").and_then(Json::as_object_mut) {
                    summary.remove("signature");
                }
                if !places {
                    fields.remove("line");
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
    ];
    let expected = expected.map(|(line, code)| (line, code.to_owned()));
    assert_eq!(told.collect::<Vec<_>>(), expected);
    let said = stderr(&run);
    assert!(said.contains("--> -:3:1\n  |\n3 | no JSON\n  | ^^"), "{said}");
    assert!(
        said.contains("\n6 | {\"engine\":\"quento\",") && said.contains(" ^^^^ expected a value"),
        "{said}"
    );
    assert!(said.ends_with(" ms\n") && said.contains("1 failed, 7 errored, 2 passed in "), "{said}");
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
    assert_eq!(run(&["--filter", "rows 7", "--index", "1"]), [whole[22].as_str()]);
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
