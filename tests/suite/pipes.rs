//! What goes on though nobody reads the output any more.

use std::fs;
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
