//! How runs end: by Ctrl-C, among thousands of failures, in files that come and go.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::command::{rulebook, stdout};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

const START: &str = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ntarget = 7\ndigits = 2\n";

#[test]
fn thousands_of_failures_are_drawn_in_part_and_reported_in_full() {
    let text = format!(
        "{START}[[scenario]]\nname = 'wrong'\ngenerate = {{ script = 'same.rhai', count = 3000 }}\nexpect.solutions = 4\n"
    );
    let folder = folder(&[("a.toml", &text), ("same.rhai", "fn generate(rng, index, args) { #{} }")]);
    let run = |args: &[&str]| {
        let args =
            [&["run", "a.toml", "--report", "jsonl=all.jsonl", "--state", "state.json"], args].concat();
        stdout(&rulebook().current_dir(folder.path()).args(args).assert().code(1))
    };
    let drawn = |said: &str| said.lines().filter(|line| line.starts_with("FAILED ")).count();
    let said = run(&["--draw", "100"]);
    assert_eq!(drawn(&said), 100);
    assert!(
        said.contains("\n2900 cases more did not pass and are not drawn: `--draw N` draws as many"),
        "{said}"
    );
    assert!(said.contains("\n3000 failed in "), "{said}");
    let report = fs::read_to_string(folder.path().join("all.jsonl")).expect("a report");
    assert_eq!(report.matches("\"verdict\":\"failed\"").count(), 3000);
    let state = fs::read_to_string(folder.path().join("state.json")).expect("a state");
    assert!(state.contains("a.toml") && state.len() < 200, "the file as a whole is remembered: {state}");
    assert!(run(&["--last-failed", "--draw", "0"]).contains("\n3000 failed in "));
    assert_eq!(drawn(&run(&["--draw", "2999"])), 2999);
    assert!(run(&["--draw", "2999"]).contains("\n1 case more did not pass and is not drawn"));
    assert!(!run(&["--draw", "3000"]).contains("not drawn"));
    let none = run(&["--draw", "0", "--quiet"]);
    assert_eq!((drawn(&none), none.lines().count()), (0, 1), "{none}");
}

#[test]
fn a_file_that_vanishes_is_said_and_the_others_run() {
    let folder = folder(&[("a.toml", START), ("b.toml", &format!("{START}expect.solutions = 3\n"))]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", folder.path().join("c.toml")).expect("a link");
        std::os::unix::fs::symlink(".", folder.path().join("loop")).expect("a link");
    }
    let said =
        stdout(&rulebook().current_dir(folder.path()).args(["run", ".", "gone.toml"]).assert().code(3));
    assert!(said.contains("`gone.toml` cannot be read"), "{said}");
    assert!(said.contains("1 passed"), "{said}");
    if cfg!(unix) {
        assert!(said.contains("c.toml` cannot be read"), "{said}");
        assert!(said.contains("loop` cannot be read"), "{said}");
    }
}

#[test]
fn a_deep_folder_and_odd_names_are_no_trouble() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut deep = folder.path().to_owned();
    for _ in 0..60 {
        deep.push("a");
    }
    fs::create_dir_all(&deep).expect("folders");
    let long = "x".repeat(10_000);
    let text = format!(
        "{START}[[scenario]]\nname = \"\\u001b[31mred\\nline\"\nexpect.solutions = 4\n\
         [[scenario]]\nname = '{long}'\nexpect.solutions = 4\n"
    );
    fs::write(deep.join("odd name \u{7}.toml"), text).expect("a file");
    let said = stdout(&rulebook().current_dir(folder.path()).args(["run", "."]).assert().code(1));
    assert!(!said.contains(['\u{1b}', '\u{7}']), "{said}");
    assert!(said.contains("2 failed in "), "{said}");
    assert!(said.contains(&long[..40]), "{said}");
}

#[test]
fn no_cell_is_too_wide_to_be_drawn() {
    let wide = "1-".repeat(40_000);
    let text = format!(
        "engine = 'stacking'\nboard = ['. .', '. .']\npieces = [{{ at = [1, 1], facing = 'right' }}]\nlimits = 'none'\n\
         expect.stacks = ['. {wide}1', '. .']\n"
    );
    let folder = folder(&[("a.toml", &text)]);
    let said = stdout(&rulebook().current_dir(folder.path()).args(["run", "a.toml"]).assert().code(1));
    assert!(said.contains("`stacks` differs"), "{}", said.get(..300).unwrap_or(&said));
}

#[test]
#[cfg(target_os = "linux")]
fn without_room_for_a_thread_it_says_so() {
    let folder = folder(&[("a.toml", &format!("{START}expect.solutions = 3\n"))]);
    for args in ["run a.toml --jobs 4", "run --watch a.toml", "list a.toml", "schema", "--no-such-flag"] {
        // The stack of the thread that does the work is larger.
        let command = format!("ulimit -v 60000; exec {} {args}", env!("CARGO_BIN_EXE_rulebook"));
        let output = std::process::Command::new("sh")
            .args(["-c", &command])
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args}: {said}");
        assert!(
            said.starts_with("error[usage::no-thread]: there is no room for a thread\n"),
            "{args}: {said}"
        );
        assert!(output.stdout.is_empty(), "{args}");
    }
}

