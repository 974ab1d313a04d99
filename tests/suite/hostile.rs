//! What authors, scripts, files and words of the command line may hold, and what of it reaches a terminal or a log.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// Stands behind each attack, so that it is seen where one is shown.
const MARK: &str = "zq9";

/// What a terminal or the log of a build would obey.
const ATTACKS: &[&str] = &[
    "\u{9b}31m\u{85}\u{202e}\u{61c}\u{200f}\u{2066}\u{1b}[2J\u{7}\u{8}\u{7f}",
    "::error::",
    "\r\n\u{a0} ::set-output name=a::",
    "x\n##[command]##vso[task.setvariable variable=a]##[error]##teamcity[message]",
];

/// The text as a string that TOML, JSON and rhai read alike, its other characters as they are.
fn quoted(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A folder with the attack in all places.
fn folder(attack: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let text = quoted(&format!("{attack}{MARK}"));
    let start = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";
    let mut suite = start.to_owned();
    for (i, keys) in [
        format!("tags = [{text}]\nexpect.solutions = 4"),
        format!("skip = {text}"),
        format!("expect_failure = {text}\nexpect.solutions = 9"),
        format!("{text} = 1"),
        format!("expect = {{ {text} = 1 }}"),
        format!("engine = {text}"),
        format!("board = [{text}]"),
        format!("input = {text}"),
        format!("input_file = {text}"),
        format!("expect.output = {text}"),
        format!("expect.error = {text}"),
        format!("expect.signature = {text}"),
        "check = { script = 'check.rhai' }".to_owned(),
        format!("check = {{ script = {text} }}"),
        "generate = { script = 'throws.rhai' }".to_owned(),
        format!(
            "generate = {{ script = 'makes.rhai', args = {{ a = {text} }}, count = 2 }}\nexpect.solutions = 4"
        ),
    ]
    .iter()
    .enumerate()
    {
        suite += &format!("[[scenario]]\nname = {}\n{keys}\n", quoted(&format!("{attack}{MARK} {i}")));
    }
    write("suite.toml", &suite);
    write("syntax.toml", &format!("{start}[[scenario]]\nname = {text} {text}\n"));
    write(
        &format!("named/{}{MARK}.toml", attack.replace('/', "-")),
        &format!("{start}expect.solutions = 4\n"),
    );
    write(
        "check.rhai",
        &format!("fn check(scenario, facts, args) {{ print({text}); debug({text}); throw {text}; }}\n"),
    );
    write("throws.rhai", &format!("fn generate(rng, index, args) {{ throw {text} }}\n"));
    write(
        "makes.rhai",
        "fn generate(rng, index, args) { print(args.a); #{ name: args.a, tags: [args.a] } }\n",
    );
    write(
        "game.rhai",
        &format!(
            "fn game() {{ #{{ about: {text}, step: {text}, moves: \"takes\",
                keys: #{{ heap: #{{ kind: \"int\", about: {text} }}, takes: #{{ kind: \"[text]\", about: {text} }} }},
                facts: #{{ left: #{{ kind: \"int\", about: {text} }}, said: #{{ kind: \"text\", about: {text} }} }},
                example: #{{ heap: 1, takes: [{text}] }} }} }}
            fn setup(doc) {{ #{{ left: doc.heap }} }}
            fn legal(state) {{ if state.left > 0 {{ [{text}] }} else {{ [] }} }}
            fn step(state, take) {{ print({text}); state.left -= 1; state }}
            fn facts(state) {{ #{{ left: state.left, said: {text} }} }}
            fn frame(state) {{ #{{ text: {text}, rule: {text}, {text}: board([\"1 2\"]) }} }}
            fn output(state) {{ {text} }}\n"
        ),
    );
    write(
        "game.toml",
        &format!(
            "engine = 'game.rhai'\nheap = 1\ntakes = [{text}]\nsummary = ['left', 'said']\nexpect = {{ said = 'x' }}\n"
        ),
    );
    write(
        "refused.toml",
        &format!("engine = 'game.rhai'\nheap = 2\ntakes = ['no', {text}]\nexpect.output = {text}\n"),
    );
    write(
        "facts.rhai",
        &format!(
            "fn game() {{ #{{ about: \"\", facts: #{{ {text}: #{{ kind: \"int\" }} }} }} }}\nfn setup(doc) {{ doc }}\n"
        ),
    );
    write("facts.toml", "engine = 'facts.rhai'\n");
    let raw = format!("{attack}{MARK}\n");
    write(&format!("pairs/{}{MARK}.in", attack.replace('/', "-")), "7 2\n4+3\n-5-\n9-2\n");
    write(&format!("pairs/{}{MARK}.out", attack.replace('/', "-")), &raw);
    write("pairs/b.in", &raw);
    write("pairs/b.out", &raw);
    write("lines.jsonl", &format!("{{\"engine\":{text}}}\n{{{text}:{text}}}\n{{\"name\":{text},{text}}}\n"));
    write("settings/rulebook.toml", &format!("filter = {text}\ntag = {text}\nreport = [{text}]\n"));
    write("odd/rulebook.toml", &format!("{text} = {text}\n"));
    folder
}

/// What the command says on both streams.
fn said(folder: &Path, args: &[&str], env: &[(&str, &str)]) -> String {
    let output = Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(folder)
        .env_remove("GITHUB_ACTIONS")
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", folder)
        .envs(env.iter().copied())
        .args(args)
        .stdin(Stdio::from(fs::File::open(folder.join("lines.jsonl")).expect("the input")))
        .output()
        .expect("the binary");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    [text(output.stdout), text(output.stderr)].join("\n")
}

/// What of a text a terminal or a log would obey.
fn obeyed(text: &str) -> Option<String> {
    let controls = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}]";
    let pattern = format!(r"(?m){controls}|^\s*::[^:]|##(vso|teamcity)?\[");
    let obeyed = regex::Regex::new(&pattern).expect("a pattern").find(text)?;
    let start = text[..obeyed.start()].rfind('\n').map_or(0, |end| end + 1);
    let end = text[obeyed.end()..].find('\n').map_or(text.len(), |end| obeyed.end() + end);
    Some(text[start..end].escape_debug().to_string())
}

#[test]
fn nothing_is_shown_that_is_obeyed() {
    let mut shown = 0;
    let mut wrong = Vec::new();
    for attack in ATTACKS {
        let folder = folder(attack);
        let folder = folder.path();
        let marked = format!("{attack}{MARK}");
        let option = |name: &str| format!("--{name}={marked}");
        let target = format!("suite.toml::{marked}");
        let (filter, jobs, config, shard, select, report, index, flag) = (
            option("name"),
            option("jobs"),
            option("config"),
            option("shard"),
            option("filter"),
            option("report"),
            option("index"),
            format!("--{marked}"),
        );
        let mut commands: Vec<Vec<&str>> = vec![
            vec!["run", ".", "-v", "--slowest", "5", "--progress", "always"],
            vec!["run", ".", "-v", "--shuffle", "3", "--report", "jsonl=all.jsonl"],
            vec![
                "run",
                "game.toml",
                "--summary",
                "left",
                "--summary",
                &marked,
                "--summary-json",
                "/dev/stdout",
            ],
            vec!["run", "-"],
            vec!["run", "-", "-v", "--report", "tap=x.tap"],
            vec!["check", ".", "-v"],
            vec!["list", ".", "-v"],
            vec!["run", "--review", "."],
            vec!["engines", "game.rhai"],
            vec!["engines", "facts.rhai"],
            vec!["engines", &marked],
            vec!["new", "game.rhai"],
            vec!["new", &marked],
            vec!["replay", "game.toml"],
            vec!["replay", "game.toml", "--json"],
            vec!["replay", "game.toml", "--at", "77"],
            vec!["replay", &target],
            vec!["expand", "suite.toml"],
            vec!["expand", "game.toml"],
            vec!["expand", &target],
            vec!["export", "suite.toml", "exported"],
            vec!["import", "quento", "pairs"],
            vec!["import", "quento", "pairs", "--raw"],
            vec!["import", &marked, &marked],
            vec!["fmt", "--check", "."],
            vec!["solve", "quento", "pairs/b.in"],
            vec!["solve", &marked, &marked],
            vec!["config", &filter, &report],
            vec!["config", &marked, &filter],
            vec!["config", "--config", "settings/rulebook.toml"],
            vec!["config", "--config", "odd/rulebook.toml"],
            vec!["run", &marked],
            vec!["run", &target],
            vec!["run", "suite.toml", &filter, "-v"],
            vec!["run", &jobs],
            vec!["run", &config],
            vec!["run", &shard],
            vec!["run", &select],
            vec!["run", &report],
            vec!["run", &index],
            vec!["run", &flag],
            vec![&marked],
            vec!["report", "merge", "all.jsonl", "--slowest", "4"],
            vec!["report", "merge", "all.jsonl", "all.jsonl", "lines.jsonl"],
            vec!["report", "merge", &marked],
            vec!["run", "suite.toml", "--resume", "lines.jsonl"],
        ];
        for format in ["jsonl", "junit", "tap", "html", "markdown"] {
            commands.push(vec!["run", ".", "--report", format]);
            commands.push(vec!["report", "merge", "all.jsonl", "--report", format]);
        }
        let environments: [&[(&str, &str)]; 3] =
            [&[], &[("RULEBOOK_NAME", &marked)], &[("RULEBOOK_JOBS", &marked)]];
        for (i, env) in environments.iter().enumerate() {
            let few = if i == 0 { &commands[..] } else { &commands[..3] };
            for args in few {
                let said = said(folder, args, env);
                shown += usize::from(said.contains(MARK));
                assert!(!said.contains("panicked"), "{args:?}: {said}");
                if let Some(line) = obeyed(&said) {
                    wrong.push(format!("{args:?} {env:?}: {line}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(shown > 45 * ATTACKS.len(), "only {shown} outputs show an attack");
}
