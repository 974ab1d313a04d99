//! Quento: the engine held against its twin, and all that it promises.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use rulebook::engine::{Answers, AnyEngine, Engine as _, Erased, Keys, Place, Questions, Start};
use rulebook::engines::quento::Quento;
use rulebook::engines::quento::paths::Paths;
use rulebook::engines::quento::rules::{Board, GaveUp, Outcome, Rules, Setup};
use rulebook::engines::quento::search;
use rulebook::input::Input;
use rulebook::rng::Rng;
use rulebook::source::{Excerpt, Source};
use rulebook::tree;
use rulebook::value::Value;

use super::quento::{Square, Task};
use crate::{alloc, reports};

fn is_long() -> bool {
    std::env::var_os("RULEBOOK_LONG_TESTS").is_some()
}

/// The task in the statement's input format.
fn input(task: &Task) -> String {
    let lines: String = task.board.iter().map(|row| row.iter().collect::<String>() + "\n").collect();
    format!("{} {}\n{lines}", task.target, task.digits)
}

fn random_task(rng: &mut Rng, rows: usize, cols: usize, digits: usize, target: i64) -> Task {
    let mut square = |row: usize, col: usize| match (row + col) % 2 {
        0 => char::from(b'1' + rng.below(9) as u8),
        _ if rng.percent(50) => '+',
        _ => '-',
    };
    let board = (0..rows).map(|row| (0..cols).map(|col| square(row, col)).collect()).collect();
    Task { target, digits, board }
}

fn setup(task: &Task, rules: Rules) -> Setup {
    let text: Vec<String> = task.board.iter().map(|row| row.iter().collect()).collect();
    Setup::new(Board::read(&text.join("\n")).unwrap(), task.target, task.digits, rules).unwrap()
}

fn first(setup: &Setup) -> Option<Vec<Square>> {
    match Quento::run(setup, &mut ()).outcome {
        Outcome::Reached(path) => Some(path.places().map(|pos| (pos.row, pos.col)).collect()),
        Outcome::NoPath => None,
        Outcome::GaveUp => panic!("gave up"),
    }
}

fn all(setup: &Setup) -> Vec<Vec<Square>> {
    let cols = setup.board().squares().cols();
    let mut paths = Vec::new();
    let searched = setup.each(|path| {
        paths.push(path.iter().map(|&square| (square as usize / cols, square as usize % cols)).collect());
        ControlFlow::Continue(())
    });
    assert_eq!(searched, Ok(()));
    paths
}

/// The board of the statement with this number among all 944,784.
fn numbered_board(mut number: usize) -> Vec<Vec<char>> {
    let mut square = |i: usize| {
        let kinds = if i.is_multiple_of(2) { "123456789" } else { "+-" };
        let kind = number % kinds.len();
        number /= kinds.len();
        char::from(kinds.as_bytes()[kind])
    };
    (0..3).map(|row| (0..3).map(|col| square(row * 3 + col)).collect()).collect()
}

const BOARDS: usize = 944_784;