#[cfg(unix)]
mod interrupted {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Stdio};

    use super::*;

    /// A suite with a scenario that passes, and one that does not end for minutes.
    fn endless() -> TempDir {
        let text = format!(
            "{START}[[scenario]]\nname = 'first'\nexpect.solutions = 3\n\
             [[scenario]]\nname = 'endless'\nexpect.solutions = 3\n\
             check = {{ script = 'endless.rhai' }}\n\
             limits.script = {{ operations = 4000000000, milliseconds = 600000 }}\n"
        );
        folder(&[("a.toml", &text), ("endless.rhai", "fn check(scenario, facts, args) { loop { } }")])
    }

    /// Starts a run and waits until it says that it is at the endless scenario.
    fn started(folder: &Path, args: &[&str]) -> Child {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rulebook"))
            .current_dir(folder)
            .env("XDG_CACHE_HOME", folder)
            .env("NO_COLOR", "1")
            .args(["run", "a.toml", "--progress", "always"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a process");
        let stderr = child.stderr.take().expect("standard error");
        let at_it = BufReader::new(stderr)
            .lines()
            .map_while(Result::ok)
            .find(|line| line.contains("a.toml::endless"));
        let line = at_it.expect("progress names what takes long");
        assert!(line.contains("run, at a.toml::endless for "), "{line}");
        child
    }

    fn press(child: &Child) {
        let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }

    #[test]
    fn a_case_that_does_not_end_is_left_and_reports_are_whole() {
        for jobs in ["1", "2"] {
            let folder = endless();
            let reports = ["jsonl", "junit", "tap"].map(|format| format!("{format}=report.{format}"));
            let mut args = vec!["--jobs", jobs];
            args.extend(reports.iter().flat_map(|report| ["--report", report.as_str()]));
            let child = started(folder.path(), &args);
            press(&child);
            let output = child.wait_with_output().expect("an end");
            let said = String::from_utf8(output.stdout).expect("UTF-8");
            assert_eq!(output.status.code(), Some(130), "{said}");
            assert!(said.contains("1 passed, stopped before the end in "), "{said}");
            let report = |format: &str| {
                fs::read_to_string(folder.path().join(format!("report.{format}"))).expect("a report")
            };
            let lines = report("jsonl");
            let lines: Vec<serde_json::Value> =
                lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            assert_eq!(lines.len(), 3);
            assert_eq!(lines[2]["summary"]["stopped"], true);
            assert!(report("junit").trim_end().ends_with("</testsuites>"));
            assert!(
                report("tap").contains("\n1..1\n") || report("tap").ends_with("1..1\n"),
                "{}",
                report("tap")
            );
        }
    }

    /// Waits until the file has something in it.
    fn begun(path: &Path) {
        while fs::metadata(path).map_or(0, |data| data.len()) == 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_press_before_the_first_case_leaves_whole_reports() {
        let folder = endless();
        let at = |name: &str| folder.path().join(name);
        // To read a long report takes its time, and the other ones are begun by then.
        let quick =
            format!("{START}expect.solutions = 3\ngenerate = {{ script = 'same.rhai', count = 20000 }}\n");
        fs::write(at("quick.toml"), quick).expect("a file");
        fs::write(at("same.rhai"), "fn generate(rng, index, args) { #{} }").expect("a script");
        rulebook()
            .current_dir(folder.path())
            .args(["run", "quick.toml", "--report", "jsonl=whole.jsonl"])
            .assert()
            .success();
        let whole = fs::read_to_string(at("whole.jsonl")).expect("a report");
        for cases in [0, 1, 20_000] {
            let end = whole.match_indices('\n').nth(cases).expect("a line").0 + 1;
            fs::write(at("part.jsonl"), &whole[..end]).expect("a report");
            let _ = fs::remove_file(at("report.tap"));
            let child = std::process::Command::new(env!("CARGO_BIN_EXE_rulebook"))
                .current_dir(folder.path())
                .env("XDG_CACHE_HOME", folder.path())
                .args(["run", "quick.toml", "--jobs", "1", "--resume", "part.jsonl"])
                .args(["--report", "junit=report.xml", "--report", "tap=report.tap"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("a process");
            begun(&at("report.tap"));
            press(&child);
            let output = child.wait_with_output().expect("an end");
            assert_eq!(output.status.code(), Some(130), "{output:?}");
            let read = |name: &str| fs::read_to_string(at(name)).expect("a report");
            let (lines, tap, xml) = (read("part.jsonl"), read("report.tap"), read("report.xml"));
            let last = lines.lines().last().expect("a line");
            assert!(last.starts_with("{\"summary\":{") && lines.ends_with('\n'), "{last}");
            let reported = lines.lines().count() - 2;
            assert!((cases..=20_000).contains(&reported), "{reported} of {cases}");
            assert!(tap.contains(&format!("\n1..{reported}\n")), "{reported}");
            assert!(xml.ends_with("</testsuites>\n"), "{cases}");
        }
    }

    #[test]
    fn a_second_press_ends_at_once() {
        let folder = endless();
        let mut child = started(folder.path(), &[]);
        press(&child);
        std::thread::sleep(std::time::Duration::from_millis(200));
        press(&child);
        assert_eq!(child.wait().expect("an end").code(), Some(130));
    }
}
