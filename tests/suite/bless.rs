//! What `--bless` writes into scenario files, and what it leaves.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rulebook::rng::Rng;
use rulebook::tree::{self, Node, Table, Tree};
use snapbox::cmd::OutputAssert;
use snapbox::str;
use tempfile::TempDir;

use crate::command::{copy_folder, root, rulebook, stdout};

const STACKING: &str = r#"engine = "stacking"
board = ["0000", "0000", "0000", "0000"]
pieces = [
  { at = [1, 1], facing = "right" },
  { at = [1, 2], facing = "right" },
  { at = [1, 3], facing = "right" },
  { at = [1, 4], facing = "right" },
]
"#;

const QUENTO: &str = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";

/// A run in `folder`, without what the caller's environment says of machines.
fn run(folder: &Path, args: &[&str]) -> OutputAssert {
    rulebook().current_dir(folder).env_remove("CI").arg("run").args(args).assert()
}

/// A folder with the file `a.toml`.
fn folder(text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.toml"), text).expect("a file");
    folder
}

/// What `a.toml` says after it was blessed, all of it; it is right by then.
#[track_caller]
fn blessed(text: &str) -> String {
    let folder = folder(text);
    let result = run(folder.path(), &["--bless", "a.toml"]);
    assert_eq!(result.get_output().status.code(), Some(0), "{}", stdout(&result));
    run(folder.path(), &["a.toml"]).success();
    fs::read_to_string(folder.path().join("a.toml")).expect("the file")
}

/// Blessing `before` makes it `after`, with either line end, with a byte order mark, and changes nothing more then.
#[track_caller]
fn turns(before: &str, after: &str) {
    for (before, after) in [
        (before.to_owned(), after.to_owned()),
        (before.replace('\n', "\r\n"), after.replace('\n', "\r\n")),
        (format!("\u{feff}{before}"), format!("\u{feff}{after}")),
    ] {
        assert_eq!(blessed(&before), after);
        assert_eq!(blessed(&after), after);
    }
}

/// The same behind the keys of a stacking scenario, whose four pieces meet in turn 1.
#[track_caller]
fn stacking(before: &str, after: &str) {
    turns(&format!("{STACKING}{before}"), &format!("{STACKING}{after}"));
}

#[test]
fn numbers_words_and_lists_keep_their_spelling() {
    stacking("expect.turn =   7   # seven\n", "expect.turn =   1   # seven\n");
    stacking("expect = { turn = 1_000, moves = 9_999 }\n", "expect = { turn = 1, moves = 3 }\n");
    stacking("[expect]\nturn = -1\nmoves=0", "[expect]\nturn = 1\nmoves=3");
    stacking("\"expect\".'turn' = 0x10\n", "\"expect\".'turn' = 1\n");
    stacking(
        "expect.facings = ['right','left' , \"up\",'right',]\n",
        "expect.facings = ['right','right' , \"right\",'right',]\n",
    );
    stacking("expect.places = [ [1,4],[1,4] ]\n", "expect.places = [ [1,4],[1,4],[1,4],[1,4] ]\n");
    stacking("expect.places = []\n", "expect.places = [[1, 4], [1, 4], [1, 4], [1, 4]]\n");
    stacking(
        "expect.facings = [\"right\", \"right\", \"up\", \"up\", \"up\"]\n",
        "expect.facings = [\"right\", \"right\", \"right\", \"right\"]\n",
    );
}

#[test]
fn lists_of_several_lines_stay_so_with_their_comments() {
    stacking(
        "expect.places = [ # all\n\t[1, 4], # one\n\n\t# two\n\t[2, 4],\n\t[1, 4] # three\n\t# end\n]\n",
        "expect.places = [ # all\n\t[1, 4], # one\n\n\t# two\n\t[1, 4],\n\t[1, 4], # three\n\t[1, 4]\n\t# end\n]\n",
    );
    stacking(
        "expect.facings = [\n    'right',\n    'right', # two\n]\n",
        "expect.facings = [\n    'right',\n    'right', # two\n    'right',\n    'right',\n]\n",
    );
    stacking(
        "expect.facings = [\n  'right'\n  ,\n]\n",
        "expect.facings = [\n  'right',\n  'right',\n  'right',\n  'right'\n  ,\n]\n",
    );
    stacking(
        "expect.facings = [\n  'right',\n  'up',\n  'right',\n  'right',\n  'up',\n]\n",
        "expect.facings = [\n  'right',\n  'right',\n  'right',\n  'right',\n]\n",
    );
}

