//! Files that are rewritten while somebody interrupts, or that cannot be kept as they are.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

const TEXT: &str =
    "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ntarget = 7\ndigits = 2\nexpect.solutions = 4\n";

fn rulebook(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rulebook"));
    command.args(args).env_remove("CI").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn an_interrupted_command_leaves_no_temporary_file_and_no_half_file() {
    for (args, new) in [
        (&["fmt", "."][..], "board = ['1 2', '3 4']"),
        (&["run", ".", "--bless", "--quiet"], "expect.solutions = 3"),
    ] {
        let mut cut = 0;
        for round in 0..12 {
            let folder = tempfile::tempdir().expect("a temporary directory");
            let text = if args[0] == "fmt" {
                "engine = 'match3'\nboard = ['1  2', '3 4']\nswaps = [[1, 1, 1, 2]]\n"
            } else {
                TEXT
            };
            for i in 0..400 {
                fs::write(folder.path().join(format!("{i:03}.toml")), text).expect("a file");
            }
            let child = rulebook(args).current_dir(folder.path()).spawn().expect("a process");
            // Begins with the writing, sooner or later.
            while fs::read_to_string(folder.path().join("000.toml")).expect("a file") == text {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(5 * round));
            // A command that has ended already is not there to be interrupted.
            let _ = kill_process(Pid::from_child(&child), Signal::INT);
            child.wait_with_output().expect("an end");
            let mut old = 0;
            for entry in fs::read_dir(folder.path()).expect("the directory") {
                let path = entry.expect("an entry").path();
                assert!(path.extension().is_some_and(|end| end == "toml"), "{} is left", path.display());
                let found = fs::read_to_string(&path).expect("a file");
                assert!(found == text || found.contains(new), "{found}");
                old += usize::from(found == text);
            }
            cut += usize::from(old > 0);
        }
        assert!(cut > 0, "no {} was interrupted while it wrote", args[0]);
    }
}

/// Needs to be run by root, who alone can give a file to somebody else.
#[test]
fn owner_and_group_stay_or_the_file_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("a.toml");
    fs::write(&path, TEXT).expect("a file");
    let owner = |path: &std::path::Path| {
        let data = fs::metadata(path).expect("a file");
        (data.uid(), data.gid())
    };
    let (uid, gid) = (65_534, 65_534);
    if chown(&path, Some(uid), Some(0)).is_err() {
        assert!(!rustix::process::geteuid().is_root(), "root may give files away");
        return;
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("a directory for all");
    let bless = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output().expect("a process");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // The owner is not in the group of the file, and could not give the new one to it.
    let (code, said) = bless(rulebook(&["run", "a.toml", "--bless"]).uid(uid).gid(gid));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("its owner or group could not be kept"), "{said}");
    assert_eq!((fs::read_to_string(&path).expect("a file").as_str(), owner(&path)), (TEXT, (uid, 0)));
    // Root can.
    assert_eq!(bless(&mut rulebook(&["run", "a.toml", "--bless"])).0, Some(0));
    assert!(fs::read_to_string(&path).expect("a file").contains("expect.solutions = 3"));
    assert_eq!(owner(&path), (uid, 0));
    assert_eq!(fs::read_dir(folder.path()).expect("the directory").count(), 1);
}
