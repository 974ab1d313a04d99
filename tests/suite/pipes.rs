//! What goes on though nobody reads the output any more.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::rulebook;

/// The exit code of the command in `folder`, whose output is closed before it begins.
fn unread(folder: &Path, args: &[&str]) -> Option<i32> {
    let mut child = Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(folder)
        .env_remove("CI")
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary");
    drop(child.stdout.take());
    child.wait().expect("an end").code()
}

/// More files than a buffer holds names of, each with `text`.
fn many(text: &str) -> (tempfile::TempDir, Vec<std::path::PathBuf>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = |i| folder.path().join(format!("{i:0>200}.toml"));
    let paths: Vec<_> = (0..400).map(name).collect();
    for path in &paths {
        fs::write(path, text).expect("a file");
    }
    (folder, paths)
}

#[test]
fn every_file_is_blessed() {
    let text =
        "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\nexpect.solutions = ";
    let (folder, paths) = many(&format!("{text}1\n"));
    assert_eq!(unread(folder.path(), &["run", "--review", "."]), Some(1));
    fs::write(folder.path().join("a.toml"), format!("{text}{{ at_least = 4 }}\n")).expect("a file");
    assert_eq!(unread(folder.path(), &["run", "--bless", "."]), Some(1));
    for path in paths {
        assert!(fs::read_to_string(path).expect("a file").ends_with("expect.solutions = 3\n"));
    }
}

#[test]
fn every_file_is_formatted() {
    let (folder, paths) = many("engine = 'match3'\nboard = ['1  2', '1 2']\n");
    assert_eq!(unread(folder.path(), &["fmt", "--check", "."]), Some(1));
    fs::write(folder.path().join("a.toml"), "board = [\n").expect("a file");
    assert_eq!(unread(folder.path(), &["fmt", "."]), Some(3));
    for path in paths {
        assert!(fs::read_to_string(path).expect("a file").ends_with("['1 2', '1 2']\n"));
    }
    rulebook().current_dir(folder.path()).args(["fmt", "--check", "."]).assert().code(3).stdout_eq("");
}

const START: &str = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";

/// A suite whose last scenario fails, after more output than a pipe holds; a report of it, and what else commands read.
fn suite() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = START.to_owned();
    for i in 0..3000 {
        text += &format!("[[scenario]]\nname = 'case {i} {}'\nexpect.solutions = 3\n", "x".repeat(60));
    }
    text += "[[scenario]]\nname = 'last'\nexpect.solutions = 4\n";
    let broken = format!("{text}[[scenario]]\nname = 'broken'\nexpect.solutoins = 4\n");
    let pairs = folder.path().join("pairs");
    fs::create_dir(&pairs).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("a.toml", &text);
    write("broken.toml", &broken);
    write("ragged.toml", "engine = 'match3'\nboard = ['1  2', '1 2']\n");
    write("syntax.toml", &format!("{text}[[scenario]]\nname = \n"));
    write("one.toml", &format!("{START}expect.solvable = true\n"));
    write("pairs/1.in", "7 2\n4+3\n-5-\n9-2\n");
    write("pairs/1.out", "1\n0 0\n0 1\n0 2\n");
    write("pairs/2.in", "7 2\n4+3\n-5-\n9-2\n");
    write("pairs/2.out", "0\n");
    write("pairs/2.ans", "0\n");
    let args = ["run", "a.toml", "--quiet", "--report", "jsonl=a.jsonl"];
    rulebook().current_dir(folder.path()).args(args).assert().code(1);
    folder
}

/// Who leaves, and when.
#[derive(Clone, Copy, Debug)]
enum Leaves {
    /// The reader of standard output, before anything is written.
    Stdout,
    /// The same after a first line.
    StdoutAfterALine,
    /// The reader of standard error.
    Stderr,
    /// Nobody does.
    Nobody,
}

