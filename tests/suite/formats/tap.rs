use std::fs;
use std::process::Command;

use super::{HARD_NAMES, folder, report};

/// A test point.
#[derive(Debug)]
struct Point {
    ok: bool,
    description: String,
    directive: String,
    yaml: Vec<String>,
}

/// Reads TAP 14 without mercy: whatever is no line of it is a fault.
fn read(text: &str) -> Vec<Point> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("TAP version 14"));
    let mut points: Vec<Point> = Vec::new();
    let mut plan = None;
    while let Some(line) = lines.next() {
        assert!(plan.is_none(), "`{line}` stands behind the plan");
        if line == "  ---" {
            let point = points.last_mut().expect("a point before its diagnostics");
            for line in lines.by_ref().take_while(|line| *line != "  ...") {
                assert!(line.is_empty() || line.starts_with("  "), "`{line}` leaves the block");
                point.yaml.push(line.strip_prefix("  ").unwrap_or("").to_owned());
            }
        } else if let Some(number) = line.strip_prefix("1..") {
            plan = Some(number.parse::<usize>().expect("a number"));
        } else {
            let (ok, rest) = match line.strip_prefix("not ok ") {
                Some(rest) => (false, rest),
                None => (true, line.strip_prefix("ok ").unwrap_or_else(|| panic!("`{line}` is no TAP"))),
            };
            let (number, rest) = rest.split_once(" - ").expect("a description");
            assert_eq!(number, (points.len() + 1).to_string());
            let (description, directive) = split(rest);
            points.push(Point { ok, description, directive, yaml: Vec::new() });
        }
    }
    assert_eq!(plan, Some(points.len()));
    points
}

/// The description and the directive behind the first `#` that is not escaped.
fn split(text: &str) -> (String, String) {
    let (mut description, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => description.push(chars.next().filter(|c| ['\\', '#'].contains(c)).expect("an escape")),
            '#' => return (description.trim_end().to_owned(), chars.as_str().trim_start().to_owned()),
            _ => description.push(c),
        }
    }
    (description, String::new())
}

#[test]
fn a_strict_reader_understands_it() {
    let folder = folder();
    let points = read(&report(folder.path(), "tap", &[]));
    assert_eq!(points.len(), 6 + HARD_NAMES + 1 + 40);
    let point = |name: &str| points.iter().find(|point| point.description == name).expect("the point");
    assert!(point("./a.toml::good").ok && point("./a.toml::good").yaml.is_empty());
    let bad = point("./a.toml::bad");
    assert!(!bad.ok && bad.directive.is_empty());
    assert_eq!(bad.yaml[0], "message: \"`solutions` is 3\"");
    assert!(bad.yaml.contains(&"  line: 13".to_owned()), "{:?}", bad.yaml);
    assert!(bad.yaml.contains(&"  13 | expect.solutions = 2".to_owned()), "{:?}", bad.yaml);
    let later = point("./a.toml::later");
    assert_eq!((later.ok, &*later.directive), (true, "SKIP not yet"));
    let known = point("./a.toml::known");
    assert_eq!((known.ok, &*known.directive), (false, "TODO fails as it is known to"));
    assert!(point("./made.toml::made#2").ok);
    assert!(!point(r##"./hard.toml::"# TODO not this # SKIP nor this \# \""##).ok);
    assert!(
        points.iter().all(|point| point.directive.is_empty() || point.description.starts_with("./a.toml"))
    );
}

#[test]
fn a_stopped_run_bails_out() {
    let folder = folder();
    let text = report(folder.path(), "tap", &["--fail-fast", "--name", "broken"]);
    assert!(text.ends_with("1..1\nBail out! the run was stopped before the end\n"), "{text}");
}

#[test]
fn a_consumer_from_npm_understands_it() {
    if std::env::var_os("RULEBOOK_TEST_TOOLS").is_none_or(|value| value != "1") {
        return;
    }
    let folder = folder();
    let text = report(folder.path(), "tap", &[]);
    let points = read(&text);
    fs::write(folder.path().join("report.tap"), text).expect("a file");
    let install = Command::new("npm")
        .args(["install", "--silent", "tap-parser@18"])
        .current_dir(folder.path())
        .status();
    assert!(install.expect("npm").success());
    let script = "import { Parser } from 'tap-parser'; import { readFileSync } from 'fs';\n\
                  const points = []; const parser = new Parser({ strict: true }, (end) => console.log(JSON.stringify({ points, end })));\n\
                  parser.on('assert', (point) => points.push(point)); parser.end(readFileSync('report.tap', 'utf8'));\n";
    fs::write(folder.path().join("read.mjs"), script).expect("a file");
    let node = Command::new("node").arg("read.mjs").current_dir(folder.path()).output().expect("node");
    assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
    let read: serde_json::Value = serde_json::from_slice(&node.stdout).expect("JSON");
    assert_eq!(read["end"]["count"], points.len());
    for (ours, theirs) in points.iter().zip(read["points"].as_array().expect("the points")) {
        assert_eq!(theirs["ok"], ours.ok, "{theirs}");
        assert_eq!(theirs["name"].as_str().map(str::trim), Some(ours.description.trim()));
        assert_eq!(theirs["diag"].is_object(), !ours.yaml.is_empty(), "{theirs}");
    }
    assert_eq!(
        read["end"]["failures"]
            .as_array()
            .map(|failures| failures.iter().filter(|f| f["tapError"].is_string()).count()),
        Some(0),
        "{}",
        read["end"]
    );
}