#[test]
fn the_statement_example_builds_seven() {
    let board = ["4+3", "-5-", "9-2"].map(|line| line.chars().collect()).to_vec();
    let task = Task { target: 7, digits: 2, board };
    assert_eq!(task.first(), Some(vec![(0, 0), (0, 1), (0, 2)]));
    assert_eq!(task.all().len(), 3);
    let setup = setup(&task, Rules::default());
    assert_eq!(all(&setup), task.all());
    let outcome = Quento::run(&setup, &mut ());
    assert_eq!(Quento::write_output(&setup, &outcome).unwrap(), "1\n0 0\n0 1\n0 2\n");
    let ask = |name: &str| Quento::answer(&setup, &outcome, name).unwrap().unwrap();
    assert_eq!(ask("expression"), Value::Text("4+3".into()));
    assert_eq!(ask("solutions"), Value::Int(3));
    assert_eq!(ask("expressions").to_string(), r#"["4+3", "3+4", "9-2"]"#);
    assert_eq!(
        ask("any_path").to_string(),
        "[[0, 0], [0, 1], [0, 2]] or [[0, 2], [0, 1], [0, 0]] or [[2, 0], [2, 1], [2, 2]]"
    );
}

#[test]
fn the_numbers_of_paths_are_known() {
    let count = |side, digits| Paths::new(side, side, digits).unwrap().count();
    assert_eq!([1, 2, 3, 4, 5].map(|digits| count(3, digits)), [5, 24, 64, 72, 40]);
    let five = [96, 500, 2152, 7640, 22624, 57424, 119_960, 191_528, 214_664, 153_704, 59376, 8648];
    assert_eq!(std::array::from_fn(|i| count(5, i + 2)), five);
    assert_eq!([2, 3, 4, 5, 6].map(|digits| count(7, digits)), [216, 1340, 7544, 39576, 190_800]);
}

/// The smallest path of every board, for one target and number of digits each; of all of them in long tests.
#[test]
fn every_board_has_the_twins_answer() {
    let halves = [0, 1].map(|half| {
        std::thread::spawn(move || {
            let mut rng = Rng::new(1, half);
            for number in (half as usize..BOARDS).step_by(2) {
                let mut task = Task { target: 0, digits: 0, board: numbered_board(number) };
                let mut check = |digits, target, counted| {
                    (task.digits, task.target) = (digits, target);
                    let setup = setup(&task, Rules::default());
                    assert_eq!(first(&setup), task.first(), "{}", input(&task));
                    if counted {
                        assert_eq!(setup.count(), Ok(task.all().len() as u64), "{}", input(&task));
                    }
                };
                if is_long() {
                    (2..=5).for_each(|digits| (1..=45).for_each(|target| check(digits, target, false)));
                } else {
                    check(rng.range(2, 5) as usize, rng.range(1, 45), false);
                }
                if number % 47 == 0 {
                    (1..=5).for_each(|digits| check(digits, rng.range(-36, 46), true));
                }
            }
        })
    });
    for half in halves {
        half.join().unwrap();
    }
}

/// Figures that an independent program found for all boards, targets and numbers of digits of the statement.
#[test]
fn the_universe_has_the_known_numbers_of_solutions() {
    let (mut solvable, mut unique) = (0, 0);
    for number in 0..BOARDS {
        let text: Vec<String> = numbered_board(number).iter().map(|row| row.iter().collect()).collect();
        let board = Board::read(&text.join("\n")).unwrap();
        for digits in 2..=5 {
            let numbers = board.counts(digits).unwrap();
            for target in 1..=45 {
                solvable += u32::from(numbers.of(target) > 0);
                unique += u32::from(numbers.of(target) == 1);
            }
        }
    }
    assert_eq!((solvable, unique), (26_935_011, 3_162_616));
}

#[test]
fn larger_boards_have_the_twins_answers() {
    let mut rng = Rng::new(2, 0);
    let cases = if is_long() { 1_000_000 } else { 20_000 };
    for case in 0..cases {
        let (rows, cols): (usize, usize) =
            [(5, 3), (3, 5), (1, 9), (7, 1), (1, 1), (3, 7), (7, 3)][rng.below(7) as usize];
        let most = (rows * cols).div_ceil(2) as i64;
        let task = random_task(&mut rng, rows, cols, 0, 0);
        let digits = rng.range(1, most);
        let target = rng.range(-10, 5 + 2 * digits);
        let task = Task { target, digits: digits as usize, ..task };
        let setup = setup(&task, Rules::default());
        assert_eq!(first(&setup), task.first(), "{}", input(&task));
        if case % 4 == 0 {
            assert_eq!(all(&setup), task.all(), "{}", input(&task));
        }
    }
}

#[test]
fn five_by_five_boards_have_the_twins_answers() {
    let mut rng = Rng::new(3, 0);
    for case in 0..if is_long() { 10_000 } else { 60 } {
        let digits = rng.range(2, 13);
        let target = rng.range(-10, 5 + 3 * digits);
        let task = random_task(&mut rng, 5, 5, digits as usize, target);
        let setup = setup(&task, Rules::default());
        assert_eq!(first(&setup), task.first(), "{}", input(&task));
        if case % 3 == 0 {
            assert_eq!(all(&setup), task.all(), "{}", input(&task));
        }
    }
}

#[test]
fn a_search_enters_few_digits() {
    let mut rng = Rng::new(4, 0);
    let mut worst = [0; 4];
    for _ in 0..200 {
        let tasks = [
            random_task(&mut rng, 7, 7, 13, 118),
            random_task(&mut rng, 7, 7, 13, rng_target(3)),
            random_task(&mut rng, 5, 5, 13, 7),
            random_task(&mut rng, 5, 5, 11, 20),
        ];
        for (worst, task) in worst.iter_mut().zip(tasks) {
            *worst = search::first(&setup(&task, Rules::default())).nodes.max(*worst);
        }
    }
    assert!(worst[0] <= 2_000 && worst[1] <= 20_000 && worst[2] <= 40_000 && worst[3] <= 40_000, "{worst:?}");
}

fn rng_target(seed: u64) -> i64 {
    Rng::new(seed, 1).range(1, 45)
}

#[test]
fn a_spent_budget_is_no_answer() {
    let mut rng = Rng::new(5, 0);
    for _ in 0..200 {
        let task = random_task(&mut rng, 5, 5, 12, 9);
        let budget = 1 + rng.below(3_000);
        let full = setup(&task, Rules::default());
        let tight = setup(&task, Rules { budget, ..Rules::default() });
        let search = search::first(&tight);
        assert!(search.nodes <= budget);
        match &search.outcome {
            Outcome::GaveUp => {
                let answer = search.outcome.clone().into();
                let fact = Quento::answer(&tight, &answer, "solvable").unwrap().unwrap_err();
                assert_eq!(fact.code, "quento::budget");
                assert_eq!(Quento::write_output(&tight, &answer).unwrap_err().code, "quento::budget");
            }
            outcome => assert_eq!(*outcome, full.solve(), "{}", input(&task)),
        }
        if tight.count() != Err(GaveUp) {
            assert_eq!(tight.count(), full.count());
        }
    }
}

#[test]
fn solving_a_board_of_the_statement_allocates_nothing() {
    let mut rng = Rng::new(6, 0);
    for digits in 1..=5 {
        let task = random_task(&mut rng, 3, 3, digits, 7);
        let setup = setup(&task, Rules::default());
        let (_, allocations) = alloc::count(|| (Quento::run(&setup, &mut ()), setup.count()));
        assert_eq!(allocations, 0);
    }
}

static REFEREE: LazyLock<Erased<Quento>> = LazyLock::new(Erased::default);

fn bind(text: &str, size_limits: bool) -> Result<Box<dyn Start>, Vec<String>> {
    let source = Source::new("t.toml", text);
    let mut doc = tree::parse(source.text()).expect("TOML");
    let rules = doc.remove("rules");
    let keys = Keys { doc, range: 0..text.len(), rules };
    let place = Place { source: &source, size_limits, thorough: true };
    REFEREE.bind(keys, &place).map_err(|faults| drawn(&faults))
}

fn read(text: &str, size_limits: bool) -> Result<Box<dyn Start>, Vec<String>> {
    let source = Source::new("t.txt", text);
    let place = Place { source: &source, size_limits, thorough: true };
    REFEREE.read(&mut Input::new(Excerpt::all(&source)), None, &place).map_err(|faults| drawn(&faults))
}

/// The faults, each as its code, the text that is marked, and what is said of it.
fn drawn(faults: &[rulebook::diagnostic::Diagnostic]) -> Vec<String> {
    let one = |fault: &rulebook::diagnostic::Diagnostic| match fault.labels.first() {
        Some(label) => format!("{} at {:?}: {}", fault.code, label.span.text(), label.text),
        None => format!("{}: {}", fault.code, fault.title),
    };
    faults.iter().map(one).collect()
}

fn play(game: &dyn Start, facts: &[&str]) -> Vec<String> {
    let number = |name: &&str| REFEREE.facts().iter().position(|fact| fact.name == **name).unwrap();
    let questions = Questions { facts: facts.iter().map(number).collect(), ..Questions::default() };
    let Answers { facts, .. } = game.play(&questions);
    facts
        .into_iter()
        .map(|fact| fact.map_or_else(|reason| reason.code.into(), |fact| fact.to_string()))
        .collect()
}

#[test]
fn every_fault_is_found_at_its_place() {
    let faults = |text| bind(text, true).err().unwrap();
    assert_eq!(
        faults("target = 46\ndigits = 1\nboard = ['4x3', '-0-', '9-+']"),
        [
            "quento::symbol at \"x\": row 0, column 1 is a symbol square: expected `+` or `-`",
            "quento::digit at \"0\": row 1, column 1 is a digit square: expected a digit from 1 to 9",
            "quento::digit at \"+\": row 2, column 2 is a digit square: expected a digit from 1 to 9",
            "quento::target at \"46\": expected 1 to 45",
            "quento::digits at \"1\": expected 2 to 5",
        ]
    );
    assert_eq!(
        faults("target = 7"),
        ["scenario::missing-key: `digits` is missing", "scenario::missing-key: `board` is missing"]
    );
    assert_eq!(
        faults("target = 7\ndigits = 2\nboard = ['4+3-1']"),
        ["quento::size at \"['4+3-1']\": expected 3 rows of 3 squares"]
    );
    assert_eq!(
        faults("target = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\nrules = { budget = 0 }"),
        ["scenario::out-of-range at \"0\": out of range"]
    );
    assert_eq!(
        bind("target = -7\ndigits = 4\nboard = ['4+3-1']", false).err().unwrap(),
        ["quento::digits at \"4\": expected 1 to 3"]
    );
    assert_eq!(
        bind("target = 9223372036854775807\ndigits = 1\nboard = ['4+', '-1']", false).err().unwrap(),
        [
            "quento::size at \"['4+', '-1']\": expected odd numbers of rows and columns, up to 9",
            "quento::target at \"9223372036854775807\": expected -1000000 to 1000000",
        ]
    );
}

#[test]
fn every_fault_of_an_input_is_found_at_its_place() {
    let faults = |text| read(text, true).err().unwrap();
    assert_eq!(
        faults("7 6\n4+3\n-é-\n9-2\n1\n"),
        [
            "input::goes-on at \"1\": expected nothing more",
            "quento::digit at \"é\": row 1, column 1 is a digit square: expected a digit from 1 to 9",
            "quento::digits at \"6\": expected 2 to 5",
        ]
    );
    assert_eq!(faults("7 2\n4+3\n-5-\n"), ["input::ends-early at \"\": expected a line of the board"]);
    assert_eq!(
        faults("7 2\n4+3\n-5\n9-2"),
        ["quento::size at \"-5\": expected 3 squares, as in the board's first line"]
    );
    assert_eq!(
        read("7 2", false).err().unwrap(),
        ["input::ends-early at \"\": expected a line of the board"]
    );
    assert_eq!(play(&*read("-1 3\n4+3-8\n", false).unwrap(), &["expression"]), ["\"4+3-8\""]);
}

#[test]
fn texts_are_written_as_they_are_read() {
    let mut rng = Rng::new(7, 0);
    for _ in 0..200 {
        let (rows, cols) = [(3, 3), (5, 3), (1, 7), (9, 9)][rng.below(4) as usize];
        let task = random_task(&mut rng, rows, cols, 1, rng_target(1));
        let game = read(&input(&task), false).unwrap();
        assert_eq!(game.input(), input(&task));
        let doc = bind(&game.doc(), false).unwrap();
        assert_eq!((doc.input(), doc.doc()), (input(&task), game.doc()));
    }
    let house = "target = 7\ndigits = 2\nboard = \"\"\"\n4+3\n-5-\n9-2\n\"\"\"\nrules = { order = \"any\", budget = 5 }\n";
    assert_eq!(bind(house, true).unwrap().doc(), house);
}

#[test]
fn any_solution_is_right_where_the_house_says_so() {
    let doc = "target = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";
    let strict = bind(doc, true).unwrap();
    let any = bind(&format!("{doc}rules.order = 'any'"), true).unwrap();
    let second = "1\n2 0\n2 1\n2 2\n";
    assert!(any.accepts_output(second) && !strict.accepts_output(second));
    for wrong in [
        "",
        "0",
        "1",
        "1\n2 0\n2 1\n",
        "1\n2 0\n2 1\n2 2 2",
        "1\n2 1\n2 0\n2 2",
        "1\n0 2\n1 2\n2 2",
        "1 9 9 9 9 9 9",
    ] {
        assert!(!any.accepts_output(wrong), "{wrong}");
    }
    let paths = "[[0, 0], [0, 1], [0, 2]] or [[0, 2], [0, 1], [0, 0]] or [[2, 0], [2, 1], [2, 2]]";
    assert_eq!(play(&*any, &["path", "expression"]), [paths, r#""4+3" or "3+4" or "9-2""#]);
    assert_eq!(play(&*strict, &["path", "expression"]), ["[[0, 0], [0, 1], [0, 2]]", r#""4+3""#]);
}

#[test]
fn without_a_solution_facts_are_empty() {
    let none =
        bind("target = 45\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\nrules.order = 'any'", true).unwrap();
    let facts = ["solvable", "path", "any_path", "expression", "solutions", "expressions"];
    assert_eq!(play(&*none, &facts), ["false", "[]", "[]", "\"\"", "0", "[]"]);
}

#[test]
fn a_run_walks_the_answer_square_by_square() {
    let game = bind("target = 2\ndigits = 3\nboard = ['4+3', '-5-', '9-2']", true).unwrap();
    let mut lines = Vec::new();
    game.replay(0..=u64::MAX, &mut |frame| {
        lines.push(format!("{} {} {}", frame.step, frame.rule, frame.text));
        ControlFlow::Continue(())
    });
    assert_eq!(
        lines,
        [
            "0 quento::start build 2 with 3 digits",
            "1 quento::walk to row 0, column 0: 4 makes 4",
            "2 quento::walk to row 0, column 1: 4+, so far 4",
            "3 quento::walk to row 0, column 2: 4+3 makes 7",
            "4 quento::walk to row 1, column 2: 4+3-, so far 7",
            "5 quento::walk to row 1, column 1: 4+3-5 makes 2",
            "5 quento::reached 4+3-5 makes 2",
        ]
    );
    let questions =
        Questions { moments: vec![(0, vec![0]), (4, vec![0, 1, 2]), (9, vec![0])], ..Questions::default() };
    let answers = game.play(&questions);
    let moment = vec![Value::Int(7), Value::ints([1, 2]), Value::Text("4+3-".into())];
    assert_eq!(answers.moments[1], Some(moment));
    assert_eq!((&answers.moments[2], answers.steps), (&None, 5));
}

/// The value and the text of the first `walked` squares of a path.
fn so_far(task: &Task, path: &[Square], walked: usize) -> (i64, String) {
    let text: String = path[..walked].iter().map(|&(row, col)| task.board[row][col]).collect();
    let mut value = 0;
    for (i, c) in text.chars().enumerate() {
        let digit = c.to_digit(10).map_or(0, i64::from);
        value += if i > 0 && text.as_bytes()[i - 1] == b'-' { -digit } else { digit };
    }
    (value, text)
}

#[test]
fn where_any_path_is_right_one_path_satisfies_all_that_is_expected() {
    let (mut text, mut torn) = (String::new(), 0);
    for case in 0..150 {
        let mut rng = Rng::new(23, case);
        let (rows, cols) = [(3, 3), (3, 3), (1, 7), (3, 5)][case as usize % 4];
        let digits = 2 + rng.below(3) as usize;
        let target = rng.range(1, 12);
        let task = random_task(&mut rng, rows, cols, digits, target);
        let mut solutions = task.all();
        rng.shuffle(&mut solutions);
        let Some(one) = solutions.first() else { continue };
        let head = |name: &str| {
            let rows = task.board.iter().map(|row| format!("'{}'", row.iter().collect::<String>()));
            let board = rows.collect::<Vec<_>>().join(", ");
            format!(
                "[[scenario]]\nname = '{name} {case}'\nengine = 'quento'\nlimits = 'none'\nrules.order = 'any'\n\
                 target = {}\ndigits = {digits}\nboard = [{board}]\n",
                task.target
            )
        };
        let squares =
            |path: &[Square]| path.iter().map(|(row, col)| format!("[{row}, {col}]")).collect::<Vec<_>>();
        let listed = |path: &[Square]| format!("[{}]", squares(path).join(", "));
        let (_, expression) = so_far(&task, one, one.len());
        let checkpoints = |path: &[Square]| -> String {
            let checkpoint = |walked: usize| {
                let (value, text) = so_far(&task, path, walked);
                format!(
                    "[[scenario.checkpoint]]\nafter = {walked}\nsquare = {}\nvalue = {value}\nexpression = '{text}'\n",
                    squares(path)[walked - 1]
                )
            };
            (1..=path.len()).map(checkpoint).collect()
        };
        text += &format!(
            "{}expect.path = {}\nexpect.expression = '{expression}'\n{}",
            head("passed"),
            listed(one),
            checkpoints(one)
        );
        text += &format!("{}expect.solvable = true\n{}", head("passed alone"), checkpoints(one));
        if let Some(other) = solutions.get(1) {
            torn += 1;
            text += &format!("{}expect.path = {}\n{}", head("failed"), listed(one), checkpoints(other));
        }
    }
    assert!(torn > 60, "{torn}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("any.toml");
    std::fs::write(&path, text).expect("a scenario file");
    for told in reports::run(&path, 2) {
        assert!(told.name.starts_with(told.verdict), "{}: {}", told.name, told.drawn);
        let whole = told.drawn.contains("no answer is all that is expected of it");
        assert_eq!(told.verdict == "failed", whole, "{}: {}", told.name, told.drawn);
    }
}
