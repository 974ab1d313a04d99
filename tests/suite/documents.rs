//! The README and the pages in `docs` are true: every scenario that they show is run, every command is called.
//!
//! A `toml` block is a scenario file that must pass; a `toml fails` block is one that must not; a `toml settings` block
//! is read by `settings`. A `console` block holds commands behind `$ ` with what they print, but for times, which
//! differ between runs. Input files of the scenarios lie beside the pages. A `rhai` block is a script that lies beside the scenarios behind it; its first line is a
//! comment with its name.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use regex::Regex;
use rulebook::engine::keys;
use rulebook::engines::Engines;
use rulebook::scenario::{header, matcher};
use rulebook::script::{self, Function};
use rulebook::value::FactSpec;
use schemars::Schema;
use serde_json::Value as Json;
use snapbox::{Assert, Data, IntoData as _};

use crate::command::{copy_folder, root, rulebook, stdout};

/// A block of code on a page.
pub(crate) struct Block {
    file: PathBuf,
    line: usize,
    pub(crate) language: String,
    pub(crate) text: String,
}

/// The files in `docs` and below that end in `extension`.
fn files(extension: &str) -> Vec<PathBuf> {
    let folders = ["docs", "docs/games"].map(|folder| fs::read_dir(root().join(folder)).expect("a folder"));
    let mut files: Vec<_> = folders
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// Every block of the pages.
pub(crate) fn blocks() -> Vec<Block> {
    let mut files = files("md");
    files.insert(0, root().join("README.md"));
    let mut blocks = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a page");
        let mut open: Option<Block> = None;
        for (i, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(language), None) => {
                    let (language, text) = (language.trim().to_owned(), String::new());
                    open = Some(Block { file: file.clone(), line: i + 1, language, text });
                }
                (None, Some(block)) => {
                    block.text += line;
                    block.text.push('\n');
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{} has an open block", file.display());
    }
    blocks
}

#[test]
fn every_scenario_shown_does_what_the_page_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut shown = 0;
    let docs = folder.path().join("docs");
    copy_folder(&root().join("scripts"), &folder.path().join("scripts"));
    fs::create_dir(&docs).expect("a folder for the pages");
    for input in files("in") {
        for folder in [folder.path(), &docs] {
            fs::copy(&input, folder.join(input.file_name().expect("a name"))).expect("a copy");
        }
    }
    for block in blocks() {
        let folder = if block.file.starts_with(root().join("docs")) { docs.as_path() } else { folder.path() };
        // The first line of a script says what it is called.
        if let ("rhai", Some(name)) =
            (&*block.language, block.text.lines().next().and_then(|l| l.strip_prefix("// ")))
        {
            fs::write(folder.join(name), &block.text).expect("a script");
        }
        let code = match block.language.as_str() {
            "toml" => Some(0),
            "toml fails" => Some(1),
            "toml refused" => Some(3),
            _ => continue,
        };
        shown += 1;
        let path = folder.join("shown.toml");
        fs::write(&path, &block.text).expect("a scenario file");
        // The pages speak from the project's directory.
        let result =
            rulebook().current_dir(docs.parent().expect("a directory")).arg("run").arg(&path).assert();
        let output = result.get_output();
        let place = format!("{}:{}", block.file.display(), block.line);
        assert_eq!(output.status.code(), code, "{place}\n{}", String::from_utf8_lossy(&output.stdout));
    }
    assert!(shown > 10, "the pages show scenarios");
}

#[test]
fn every_command_shown_prints_what_the_page_says() {
    let assert = Assert::new().normalize_paths(false);
    let mut shown = 0;
    for block in blocks().into_iter().filter(|block| block.language == "console") {
        let mut rest = block.text.as_str();
        while let Some(start) = rest.strip_prefix("$ ") {
            shown += 1;
            let (command, after) = start.split_once('\n').expect("a line");
            let end = after.find("\n$ ").map_or(after.len(), |end| end + 1);
            let end = if after.starts_with("$ ") { 0 } else { end };
            let (expected, next) = after.split_at(end);
            rest = next;
            let place = format!("{}:{}: {command}", block.file.display(), block.line);
            let actual = timeless(&call(command));
            let expected = timeless(expected).into_data();
            if let Err(error) = assert.try_eq(Some(&place), actual.into_data(), expected) {
                panic!("{error}");
            }
        }
    }
    assert!(shown > 5, "the pages show commands");
}

