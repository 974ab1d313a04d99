//! Imports go down: a file imports lower floors and its own folder, and nobody but `engines/` names an engine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rulebook::engines::Engines;

/// The floor of every file or folder in `src`; the same floor means blind to each other.
const FLOORS: &[(&str, u32)] = &[
    ("columns", 0),
    ("grid", 0),
    ("identity", 1),
    ("rng", 0),
    ("root", 1),
    ("source", 0),
    ("visible", 0),
    ("diagnostic", 1),
    ("spanned", 1),
    ("trace", 1),
    ("value", 1),
    ("board", 2),
    ("input", 2),
    ("tree", 2),
    ("verdict", 2),
    ("engine", 3),
    ("engines", 4),
    ("replay", 4),
    ("report", 4),
    ("spread", 2),
    ("script", 5),
    ("scenario", 6),
    ("runner", 7),
    ("suite", 8),
    ("cli", 8),
    ("lib", 9),
    ("main", 9),
];

#[test]
fn every_import_goes_down() {
    let floors: BTreeMap<_, _> = FLOORS.iter().copied().collect();
    let mut imports = 0;
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let room = room(&path);
        let floor = floors.get(room.as_str()).unwrap_or_else(|| panic!("`{room}` has no floor yet"));
        for import in imported(&text) {
            imports += 1;
            let Some(other) = floors.get(import.as_str()) else {
                wrong.push(format!("{}: unknown `{import}`", path.display()));
                continue;
            };
            if import != room && other >= floor {
                wrong.push(format!("{}: `{import}` is on floor {other}, not below {floor}", path.display()));
            }
        }
    }
    assert!(imports > 50, "only {imports} imports were found: does the test still read them?");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn engines_are_blind_to_each_other_and_unknown_outside() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let path = path.strip_prefix("src").expect("below src");
        let own = path.strip_prefix("engines").ok().and_then(|rest| rest.components().next());
        let own = own.map(|folder| folder.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
        for engine in Engines::builtin().iter().map(|engine| engine.name()) {
            let named = code(&text).any(|line| line.contains(engine));
            if named && own != engine && own != "mod.rs" {
                wrong.push(format!("{} names `{engine}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_know_no_text() {
    for engine in Engines::builtin().iter().map(|engine| engine.name()) {
        let folder = root().join("src/engines").join(engine);
        for entry in fs::read_dir(folder).expect("the engine's folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if ["doc.rs", "facts.rs", "legal.rs", "view.rs", "stdio.rs", "mod.rs", "script.rs", "tests.rs"]
                .contains(&name.as_str())
            {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source file");
            for import in imported(&text) {
                let allowed = ["grid", "rng", "engine", "engines"].contains(&import.as_str());
                assert!(allowed, "{} imports `{import}`", path.display());
            }
            // A house rule is one field, so the derives stand there; what reads and writes does not.
            for word in [
                "serde_json",
                "serde::de",
                "serde::ser",
                "toml::",
                "std::io",
                "std::fs",
                "::doc",
                "::legal",
                "::view",
                "::stdio",
            ] {
                assert!(!code(&text).any(|line| line.contains(word)), "{} uses `{word}`", path.display());
            }
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file, by its path from the project's root.
pub(crate) fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a source file");
                found.push((path.strip_prefix(root()).expect("below the root").to_owned(), text));
            }
        }
    }
    assert!(found.len() > 30, "the sources were found");
    found
}

/// The file or folder of `src` that a path lies in.
fn room(path: &Path) -> String {
    let first = path.strip_prefix("src").expect("below src").components().next().expect("a name");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The lines of code: without comments, and without the unit tests at the end.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find("#[cfg(test)]").unwrap_or(text.len());
    text[..end].lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// What a file imports from the crate, as rooms.
fn imported(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for statement in code(text).collect::<Vec<_>>().join(" ").split(';') {
        for part in ["crate::", "rulebook::"] {
            for rest in statement.split(part).skip(1) {
                let names: Vec<&str> = match rest.strip_prefix('{') {
                    Some(list) => list.split(',').map(|name| name.trim_matches([' ', '{', '}'])).collect(),
                    None => vec![rest],
                };
                let name = |name: &&str| {
                    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned)
                };
                found.extend(names.iter().filter_map(name).filter(|name| !name.is_empty()));
            }
        }
    }
    found
}

#[test]
fn the_page_on_the_architecture_has_every_floor() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("the page");
    for (room, floor) in FLOORS {
        let row = page.lines().find(|line| line.starts_with(&format!("| {floor} |"))).expect("the floor");
        assert!(row.contains(&format!("`{room}`")), "`{room}` is not on floor {floor} of the page");
    }
}
