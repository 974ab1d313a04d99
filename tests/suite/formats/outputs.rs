use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use super::{QUENTO, every_verdict, folder, report};
use crate::command::{rulebook, stderr, stdout};

#[test]
fn people_read_standard_error_where_a_report_has_standard_output() {
    let folder = folder();
    let run =
        rulebook().current_dir(folder.path()).args(["run", "a.toml", "--report", "tap"]).assert().code(3);
    assert!(stdout(&run).starts_with("TAP version 14\nok 1 - a.toml::good\n"), "{}", stdout(&run));
    assert!(stderr(&run).starts_with("FAILED a.toml::bad\n"), "{}", stderr(&run));
    assert!(stderr(&run).contains("1 failed, 1 errored, 3 passed, 1 skipped (1 known failure) in "));
    let both = rulebook()
        .current_dir(folder.path())
        .args(["run", "a.toml", "--report", "tap=a.tap", "--report", "jsonl=a.jsonl"])
        .assert()
        .code(3);
    assert!(stdout(&both).starts_with("FAILED a.toml::bad\n"));
    assert_eq!(fs::read_to_string(folder.path().join("a.tap")).expect("a report"), stdout(&run));
    assert_eq!(fs::read_to_string(folder.path().join("a.jsonl")).expect("a report").lines().count(), 8);
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_run() {
    let folder = folder();
    let run = |reports: &[&str]| {
        let reports = reports.iter().flat_map(|report| ["--report", report]);
        let run =
            rulebook().current_dir(folder.path()).args(["run", "a.toml"]).args(reports).assert().code(2);
        assert_eq!(stdout(&run), "");
        stderr(&run)
    };
    assert!(run(&["tap", "jsonl"]).contains("error[usage::one-output]: two reports go to standard output\n"));
    assert!(run(&["tap=x", "jsonl=x"]).contains("error[usage::one-output]: two reports go to `x`\n"));
    assert!(run(&["tap=x", "jsonl=./x"]).contains("error[usage::one-output]: two reports go to `./x`\n"));
    assert!(run(&["tap=a.toml/x"]).contains("error[usage::unwritable]: `a.toml/x` cannot be written\n"));
    let scenarios = fs::read_to_string(folder.path().join("a.toml")).expect("the scenarios");
    assert!(run(&["tap=a.toml"]).contains("error[usage::unwritable]: `a.toml` is not written over\n"));
    assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("the scenarios"), scenarios);
    assert!(run(&["xml"]).contains("there is no format `xml`; choose from `jsonl`, `junit`, `tap`"));
    assert!(run(&["tap="]).contains("expected a file behind `=`"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_stops_no_other_report() {
    let folder = folder();
    for full in ["jsonl=/dev/full", "junit=/dev/full", "tap=/dev/full", "html=/dev/full"] {
        let run = rulebook()
            .current_dir(folder.path())
            .args(["run", "a.toml", "--name", "good", "--report", full, "--report", "tap=other.tap"])
            .assert()
            .code(3);
        assert!(stdout(&run).starts_with("1 passed in "), "{}", stdout(&run));
        let said = "error[report::not-whole]: the report `/dev/full` is not whole\n";
        assert!(stderr(&run).starts_with(said), "{}", stderr(&run));
        assert!(stderr(&run).contains("no space left"), "{}", stderr(&run));
        let other = fs::read_to_string(folder.path().join("other.tap")).expect("the other report");
        assert_eq!(other, "TAP version 14\nok 1 - a.toml::good\n1..1\n");
    }
}

#[test]
fn a_report_is_whole_though_nobody_reads_the_rest() {
    let folder = folder();
    let mut text = every_verdict();
    for i in 0..20_000 {
        text += &format!("\n[[scenario]]\nname = 'case {i}'\nexpect.solutions = {}\n", 2 + i % 2);
    }
    fs::write(folder.path().join("many.toml"), text).expect("a file");
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(folder.path())
        .args(["run", "many.toml", "--report", "jsonl=many.jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report = fs::read_to_string(folder.path().join("many.jsonl")).expect("a report");
    assert_eq!(report.lines().count(), 1 + 6 + 20_000 + 1);
}

#[test]
fn annotations_are_written_on_the_machines_of_github() {
    let folder = folder();
    let on_github = |args: &[&str]| {
        rulebook()
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_WORKSPACE", folder.path().parent().expect("a folder"))
            .current_dir(folder.path())
            .args(["run", "a.toml"])
            .args(args)
            .assert()
            .code(3)
    };
    let name = folder.path().file_name().expect("a name").to_string_lossy().into_owned();
    let bad = format!(
        "::error file={name}/a.toml,line=13,col=20,endLine=13,title=a.toml%3A%3Abad [verdict%3A%3Amismatch]::error["
    );
    let run = on_github(&[]);
    assert!(stdout(&run).contains(&bad), "{}", stdout(&run));
    assert!(stdout(&run).contains("FAILED a.toml::bad\n"));
    assert_eq!(
        stdout(&run).matches("\n::error ").count() + usize::from(stdout(&run).starts_with("::error ")),
        2
    );
    let run = on_github(&["--report", "github=notes.txt"]);
    assert!(!stdout(&run).contains("::error "), "{}", stdout(&run));
    assert!(fs::read_to_string(folder.path().join("notes.txt")).expect("a report").starts_with(&bad));
    let run = on_github(&["--report", "jsonl"]);
    assert!(stdout(&run).lines().all(|line| line.starts_with('{')), "{}", stdout(&run));
    assert!(stderr(&run).contains(&bad));
}

#[test]
fn an_annotation_is_one_line() {
    let folder = folder();
    let text = report(folder.path(), "github", &[]);
    assert_eq!(text.lines().count(), 34);
    assert!(text.lines().all(|line| line.starts_with("::error file=")), "{text}");
    assert!(
        text.contains("title=./hard.toml%3A%3A50%25 a%2Cb%3Ac %250A [verdict%3A%3Amismatch]::"),
        "{text}"
    );
}

#[test]
fn the_slowest_are_listed() {
    let folder = folder();
    let run =
        rulebook().current_dir(folder.path()).args(["run", "a.toml", "--slowest", "2", "--quiet"]).assert();
    let text = stdout(&run.code(3));
    let (_, slowest) = text.split_once("slowest:\n").expect("a list");
    let lines: Vec<_> = slowest.lines().collect();
    assert_eq!(lines.len(), 2, "{slowest}");
    assert!(lines.iter().all(|line| line.contains(" ms  a.toml::")), "{slowest}");
}

#[test]
fn a_signature_is_of_facts_alone() {
    let folder = folder();
    let sign = |file: &str, args: &[&str]| {
        let run =
            rulebook().current_dir(folder.path()).args(["run", file, "--quiet", "--signature"]).args(args);
        let text = stdout(&run.assert());
        text.lines().find_map(|line| line.strip_prefix("signature ")).expect("a signature").to_owned()
    };
    let whole = sign("a.toml", &[]);
    assert_eq!(whole.len(), "xxh3:".len() + 32);
    assert_eq!(whole, sign("a.toml", &["--jobs", "3"]));
    assert_ne!(whole, sign("a.toml", &["--name", "good"]));
    let path = folder.path().join("a.toml");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, format!("# A comment.\n{text}")).expect("a file");
    assert_eq!(whole, sign("a.toml", &[]), "a comment changes no fact");
    fs::write(&path, text.replacen("target = 7", "target = 8", 1)).expect("a file");
    assert_ne!(whole, sign("a.toml", &[]));
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_leaves_whole_reports() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("endless.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let child = std::process::Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(folder.path())
        .args(["run", "endless.toml", "--jobs", "1", "--report", "jsonl=r.jsonl", "--report", "tap=r.tap"])
        .args(["--report", "junit=r.xml"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary");
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).expect("the pipe");
    write!(writer, "{QUENTO}").expect("the defaults");
    // Scenarios without end: only the interrupt ends the run.
    for i in 0.. {
        let scenario = format!("\n[[scenario]]\nname = 'case {i}'\nexpect.solutions = 3\n");
        if writer.write_all(scenario.as_bytes()).is_err() {
            break;
        }
        if i == 20_000 {
            let id = child.id().to_string();
            std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill");
        }
        assert!(i < 50_000_000, "the run goes on");
    }
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a report");
    let (lines, tap, xml) = (read("r.jsonl"), read("r.tap"), read("r.xml"));
    let cases = lines.lines().count() - 2;
    assert!(cases > 0 && lines.lines().last().is_some_and(|last| last.contains("\"stopped\":true")));
    assert!(tap.ends_with(&format!("\n1..{cases}\nBail out! the run was stopped before the end\n")));
    assert_eq!(xml.matches("<testcase ").count(), cases);
    assert!(xml.ends_with("</testsuites>\n"));
}
