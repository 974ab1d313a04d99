//! Starts as authors type them: their faults, and the way there and back.

use super::*;
use crate::diagnostic::Diagnostic;
use crate::engine::keys;
use crate::grid::{Dir, Grid};
use crate::rng::Rng;
use crate::source::{Excerpt, Source};
use crate::spanned::Spanned;
use crate::tree::{self, Tree};
use crate::value::Value;

const PIECES: &str = "pieces = [
  { at = [1, 1], facing = \"right\" },
  { at = [1, 2], facing = \"left\" },
  { at = [2, 1], facing = \"up\" },
  { at = [4, 4], facing = \"down\" },
]
";

const BOARD: &str = "board = ['..rb', '0012', 'wwrb', '....']\n";

/// What the faults are called, and the text that each of them marks.
fn marks(faults: &[Diagnostic]) -> Vec<(&'static str, Vec<String>)> {
    let marked = |fault: &Diagnostic| fault.labels.iter().map(|label| label.span.text().to_owned()).collect();
    faults.iter().map(|fault| (fault.code, marked(fault))).collect()
}

fn bind(toml: &str, rules: Rules, size_limits: bool) -> Result<Setup, Vec<Diagnostic>> {
    let source = Source::new("s.toml", toml);
    let mut binder = Binder::new(&source, size_limits);
    let setup = Stacking::bind(toml::from_str(toml).unwrap(), rules, &mut binder);
    assert_eq!(setup.is_some(), binder.is_clean());
    setup.ok_or_else(|| binder.into_faults())
}

fn faults(toml: &str) -> Vec<(&'static str, Vec<String>)> {
    marks(&bind(toml, Rules::default(), true).unwrap_err())
}

fn rules(toml: &str) -> Result<Rules, Vec<Diagnostic>> {
    let source = Source::new("s.toml", toml);
    let table = Spanned { value: Tree::Table(tree::parse(toml).unwrap()), range: 0..toml.len() };
    keys::read(table, &source, true)
}

fn read(input: &str, size_limits: bool) -> Result<Setup, Vec<Diagnostic>> {
    let source = Source::new("input", input);
    let mut binder = Binder::new(&source, size_limits);
    let setup = Stacking::read_input(&mut Input::new(Excerpt::all(&source)), Rules::default(), &mut binder);
    assert_eq!(setup.is_some(), binder.is_clean());
    setup.ok_or_else(|| binder.into_faults())
}

#[test]
fn colors_are_digits_or_letters() {
    let setup = bind(&[BOARD, PIECES].concat(), Rules::default(), true).unwrap();
    let digits: String = setup.board().cells().iter().map(|&color| stdio::digit(color)).collect();
    assert_eq!(digits, "0012001200120000");
}

#[test]
fn every_fault_of_a_scenario_is_found_where_it_stands() {
    let toml = "board = ['0 0 x 0', '0 0 0 0', '0 33 0 0', '0 0 0 0']
pieces = [
  { at = [1, 5], facing = \"right\" },
  { at = [2, 2], facing = \"left\" },
  { at = [2, 2], facing = \"up\" },
  { at = [1], facing = \"up\" },
  { at = [0, -3] },
  { facing = \"down\" },
]";
    let mark = |code, marked: &[&str]| (code, marked.iter().map(|&text| text.to_owned()).collect());
    let expected: Vec<(_, Vec<_>)> = vec![
        mark("stacking::color", &["x"]),
        mark("stacking::color", &["33"]),
        mark("stacking::piece", &["[1]"]),
        mark("stacking::piece", &["{ at = [0, -3] }"]),
        mark("stacking::piece", &["{ facing = \"down\" }"]),
        mark("stacking::off-board", &["[1, 5]"]),
        mark("stacking::shared-square", &["[2, 2]", "[2, 2]"]),
        mark("stacking::off-board", &["[0, -3]"]),
    ];
    assert_eq!(faults(toml), expected);
}

#[test]
fn a_drawn_fault_says_what_which_and_what_to_do() {
    let toml = [BOARD, &PIECES.replace("[2, 1]", "[1, 2]")].concat();
    let drawn: String =
        bind(&toml, Rules::default(), true).unwrap_err().iter().map(|fault| fault.draw(false)).collect();
    let expected = "\
error[stacking::shared-square]: pieces 2 and 3 start on the same square
 --> s.toml:5:10
  |
4 |   { at = [1, 2], facing = \"left\" },
  |          ------ piece 2 stands here
5 |   { at = [1, 2], facing = \"up\" },
  |          ^^^^^^ piece 3 stands here, too
";
    assert_eq!(drawn, expected);
}

#[test]
fn missing_keys_are_named() {
    let titles: Vec<_> =
        bind("", Rules::default(), true).unwrap_err().into_iter().map(|fault| fault.title).collect();
    assert_eq!(titles, ["`board` is missing", "`pieces` is missing"]);
}

#[test]
fn sizes_beyond_the_statement_need_lifted_limits() {
    let one = "board = ['.']\npieces = [{ at = [1, 1], facing = \"up\" }]";
    let codes: Vec<_> = faults(one).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["stacking::board-size", "stacking::piece-count"]);
    assert!(bind(one, Rules::default(), false).is_ok());

    let wide = format!("board = ['{}']\n{PIECES}", ".".repeat(5));
    assert_eq!(faults(&wide)[0].0, "stacking::not-square");

    let none = format!("{BOARD}pieces = []");
    assert_eq!(marks(&bind(&none, Rules::default(), false).unwrap_err())[0].0, "stacking::piece-count");

    let huge = format!("board = [{}]\n{PIECES}", format!("'{}',", ".".repeat(1025)).repeat(1025));
    let faults = bind(&huge, Rules::default(), false).unwrap_err();
    assert_eq!((faults[0].code, &*faults[0].title), ("stacking::board-size", "the board has 1025 rows"));
    assert!(faults[0].help.is_empty(), "nothing lifts this limit");
}

#[test]
fn house_rules_are_read_and_their_faults_found() {
    let all = "height_limit = 2\nturn_limit = 1000000000\nmoves = 'lowest'\nblocked = 'turns-back'
ends = 'after-turn'\nred = 'whole-stack'\nbudget = 7";
    let expected = Rules {
        height_limit: 2,
        turn_limit: 1_000_000_000,
        moves: Movers::Lowest,
        blocked: Blocked::TurnsBack,
        ends: Ends::AfterTurn,
        red: Red::WholeStack,
        budget: 7,
    };
    assert_eq!(rules(all).unwrap(), expected);
    assert_eq!(rules("").unwrap(), Rules::default());
    let wrong = "height_limit = 1\nturn_limit = 1000000000000001\nmoves = 'lowst'";
    let faults = rules(wrong).unwrap_err();
    assert_eq!(faults[2].help, ["did you mean `lowest`?"]);
    let marks = marks(&faults);
    let codes: Vec<_> = marks.iter().map(|(code, marked)| (*code, &*marked[0])).collect();
    let expected = [
        ("scenario::out-of-range", "1"),
        ("scenario::out-of-range", "1000000000000001"),
        ("scenario::unknown-word", "'lowst'"),
    ];
    assert_eq!(codes, expected);
}

#[test]
fn what_is_written_is_read_again() {
    let changed = Rules { height_limit: 3, red: Red::WholeStack, ..Rules::default() };
    let setup = bind(&[BOARD, PIECES].concat(), changed.clone(), true).unwrap();
    let written = keys::write(&Stacking::write_doc(&setup), setup.rules());
    let (own, house) = written.split_once("rules = ").unwrap();
    assert_eq!(house, "{ height_limit = 3, red = \"whole-stack\" }\n");
    assert_eq!(own, format!("board = \"\"\"\n0 0 1 2\n0 0 1 2\n0 0 1 2\n0 0 0 0\n\"\"\"\n{PIECES}"));
    assert_eq!(bind(own, changed, true).unwrap(), setup);

    let statement = Setup { rules: Rules::default(), ..setup };
    assert_eq!(keys::write(&Stacking::write_doc(&statement), statement.rules()), own);
    let input = Stacking::write_input(&statement);
    assert_eq!(input, "4 4\n0 0 1 2\n0 0 1 2\n0 0 1 2\n0 0 0 0\n1 1 1\n1 2 2\n2 1 3\n4 4 4\n");
    assert_eq!(read(&input, true).unwrap(), statement);
}

#[test]
fn every_fault_of_an_input_is_found_where_it_stands() {
    let input = "4 4\n0 0 7 0\n0 x 0 0\n0 0 0 0\n0 0 0 0\n1 1 1\n1 1 5\n2 9 3\n3 3 3\n12";
    let found: Vec<_> = marks(&read(input, true).unwrap_err());
    let found: Vec<_> = found.iter().map(|(code, marked)| (*code, marked.join(" and "))).collect();
    let expected = [
        ("stacking::color", "7"),
        ("input::not-a-number", "x"),
        ("stacking::facing", "5"),
        ("input::goes-on", "12"),
        ("stacking::shared-square", "1 1 and 1 1"),
        ("stacking::off-board", "2 9"),
    ];
    assert_eq!(found, expected.map(|(code, marked)| (code, marked.to_owned())));
    assert!(read("1 1\n0\n1 1 1", false).is_ok());
}

#[test]
fn broken_inputs_are_refused_in_few_words() {
    for (input, expected) in [
        ("", "input::ends-early"),
        ("4", "input::ends-early"),
        ("4 4\n0 0", "input::ends-early"),
        ("-4 4", "stacking::board-size"),
        ("9999999999 4", "stacking::board-size"),
        ("9223372036854775807 -9223372036854775808", "stacking::board-size"),
        ("four 4", "input::not-a-number"),
        ("2000 5\n0 0 0 0", "stacking::board-size"),
    ] {
        for limits in [true, false] {
            let faults = read(input, limits).unwrap_err();
            assert_eq!(faults[0].code, expected, "{input}");
            assert!(faults.len() <= 2, "{input}");
        }
    }
    assert_eq!(marks(&read("5 11\n0 0 0 0", true).unwrap_err()).len(), 1, "a wrong size, and no early end");
}

#[test]
fn a_board_full_of_faults_shows_some_and_counts_the_rest() {
    let toml = format!("board = ['xxxx', 'xxxx', 'xxxx', 'xxxx']\n{PIECES}");
    let faults = bind(&toml, Rules::default(), true).unwrap_err();
    let notes: Vec<_> = faults.iter().map(|fault| fault.notes.len()).collect();
    assert_eq!(notes, [[0; 9].as_slice(), &[1]].concat());
    assert_eq!(faults[9].notes, ["… and 6 more like it"]);
}

#[test]
fn cells_have_one_spelling() {
    for (typed, canonical) in [(".", "."), ("0", "."), ("7", "7"), ("1-3-12", "1-3-12")] {
        assert_eq!(Stacking::cell("stacks", typed).as_deref(), Some(canonical));
    }
    for typed in ["", "-", "1-", "1--2", "01", "x", "1-0", "+1"] {
        assert_eq!(Stacking::cell("stacks", typed), None, "{typed}");
    }
}

/// Keeps the last frame of a run in which the steps after a cycle are not wanted.
struct Last<'a>(&'a Setup, Option<Frame>);

impl Observer<State, Event> for Last<'_> {
    fn active(&self) -> bool {
        true
    }

    fn next(&self, _: u64) -> Option<u64> {
        None
    }

    fn on(&mut self, state: &State, event: impl FnOnce() -> Event) {
        self.1 = Some(Stacking::frame(self.0, state, &event()));
    }
}

#[test]
fn the_last_frame_shows_what_the_facts_say() {
    let mut endless = 0;
    for game in 0..300 {
        let mut rng = Rng::new(41, game);
        let side = 2 + rng.below(4) as usize;
        let board =
            Grid::from_fn(side, side, |_| [Color::White, Color::Red, Color::Blue][rng.below(3) as usize]);
        let mut places: Vec<_> = board.iter().map(|(at, _)| at).collect();
        rng.shuffle(&mut places);
        let pieces = places.into_iter().take(1 + rng.below(4) as usize);
        let pieces: Vec<_> = pieces.map(|at| Piece { at, facing: Dir::ALL[rng.below(4) as usize] }).collect();
        for turn_limit in [1, 2, 7, 50, 999, 1000, 1_000_000_000_007] {
            let rules = Rules { turn_limit, ..Rules::default() };
            let setup = Setup { board: board.clone(), pieces: pieces.clone(), rules };
            let mut last = Last(&setup, None);
            let outcome = Stacking::run(&setup, &mut last);
            let frame = last.1.expect("a frame");
            let Some(Ok(Value::Board(stacks))) = Stacking::answer(&setup, &outcome, "stacks") else {
                panic!("{setup:?}")
            };
            let drawn = frame.boards[1]
                .rows
                .concat()
                .into_iter()
                .map(|cell| cell.text.replace(['>', '<', '^', 'v'], ""));
            assert_eq!(drawn.collect::<Vec<_>>(), stacks.cells(), "{frame:?}");
            if let Ending::Cycle { .. } = outcome.ending {
                endless += 1;
                assert_eq!((frame.step, &*frame.rule), (turn_limit, "stacking::turn-limit"));
            }
        }
    }
    assert!(endless > 500, "{endless} games never end");
}

#[test]
fn a_budget_counts_each_piece_in_every_whole_turn_and_says_how_many_there_were() {
    // One piece is blocked for good, the other goes to and fro over eight squares.
    let toml = "board = ['b0bb', 'bbbb', '0000', '0000']
pieces = [{ at = [1, 2], facing = \"right\" }, { at = [3, 1], facing = \"right\" }]";
    for (budget, turns) in [(2, "1 turn "), (3, "1 turn "), (4, "2 turns "), (7, "3 turns ")] {
        let setup = bind(toml, Rules { budget, turn_limit: 9, ..Rules::default() }, false).unwrap();
        let unanswered =
            Stacking::answer(&setup, &Stacking::run(&setup, &mut ()), "turn").unwrap().unwrap_err();
        assert!(unanswered.why.contains(&format!("after {turns}")), "{}", unanswered.why);
    }
}

#[test]
fn every_code_and_event_is_the_engines_own() {
    for spec in Stacking::CODES.iter().chain(Stacking::EVENTS) {
        assert!(spec.code.starts_with("stacking::"), "{}", spec.code);
    }
}