/// The text with every time taken out, for no two runs take the same.
fn timeless(text: &str) -> String {
    let times = [
        (r" in \d+\.\d+ m?s\n", " in a moment\n"),
        (r" in \d+\.\d+ s<", " in a moment<"),
        (r#""seconds":[-+.e\d]+"#, "\"seconds\":0"),
        (r#" time="[.\d]+""#, " time=\"0\""),
        (r" +\d+\.\d ms  ", "  0.0 ms  "),
    ];
    times.iter().fold(text.to_owned(), |text, (time, plain)| {
        Regex::new(time).expect("a pattern").replace_all(&text, *plain).into_owned()
    })
}

/// What a shown command prints, both streams together.
fn call(command: &str) -> String {
    let binary = snapbox::cmd::cargo_bin!("rulebook");
    let folder = binary.parent().expect("a folder").display().to_string();
    let command = command.replace("cargo run --release -- ", "rulebook ");
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(root())
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env_remove("GITHUB_ACTIONS")
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Of a function in the list on the page: its line, and an example.
fn listed(function: &Function) -> String {
    let mut text = format!("\n### `{}`\n\n{}\n", function.signature, function.about);
    if !function.example.is_empty() {
        let lines = function.example.lines().map(str::trim).collect::<Vec<_>>().join("\n    ");
        text += &format!("\n    {lines}\n");
    }
    text
}

#[test]
fn the_scripting_page_lists_every_function() {
    const BEGIN: &str = "<!-- functions: begin -->\n";
    const END: &str = "<!-- functions: end -->";
    let path = root().join("docs/scripting.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (above, rest) = page.split_once(BEGIN).expect("where the list begins");
    let below = rest.split_once(END).expect("where the list ends").1;
    let functions: String = script::functions().iter().map(listed).collect();
    let expected = format!("{above}{BEGIN}{functions}\n{END}{below}");
    Assert::new().action_env("SNAPSHOTS").eq(expected, Data::read_from(&path, None).raw());
}

#[test]
fn every_document_exists() {
    for page in [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/format.md",
        "docs/config.md",
        "docs/bless.md",
        "docs/editors.md",
        "docs/errors.md",
        "docs/scripting.md",
        "docs/trace.md",
        "docs/reports.md",
        "docs/scaling.md",
        "docs/performance.md",
    ] {
        let text = Data::read_from(&root().join(page), None).render().unwrap_or_default();
        assert!(text.len() > 100, "{page} is empty");
    }
}

/// The rows of a table of facts.
fn rows(facts: &[FactSpec]) -> String {
    let row = |fact: &FactSpec| format!("| `{}` | {} | {} |\n", fact.name, fact.kind, fact.about);
    format!("| fact | kind | meaning |\n| --- | --- | --- |\n{}", facts.iter().map(row).collect::<String>())
}

#[test]
fn the_page_of_a_game_lists_its_facts() {
    const BEGIN: &str = "<!-- facts: begin -->\n";
    const END: &str = "<!-- facts: end -->";
    for engine in &Engines::builtin() {
        let path = root().join(format!("docs/games/{}.md", engine.name()));
        let page = fs::read_to_string(&path).expect("the page");
        let (above, rest) = page.split_once(BEGIN).expect("where the list begins");
        let below = rest.split_once(END).expect("where the list ends").1;
        let facts = rows(engine.facts());
        let step = engine.step();
        let moments =
            format!("After a {step}, a [checkpoint](../format.md) expects:\n\n{}", rows(engine.moments()));
        let expected = format!("{above}{BEGIN}\n{facts}\n{moments}\n{END}{below}");
        Assert::new().action_env("SNAPSHOTS").eq(expected, Data::read_from(&path, None).raw());
    }
}

#[test]
fn the_format_page_shows_every_key() {
    let file = root().join("docs/format.md");
    let page = fs::read_to_string(&file).expect("the page");
    let mut shown = HashSet::new();
    for block in blocks().iter().filter(|block| block.file == file && block.language.starts_with("toml")) {
        let scenarios: toml::Table = block.text.parse().expect("TOML");
        let engine = scenarios["engine"].as_str().expect("an engine").to_owned();
        collect(&toml::Value::Table(scenarios), &engine, &mut shown);
    }
    let mut asked = Vec::new();
    for engine in &Engines::builtin() {
        let (doc, rules) = (engine.doc_schema(), engine.rules_schema());
        require(doc.as_value(), &doc, engine.name(), &mut asked);
        require(rules.as_value(), &rules, &format!("{}.rules", engine.name()), &mut asked);
    }
    for path in &asked {
        assert!(shown.contains(path), "no example of `{path}`");
        let word = path.rsplit('.').next().unwrap_or_default();
        assert!(page.contains(&format!("`{word}`")), "no word of `{path}`");
    }
    let names: HashSet<_> = shown.iter().filter_map(|path| path.rsplit('.').next()).collect();
    let matchers = matcher::MATCHERS.iter().map(|known| known.name);
    for name in header::KEYS.into_iter().chain(header::TABLES).chain(matchers) {
        assert!(names.contains(name), "no example of `{name}`");
        let spelt = ["`", " ="].iter().any(|end| page.contains(&format!("`{name}{end}")));
        assert!(spelt, "no word of `{name}`");
    }
}

/// The keys of a scenario file, each with those that it lies in, and the words that are given to them.
fn collect(value: &toml::Value, path: &str, shown: &mut HashSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let inner = if key == "scenario" { path.to_owned() } else { format!("{path}.{key}") };
                collect(value, &inner, shown);
                shown.insert(inner);
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| collect(item, path, shown)),
        toml::Value::String(word) => drop(shown.insert(format!("{path}.\"{word}\""))),
        _ => {}
    }
}

/// The keys that `schema` has, at any depth, and the words that they take, as [`collect`] writes them.
fn require(schema: &Json, root: &Schema, path: &str, asked: &mut Vec<String>) {
    for (key, value) in keys::properties(schema, root).into_iter().flatten() {
        let inner = format!("{path}.{key}");
        asked.extend(words(value, root).into_iter().map(|word| format!("{inner}.\"{word}\"")));
        require(value, root, &inner, asked);
        require(&value["items"], root, &inner, asked);
        asked.push(inner);
    }
}

/// The words that a value may be, if it is to be one of some.
fn words<'s>(schema: &'s Json, root: &'s Schema) -> Vec<&'s str> {
    let referred = schema["$ref"].as_str().and_then(|path| root.pointer(path.trim_start_matches('#')));
    let others = schema["anyOf"].as_array().into_iter().flatten().chain(referred);
    let own = schema["enum"].as_array().into_iter().flatten().filter_map(Json::as_str);
    own.chain(others.flat_map(|one| words(one, root))).collect()
}

#[test]
fn the_page_on_running_has_every_flag() {
    let help = stdout(&rulebook().args(["run", "--help"]).assert().success());
    let page = fs::read_to_string(root().join("docs/running.md")).expect("docs/running.md");
    let words = help.lines().filter_map(|line| line.trim_start().strip_prefix('-'));
    let flags: Vec<_> = words.filter_map(|line| line.split("--").nth(1).or(line.strip_prefix('-'))).collect();
    assert!(flags.len() > 20, "{help}");
    for flag in flags {
        let flag = flag.split([' ', ',', '[', '=']).next().unwrap_or(flag);
        // What every command has is described with the settings.
        let common = ["color", "config", "no-config", "help"].contains(&flag);
        assert!(common || page.contains(&format!("--{flag}")), "docs/running.md does not say `--{flag}`");
    }
}