#[test]
fn a_list_too_long_for_its_line_gets_lines() {
    let swaps = "[1, 3, 2, 3], ".repeat(30);
    let head = format!("engine = 'match3'\nboard = ['2213', '3123']\nswaps = [{swaps}]\n[[scenario]]\n");
    let skipped = "  \"empty-cell\",\n".repeat(29);
    turns(
        &format!("{head}[scenario.expect]\nskipped = [\"\"]\n"),
        &format!("{head}[scenario.expect]\nskipped = [\n  \"\",\n{skipped}]\n"),
    );
}

#[test]
fn a_comment_is_never_lost() {
    let four = "'right', 'right', 'right', 'right'";
    let list = |items: &str| format!("{STACKING}expect.facings = [\n  {four}{items}]\n");
    let text = list(",\n  'up', # more\n");
    let folder = folder(&text);
    run(folder.path(), &["--bless", "a.toml"]).code(1).stdout_eq(str![[r"
a.toml: 0 values written, 1 case not settled
LEFT a.toml::line 1
error[bless::comment]: a comment in the value of `facings` would be lost
  --> a.toml:9:18
   |
 9 |   expect.facings = [
   |  __________________^
10 | |   'right', 'right', 'right', 'right',
11 | |   'up', # more
12 | | ]
   | |_^ holds comments beside what has to go
   |
   = help: move the comment, or change the value by hand

nothing was written, 1 case not settled

"]]);
    assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("the file"), text);
    for theirs in [
        ", # four\n  'up', # more\n",
        ",\n  # more\n  'up',\n",
        ",\n  'up', # more\n  'up',\n",
        ",\n  'up' # more\n",
        ",\n  'up' # more\n  ,\n",
        ",\n  'up'\n  # more\n  ,\n",
        ",\n  'up'\n  , # more\n",
        ", 'up', # all\n",
        " # four\n  # more\n  , 'up'\n",
    ] {
        left(&list(theirs), 1, "bless::comment");
    }
    for (before, after) in [
        (", # four\n  'up',\n", ", # four\n"),
        (", # four\n  'up'\n", " # four\n"),
        (", # four\n  'up', 'up'", " # four\n"),
        (", # four\n  'up',", ", # four\n"),
        (" # four\n  , 'up'\n  , 'up'\n", " # four\n"),
        (" # four, 5\n  , 'up'\n  ,\n", " # four, 5\n"),
        (",\n  'up',\n  # end, of all\n", ",\n  # end, of all\n"),
        (", # four\n\n  'up'\n  # end\n", " # four\n  # end\n"),
        (", 'up'\n", "\n"),
    ] {
        turns(&list(before), &list(after));
    }
}

const MATCH3: &str = "engine = 'match3'\nswaps = [[1, 3, 2, 3]]\n";

#[test]
fn boards_are_changed_cell_by_cell_as_their_author_spells_them() {
    let digits = "board = ['2213', '3123']\n";
    let letters = "board = ['bbac', 'cabc']\n";
    let check = |start: &str, before: &str, after: &str| {
        turns(&format!("{MATCH3}{start}{before}"), &format!("{MATCH3}{start}{after}"));
    };
    check(digits, "expect.board = ['...?', '2213']\n", "expect.board = ['...?', '3113']\n");
    check(
        digits,
        "expect.board = [\"0, 3,0,3\" , '3 1 1 3'] #\n",
        "expect.board = [\"0, 0,0,3\" , '3 1 1 3'] #\n",
    );
    check(
        digits,
        "expect.board = \"\"\"\n\t . .  1 3\n\t 3 1  ? 2\n\t\"\"\"\n",
        "expect.board = \"\"\"\n\t . .  . 3\n\t 3 1  ? 3\n\t\"\"\"\n",
    );
    check(letters, "expect.board = '''\n...a\ncaac'''\n", "expect.board = '''\n...c\ncaac'''\n");
    check(letters, "expect.board = ['....', '....']\n", "expect.board = ['...c', 'caac']\n");
    check(letters, "expect.board = ['....', '1111']\n", "expect.board = ['...3', '3113']\n");
    check(digits, "expect.board = ['...c', 'cccc']\n", "expect.board = ['...c', 'caac']\n");
    // Escapes hide the places of cells.
    check(digits, "expect.board = ['...3', \"\\u0033111\"]\n", "expect.board = ['...3', \"3113\"]\n");
}

#[test]
fn a_board_of_another_shape_is_drawn_anew() {
    let start = "board = ['2213', '3123']\n";
    let check = |before: &str, after: &str| {
        turns(&format!("{MATCH3}{start}{before}"), &format!("{MATCH3}{start}{after}"));
    };
    check("expect.board = ['31', '31', '31']\n", "expect.board = ['...3', '3113']\n");
    check(
        "expect.board = [\n  \"1, 3\",\n]\n",
        "expect.board = [\n  \"., ., ., 3\",\n  \"3, 1, 1, 3\",\n]\n",
    );
    check(
        "expect.board = '''\n    3 1\n    3 1\n  '''\n",
        "expect.board = '''\n    . . . 3\n    3 1 1 3\n  '''\n",
    );
    check("expect.board = \"31\"\n", "expect.board = \"\"\"\n...3\n3113\n\"\"\"\n");
    let pieces = STACKING;
    turns(
        &format!("{pieces}expect.stacks = ['....', '....', '....', '....']\n"),
        &format!("{pieces}expect.stacks = ['. . . 4-3-2-1', '. . . .', '. . . .', '. . . .']\n"),
    );
}

#[test]
fn the_statements_output_keeps_its_layout() {
    let check = |before: &str, after: &str| turns(&format!("{QUENTO}{before}"), &format!("{QUENTO}{after}"));
    check(
        "expect.output = \"\"\"\n  1\n  0 0\n\n  1 1\n  0 2\n\"\"\"\n",
        "expect.output = \"\"\"\n  1\n  0 0\n\n  0 1\n  0 2\n\"\"\"\n",
    );
    check("expect.output = '''\n  0\n  '''\n", "expect.output = '''\n  1\n  0 0\n  0 1\n  0 2\n  '''\n");
    check("expect.output = '0'\n", "expect.output = '''\n1\n0 0\n0 1\n0 2\n'''\n");
    check("expect.output = \"1 0 0\\t2 1 0 2\"\n", "expect.output = \"\"\"\n1\n0 0\n0 1\n0 2\n\"\"\"\n");
    stacking("expect.output = '2' # two\n", "expect.output = '1' # two\n");
}

#[test]
fn checkpoints_are_blessed_as_well() {
    turns(
        &format!(
            "{MATCH3}board = ['2213', '3123']\n[[checkpoint]]\nafter = 1\nrounds = 7\nboard = ['...3', '3111']\n"
        ),
        &format!(
            "{MATCH3}board = ['2213', '3123']\n[[checkpoint]]\nafter = 1\nrounds = 1\nboard = ['...3', '3113']\n"
        ),
    );
}

#[test]
fn a_scenario_that_expects_nothing_gets_an_expectation() {
    stacking("", "expect.turn = 1\n");
    stacking("rules.height_limit = 4", "rules.height_limit = 4\nexpect.turn = 1");
    stacking("[expect] # here\n\n[rules]\n", "[expect] # here\nturn = 1\n\n[rules]\n");
    stacking("expect = {}\n", "expect = { turn = 1 }\n");
    turns(
        &format!(
            "{QUENTO}\n[[scenario]] # none\n\n[[scenario]]\n  name = 'a'  # the name\n\n  # rules\n  [scenario.rules]\n  \
             order = 'any'\n[[scenario]]\nname = 'b'\nrules.order = 'any'\ntags = [ # many\n]\n\n[[scenario]]\nname = \
             'last'"
        ),
        &format!(
            "{QUENTO}\n[[scenario]] # none\nexpect.solvable = true\nexpect.path = [[0, 0], [0, 1], [0, 2]]\n\n\
             [[scenario]]\n  name = 'a'  # the name\n  expect.solvable = true\n  expect.path = [[0, 0], [0, 1], [0, \
             2]]\n\n  # rules\n  [scenario.rules]\n  order = 'any'\n[[scenario]]\nname = 'b'\nrules.order = 'any'\ntags = \
             [ # many\n]\nexpect.solvable = true\nexpect.path = [[0, 0], [0, 1], [0, 2]]\n\n[[scenario]]\nname = \
             'last'\nexpect.solvable = true\nexpect.path = [[0, 0], [0, 1], [0, 2]]"
        ),
    );
}

#[test]
fn a_checkpoint_after_the_end_of_a_run_keeps_expectations_from_being_written() {
    let match3 = "engine = 'match3'\nboard = ['1 1 2', '3 4 1']\nswaps = [[1, 3, 2, 3]]\n";
    for (start, last) in [(STACKING, 1), (match3, 1), (QUENTO, 3)] {
        let with = |after: u64| format!("{start}\n[[scenario]]\n[[scenario.checkpoint]]\nafter = {after}\n");
        let written = blessed(&with(last));
        assert!(written.contains("]]\nexpect."), "{written}");
        for after in [last + 1, 1000] {
            let folder = folder(&with(after));
            let said = run(folder.path(), &["--bless", "a.toml"]).failure();
            assert!(stdout(&said).contains("error[verdict::not-reached]"), "{}", stdout(&said));
            assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("the file"), with(after));
        }
    }
}

#[test]
fn scenarios_below_unusual_headers_are_given_their_own() {
    let path = "expect.solvable = true\nexpect.path = [[0, 0], [0, 1], [0, 2]]\n";
    let far = format!("{}[[scenario]]\n", " ".repeat(99));
    for header in [far.as_str(), "[[\"\\u0073cenario\"]]\n"] {
        for text in [
            format!("{QUENTO}{header}expect.solutions = 3\n{header}HERE{header}name = 'c'\nHERE"),
            format!("{QUENTO}[[scenario]]\nexpect.solutions = 3\n{header}HERE[[scenario]]\n# no. 3\nHERE"),
        ] {
            let above = text.replace("# no. 3\nHERE", "HERE# no. 3\n");
            turns(&text.replace("HERE", ""), &above.replace("HERE", path));
        }
    }
}

#[test]
fn a_scenario_without_lines_of_its_own_is_left() {
    let folder =
        folder(&format!("{QUENTO}scenario = [{{ name = 'a' }}, {{ name = 'b', expect.solutions = 1 }}]\n"));
    let result = run(folder.path(), &["--bless", "a.toml"]).code(3);
    assert!(stdout(&result).contains("bless::no-place"), "{}", stdout(&result));
    let text = fs::read_to_string(folder.path().join("a.toml")).expect("the file");
    assert!(text.ends_with("scenario = [{ name = 'a' }, { name = 'b', expect.solutions = 3 }]\n"), "{text}");
}

// -- Every value of every scenario that ships --

/// The facts that are boards.
const BOARDS: &[&str] = &["board", "stacks", "specials"];

/// Values of expectations, and what is to stand in their places.
struct Mutation<'t> {
    text: &'t str,
    rng: Rng,
    changes: Vec<(Range<usize>, String)>,
}

