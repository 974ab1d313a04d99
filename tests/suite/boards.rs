//! Boards on every way out and back in: whatever writes one, what reads it finds the same rows, columns and cells.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rulebook::board::{self, BoardText};
use rulebook::engines::Engines;
use rulebook::grid::Grid;
use rulebook::rng::Rng;
use rulebook::source::Source;
use rulebook::spanned::Spanned;
use rulebook::value::Value;
use serde_json::Value as Json;

use crate::command::{rulebook, stdout};
use crate::scripts::{folder, run};

/// Cells of one character and of several, in bytes and on the screen.
const CELLS: &[&str] = &["0", "7", "17", "240", "-3", "x", "ab", ".", "4-7", "ü", "日本", "#", "'", "a\"\\"];

/// Rows and columns.
const SHAPES: &[(usize, usize)] = &[(1, 1), (1, 2), (1, 9), (2, 1), (9, 1), (2, 2), (3, 5)];

/// A game whose facts say the board that it is given, and its shape.
const ECHO: &str = r#"
fn game() {
    #{
        about: "the board that is handed in",
        step: "move",
        moves: "moves",
        keys: #{ board: #{ kind: "board", about: "any" }, moves: #{ kind: "[int]", about: "none" } },
        facts: #{
            board: #{ kind: "board", about: "the board" },
            shape: #{ kind: "[int]", about: "rows and columns" },
        },
    }
}
fn setup(doc) { doc.board }
fn legal(state) { [] }
fn step(state, move) { state }
fn facts(state) { #{ board: state, shape: [state.rows, state.cols] } }
"#;

fn random(rng: &mut Rng, (rows, cols): (usize, usize)) -> Grid<String> {
    let longest = 1 + rng.below(CELLS.len() as u64);
    Grid::from_fn(rows, cols, |_| CELLS[rng.below(longest) as usize].to_owned())
}

/// Every shape several times over.
fn boards() -> impl Iterator<Item = Grid<String>> {
    let shapes = SHAPES.iter().copied().cycle().take(12 * SHAPES.len());
    shapes.enumerate().map(|(number, shape)| random(&mut Rng::new(31, number as u64), shape))
}

fn lines(value: &Json) -> Vec<&str> {
    value.as_array().expect("lines").iter().map(|line| line.as_str().expect("a line")).collect()
}

/// What `from_rows` takes.
fn rows(grid: &Grid<String>) -> String {
    let cell = |cell: &String| serde_json::to_string(cell).expect("a text");
    let row = |row: &[String]| format!("[{}]", row.iter().map(cell).collect::<Vec<_>>().join(", "));
    format!("[{}]", grid.iter_rows().map(row).collect::<Vec<_>>().join(", "))
}

fn expand(folder: &Path, file: &str) -> String {
    stdout(&rulebook().current_dir(folder).args(["expand", file]).assert().success())
}

#[test]
fn values_read_back_as_text_and_as_json() {
    for grid in boards() {
        let value = Value::Board(grid.clone());
        let json = serde_json::to_value(&value).expect("JSON");
        let line = |line: &str| Spanned { value: line.to_owned(), range: 0..0 };
        let array = lines(&json).into_iter().map(line).collect();
        for text in [BoardText::Lines(value.to_string()), BoardText::Array(array)] {
            let (typed, source) = (Spanned { value: text, range: 0..0 }, Source::new("", ""));
            let tokens =
                board::read(&typed, &source).unwrap_or_else(|fault| panic!("{value}\n{}", fault.title));
            assert_eq!(tokens.map(|token| token.text.to_string()), grid, "{value}");
        }
    }
}

#[test]
fn texts_of_scripts_read_back() {
    for grid in boards() {
        let expression = format!("let b = from_rows({}); board(b.to_string()) == b", rows(&grid));
        assert_eq!(rulebook::script::evaluate(&expression).as_deref(), Ok("true"), "{expression}");
    }
}

#[test]
fn what_scripts_and_reports_say_runs_again() {
    let mut script = String::from("fn generate(rng, index, args) {\n    let all = [\n");
    let mut count = 0;
    for grid in boards() {
        let _ = writeln!(script, "        from_rows({}),", rows(&grid));
        count += 1;
    }
    script += "    ];\n    let b = all[index];\n    #{ board: b, expect: #{ board: b.to_string(), shape: [b.rows, b.cols] } }\n}\n";
    let generate =
        format!("engine = 'echo.rhai'\nname = 'g'\ngenerate = {{ script = 'make.rhai', count = {count} }}\n");
    let folder = folder(&[
        ("echo.rhai", ECHO.as_bytes()),
        ("make.rhai", script.as_bytes()),
        ("made.toml", generate.as_bytes()),
    ]);
    let folder = folder.path();
    let passes = |file: &str| {
        let said = run(folder, &[file, "--report", "jsonl=report.jsonl"], 0);
        assert!(said.contains(&format!("{count} passed")), "{said}");
    };
    passes("made.toml");
    let report = fs::read_to_string(folder.join("report.jsonl")).expect("a report");
    let facts = report.lines().filter_map(|line| {
        let record: Json = serde_json::from_str(line).expect("JSON");
        record.get("facts").cloned()
    });
    let (mut toml, mut jsonl, mut wrong) = (String::new(), String::new(), String::new());
    for (number, facts) in facts.enumerate() {
        let (board, shape) = (&facts["board"], &facts["shape"]);
        let [name, quoted] = [format!("{number}"), toml::Value::try_from(board).expect("TOML").to_string()];
        let head = format!(
            "\n[[scenario]]\nname = '{name}'\nengine = 'echo.rhai'\nboard = {quoted}\nexpect.shape = {shape}\n"
        );
        let _ = writeln!(toml, "{head}expect.board = {quoted}");
        // Boards to be blessed are typed in every way.
        let typed = ["'''\n9\n'''", "'9'", "['9']", "'12,'", "\"\"\"\n  1 23\n  4 56\n\"\"\"", "['8', '9']"];
        let _ = writeln!(wrong, "{head}expect.board = {}", typed[number % typed.len()]);
        let expect = serde_json::json!({ "board": board, "shape": shape });
        let line =
            serde_json::json!({ "name": name, "engine": "echo.rhai", "board": board, "expect": expect });
        let _ = writeln!(jsonl, "{line}");
    }
    let expanded = expand(folder, "made.toml");
    let files = [("again.toml", toml), ("expanded.toml", expanded), ("wrong.toml", wrong)];
    for (name, text) in &files {
        fs::write(folder.join(name), text).expect("a file");
    }
    passes("again.toml");
    let piped = rulebook()
        .current_dir(folder)
        .args(["run", "-", "--report", "jsonl"])
        .stdin(jsonl)
        .assert()
        .success();
    assert_eq!(stdout(&piped).matches("\"verdict\":\"passed\"").count(), count);
    passes("expanded.toml");
    assert!(run(folder, &["wrong.toml"], 1).contains(" failed"));
    run(folder, &["wrong.toml", "--bless"], 0);
    passes("wrong.toml");
    fs::write(folder.join("expanded.toml"), expand(folder, "wrong.toml")).expect("a file");
    passes("expanded.toml");
}

/// One column from a script is one column for the engine, by its rules and by its functions.
#[test]
fn a_column_of_long_cells_stays_one_for_an_engine() {
    let script = "fn generate(rng, index, args) {
    let b = from_rows([[17], [24], [35]]);
    let swaps = [[1, 1, 1, 2]];
    for typed in [b, b.to_string(), `${b}`, ['17,', '24,', '35,']] {
        let game = #{ engine: 'match3', board: typed, swaps: swaps, specials: board(3, 1, 0) };
        let facts = facts(game, ['skipped', 'board']);
        if facts.skipped != ['off-board'] || facts.board != b { throw `${typed}: ${facts}` }
    }
    #{ board: b, swaps: swaps, expect: #{ skipped: ['off-board'], board: b } }
}
"
    .replace('\'', "\"");
    let text = "engine = 'match3'\nname = 'column'\ngenerate = { script = 'make.rhai' }\n";
    let folder = folder(&[("make.rhai", script.as_bytes()), ("a.toml", text.as_bytes())]);
    assert!(run(folder.path(), &["a.toml"], 0).contains("1 passed"));
    let expanded = expand(folder.path(), "a.toml");
    assert!(expanded.contains("\n17,\n24,\n35,\n"), "{expanded}");
    fs::write(folder.path().join("b.toml"), expanded).expect("a file");
    assert!(run(folder.path(), &["b.toml"], 0).contains("1 passed"));
}

/// The cells of the engines are what these tests take them for: without blanks and commas.
#[test]
fn no_engine_has_a_cell_that_separates() {
    for engine in &Engines::builtin() {
        for cell in ["", " ", ",", "1,", "1 2", "\t", "1\n"] {
            for fact in engine.facts().iter().chain(engine.moments()) {
                assert_eq!(engine.cell(&fact.name, cell), None, "`{cell}` of `{}`", engine.name());
            }
        }
    }
}
