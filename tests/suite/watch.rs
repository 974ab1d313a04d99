//! `run --watch`: what is run again after a change, and what keys do.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::command::{root, rulebook};
use crate::shapes::{SOLUTIONS, shapes};

/// Nothing takes so long but for a fault.
const GIVE_UP: Duration = Duration::from_mins(1);

/// A scenario file with one scenario of this name; `keys` say how it starts, and it passes.
fn scenario(name: &str, keys: &str) -> String {
    format!("engine = 'quento'\n\n[[scenario]]\nname = '{name}'\n{keys}expect.solvable = true\n")
}

const BOARD: &str = "target = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";
const INPUT: &str = "7 2\n4+3\n-5-\n9-2\n";

/// A process that watches a folder of its own.
struct Watching {
    folder: TempDir,
    child: Child,
    keys: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Watching {
    /// Watches `scenarios` in a folder with these files.
    fn new(files: &[(&str, &str)], args: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        Self::of(folder, args)
    }

    fn of(folder: TempDir, args: &[&str]) -> Self {
        let mut child = Command::new(snapbox::cmd::cargo_bin!("rulebook"))
            .current_dir(folder.path())
            .args(["run", "--watch", "--verbose", "--draw", "1000"])
            .args(args)
            .env_remove("GITHUB_ACTIONS")
            .env("NO_COLOR", "1")
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary");
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                drop(sender.send(line));
            }
        });
        let keys = child.stdin.take();
        Self { folder, child, keys, lines }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file in place, whole, by a rename.
    fn write(&self, name: &str, text: &str) {
        let new = self.path("new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, self.path(name))).expect("a file");
    }

    fn press(&mut self, key: impl AsRef<[u8]>) {
        let keys = self.keys.as_mut().expect("an open pipe");
        keys.write_all(&[key.as_ref(), b"\n"].concat())
            .and_then(|()| keys.flush())
            .expect("somebody who reads");
    }

    /// What is said until it waits again, the line that says so at the end.
    fn said(&self) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            let line = self.lines.recv_timeout(GIVE_UP);
            let line = line.unwrap_or_else(|error| panic!("{error} behind\n{}", said.join("\n")));
            said.push(line);
            if said.last().is_some_and(|line| line.starts_with("watching ")) {
                return said;
            }
        }
    }

    /// The scenarios that are run until it waits again, by name, each with a `!` if it does not pass.
    fn runs(&self) -> Vec<String> {
        let said = self.said();
        let name = |line: &String| {
            let (word, rest) = line.split_once(' ')?;
            let mark = match word {
                "passed" => "",
                "FAILED" | "ERROR" => "!",
                _ => return None,
            };
            let rest = rest.rsplit_once(" (").map_or(rest, |(name, _)| name).trim_end_matches("#0");
            Some(format!("{}{mark}", rest.rsplit_once("::").map_or(rest, |(_, name)| name)))
        };
        said.iter().filter_map(name).collect()
    }

    /// The same behind changes in several steps, between which it may have looked and found nothing to run.
    fn runs_in_the_end(&self) -> Vec<String> {
        loop {
            let runs = self.runs();
            if !runs.is_empty() {
                return runs;
            }
        }
    }

    /// Ends it with `q`; nothing has been said since, and this is the exit code.
    fn ends(mut self, code: i32) {
        self.press("q");
        let status = self.child.wait().expect("a process");
        assert_eq!(status.code(), Some(code));
        let rest: Vec<_> = self.lines.iter().collect();
        assert_eq!(rest, [""; 0]);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It has ended, unless the test has failed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Three scenario files, each with a scenario that is named like it.
fn three() -> Watching {
    let files = ["a", "b", "c"].map(|name| (format!("scenarios/{name}.toml"), scenario(name, BOARD)));
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let watching = Watching::new(&files, &[]);
    assert_eq!(watching.runs(), ["a", "b", "c"]);
    watching
}

#[test]
fn a_scenario_file_that_changes_is_run_alone() {
    let watching = three();
    watching.write("scenarios/b.toml", &scenario("new", BOARD));
    assert_eq!(watching.runs(), ["new"]);
    // Where nothing is selected nothing is said of it.
    watching.write("scenarios/other.txt", "no scenario");
    watching.write("scenarios/rulebook.toml", "jobs = 1\n");
    watching.write("scenarios/c.toml", &scenario("c", BOARD).replace("true", "false"));
    assert_eq!(watching.runs(), ["c!"]);
    watching.ends(1);
}

#[test]
fn files_of_every_shape_are_run_after_a_change() {
    let watching = three();
    for shape in shapes(40) {
        for (solutions, mark) in [(SOLUTIONS, ""), (1, "!")] {
            watching.write("scenarios/b.toml", &shape.expecting(solutions));
            let names: Vec<_> = shape.scenarios.iter().map(|(name, _)| format!("{name}{mark}")).collect();
            assert_eq!(watching.runs(), names, "{}", shape.about);
        }
    }
    watching.ends(1);
}

#[test]
fn files_may_be_saved_in_every_way() {
    let watching = three();
    let path = watching.path("scenarios/a.toml");
    // By a new file that takes its place.
    watching.write("scenarios/.a.toml.tmp", &scenario("renamed", BOARD));
    fs::rename(watching.path("scenarios/.a.toml.tmp"), &path).expect("a rename");
    assert_eq!(watching.runs(), ["renamed"]);
    // By a new one, when the old one has been set aside.
    fs::rename(&path, watching.path("scenarios/a.toml~")).expect("a rename");
    watching.write("scenarios/a.toml", &scenario("again", BOARD));
    assert_eq!(watching.runs_in_the_end(), ["again"]);
    // In place and in parts, between which it is no TOML.
    let text = scenario("half", BOARD);
    let (half, rest) = text.split_at(text.find("solvable").expect("the fact"));
    watching.write("scenarios/a.toml", half);
    assert_eq!(watching.runs(), ["line 3!"]);
    let mut file = File::options().append(true).open(&path).expect("a file");
    file.write_all(rest.as_bytes()).expect("a file");
    assert_eq!(watching.runs(), ["half"]);
    watching.ends(0);
}

#[test]
fn scenario_files_come_and_go() {
    let watching = three();
    fs::create_dir_all(watching.path("scenarios/deep/er")).expect("a folder");
    watching.write("scenarios/deep/er/d.toml", &scenario("d", BOARD));
    assert_eq!(watching.runs(), ["d"]);
    fs::remove_file(watching.path("scenarios/b.toml")).expect("a file");
    let gone = [
        "`scenarios/b.toml` is no longer there",
        "watching 3 files (Enter: run all, f: rerun failed, q: quit)",
    ];
    assert_eq!(watching.said(), gone);
    watching.write("scenarios/b.toml", &scenario("back", BOARD));
    assert_eq!(watching.runs(), ["back"]);
    watching.ends(0);
}

#[test]
fn a_folder_may_vanish_and_return() {
    let files = [("suite/a.toml", scenario("a", BOARD)), ("suite/b.toml", scenario("b", BOARD))];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let watching = Watching::new(&files, &["suite"]);
    assert_eq!(watching.runs(), ["a", "b"]);
    let (folder, elsewhere) = (watching.path("suite"), watching.path("elsewhere"));
    fs::rename(&folder, &elsewhere).expect("a rename");
    assert_eq!(watching.runs(), ["suite!"]);
    fs::rename(&elsewhere, &folder).expect("a rename");
    assert_eq!(watching.runs(), ["a", "b"]);
    watching.write("suite/a.toml", &scenario("still", BOARD));
    assert_eq!(watching.runs(), ["still"]);
    watching.ends(0);
}

#[test]
fn inputs_touch_who_reads_them() {
    let reads = |name: &str, path: &str| scenario(name, &format!("input_file = '{path}'\n"));
    let files = [
        ("scenarios/a.toml", reads("a", "in.txt")),
        ("scenarios/b.toml", reads("b", "../inputs/in.txt")),
        ("scenarios/c.toml", reads("c", "../later/in.txt")),
        ("scenarios/in.txt", INPUT.to_owned()),
        ("inputs/in.txt", INPUT.to_owned()),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let watching = Watching::new(&files, &[]);
    assert_eq!(watching.runs(), ["a", "b", "c!"]);
    watching.write("scenarios/in.txt", "7 2\n4+4\n-5-\n9-3\n");
    assert_eq!(watching.runs(), ["a!"]);
    watching.write("inputs/in.txt", &format!("{INPUT}\n"));
    assert_eq!(watching.runs(), ["b"]);
    fs::remove_file(watching.path("inputs/in.txt")).expect("a file");
    assert_eq!(watching.runs(), ["b!"]);
    // What was looked for and not found, with its folder.
    fs::create_dir(watching.path("later")).expect("a folder");
    watching.write("later/in.txt", INPUT);
    assert_eq!(watching.runs(), ["c"]);
    watching.ends(0);
}

#[test]
fn scripts_touch_who_uses_them_through_whatever_imports() {
    let generator = |board: &str| {
        format!("import \"{board}\" as start;\nfn generate(rng, index, args) {{ start::start() }}\n")
    };
    let start = "fn start() { #{ board: [\"4+3\", \"-5-\", \"9-2\"], target: 7, digits: 2 } }\n";
    let through = "import \"deep\" as deep;\nfn start() { deep::start() }\n";
    let play = "fn check(scenario, facts, args) { true }\n";
    let made = |name: &str, script: &str| scenario(name, &format!("generate = {{ script = '{script}' }}\n"));
    let judged = format!("{BOARD}check = {{ script = '../scripts/check.rhai' }}\n");
    let game = fs::read_to_string(root().join("scripts/games/tic-tac-toe.rhai")).expect("a game");
    let played =
        "engine = '../scripts/game.rhai'\n[[scenario]]\nname = 'game'\nmoves = [[1, 1]]\nexpect.next = 'o'\n";
    let files = [
        ("scripts/near.rhai", generator("board")),
        ("scripts/far.rhai", generator("through")),
        ("scripts/lost.rhai", generator("missing")),
        ("scripts/board.rhai", start.to_owned()),
        ("scripts/through.rhai", through.to_owned()),
        ("scripts/deep.rhai", start.to_owned()),
        ("scripts/check.rhai", play.to_owned()),
        ("scripts/game.rhai", game.clone()),
        ("scenarios/check.toml", scenario("check", &judged)),
        ("scenarios/far.toml", made("far", "../scripts/far.rhai")),
        ("scenarios/game.toml", played.to_owned()),
        ("scenarios/lost.toml", made("lost", "../scripts/lost.rhai")),
        ("scenarios/near.toml", made("near", "../scripts/near.rhai")),
        ("scenarios/plain.toml", scenario("plain", BOARD)),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let watching = Watching::new(&files, &[]);
    assert_eq!(watching.runs(), ["check", "far", "game", "lost!", "near", "plain"]);
    watching.write("scripts/near.rhai", &format!("// Another.\n{}", generator("board")));
    assert_eq!(watching.runs(), ["near"]);
    watching.write("scripts/board.rhai", &start.replace("target: 7", "target: 77"));
    assert_eq!(watching.runs(), ["near!"]);
    watching.write("scripts/deep.rhai", &start.replace("#{", "#{{"));
    assert_eq!(watching.runs(), ["far!"]);
    watching.write("scripts/deep.rhai", start);
    assert_eq!(watching.runs(), ["far"]);
    watching.write("scripts/missing.rhai", start);
    assert_eq!(watching.runs(), ["lost"]);
    watching.write("scripts/check.rhai", &play.replace("true", "\"no\""));
    assert_eq!(watching.runs(), ["check!"]);
    watching.write("scripts/game.rhai", &game.replace("\"x\" } else { \"o\"", "\"o\" } else { \"x\""));
    assert_eq!(watching.runs(), ["game!"]);
    watching.write("scripts/game.rhai", &game);
    assert_eq!(watching.runs(), ["game"]);
    watching.ends(0);
}

#[test]
fn keys_run_all_and_what_failed() {
    let mut watching = three();
    watching.press("f");
    assert_eq!(watching.runs(), ["a", "b", "c"]);
    watching.write("scenarios/b.toml", &scenario("b", BOARD).replace("true", "false"));
    assert_eq!(watching.runs(), ["b!"]);
    watching.press("f");
    assert_eq!(watching.runs(), ["b!"]);
    watching.press("");
    assert_eq!(watching.runs(), ["a", "b!", "c"]);
    watching.write("scenarios/b.toml", &scenario("b", BOARD));
    assert_eq!(watching.runs(), ["b"]);
    watching.press("something else");
    watching.ends(0);
}

#[test]
fn the_first_to_fail_leaves_the_others_due() {
    let fails = scenario("a", BOARD).replace("true", "false");
    let files = [("scenarios/a.toml", &*fails), ("scenarios/b.toml", &scenario("b", BOARD))];
    let watching = Watching::new(&files, &["--fail-fast", "--jobs", "1"]);
    assert_eq!(watching.runs(), ["a!"]);
    watching.write("scenarios/a.toml", &scenario("a", BOARD));
    assert_eq!(watching.runs(), ["a", "b"]);
    watching.ends(0);
}

#[test]
fn what_is_selected_stays_selected() {
    let several = format!("{}\n[[scenario]]\nname = 'other'\n{BOARD}", scenario("one", BOARD));
    let files = [("scenarios/a.toml", &*several), ("scenarios/b.toml", &scenario("two", BOARD))];
    let watching = Watching::new(&files, &["scenarios", "--filter", "name(o) - name(other)"]);
    assert_eq!(watching.runs(), ["one", "two"]);
    watching.write("scenarios/a.toml", &several.replace("'one'", "'none'"));
    assert_eq!(watching.runs(), ["none"]);
    // Nothing of the file is selected any more.
    watching.write("scenarios/b.toml", &scenario("zwei", BOARD));
    assert_eq!(watching.runs(), [""; 0]);
    watching.ends(0);
}

#[test]
fn nothing_to_run_is_waited_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let watching = Watching::of(folder, &["scenarios/*/x.toml"]);
    assert_eq!(watching.runs(), ["scenarios/*/x.toml!"]);
    fs::create_dir_all(watching.path("scenarios/new")).expect("a folder");
    watching.write("scenarios/new/x.toml", &scenario("x", BOARD));
    assert_eq!(watching.runs(), ["x"]);
    watching.ends(0);
}

#[test]
fn a_report_holds_the_last_run() {
    let files = [("scenarios/a.toml", scenario("a", BOARD)), ("scenarios/b.toml", scenario("b", BOARD))];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let watching = Watching::new(&files, &["--report", "tap=scenarios/report.tap"]);
    assert_eq!(watching.runs(), ["a", "b"]);
    watching.write("scenarios/b.toml", &scenario("new", BOARD));
    assert_eq!(watching.runs(), ["new"]);
    let report = fs::read_to_string(watching.path("scenarios/report.tap")).expect("a report");
    assert!(report.contains("new") && !report.contains("::a"), "{report}");
    watching.ends(0);
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["scenarios", "elsewhere"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    fs::write(folder.path().join("elsewhere/real.toml"), scenario("a", BOARD)).expect("a file");
    let link = folder.path().join("scenarios/link.toml");
    std::os::unix::fs::symlink("../elsewhere/real.toml", &link).expect("a link");
    let watching = Watching::of(folder, &[]);
    assert_eq!(watching.runs(), ["a"]);
    watching.write("elsewhere/real.toml", &scenario("changed", BOARD));
    assert_eq!(watching.runs(), ["changed"]);
    watching.write("elsewhere/other.toml", &scenario("other", BOARD));
    fs::remove_file(&link).expect("a link");
    std::os::unix::fs::symlink("../elsewhere/other.toml", &link).expect("a link");
    assert_eq!(watching.runs_in_the_end(), ["other"]);
    watching.ends(0);
}

#[cfg(unix)]
#[test]
fn control_c_ends_it() {
    let mut watching = three();
    let sent = Command::new("kill").args(["-INT", &watching.child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    assert_eq!(watching.child.wait().expect("a process").code(), Some(130));
}

#[test]
fn the_end_of_the_input_ends_nothing() {
    let mut watching = three();
    drop(watching.keys.take());
    watching.write("scenarios/b.toml", &scenario("still", BOARD));
    assert_eq!(watching.runs(), ["still"]);
}

#[test]
fn a_line_that_is_no_text_is_no_key() {
    let mut watching = three();
    for line in [&b"\xff"[..], b"f\xc3", b"\x00", b"\xed\xa0\x80", &vec![0xfe; 100_000]] {
        watching.press(line);
    }
    watching.press("");
    assert_eq!(watching.runs(), ["a", "b", "c"]);
    watching.ends(0);
}

#[test]
fn what_makes_no_sense_with_it_is_refused() {
    for flag in ["--bless", "--review", "--last-failed", "--shard=1/2"] {
        rulebook().args(["run", "--watch", flag]).assert().code(2);
    }
}
