//! The README and the pages in `docs` are true: every scenario that they show is run, every command is called.
//!
//! A `toml` block is a scenario file that must pass; a `toml fails` block is one that must not; a `console` block
//! holds commands behind `$ ` with what they print, `[..]` standing for what differs between runs.

use std::fs;
use std::path::PathBuf;

use snapbox::{Assert, Data, IntoData as _};

use crate::command::{root, rulebook};

/// A block of code on a page.
pub(crate) struct Block {
    file: PathBuf,
    line: usize,
    pub(crate) language: String,
    pub(crate) text: String,
}

/// Every block of the pages.
pub(crate) fn blocks() -> Vec<Block> {
    let mut files: Vec<_> = fs::read_dir(root().join("docs"))
        .expect("docs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
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
    for block in blocks() {
        let code = match block.language.as_str() {
            "toml" => Some(0),
            "toml fails" => Some(1),
            "toml refused" => Some(3),
            _ => continue,
        };
        shown += 1;
        let path = folder.path().join("shown.toml");
        fs::write(&path, &block.text).expect("a scenario file");
        let result = rulebook().arg("run").arg(&path).assert();
        let output = result.get_output();
        let place = format!("{}:{}", block.file.display(), block.line);
        assert_eq!(output.status.code(), code, "{place}\n{}", String::from_utf8_lossy(&output.stdout));
    }
    assert!(shown > 10, "the pages show scenarios");
}

#[test]
fn every_command_shown_prints_what_the_page_says() {
    let assert = Assert::new();
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
            let actual = call(command);
            let expected = expected.into_data();
            if let Err(error) = assert.try_eq(Some(&place), actual.into_data(), expected) {
                panic!("{error}");
            }
        }
    }
    assert!(shown > 5, "the pages show commands");
}

/// What a shown command prints, both streams together.
fn call(command: &str) -> String {
    let binary = snapbox::cmd::cargo_bin!("rulebook");
    let folder = binary.parent().expect("a folder").display().to_string();
    let command = command.replace("cargo run --release -- ", "rulebook ");
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(root())
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn every_document_exists() {
    for page in ["README.md", "CHANGELOG.md", "docs/format.md", "docs/errors.md", "docs/performance.md"] {
        let text = Data::read_from(&root().join(page), None).render().unwrap_or_default();
        assert!(text.len() > 100, "{page} is empty");
    }
}
