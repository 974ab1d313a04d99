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

/// The same shapes, of the cells that a drawing can hold; blanks are drawn for `.`.
fn drawings() -> impl Iterator<Item = Grid<String>> {
    boards().map(|grid| {
        grid.map(|cell| if cell == "'" { "*".to_owned() } else { cell.chars().take(1).collect() })
    })
}

/// [`ECHO`], with blanks that are the cell `.` in its key and its fact.
fn drawing_echo() -> String {
    ECHO.replace("kind: \"board\"", "kind: \"board\", blank: \".\"")
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
                board::read(&typed, &source, None).unwrap_or_else(|fault| panic!("{value}\n{}", fault.title));
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
    let typed = ["'''\n9\n'''", "'9'", "['9']", "'12,'", "\"\"\"\n  1 23\n  4 56\n\"\"\"", "['8', '9']"];
    runs_again(ECHO, boards(), &typed);
}

#[test]
fn where_blanks_are_cells_what_scripts_and_reports_say_runs_again() {
    let typed =
        ["'''\n9 \n 9 9\n'''", "'  9  '", "['9', '   ', ' 8']", "'1,2'", "\"\"\"\n  1  \n  4 5\n\"\"\""];
    runs_again(&drawing_echo(), drawings(), &typed);
}

/// A game that says the board that it is given plays what scripts and reports say of `boards`; boards that are `typed`
/// otherwise are blessed to them.
fn runs_again(game: &str, boards: impl Iterator<Item = Grid<String>>, typed: &[&str]) {
    let mut script = String::from("fn generate(rng, index, args) {\n    let all = [\n");
    let mut count = 0;
    for grid in boards {
        let _ = writeln!(script, "        from_rows({}),", rows(&grid));
        count += 1;
    }
    script += "    ];\n    let b = all[index];\n    #{ board: b, expect: #{ board: b.to_string(), shape: [b.rows, b.cols] } }\n}\n";
    let generate =
        format!("engine = 'echo.rhai'\nname = 'g'\ngenerate = {{ script = 'make.rhai', count = {count} }}\n");
    let folder = folder(&[
        ("echo.rhai", game.as_bytes()),
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

/// Drawings with blanks read as the cells that they stand for, wherever a board is typed, and nothing rewrites them.
#[test]
fn drawings_with_blanks_are_kept_and_read() {
    let (mut text, mut wrong, mut count) = (String::new(), String::new(), 0);
    for grid in drawings() {
        let rows: Vec<_> = grid.iter_rows().map(|row| row.concat().replace('.', " ")).collect();
        let by_turns = |row: &String| row.chars().enumerate().all(|(i, c)| (c == ' ') == (i % 2 == 1));
        if grid.cols() % 2 == 1 && rows.iter().all(by_turns) && rows[0].contains(' ') {
            continue;
        }
        let quoted = |row: &str| serde_json::to_string(row).expect("a text");
        let array = format!("[{}]", rows.iter().map(|row| quoted(row)).collect::<Vec<_>>().join(", "));
        let one_line = quoted(&(rows.join("\n") + "\n"));
        let block =
            format!("\"\"\"\n{}\n  \"\"\"", rows.join("\n").replace('\\', "\\\\").replace('"', "\\\""));
        let mut typed = vec![array, one_line, block];
        // A row that an editor shortened is filled up, where another is as long as before.
        let has_cell = |row: &String| !row.trim_end().is_empty();
        if has_cell(&rows[0]) && has_cell(&rows[rows.len() - 1]) && rows.iter().any(|row| !row.ends_with(' '))
        {
            typed.push(format!(
                "\"{}\"",
                rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\\n")
            ));
        }
        for typed in typed {
            count += 1;
            let head = format!(
                "\n[[scenario]]\nname = '{count}'\nboard = {typed}\nexpect.shape = [{}, {}]\n",
                grid.rows(),
                grid.cols()
            );
            let _ = writeln!(text, "{head}expect.board = {typed}");
            let visible = toml::Value::from(Value::Board(grid.clone()).to_string());
            let _ = writeln!(wrong, "{head}expect.board = {visible}");
        }
    }
    let head = "engine = 'echo.rhai'\n";
    let (text, wrong) = (format!("{head}{text}"), format!("{head}{wrong}"));
    let folder = folder(&[
        ("echo.rhai", drawing_echo().as_bytes()),
        ("a.toml", text.as_bytes()),
        ("b.toml", wrong.as_bytes()),
    ]);
    let folder = folder.path();
    let passed = format!("{count} passed");
    for file in ["a.toml", "b.toml"] {
        assert!(run(folder, &[file], 0).contains(&passed));
        rulebook().current_dir(folder).args(["fmt", file]).assert().success();
        run(folder, &[file, "--bless"], 0);
    }
    assert_eq!(fs::read_to_string(folder.join("a.toml")).expect("a file"), text);
    assert_eq!(fs::read_to_string(folder.join("b.toml")).expect("a file"), wrong);
    fs::write(folder.join("expanded.toml"), expand(folder, "a.toml")).expect("a file");
    assert!(run(folder, &["expanded.toml"], 0).contains(&passed));
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

/// Sokoban: walls `#`, the player `@`, boxes `$`, goals `.`, a box on a goal `*`, the player on a goal `+`.
const SOKOBAN: &str = r######"
fn game() {
    #{
        about: "Sokoban: push every box onto a goal",
        step: "move",
        moves: "moves",
        keys: #{
            level: #{ kind: "board", blank: "-", about: "the level; blanks are floor" },
            moves: #{ kind: "[text]", about: "`u`, `d`, `l`, `r`" },
        },
        facts: #{
            level: #{ kind: "board", blank: "-", about: "the level as it is" },
            left: #{ kind: "int", about: "boxes that are not on a goal" },
        },
        example: #{ level: "#####\n#@$.#\n#####", moves: ["r"] },
    }
}

fn setup(doc) { doc.level }

fn ways() { #{ u: [-1, 0], d: [1, 0], l: [0, -1], r: [0, 1] } }

fn at(level, row, col) {
    if row < 1 || col < 1 || row > level.rows || col > level.cols { "#" } else { level.get(row, col) }
}

fn player(level) { (level.find("@") + level.find("+"))[0] }

fn legal(level) {
    let legal = [];
    let here = player(level);
    for name in ways().keys() {
        let way = ways()[name];
        let next = at(level, here[0] + way[0], here[1] + way[1]);
        let behind = at(level, here[0] + 2 * way[0], here[1] + 2 * way[1]);
        if next in ["-", "."] || next in ["$", "*"] && behind in ["-", "."] { legal.push(name); }
    }
    legal
}

fn on(cell, thing) {
    if cell in ["-", "$", "@"] { #{ box: "$", player: "@", none: "-" }[thing] }
    else { #{ box: "*", player: "+", none: "." }[thing] }
}

fn step(level, name) {
    let way = ways()[name];
    let here = player(level);
    let next = [here[0] + way[0], here[1] + way[1]];
    let cell = level.get(next[0], next[1]);
    if cell in ["$", "*"] {
        let behind = [next[0] + way[0], next[1] + way[1]];
        level.set(behind[0], behind[1], on(level.get(behind[0], behind[1]), "box"));
    }
    level.set(next[0], next[1], on(cell, "player"));
    level.set(here[0], here[1], on(level.get(here[0], here[1]), "none"));
    level
}

fn facts(level) { #{ level: level, left: level.count("$") } }
"######;

/// Levels as they are published: blanks are floor and what is outside, on the left too, and lines end where walls end.
#[test]
fn levels_of_sokoban_are_played_as_they_are_published() {
    let text = r##########"engine = "sokoban.rhai"

[[scenario]]
name = "two boxes"
level = """
  ####
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########
"""
moves = ["u"]
expect.error = "script::illegal-move"

[[scenario]]
name = "a box is pushed"
level = """
  ####
###  ####
#     $ #
# #  #  #
# . .#@ #
#########
"""
moves = ["u", "r", "u", "l", "l"]
expect.left = 1
expect.level = """
  ####
###  ####
#   $@  #
# #  #  #
# . .#  #
#########
"""

[[scenario]]
name = "floor may be seen"
level = ["--####", "###--####", "#@----$-#", "# #  #  #", "# . .#  #", "#########"]
moves = ["r"]
expect = { left = 1, level = { not = "#" } }
"##########;
    let folder = folder(&[("sokoban.rhai", SOKOBAN.as_bytes()), ("a.toml", text.as_bytes())]);
    let folder = folder.path();
    assert!(run(folder, &["a.toml"], 0).contains("3 passed"));
    rulebook().current_dir(folder).args(["fmt", "a.toml"]).assert().success();
    assert_eq!(fs::read_to_string(folder.join("a.toml")).expect("a file"), text);
    // What is shown and written has the floor as a cell that is seen.
    let shown = stdout(
        &rulebook().current_dir(folder).args(["replay", "a.toml::a box is pushed"]).assert().success(),
    );
    assert!(shown.contains("-  -  #  #  #  #  -  -  -"), "{shown}");
    let wrong = text.replace("#   $@  #", "#  $ @  #");
    fs::write(folder.join("b.toml"), wrong).expect("a file");
    assert!(run(folder, &["b.toml"], 1).contains("1 failed"));
    run(folder, &["b.toml", "--bless"], 0);
    assert!(run(folder, &["b.toml"], 0).contains("3 passed"));
    // A level from a script, as a board and as a text, and the level that `new` prints.
    let script = "fn generate(rng, index, args) {\n\
                  let level = \"#####\\n#@ .#\\n#####\";\n\
                  let b = board(\"#####\\n#@-.#\\n#####\");\n\
                  #{ level: [level, b, b.to_string()][index], moves: [\"r\", \"r\"],\n\
                  expect: #{ level: \"#####\\n#  +#\\n#####\" } }\n}\n";
    fs::write(folder.join("make.rhai"), script).expect("a file");
    fs::write(
        folder.join("c.toml"),
        "engine = 'sokoban.rhai'\nname = 'g'\ngenerate = { script = 'make.rhai', count = 3 }\n",
    )
    .expect("a file");
    assert!(run(folder, &["c.toml"], 0).contains("3 passed"));
    let new = rulebook().current_dir(folder).args(["new", "sokoban.rhai"]).assert().success();
    fs::write(folder.join("d.toml"), stdout(&new)).expect("a file");
    assert!(run(folder, &["d.toml"], 0).contains("1 passed"));
}

/// A default board is aligned where all that play it agree that blanks separate its cells.
#[test]
fn fmt_leaves_boards_whose_meaning_it_does_not_know() {
    let level = "board = '''\n1 2\n34 5\n'''\n";
    let drawing = "[[scenario]]\nname = 'd'\nengine = 'drawing.rhai'\n";
    let cells = "[[scenario]]\nname = 'c'\nengine = 'echo.rhai'\n";
    let skipped = format!("{drawing}skip = 'later'\n");
    let folder = folder(&[("echo.rhai", ECHO.as_bytes()), ("drawing.rhai", drawing_echo().as_bytes())]);
    for (scenarios, changes) in [
        (cells.to_owned(), true),
        (drawing.to_owned(), false),
        (format!("{cells}{drawing}"), false),
        (format!("{cells}{skipped}"), false),
    ] {
        let text = format!("{level}{scenarios}");
        fs::write(folder.path().join("a.toml"), &text).expect("a file");
        rulebook().current_dir(folder.path()).args(["fmt", "a.toml"]).assert().success();
        let formatted = fs::read_to_string(folder.path().join("a.toml")).expect("a file");
        assert_eq!(formatted != text, changes, "{text}");
    }
}

/// A declaration of blanks that is none is refused where the script says it.
#[test]
fn blanks_are_declared_as_one_cell_of_a_board() {
    for (declared, title) in [
        (r#"kind: "board", blank: """#, "`game` does not say `keys.board.blank` as it must"),
        (r#"kind: "board", blank: " ""#, "`game` does not say `keys.board.blank` as it must"),
        (r#"kind: "board", blank: "?""#, "`game` does not say `keys.board.blank` as it must"),
        (r#"kind: "board", blank: ",""#, "`game` does not say `keys.board.blank` as it must"),
        (r#"kind: "board", blank: "--""#, "`game` does not say `keys.board.blank` as it must"),
        (r#"kind: "board", blank: true"#, "`game` does not say `keys.board.blank` as it must"),
        (r#"kind: "text", blank: "-""#, "`game` does not say `keys.board.blank` as it must"),
        (r#"kind: "board", blanks: "-""#, "unknown key `keys.board.blanks`"),
    ] {
        let game = ECHO.replacen("kind: \"board\"", declared, 1);
        let text = "engine = 'echo.rhai'\nname = 'a'\nboard = '1 2'\nexpect.shape = [1, 2]\n";
        let folder = folder(&[("echo.rhai", game.as_bytes()), ("a.toml", text.as_bytes())]);
        let said = run(folder.path(), &["a.toml"], 3);
        assert!(said.contains(&format!("error[script::game]: {title}\n --> ")), "{declared}\n{said}");
        assert!(said.contains(" | fn game()"), "{said}");
    }
    for blank in ["'.'", "\"0\""] {
        let game = ECHO.replacen("kind: \"board\"", &format!("kind: \"board\", blank: {blank}"), 1);
        let text = "engine = 'echo.rhai'\nname = 'a'\nboard = '12 '\nexpect.shape = [1, 3]\n";
        let folder = folder(&[("echo.rhai", game.as_bytes()), ("a.toml", text.as_bytes())]);
        assert!(run(folder.path(), &["a.toml"], 0).contains("1 passed"));
    }
}