impl Mutation<'_> {
    /// Makes some of the values wrong that are expected in `scenario`.
    fn scenario(&mut self, scenario: &Table<'_>) {
        if scenario.get("expect_failure").or_else(|| scenario.get("skip")).is_some() {
            return;
        }
        // Where several answers are right, the first is written, and it need not be the author's.
        let order = scenario.get("rules").and_then(|rules| rules.value.as_table()?.get("order"));
        if order.is_some_and(|order| order.value.as_str() == Some("any")) {
            return;
        }
        for name in ["expect", "checkpoint"] {
            match scenario.get(name).map(|node| &node.value) {
                Some(Tree::Table(expect)) => self.facts(expect),
                Some(Tree::Array(checkpoints)) => {
                    checkpoints
                        .iter()
                        .filter_map(|node| node.value.as_table())
                        .for_each(|facts| self.facts(facts));
                }
                _ => {}
            }
        }
    }

    fn facts(&mut self, facts: &Table<'_>) {
        for (name, node) in facts {
            let other = ["error", "after", "any_path"].contains(&&*name.value);
            if !other && self.rng.percent(60) {
                self.value(&name.value, node);
            }
        }
    }

    fn value(&mut self, name: &str, node: &Node<'_>) {
        let raw = &self.text[node.range.clone()];
        match &node.value {
            Tree::Bool(value) => self.put(node.range.clone(), (!value).to_string()),
            Tree::Int(number) => {
                let last = node.range.end - 1..node.range.end;
                let digit = (number.abs() + 1 + self.rng.range(0, 8)) % 10;
                self.put(last, digit.to_string());
            }
            Tree::Text(text) if BOARDS.contains(&name) || text.contains('\n') => self.cells(node, raw),
            Tree::Text(_) if raw.len() > 2 && !raw.contains('\\') => {
                let at = node.range.end - if raw.ends_with("\"\"\"") { 3 } else { 1 };
                self.put(at..at, "x".to_owned());
            }
            Tree::Array(items) if BOARDS.contains(&name) => {
                for item in items {
                    self.cells(item, &self.text[item.range.clone()]);
                }
            }
            Tree::Array(items) => match (self.rng.below(3), items.as_slice()) {
                (0, [.., last, gone]) => self.put(last.range.end..gone.range.end, String::new()),
                (1, [.., above, last]) => {
                    let more = self.text[above.range.end..last.range.end].to_owned();
                    self.put(last.range.end..last.range.end, more);
                }
                (_, [.., last]) => self.value(name, last),
                _ => {}
            },
            _ => {}
        }
    }

    /// Makes digits of cells other digits.
    fn cells(&mut self, node: &Node<'_>, raw: &str) {
        for (i, c) in raw.char_indices() {
            let alone = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-');
            let alone = alone(raw[..i].chars().next_back()) && alone(raw[i + 1..].chars().next());
            if let ('1'..='9', true, true) = (c, alone, self.rng.percent(30)) {
                let other = char::from_digit((c as u32 - '0' as u32) % 4 + 1, 10).expect("a digit");
                self.put(node.range.start + i..node.range.start + i + 1, other.to_string());
            }
        }
    }

    fn put(&mut self, range: Range<usize>, text: String) {
        self.changes.push((range, text));
    }

    fn done(mut self) -> String {
        self.changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut text = self.text.to_owned();
        for (range, new) in self.changes {
            text.replace_range(range, &new);
        }
        text
    }
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(toml_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn every_scenario_that_ships_is_blessed_back_byte_by_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scenarios = folder.path().join("scenarios");
    copy_folder(&root().join("scenarios"), &scenarios);
    copy_folder(&root().join("scripts"), &folder.path().join("scripts"));
    let files = toml_files(&scenarios);
    for seed in 0..3 {
        let mut shipped = Vec::new();
        let mut changes = 0;
        for (stream, path) in files.iter().enumerate() {
            let text = fs::read_to_string(path).expect("a file");
            let root = tree::parse(&text).expect("TOML");
            let mut mutation =
                Mutation { text: &text, rng: Rng::new(seed, stream as u64), changes: Vec::new() };
            mutation.scenario(&root);
            if let Some(Tree::Array(scenarios)) = root.get("scenario").map(|node| &node.value) {
                scenarios
                    .iter()
                    .filter_map(|node| node.value.as_table())
                    .for_each(|own| mutation.scenario(own));
            }
            changes += mutation.changes.len();
            fs::write(path, mutation.done()).expect("a file");
            shipped.push(text);
        }
        assert!(changes > 500, "only {changes} values were made wrong");
        let result = run(folder.path(), &["--bless", "--quiet", "scenarios"]);
        assert_eq!(result.get_output().status.code(), Some(0), "{}", stdout(&result));
        for (path, shipped) in files.iter().zip(shipped) {
            let now = fs::read_to_string(path).expect("a file");
            snapbox::assert_data_eq!(now, snapbox::Data::text(shipped).raw());
        }
    }
}

