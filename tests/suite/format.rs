//! `fmt` aligns boards and nothing else: a scenario means the same, and what is no board stays byte for byte.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use regex::{Captures, Regex};
use rulebook::diagnostic::Diagnostic;
use rulebook::rng::Rng;
use rulebook::scenario::suite::{self, Pieces};
use rulebook::scenario::{Case, File, Select, format, load};
use rulebook::script::Scripts;
use rulebook::source::Source;
use snapbox::IntoData as _;

use crate::command::{copy_folder, root, rulebook, stderr, stdout};

/// A scenario file that stands in the folder of scenarios `beside`.
fn formatted(text: &str, beside: &Path) -> String {
    let file = File::new(beside, &Arc::<Scripts>::default());
    format::formatted(&Source::new("a.toml", text), &file).unwrap_or_else(|faults| {
        let faults: String = faults.iter().map(|fault| fault.draw(false)).collect();
        panic!("{faults}\n{text}")
    })
}

/// What the scenarios of a file mean: their games, and what is expected of them.
fn meaning(path: &Path) -> Vec<String> {
    let mut meaning = Vec::new();
    for piece in Pieces::new(suite::files(&[path.to_owned()]), Some(0..3)) {
        let chunk = piece.content.unwrap_or_else(|fault| panic!("{}", fault.draw(false)));
        let select = Select { indices: Some(0..3), ..Select::default() };
        let flow = load(&chunk, &piece.file, &select, &mut |case| {
            meaning.push(told(&case));
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
    }
    meaning
}

fn listed(faults: &[Diagnostic]) -> String {
    faults.iter().map(|fault| [fault.code, " ", &fault.title, "\n"].concat()).collect()
}

fn told(case: &Case) -> String {
    let what = match &case.plan {
        Err(faults) => listed(faults),
        Ok(plan) => {
            let game = match &plan.game {
                // A game in rhai tells its keys as they were typed.
                Ok(game) => {
                    game.doc().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
                }
                Err(faults) => listed(faults),
            };
            let all: Vec<_> = plan
                .expectations
                .iter()
                .chain(plan.checkpoints.iter().flat_map(|c| &c.expectations))
                .collect();
            let said: Vec<_> = all.iter().map(|one| format!("{} {:?}", one.fact, one.matcher)).collect();
            format!("{game}{}", said.join("\n"))
        }
    };
    format!("{} at line {}: {what}", case.name, case.line)
}

/// The text with other blanks between the cells of its boards.
fn crooked(text: &str, rng: &mut Rng) -> String {
    let boards = Regex::new(r#"(?s)\b(?:board|specials|stacks|lights) = """\n.*?""""#).expect("a pattern");
    let blanks = Regex::new(r"(\S) +").expect("a pattern");
    let widen = |found: &Captures<'_>, rng: &mut Rng| {
        format!("{}{}", &found[1], " ".repeat(1 + rng.below(3) as usize))
    };
    let lines = |board: &Captures<'_>, rng: &mut Rng| {
        let (head, rows) = board[0].split_once('\n').expect("a line");
        format!("{head}\n{}", blanks.replace_all(rows, |found: &Captures<'_>| widen(found, rng)))
    };
    boards.replace_all(text, |board: &Captures<'_>| lines(board, rng)).into_owned()
}

#[test]
fn shipped_scenarios_are_straight_and_mean_the_same_when_made_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["scenarios", "scripts"] {
        copy_folder(&root().join(name), &folder.path().join(name));
    }
    let mut rng = Rng::new(1, 0);
    let mut bent = 0;
    for path in suite::files(&[folder.path().join("scenarios")]) {
        let path = path.expect("a file");
        let text = fs::read_to_string(&path).expect("a file");
        assert_eq!(formatted(&text, &path), text, "{}", path.display());
        let crooked = crooked(&text, &mut rng);
        let once = formatted(&crooked, &path);
        assert_eq!(formatted(&once, &path), once, "{}", path.display());
        assert_eq!(solid(&once), solid(&text), "{}", path.display());
        if once != crooked {
            bent += 1;
            let before = meaning(&path);
            fs::write(&path, &once).expect("a file");
            assert_eq!(meaning(&path), before, "{}", path.display());
        }
    }
    assert!(bent > 10, "{bent} files were made straight");
}

/// The text without blanks.
fn solid(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A board of random cells, typed in a random way; what is typed, as the value of a key.
fn typed(rng: &mut Rng, cells: &[Vec<String>], newline: &str) -> String {
    let comma = rng.below(4) == 0;
    let rows: Vec<_> = cells
        .iter()
        .map(|row| {
            let mut line = " ".repeat(rng.below(4) as usize);
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    line += if comma { "," } else { " " };
                    line += [" ", "  ", "\t", ""][rng.below(4) as usize];
                }
                line += cell;
            }
            line.push_str(&" ".repeat(rng.below(3) as usize));
            line
        })
        .collect();
    match rng.below(4) {
        0 => format!("[{}]", rows.iter().map(|row| format!("'{row}'")).collect::<Vec<_>>().join(", ")),
        1 => {
            let lines: String =
                rows.iter().map(|row| ["  \"", row, "\", # a line", newline].concat()).collect();
            format!("[{newline}{}]", lines.replace('\t', " "))
        }
        2 => format!("'''{newline}{newline}{}{newline}'''", rows.join(newline)),
        _ => format!("\"\"\"{newline}{}\"\"\"", rows.join(newline)),
    }
}

#[test]
fn boards_typed_in_any_way_mean_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut rng = Rng::new(5, 0);
    for round in 0..200 {
        let newline = if round % 3 == 0 { "\r\n" } else { "\n" };
        let (rows, cols) = (1 + rng.below(5), 2 + rng.below(5));
        let mut cell = |most: u64| match rng.below(5) {
            0 => "?".to_owned(),
            1 => ".".to_owned(),
            _ => rng.below(most).to_string(),
        };
        let mut grid =
            |most| (0..rows).map(|_| (0..cols).map(|_| cell(most)).collect()).collect::<Vec<Vec<_>>>();
        let (board, expected) = (grid(300), grid(2000));
        let board: Vec<Vec<_>> =
            board.iter().map(|row| row.iter().map(|cell| cell.replace(['?', '.'], "7")).collect()).collect();
        let text = [
            format!("# boards  and   blanks{newline}engine   =  \"match3\""),
            "[[scenario]]   # one  two".to_owned(),
            format!("swaps = [[1,  1,1,2]]{newline}board={}  # behind", typed(&mut rng, &board, newline)),
            format!(
                "expect.board = {{  not = {} }}",
                typed(&mut rng, &expected, newline).replace(newline, "\n")
            ),
            "[[scenario.checkpoint]]".to_owned(),
            format!("after = 1{newline}board = {}{newline}", typed(&mut rng, &expected, newline)),
        ]
        .join(newline);
        let path = folder.path().join("a.toml");
        fs::write(&path, &text).expect("a file");
        let before = meaning(&path);
        let once = formatted(&text, &path);
        fs::write(&path, &once).expect("a file");
        assert_eq!(meaning(&path), before, "{text}\n{once}");
        assert_eq!(formatted(&once, &path), once, "{text}");
        assert_eq!(solid(&once), solid(&text));
        for kept in [
            "# boards  and   blanks",
            "engine   =  ",
            "[[scenario]]   # one  two",
            "[[1,  1,1,2]]",
            "  # behind",
        ] {
            assert!(once.contains(kept), "{once}");
        }
        assert_eq!(once.matches("\r\n").count(), text.matches("\r\n").count());
    }
}

#[test]
fn columns_are_straight() {
    let engine = "engine = \"stacking\"\n";
    let cases = [
        // Numbers stand to the right, other cells to the left.
        (
            "engine = \"match3\"\nboard = \"\"\"\n1 10 1\n100 1 2\n\"\"\"\n",
            "engine = \"match3\"\nboard = \"\"\"\n  1 10 1\n100  1 2\n\"\"\"\n",
        ),
        (
            "engine = \"stacking\"\nexpect.stacks = '''\n  . 1-2-3   .\n  . .  4'''\n",
            "engine = \"stacking\"\nexpect.stacks = '''\n  . 1-2-3 .\n  . .     4'''\n",
        ),
        // Without blanks there is nothing to align but the lines themselves.
        (
            "engine = \"quento\"\nboard = [\"4+3\", \"-5-\"]\n",
            "engine = \"quento\"\nboard = [\"4+3\", \"-5-\"]\n",
        ),
        (
            "engine = \"quento\"\nboard = '''\n 4+3\n  -5-  \n'''\n",
            "engine = \"quento\"\nboard = '''\n 4+3\n -5-\n'''\n",
        ),
        (
            "engine = \"stacking\"\nboard = ['0,1', '2,0']\n",
            "engine = \"stacking\"\nboard = ['0,1', '2,0']\n",
        ),
        (
            "engine = \"match3\"\nboard = ['10,1', '2,0']\n",
            "engine = \"match3\"\nboard = ['10, 1', ' 2, 0']\n",
        ),
        // Straight columns are left as they are, however far apart.
        (
            "engine = \"match3\"\nboard = \"\"\"\n  1   2\n  1  10\n\"\"\"\n",
            "engine = \"match3\"\nboard = \"\"\"\n  1   2\n  1  10\n\"\"\"\n",
        ),
        // Escapes are left alone, and texts that are no boards.
        (
            "engine = \"stacking\"\nboard = \"1  2\\n3   4\"\n",
            "engine = \"stacking\"\nboard = \"1  2\\n3   4\"\n",
        ),
        (
            "engine = \"stacking\"\nname = \"board = 1   2\"\ninput = \"\"\"\n4   4\n\"\"\"\n",
            "engine = \"stacking\"\nname = \"board = 1   2\"\ninput = \"\"\"\n4   4\n\"\"\"\n",
        ),
        // A default is for the engines of the scenarios.
        (
            "board = ['1  2', '1 2']\n[[scenario]]\nengine = \"match3\"\n",
            "board = ['1 2', '1 2']\n[[scenario]]\nengine = \"match3\"\n",
        ),
        // What is to be refused may be wrong.
        (
            "engine = \"match3\"\nboard = ['1  2', '1']\nexpect.error = \"board::ragged\"\n",
            "engine = \"match3\"\nboard = ['1  2', '1']\nexpect.error = \"board::ragged\"\n",
        ),
    ];
    for (before, after) in cases {
        assert_eq!(formatted(before, Path::new("a.toml")), after);
    }
    let game = "engine = \"../../scripts/games/lights-out.rhai\"\nlights = [\"*  .\", \".   .\"]\n";
    let after = formatted(game, &root().join("scenarios/scripted/a.toml"));
    assert!(after.ends_with("lights = [\"* .\", \". .\"]\n"), "{after}");
    assert_eq!(formatted(engine, Path::new("a.toml")), engine);
}

#[test]
fn files_are_written_and_broken_ones_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let (crooked, straight) = (
        "\u{feff}engine = \"match3\"\r\nboard = ['1  2', '1 2']\r\n",
        "\u{feff}engine = \"match3\"\r\nboard = ['1 2', '1 2']\r\n",
    );
    let broken = [
        ("no-toml.toml", "board = ['1  2'\n", "toml::syntax"),
        (
            "ragged.toml",
            "engine = \"match3\"\nboard = ['1  2', '1']\nspecials = ['1  2', '1 2']\n",
            "board::ragged",
        ),
        ("engine.toml", "engine = \"macth3\"\nboard = ['1  2', '1 2']\n", "scenario::unknown-engine"),
    ];
    for name in ["a.toml", "z.toml"] {
        fs::write(path(name), crooked).expect("a file");
    }
    fs::create_dir(path("sub")).expect("a folder");
    fs::write(path("sub/rulebook.toml"), "board = ['1  2', '1 2']").expect("a file");
    let fmt = |args: &[&str]| rulebook().current_dir(folder.path()).arg("fmt").args(args).assert();
    assert_eq!(stdout(&fmt(&["--check", "."]).code(1)), "./a.toml\n./z.toml\n");
    assert_eq!(fs::read_to_string(path("a.toml")).expect("a file"), crooked);
    for (name, text, _) in broken {
        fs::write(path(name), text).expect("a file");
    }
    let all = fmt(&["."]).code(3);
    assert_eq!(stdout(&all), "./a.toml\n./z.toml\n");
    for (name, text, code) in broken {
        assert!(stderr(&all).contains(code), "{}", stderr(&all));
        assert_eq!(fs::read_to_string(path(name)).expect("a file"), text);
    }
    for name in ["a.toml", "z.toml"] {
        assert_eq!(fs::read_to_string(path(name)).expect("a file"), straight);
    }
    assert_eq!(stdout(&fmt(&["a.toml", "z.toml"]).code(0)), "");
    fmt(&["--check", "a.toml"]).code(0).stdout_eq("");
    assert!(stderr(&fmt(&["nowhere.toml"]).code(3)).contains("cannot be read"));
    let piped =
        |text: &str, args: &[&str]| rulebook().arg("fmt").args(args).stdin(text.as_bytes().to_vec()).assert();
    piped(crooked, &["-"]).code(0).stdout_eq(straight.into_data().raw());
    piped(crooked, &["-", "--check"]).code(1).stdout_eq("");
    piped("board = [", &["-"]).code(3).stdout_eq("");
}

