use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use rulebook::report::Selection;
use serde_json::Value;

use super::{HARD_NAMES, QUENTO, folder, report};
use crate::command::{root, rulebook, stdout};

fn lines(text: &str) -> Vec<Value> {
    assert!(text.ends_with('\n'), "the last line has an end");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn real_output_is_as_the_schema_says() {
    let mut schema: Value =
        serde_json::from_str(&stdout(&rulebook().args(["report", "schema"]).assert().success()))
            .expect("a schema");
    // Readers pass over keys that they do not know; here there must be none.
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let folder = folder();
    let text = report(folder.path(), "jsonl", &["--signature"]);
    let lines = lines(&text);
    for line in &lines {
        let problems: Vec<_> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{line}\n{problems:?}");
    }
    assert_eq!(lines.len(), 1 + 6 + HARD_NAMES + 1 + 40 + 1);
    for wrong in ["{}", r#"{"file":"a","name":"b","line":1,"verdict":"maybe","seconds":0}"#, "[]"] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).expect("JSON")), "{wrong}");
    }
    let page = fs::read_to_string(root().join("docs/reports.md")).expect("the page");
    let mut keys = Vec::new();
    for line in &lines {
        collect(line, &mut keys);
    }
    assert!(keys.len() > 30, "{keys:?}");
    for key in keys {
        assert!(page.contains(&format!("| `{key}` |")), "docs/reports.md has no row for `{key}`");
    }
}

#[test]
fn the_page_lists_the_flags_of_a_selection() {
    let page = fs::read_to_string(root().join("docs/reports.md")).expect("the page");
    let (_, below) = page.split_once("\n| `selection` |").expect("the row of `selection`");
    let keys = below.lines().skip(1).take_while(|line| line.starts_with('|'));
    let listed: BTreeSet<_> = keys
        .flat_map(|row| row.split('|').nth(1).into_iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)))
        .collect();
    let schema = schemars::schema_for!(Selection);
    let known: BTreeSet<_> =
        schema.as_value()["properties"].as_object().expect("keys").keys().map(String::as_str).collect();
    assert_eq!(listed, known);
}

/// Allows no keys but those that are named.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            object.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// The keys of the format; those of facts are the engine's.
fn collect(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if !keys.contains(key) {
                    keys.push(key.clone());
                }
                if key != "facts" {
                    collect(value, keys);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, keys)),
        _ => {}
    }
}

#[test]
fn a_line_holds_what_became_of_a_case() {
    let folder = folder();
    let text = stdout(
        &rulebook()
            .current_dir(folder.path())
            .args(["run", "a.toml", "--report", "jsonl", "--signature"])
            .assert()
            .code(3),
    );
    let lines = lines(&text);
    assert_eq!(lines[0]["rulebook"], env!("CARGO_PKG_VERSION"));
    assert_eq!(lines[0]["format"], 1);
    let case = |name: &str| lines.iter().find(|line| line["name"] == name).expect("the case");
    let good = case("good");
    assert_eq!(
        (&good["file"], &good["line"], &good["engine"]),
        (&"a.toml".into(), &6.into(), &"quento".into())
    );
    assert_eq!(good["tags"], serde_json::json!(["a", "b"]));
    assert_eq!(good["facts"], serde_json::json!({ "solutions": 3 }));
    assert_eq!(good["outcome"].as_str().map(str::len), Some(16));
    let bad = case("bad");
    assert_eq!(bad["verdict"], "failed");
    assert_eq!(bad["facts"], serde_json::json!({ "solutions": 3 }));
    let fault = &bad["faults"][0];
    assert_eq!(fault["code"], "verdict::mismatch");
    let mark = serde_json::json!({
        "file": "a.toml", "line": 13, "column": 20, "end_line": 13, "end_column": 21, "text": "expected 2",
    });
    assert_eq!(fault["labels"], serde_json::json!([mark]));
    assert_eq!(
        (&case("broken")["verdict"], &case("later")["verdict"]),
        (&"errored".into(), &"skipped".into())
    );
    assert_eq!(case("later")["reason"], "not yet");
    assert_eq!(
        (&case("known")["verdict"], &case("known")["known_failure"]),
        (&"passed".into(), &true.into())
    );
    assert!(case("talks")["printed"].as_str().is_some_and(|text| text.contains("\u{1b}[31m\nsecond")));
    let summary = &lines.last().expect("a summary")["summary"];
    let numbers =
        ["passed", "known_failures", "failed", "errored", "skipped"].map(|key| summary[key].as_u64());
    assert_eq!(numbers, [Some(3), Some(1), Some(1), Some(1), Some(1)]);
    assert!(summary["signature"].as_str().is_some_and(|text| text.starts_with("xxh3:")));
}

#[test]
#[cfg(unix)]
fn a_killed_run_leaves_whole_lines() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("endless.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let path = folder.path().join("report.jsonl");
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .args(["run", "--jobs", "1", "--report", &format!("jsonl={}", path.display())])
        .arg(&pipe)
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary");
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).expect("the pipe");
    write!(writer, "{QUENTO}").expect("the defaults");
    for i in 0.. {
        let scenario = format!("\n[[scenario]]\nname = 'case {i}'\nexpect.solutions = 3\n");
        writer.write_all(scenario.as_bytes()).expect("the run reads on");
        let written = fs::metadata(&path).map_or(0, |data| data.len());
        if i % 1000 == 0 && written > 1 << 17 {
            break;
        }
        assert!(i < 50_000_000, "nothing is written");
    }
    child.kill().expect("a running process");
    child.wait().expect("an end");
    let lines = lines(&fs::read_to_string(&path).expect("the report"));
    assert!(lines.len() > 500, "{} lines", lines.len());
    for (i, line) in lines[1..].iter().enumerate() {
        assert_eq!(line["name"], format!("case {i}"));
    }
}