// -- What is left --

/// Runs `--bless` on `text`: its exit code, what it says, and the file by then.
fn outcome(text: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let folder = folder(text);
    copy_folder(&root().join("scripts"), &folder.path().join("scripts"));
    let result = run(folder.path(), &[&["--bless", "a.toml"], args].concat());
    let code = result.get_output().status.code();
    (code, stdout(&result), fs::read_to_string(folder.path().join("a.toml")).expect("the file"))
}

/// Blessing `text` leaves it as it is, ends with `code` and gives this reason.
#[track_caller]
fn left(text: &str, code: i32, reason: &str) {
    let (actual, said, after) = outcome(text, &[]);
    assert_eq!(actual, Some(code), "{said}");
    assert!(said.contains(&format!("error[{reason}]")), "{said}");
    assert_eq!(after, text);
}

#[test]
fn what_is_no_value_is_left_with_the_reason() {
    left(&format!("{QUENTO}expect.solutions = {{ at_least = 4 }}\n"), 1, "bless::matcher");
    left(&format!("{QUENTO}expect.error = 'quento::target'\n"), 1, "verdict::not-refused");
    left(&format!("{QUENTO}[[checkpoint]]\nafter = 9\nvalue = 1\n"), 1, "verdict::not-reached");
    left(&format!("{QUENTO}expect_failure = 'no'\nexpect.solutions = 3\n"), 1, "verdict::unexpected-pass");
    left(&format!("{QUENTO}traget = 3\nexpect.solutions = 2\n"), 3, "scenario::unknown-key");
    left("engine = 'quento'\n[[scenario]]\nname = 1\n[[scenario]]\nname = 'b'\n]\n", 3, "toml::syntax");
}