#[test]
fn a_file_that_is_read_only_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.toml");
    let fmt = |args: &[&str]| rulebook().current_dir(folder.path()).arg("fmt").args(args).arg(".").assert();
    let protected = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        let mut permissions = fs::metadata(&path).expect("the file").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("permissions");
    };
    let crooked = "engine = \"match3\"\nboard = ['1  2', '1 2']\n";
    protected("straight.toml", "engine = \"match3\"\nboard = ['1 2', '1 2']\n");
    fmt(&[]).code(0);
    protected("a.toml", crooked);
    fmt(&["--check"]).code(1);
    let said = fmt(&[]).code(3);
    assert!(stderr(&said).contains("error[fmt::unwritable]"), "{}", stderr(&said));
    assert!(stderr(&said).contains("it is read-only"), "{}", stderr(&said));
    assert_eq!(fs::read_to_string(&path).expect("the file"), crooked);
}

#[cfg(unix)]
#[test]
fn a_name_that_is_listed_is_one_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "engine = \"match3\"\nboard = ['1  2', '1 2']\n";
    fs::write(folder.path().join("a\n\u{1b}[31mb.toml"), text).expect("a file");
    let said = stdout(&rulebook().current_dir(folder.path()).args(["fmt", "."]).assert().code(0));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn only_blanks_change_whatever_is_between_the_cells() {
    const BLANKS: &[&str] = &[" ", "   ", "\t", " \t"];
    const COMMAS: &[&str] = &[",", ", ", " ,", "   ,  ", ",\t", "\t, ", ",,", " ,\t, "];
    fn pick<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
        of[rng.below(of.len() as u64) as usize]
    }
    let words = |text: &str| {
        let words = text.split([' ', '\t', '\r', '\n', ',', '\'', '"']).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut rng = Rng::new(22, 0);
    let mut changed = 0;
    for round in 0..2000 {
        let (between, around) = match round % 3 {
            0 => (BLANKS.to_vec(), vec!["", " ", "\t"]),
            1 => (COMMAS.to_vec(), vec!["", " ", "\t", ",", " ,", "  , ", " ,,"]),
            _ => ([BLANKS, COMMAS].concat(), vec!["", " ", "\t", ",", " , "]),
        };
        let (rows, cols) = (1 + rng.below(4), 2 + rng.below(3));
        let mut lines = Vec::new();
        for _ in 0..rows {
            let mut line = pick(&mut rng, &around).to_owned();
            for col in 0..cols {
                line += pick(&mut rng, &["1", "2", "10", "123"]);
                line += pick(&mut rng, if col + 1 < cols { &between } else { &around });
            }
            lines.push(line);
        }
        let board = match rng.below(5) {
            0 => {
                format!("[{}]", lines.iter().map(|line| format!("'{line}'")).collect::<Vec<_>>().join(" ,  "))
            }
            1 => format!("'''{}'''", lines.join("\n")),
            2 => format!("\"\"\"{}\n  \n\"\"\"", lines.join("\n")),
            3 => format!("'''\n\n{}\n\t'''", lines.join("\n")),
            _ => format!("\"\"\"\n{}\"\"\"", lines.join("\n")),
        };
        let newline = if rng.percent(30) { "\r\n" } else { "\n" };
        let text = format!("engine  = 'match3'\nboard = {board}  # a ,  b\n").replace('\n', newline);
        let once = formatted(&text, Path::new("a.toml"));
        assert_eq!(solid(&once), solid(&text), "{text:?}");
        assert_eq!(words(&once), words(&text), "{text:?}");
        assert_eq!(once.matches(newline).count(), text.matches(newline).count(), "{text:?}");
        assert_eq!(formatted(&once, Path::new("a.toml")), once, "{text:?}");
        changed += u32::from(once != text);
    }
    assert!(changed > 1000, "only {changed} were not straight");
}

