//! What helps an author to begin: `new`, completions, manual pages.

use std::fs;
use std::process::{Command, Stdio};

use rulebook::engine::keys;
use rulebook::engines::Engines;

use crate::command::{copy_folder, root, rulebook, stderr, stdout};

#[test]
fn a_new_scenario_passes_and_says_a_word_on_every_key() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for engine in &Engines::builtin() {
        let text = stdout(&rulebook().args(["new", engine.name()]).assert().code(0));
        let path = folder.path().join(format!("{}.toml", engine.name()));
        fs::write(&path, &text).expect("a scenario");
        let run = rulebook().arg("run").arg(&path).assert().code(0);
        assert!(stdout(&run).starts_with("1 passed"), "{}", stdout(&run));
        let schema = engine.doc_schema();
        for key in keys::properties(schema.as_value(), &schema).expect("keys").keys() {
            assert!(text.contains(&format!("\n{key} = ")), "no `{key}` in\n{text}");
        }
        assert!(text.lines().filter(|line| line.starts_with("# ")).count() >= 5, "{text}");
    }
}

#[test]
fn a_new_scenario_of_a_game_in_rhai_passes_too() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy_folder(&root().join("scripts"), &folder.path().join("scripts"));
    let bare = "fn game() { #{ about: \"Take\", step: \"take\", moves: \"takes\", keys: #{ \
                heap: #{ kind: \"int\", about: \"how many\" }, takes: #{ kind: \"[int]\", about: \"taken\" } }, \
                facts: #{ left: #{ kind: \"int\", about: \"left\" } } } }\n\
                fn setup(doc) { if !(\"heap\" in doc) { throw \"no heap\" } #{ left: doc.heap } }\n\
                fn legal(state) { [1] }\n fn step(state, take) { state.left -= take; state }\n\
                fn facts(state) { #{ left: state.left } }\n";
    let path = |name: &str| folder.path().join(name);
    fs::write(path("bare.rhai"), bare).expect("a game");
    let given = bare.replace("step: \"take\"", "step: \"take\", example: #{ heap: 3, takes: [1, 1] }");
    fs::write(path("given.rhai"), &given).expect("a game");
    fs::write(path("wrong.rhai"), given.replace("heap: 3", "heaps: 3")).expect("a game");
    for (game, says) in [
        ("scripts/games/lights-out.rhai", "solved = true"),
        ("scripts/games/tic-tac-toe.rhai", "winner = \"x\""),
        ("given.rhai", "left = 1"),
        ("bare.rhai", "expect.error = \"script::refused\""),
    ] {
        let text = stdout(&rulebook().current_dir(folder.path()).args(["new", game]).assert().code(0));
        assert!(text.contains(says), "{text}");
        // The path of a game is taken from the scenario's folder.
        let beside = path(game).with_extension("toml");
        fs::write(&beside, &text).expect("a scenario");
        rulebook().current_dir(folder.path()).arg("run").arg(beside).assert().code(0);
    }
    let wrong = rulebook().current_dir(folder.path()).args(["new", "wrong.rhai"]).assert().code(3);
    assert!(stderr(&wrong).contains("unknown key `heaps`"), "{}", stderr(&wrong));
    let unknown = rulebook().args(["new", "chess"]).assert().code(2);
    assert!(stderr(&unknown).contains("usage::unknown-engine"));
}

/// Whether the machine has `program`; says so if a test goes without it.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        skipped(&format!("`{program}` is not installed"));
    }
    found.is_ok()
}

/// Says why a part of a test is left out.
#[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// What `program` says of a file with this text.
fn accepts(program: &str, args: &[&str], text: &str) -> (bool, String) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), text).expect("a file");
    let output = Command::new(program).args(args).arg(file.path()).output().expect("an installed program");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn shells_accept_their_completions() {
    let script = |shell: &str| stdout(&rulebook().args(["completions", shell]).assert().code(0));
    for (shell, args) in [("bash", ["-n"].as_slice()), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let text = script(shell);
        assert!(text.contains("rulebook"));
        if has(shell) {
            let (accepted, complaint) = accepts(shell, args, &text);
            assert!(accepted && complaint.is_empty(), "{shell}: {complaint}");
        }
    }
    for shell in ["elvish", "powershell"] {
        assert!(script(shell).contains("rulebook"));
    }
    if has("bash") {
        let complete = "COMP_WORDS=(rulebook run --fail-f); COMP_CWORD=2; _rulebook rulebook --fail-f run\necho \"${COMPREPLY[@]}\"";
        let text = format!("{}\n{complete}\n", script("bash"));
        let output = Command::new("bash").args(["-c", &text]).output().expect("bash");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "--fail-fast\n");
    }
}

#[test]
fn the_manual_is_sound() {
    let page = stdout(&rulebook().arg("man").assert().code(0));
    for word in ["rulebook", "completions", "RULEBOOK_COLOR"] {
        assert!(page.contains(word), "the page has no `{word}`");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = folder.path().join("man");
    rulebook().args(["man", "--dir"]).arg(&pages).assert().code(0).stdout_eq("");
    let names: Vec<_> =
        fs::read_dir(&pages).expect("the pages").map(|entry| entry.expect("an entry")).collect();
    assert!(names.len() > 10, "{} pages", names.len());
    let run = fs::read_to_string(pages.join("rulebook-run.1")).expect("a page");
    assert!(run.contains("RULEBOOK_JOBS"));
    // Pages replace earlier ones, and nothing else.
    rulebook().args(["man", "--dir"]).arg(&pages).assert().code(0);
    fs::write(pages.join("rulebook-run.1"), "my own notes").expect("a file");
    let refused = rulebook().args(["man", "--dir"]).arg(&pages).assert().code(2);
    assert!(stderr(&refused).contains("is not a former output of this kind"), "{}", stderr(&refused));
    assert_eq!(fs::read_to_string(pages.join("rulebook-run.1")).expect("a page"), "my own notes");
    fs::write(folder.path().join("file"), "").expect("a file");
    let refused = rulebook().args(["man", "--dir"]).arg(folder.path().join("file")).assert().code(2);
    assert!(stderr(&refused).contains("usage::unwritable"));
    if has("groff") {
        for text in [&page, &run] {
            let (accepted, complaint) = accepts("groff", &["-man", "-Tutf8", "-ww", "-z"], text);
            assert!(accepted && complaint.is_empty(), "{complaint}");
        }
    }
    if has("man") {
        let file = pages.join("rulebook.1");
        let shown = Command::new("man").arg("-l").arg(file).env("MANPAGER", "cat").output().expect("man");
        assert!(
            shown.status.success() && String::from_utf8_lossy(&shown.stdout).contains("Usage")
                || !shown.stdout.is_empty()
        );
    }
}