#[test]
fn a_known_failure_keeps_its_values() {
    let text = format!("{QUENTO}expect_failure = 'known'\nexpect.solutions = 2\n");
    assert_eq!(outcome(&text, &[]), (Some(0), "all is as expected: nothing was written\n".to_owned(), text));
}

#[test]
fn what_can_be_written_is_written_beside_what_is_left() {
    let text = |solutions, expression| {
        format!(
            "{QUENTO}expect = {{ solutions = {solutions}, expression = {expression}, path = {{ len = 3 }} }}\n"
        )
    };
    let (code, said, after) = outcome(&text("2", "{ contains = '*' }"), &[]);
    assert_eq!((code, after), (Some(1), text("3", "{ contains = '*' }")));
    assert!(said.starts_with("a.toml: 1 value written, 1 case not settled\nLEFT a.toml::line 1\n"), "{said}");
}

#[test]
fn a_default_is_written_if_all_who_share_it_agree() {
    let file = |default: i64, targets: &[u32]| {
        let scenario = |target| format!("\n[[scenario]]\nname = '{target}'\ntarget = {target}\n");
        let scenarios: Vec<_> = targets.iter().map(scenario).collect();
        let scenarios = scenarios.concat();
        let start = QUENTO.replace("target = 7\n", "");
        format!("{start}expect.solutions = {default} # shared\n{scenarios}")
    };
    // 7 has three solutions, 8 has two.
    let agreed = outcome(&file(1, &[7]), &[]);
    assert_eq!((agreed.0, agreed.2), (Some(0), file(3, &[7])));
    left(&file(3, &[7, 8]), 1, "bless::shared");
    left(&file(1, &[7, 8]), 1, "bless::shared");
    let (code, said, after) = outcome(&file(1, &[7, 8]), &["--name", "::7"]);
    assert_eq!((code, after), (Some(1), file(1, &[7, 8])));
    assert!(said.contains("not all scenarios were run that share this value"), "{said}");
}