#[test]
fn a_stray_carriage_return_is_refused_where_it_is() {
    let cases = [
        ("engine = 'match3'\r\r\n", 1, 18),
        ("engine = 'match3'\r", 1, 18),
        ("# a\r\nengine = 'match3' # b\r\r\r\n", 2, 22),
        ("engine = 'match3'\nboard = '''\n1  2\r\r\n1 2\n'''\n", 3, 5),
        ("engine = 'match3'\nboard = [\n'1  2',\r\r\n'1 2']\n", 3, 8),
        ("[[scenario]]\r\r\nengine = 'match3'\n", 1, 13),
    ];
    for (text, line, column) in cases {
        let source = Source::new("a.toml", text);
        let file = File::new(Path::new("a.toml"), &Arc::<Scripts>::default());
        let faults = format::formatted(&source, &file).expect_err(text);
        let place = source.line_column(faults[0].labels[0].span.range.start);
        assert_eq!(place, (line, column), "{text:?}");
        let drawing = faults[0].draw(false);
        assert!(drawing.contains(&format!("a.toml:{line}:{column}\n")), "{drawing}");
        let caret = drawing.lines().find_map(|line| line.split_once("| ")?.1.find('^'));
        assert_eq!(caret, Some(column - 1), "{drawing}");
    }
}