/// The exit code of the command, and what it says on the stream that is read.
fn left(folder: &Path, args: &[&str], input: &str, leaves: Leaves) -> (Option<i32>, String) {
    let mut child = Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(folder)
        .env_remove("CI")
        .env_remove("GITHUB_ACTIONS")
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", folder)
        .args(args)
        .stdin(fs::File::open(folder.join(input)).expect("the input"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    match leaves {
        Leaves::Stdout => drop(child.stdout.take()),
        Leaves::StdoutAfterALine => {
            let mut line = String::new();
            let stdout = child.stdout.take().expect("standard output");
            BufReader::new(stdout).read_line(&mut line).expect("a line");
        }
        Leaves::Stderr => drop(child.stderr.take()),
        Leaves::Nobody => {}
    }
    let output = child.wait_with_output().expect("an end");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn the_exit_code_does_not_depend_on_who_reads() {
    let folder = suite();
    let commands: &[(i32, &[&str])] = &[
        (1, &["run", "a.toml", "-v"]),
        (1, &["run", "a.toml", "-v", "--jobs", "1", "--color", "always"]),
        (1, &["run", "a.toml", "-v", "--progress", "always"]),
        (1, &["run", "a.toml", "--last-failed", "-v"]),
        (3, &["run", "broken.toml", "-v"]),
        (1, &["run", "a.toml", "--report", "jsonl"]),
        (1, &["run", "a.toml", "--report", "junit"]),
        (1, &["run", "a.toml", "--report", "tap"]),
        (1, &["run", "a.toml", "--report", "html"]),
        (1, &["run", "a.toml", "--report", "markdown"]),
        (1, &["run", "a.toml", "--report", "github"]),
        (1, &["run", "a.toml", "--report", "jsonl=/dev/stdout", "--summary-json", "/dev/stdout"]),
        (1, &["run", "a.toml", "--resume", "a.jsonl", "--report", "jsonl"]),
        (1, &["run", "-"]),
        (1, &["run", "-", "-v", "--report", "tap=/dev/null"]),
        (1, &["run", "a.toml", "--review"]),
        (2, &["run", "a.toml", "-v", "--summary", "solutions", "--summary", "scroe", "--name", "case"]),
        (3, &["check", "broken.toml", "-v"]),
        (3, &["list", "broken.toml"]),
        (3, &["list", "broken.toml", "-v"]),
        (1, &["report", "merge", "a.jsonl", "--slowest", "4000"]),
        (1, &["report", "merge", "a.jsonl", "--report", "jsonl"]),
        (3, &["report", "merge", "a.jsonl", "a.jsonl", "--report", "tap"]),
        (3, &["expand", "syntax.toml"]),
        (3, &["import", "quento", "pairs"]),
        (2, &["replay", "one.toml", "--json", "--at", "9999"]),
        (1, &["fmt", "--check", "ragged.toml"]),
    ];
    for (code, args) in commands {
        let (read, said) = left(folder.path(), args, "a.toml", Leaves::Nobody);
        assert_eq!(read, Some(*code), "{args:?}: {said}");
        for leaves in [Leaves::Stdout, Leaves::StdoutAfterALine, Leaves::Stderr] {
            let (unread, said) = left(folder.path(), args, "a.toml", leaves);
            assert_eq!(unread, Some(*code), "{args:?}, {leaves:?} leaves: {said}");
            assert!(!said.contains("roken pipe") && !said.contains("cannot be written"), "{args:?}: {said}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_report_whose_reader_leaves_is_no_fault() {
    let folder = suite();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for to in ["--report=jsonl=pipe", "--report=junit=pipe", "--summary-json=pipe"] {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || drop(fs::File::open(pipe).expect("the pipe"))
        });
        let args = ["run", "a.toml", "--summary", "solutions", "--report", "tap=whole.tap", to];
        let (code, said) = left(folder.path(), &args, "a.toml", Leaves::Nobody);
        reader.join().expect("a reader");
        assert_eq!((code, &*said), (Some(1), ""), "{to}");
        let whole = fs::read_to_string(folder.path().join("whole.tap")).expect("the other report");
        assert!(whole.ends_with("1..3001\n"), "{to}");
    }
}

/// Waits until a thread of the process waits for the reader of a pipe, or for long enough.
#[cfg(target_os = "linux")]
fn waits_for_a_reader(process: u32) {
    for _ in 0..500 {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).expect("its threads");
        let mut waits = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("wchan")).ok());
        if waits.any(|place| place.contains("partner") || place.contains("fifo")) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_while_a_reader_is_waited_for_leaves_no_empty_report() {
    let folder = suite();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    fs::write(folder.path().join("old.tap"), "TAP version 14\n1..0\n").expect("a report");
    let orders: [&[&str]; 3] = [
        &["--report=jsonl=pipe", "--report=tap=new.tap", "--report=tap=old.tap", "--summary-json=new.json"],
        &["--report=tap=new.tap", "--report=jsonl=pipe", "--report=tap=old.tap", "--summary-json=new.json"],
        &["--report=tap=new.tap", "--report=tap=old.tap", "--report=jsonl=new.jsonl", "--summary-json=pipe"],
    ];
    for order in orders {
        let child = Command::new(snapbox::cmd::cargo_bin!("rulebook"))
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", folder.path())
            .args(["run", "a.toml", "--summary", "solutions"])
            .args(order)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary");
        waits_for_a_reader(child.id());
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(130), "{order:?}");
        for new in ["new.tap", "new.json", "new.jsonl"] {
            assert!(!folder.path().join(new).exists(), "{order:?} left `{new}`");
        }
        let old = fs::read_to_string(folder.path().join("old.tap")).expect("the former report");
        assert_eq!(old, "TAP version 14\n1..0\n", "{order:?}");
    }
}