const RANDOM: &str = "engine = 'match3'\n[[scenario]]\nname = 'random'\n\
                      generate = { script = 'scripts/match3-random.rhai', count = 3, args = { swaps = 60 } }\n";

#[test]
fn a_value_of_many_cases_is_written_if_they_agree() {
    let with = |expect: &str| format!("{RANDOM}expect.{expect}\n");
    left(&with("score = 1"), 1, "bless::shared");
    left(&with("cleared = { not = false }"), 1, "bless::matcher");
    let (code, said, after) = outcome(&with("cleared = true"), &[]);
    assert_eq!((code, after), (Some(0), with("cleared = false")), "{said}");
    let (code, said, after) = outcome(&with("cleared = true"), &["--index", "1"]);
    assert_eq!((code, after), (Some(1), with("cleared = true")), "{said}");
    let (code, said, after) = outcome(&with("signature = 'xxh3:0'"), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        after.starts_with(&with("signature = 'xxh3:")[..RANDOM.len() + 24])
            && after.len() > RANDOM.len() + 50
    );
}

#[test]
fn what_a_script_made_is_no_authors() {
    let script = "fn generate(index, seed, args) {\n    #{ target: 7, digits: 2, board: [\"4+3\", \"-5-\", \"9-2\"], \
                  expect: #{ solutions: 1 } }\n}\n";
    let folder = folder("engine = 'quento'\n[[scenario]]\nname = 'made'\ngenerate.script = 'made.rhai'\n");
    fs::write(folder.path().join("made.rhai"), script).expect("a script");
    let result = run(folder.path(), &["--bless", "a.toml"]).code(1);
    let said = stdout(&result);
    assert!(said.contains("LEFT a.toml::made#0\nerror[bless::made]"), "{said}");
}

#[test]
fn only_what_is_selected_is_written() {
    let text = |first, second| {
        format!(
            "{QUENTO}[[scenario]]\nname = 'a'\nexpect.solutions = {first}\n[[scenario]]\nname = 'b'\nexpect.solutions = {second}\n"
        )
    };
    let (code, said, after) = outcome(&text(1, 2), &["--name", "::b"]);
    assert_eq!((code, after), (Some(0), text(1, 3)), "{said}");
}

// -- Files --

#[test]
fn nothing_is_written_where_nobody_looks() {
    let text = format!("{QUENTO}expect.solutions = 1\n");
    let folder = folder(&text);
    let ci = |value: &str, args: &[&str]| {
        rulebook().current_dir(folder.path()).env("CI", value).arg("run").args(args).arg("a.toml").assert()
    };
    let now = || fs::read_to_string(folder.path().join("a.toml")).expect("the file");
    ci("true", &["--bless"]).code(2).stdout_eq("").stderr_eq(str![[r"
error[usage::bless-in-ci]: `--bless` writes no files where `CI` is set
 |
 = help: bless locally, review the diff and commit it
 = help: `--bless=force` writes all the same

"]]);
    ci("1", &["--review"]).code(1);
    assert_eq!(now(), text);
    ci("false", &["--bless"]).code(0);
    ci("", &["--bless"]).code(0);
    fs::write(folder.path().join("a.toml"), &text).expect("the file");
    ci("true", &["--bless=force"]).code(0);
    assert_ne!(now(), text);
}

#[test]
fn a_review_without_a_terminal_shows_and_writes_nothing() {
    let text = format!(
        "{QUENTO}expect.path = {{ len = 3 }}\n\n[[scenario]]\nname = 'good'\n\n[[scenario]]\nname = 'bad'\nexpect.solutions \
         = 1\n"
    );
    let folder = folder(&text);
    run(folder.path(), &["--review", "a.toml"]).code(1).stdout_eq(str![[r"
a.toml::bad
10 |   [[scenario]]
11 |   name = 'bad'
12 | - expect.solutions = 1
12 | + expect.solutions = 3

a.toml: 1 value to be written
1 value to be written in 1 file

"]]);
    assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("the file"), text);
    run(folder.path(), &["--review", "--name", "good", "a.toml"]).code(0);
}

#[test]
fn a_file_that_cannot_be_written_keeps_no_other_from_being() {
    let text = format!("{QUENTO}expect.solutions = 1\n");
    let folder = folder(&text);
    let other = folder.path().join("b.toml");
    fs::write(&other, &text).expect("a file");
    let path = folder.path().join("a.toml");
    let mut permissions = fs::metadata(&path).expect("the file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("read-only");
    let result = run(folder.path(), &["--bless", "."]).code(1);
    let said = stdout(&result);
    assert!(said.contains("error[bless::unwritable]") && said.contains("it is read-only"), "{said}");
    assert_eq!(fs::read_to_string(&path).expect("the file"), text);
    assert!(fs::read_to_string(&other).expect("the file").ends_with("expect.solutions = 3\n"));
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = folder(&format!("{QUENTO}expect.solutions = 1\n"));
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    symlink("../a.toml", inner.join("link.toml")).expect("a link");
    fs::set_permissions(folder.path().join("a.toml"), fs::Permissions::from_mode(0o664))
        .expect("permissions");
    // The link and its target are one file, and written once.
    run(folder.path(), &["--bless", "inner", "a.toml"]).code(0).stdout_eq(str![[r"
inner/link.toml: 1 value written
1 value written in 1 file

"]]);
    assert!(fs::symlink_metadata(inner.join("link.toml")).expect("the link").is_symlink());
    let target = fs::metadata(folder.path().join("a.toml")).expect("the target");
    assert_eq!(target.permissions().mode() & 0o777, 0o664);
    run(folder.path(), &["a.toml"]).success();
}

#[test]
fn two_at_once_lose_nothing() {
    let scenarios = 40_usize;
    let text = |solutions: u32| {
        let scenario =
            |i| format!("[[scenario]]\nname = '{}{i}'\nexpect.solutions = {solutions}\n", ["a", "b"][i % 2]);
        format!("{QUENTO}{}", (0..scenarios).map(scenario).collect::<String>())
    };
    let folder = folder("");
    for _ in 0..10 {
        fs::write(folder.path().join("a.toml"), text(1)).expect("a file");
        std::thread::scope(|scope| {
            for half in ["::a", "::b"] {
                let folder = folder.path();
                scope.spawn(move || run(folder, &["--bless", "--name", half, "a.toml"]).code(0));
            }
        });
        assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("the file"), text(3));
    }
    let left: Vec<_> = fs::read_dir(folder.path()).expect("the folder").collect();
    assert_eq!(left.len(), 1, "nothing but the file stays: {left:?}");
}

/// Of several right answers one is written, whatever is expected where: the next run passes, and what fits stays.
#[test]
fn values_of_one_right_answer_are_written_together() {
    let start =
        "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ntarget = 7\ndigits = 2\nrules.order = 'any'\n";
    let path = "expect.path = [[0, 2], [0, 1], [0, 0]]\n";
    let cases = [
        (
            format!("{path}[[checkpoint]]\nafter = 1\nsquare = [0, 2]\nvalue = 2\n"),
            &[path, "square = [0, 2]\nvalue = 3\n"][..],
        ),
        (format!("{path}[[checkpoint]]\nafter = 2\nsquare = [2, 0]\n"), &[path, "square = [0, 1]\n"]),
        // Each holds for an answer, and none for both.
        ("expect.expression = '9-2'\n[[checkpoint]]\nafter = 1\nsquare = [0, 0]\n".to_owned(), &[]),
        (
            "expect.expression = '1+1'\nexpect.path = [[2, 0], [2, 1], [2, 2]]\n".to_owned(),
            &["expression = '9-2'\n"],
        ),
        ("expect.expression = '1+1'\n[[checkpoint]]\nafter = 1\nvalue = 1\n".to_owned(), &[]),
    ];
    for (expected, kept) in cases {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.toml");
        fs::write(&file, format!("{start}{expected}")).expect("a file");
        run(folder.path(), &["a.toml"]).code(1);
        run(folder.path(), &["--bless", "a.toml"]).code(0);
        run(folder.path(), &["a.toml"]).code(0);
        let text = fs::read_to_string(&file).expect("the file");
        assert!(kept.iter().all(|kept| text.contains(kept)), "{text}");
    }
}
