//! The engine and its twin play the same games; what only the engine has is held to the statement's samples.

use std::fmt::Write as _;

use rulebook::engine::{Binder, Engine, MomentFact, Now, Observer, Run};
use rulebook::engines::match3::rules::{HandChoice, Hands, Join};
use rulebook::engines::match3::score::Points;
use rulebook::engines::match3::{Event, Match3, Rules, Setup, State};
use rulebook::grid::Grid;
use rulebook::input::Input;
use rulebook::rng::Rng;
use rulebook::source::{Excerpt, Source};
use rulebook::value::Value;

use super::match3::{Game, House, Played, play};

impl Game {
    /// The game in the statement's input format.
    fn input(&self) -> String {
        let (rows, cols) = (self.board.len(), self.board[0].len());
        let colors = self.board.iter().flatten().max().unwrap();
        let mut text = format!("{rows} {cols} {colors} {}\n", self.swaps.len());
        for row in self.board.iter().chain(&self.specials) {
            let cells: Vec<_> = row.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "{}", cells.join(" "));
        }
        for [row1, col1, row2, col2] in &self.swaps {
            let _ = writeln!(text, "{row1} {col1} {row2} {col2}");
        }
        text
    }

    fn setup(&self) -> Setup {
        read(&self.input(), self.house.rules())
    }
}

impl House {
    fn rules(&self) -> Rules {
        let [high_card, one_pair, two_pairs, three, full_house, four, five] =
            self.hands.map(|points| points as i64);
        let join = if self.corners_join { Join::Corners } else { Join::Edges };
        Rules {
            line: self.line,
            small_square: self.small_square,
            large_square: self.large_square,
            blocks_join: join,
            hands: if self.sliding_hands { Hands::Sliding } else { Hands::Fives },
            hand_choice: if self.first_color { HandChoice::FirstColor } else { HandChoice::MostPoints },
            points: Points {
                chain: self.chain as i64,
                combo: self.combo as i64,
                high_card,
                one_pair,
                two_pairs,
                three,
                full_house,
                four,
                five,
                all_valid: self.all_valid as i64,
                cleared: self.cleared as i64,
            },
        }
    }
}

fn read(text: &str, rules: Rules) -> Setup {
    let source = Source::new("input", text);
    let mut binder = Binder::new(&source, false);
    let setup = Match3::read_input(&mut Input::new(Excerpt::all(&source)), rules, &mut binder);
    let faults: Vec<_> = binder.into_faults().iter().map(|fault| fault.draw(false)).collect();
    assert!(faults.is_empty(), "{}\n{text}", faults.concat());
    setup.unwrap()
}

/// Gathers the course of a run, and every moment after every swap.
#[derive(Default)]
struct Witness {
    /// The items of each fact of the course.
    gathered: Vec<Vec<Value>>,
    moments: Vec<Vec<Value>>,
    codes: Vec<String>,
}

impl Witness {
    fn of(setup: &Setup) -> (Self, Vec<Value>) {
        let mut witness = Self { gathered: vec![Vec::new(); Match3::facts().len()], ..Self::default() };
        let outcome = Match3::run(setup, &mut WithSetup(setup, &mut witness));
        let run = Run { setup, outcome: &outcome };
        let facts = Match3::facts().iter().zip(&witness.gathered);
        let facts = facts.map(|(fact, items)| fact.answer(&run, items.clone()).unwrap()).collect();
        (witness, facts)
    }

    fn moment(&self, swap: usize, name: &str) -> &Value {
        let at = Match3::moments().iter().position(|fact| fact.spec().name == name).unwrap();
        &self.moments[swap - 1][at]
    }
}

struct WithSetup<'a>(&'a Setup, &'a mut Witness);

impl Observer<State, Event> for WithSetup<'_> {
    fn active(&self) -> bool {
        true
    }

    fn next(&self, _: u64) -> Option<u64> {
        None
    }

    fn on(&mut self, state: &State, event: impl FnOnce() -> Event) {
        let event = event();
        let Self(setup, witness) = self;
        let now = Now { setup: *setup, state, event: &event };
        for (fact, items) in Match3::facts().iter().zip(&mut witness.gathered) {
            items.extend(fact.gather(&now));
        }
        let frame = Match3::frame(setup, state, &event);
        assert!(Match3::EVENTS.iter().any(|spec| spec.code == frame.rule), "{}", frame.rule);
        witness.codes.push(frame.rule);
        if let Some(step) = Match3::step(&event) {
            assert_eq!(step, frame.step);
            let moment = |fact: &MomentFact<Match3>| {
                let value = fact.answer(&now);
                assert!(value.is(fact.spec().kind), "{}", fact.spec().name);
                value
            };
            witness.moments.push(Match3::moments().iter().map(moment).collect());
        }
    }
}

fn fact(facts: &[Value], name: &str) -> Value {
    let at = Match3::facts().iter().position(|fact| fact.spec().name == name).unwrap();
    assert!(facts[at].is(Match3::facts()[at].spec().kind), "{name}");
    facts[at].clone()
}

const KINDS: [&str; 7] = [
    "high-card",
    "one-pair",
    "two-pairs",
    "three-of-a-kind",
    "full-house",
    "four-of-a-kind",
    "five-of-a-kind",
];

fn exact(number: i128) -> i64 {
    i64::try_from(number).expect("points that fit a fact")
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    Value::List(texts.into_iter().map(|text| Value::Text(text.to_owned())).collect())
}

fn drawn(board: &[Vec<u8>]) -> Value {
    let cell = |&number: &u8| if number == 0 { ".".to_owned() } else { number.to_string() };
    Value::Board(Grid::from_cells(board[0].len(), board.iter().flatten().map(cell).collect()).unwrap())
}

/// The twin's answer for every fact.
fn expected(played: &Played) -> Vec<(&'static str, Value)> {
    let primary = played.primary.iter().map(|colors| {
        let mut colors = colors.clone();
        colors.sort_unstable();
        Value::ints(colors.into_iter().map(i64::from))
    });
    let parts = [played.elimination, played.chain, played.combo, played.hands, played.endgame];
    let [elimination, chain, combo, hands, endgame] = parts.map(exact).map(Value::Int);
    vec![
        ("score", Value::Int(exact(parts.iter().sum()))),
        ("elimination", elimination),
        ("chain", chain),
        ("combo", combo),
        ("hands", hands),
        ("endgame", endgame),
        ("valid_swaps", Value::Int(played.valid as i64)),
        ("rounds", Value::Int(played.rounds as i64)),
        ("cleared", Value::Bool(played.cleared)),
        ("board", drawn(&played.board)),
        ("running", Value::ints(played.running.iter().copied().map(exact))),
        ("primary", Value::List(primary.collect())),
        ("hand_kinds", texts(played.kinds.iter().map(|&kind| KINDS[kind]))),
        ("skipped", texts(played.skipped.iter().copied())),
    ]
}

/// Plays a game with both; observed and not the outcome is the same.
fn compare(game: &Game, observed: bool) -> Played {
    let played = play(game);
    let setup = game.setup();
    let outcome = Match3::run(&setup, &mut ());
    let expected = expected(&played);
    let blame = || format!("{:?}\n{}", game.house, game.input());
    for (name, value) in expected.iter().take(10) {
        assert_eq!(Match3::answer(&setup, &outcome, name).unwrap().unwrap(), *value, "{name} of {}", blame());
    }
    if observed {
        let (witness, facts) = Witness::of(&setup);
        for (name, value) in expected {
            assert_eq!(fact(&facts, name), value, "{name} of {}", blame());
        }
        if let Some(last) = witness.moments.len().checked_sub(1) {
            let swaps = last + 1;
            assert_eq!(*witness.moment(swaps, "specials"), drawn(&played.specials), "{}", blame());
            assert_eq!(*witness.moment(swaps, "board"), drawn(&played.board), "{}", blame());
            let so_far = played.elimination + played.chain + played.combo + played.hands;
            assert_eq!(*witness.moment(swaps, "score"), Value::Int(exact(so_far)), "{}", blame());
        }
    }
    played
}

fn sometimes<T>(rng: &mut Rng, percent: u64, rare: impl FnOnce(&mut Rng) -> T, usual: T) -> T {
    if rng.percent(percent) { rare(rng) } else { usual }
}

fn random_house(rng: &mut Rng) -> House {
    let points = |rng: &mut Rng, usual: i128| -> i128 {
        let absurd = |rng: &mut Rng| if rng.percent(50) { 1_000_000_000 } else { rng.below(2000).into() };
        sometimes(rng, 30, absurd, usual)
    };
    let usual = House::default();
    House {
        line: sometimes(rng, 50, |rng| [2, 4, 5, 3, 9][rng.below(5) as usize], 3),
        small_square: sometimes(rng, 30, |rng| rng.below(4) as usize, 1),
        large_square: sometimes(rng, 30, |rng| rng.below(12) as usize, 2),
        corners_join: rng.percent(40),
        sliding_hands: rng.percent(40),
        first_color: rng.percent(40),
        chain: points(rng, usual.chain),
        combo: points(rng, usual.combo),
        hands: usual.hands.map(|usual| points(rng, usual)),
        all_valid: points(rng, usual.all_valid),
        cleared: points(rng, usual.cleared),
    }
}

/// A board without lines: where a drawn color would make one, the next does not, or the one after that.
fn random_board(rng: &mut Rng, rows: usize, cols: usize, colors: u64, line: usize) -> Vec<Vec<u8>> {
    let mut board = vec![vec![0u8; cols]; rows];
    for row in 0..rows {
        for col in 0..cols {
            let first = rng.below(colors) as u8;
            let ends_line = |color: u8| {
                let left = (0..col).rev().take_while(|&c| board[row][c] == color).count();
                let above = (0..row).rev().take_while(|&r| board[r][col] == color).count();
                left + 1 >= line || above + 1 >= line
            };
            let in_turn = (0..colors as u8).map(|i| (first + i) % colors as u8 + 1);
            board[row][col] =
                in_turn.chain([colors as u8 + 1, colors as u8 + 2]).find(|&color| !ends_line(color)).unwrap();
        }
    }
    board
}

fn random_swap(rng: &mut Rng, height: i64, width: i64, bad: u64) -> [i32; 4] {
    let (row, col) = (rng.range(1, height), rng.range(1, width));
    let (row2, col2) = if rng.percent(bad) {
        match rng.below(5) {
            0 => (row, col),
            1 => (row + 1, col - 1),
            2 => (rng.range(-2, height + 3), rng.range(-2, width + 3)),
            3 => (i64::from(i32::MAX), i64::from(i32::MIN)),
            _ => (row, col + 2),
        }
    } else {
        let horizontal = height == 1 || width > 1 && rng.percent(50);
        let step = if rng.percent(50) { 1 } else { -1 };
        if horizontal { (row, col + step) } else { (row + step, col) }
    };
    let swap = [row, col, row2, col2].map(|number| number as i32);
    if rng.percent(bad) { [swap[2], swap[3], swap[0], swap[1]] } else { swap }
}

/// A game of one of many sorts.
fn random_game(rng: &mut Rng) -> Game {
    let house = sometimes(rng, 40, random_house, House::default());
    let (rows, cols) = match rng.below(40) {
        0 => (1, rng.range(1, 40)),
        1 => (rng.range(1, 100), 1),
        2 => (rng.range(40, 249), rng.range(1, 4)),
        3 => (rng.range(1, 4), rng.range(40, 120)),
        4..10 => (rng.range(8, 14), rng.range(8, 14)),
        10 => (rng.range(12, 36), rng.range(3, 5)),
        _ => (rng.range(2, 8), rng.range(2, 8)),
    };
    let colors = match rng.below(10) {
        0 => 100,
        1 => rng.below(250) + 1,
        2..5 => 2,
        _ => rng.below(6) + 2,
    };
    let board = random_board(rng, rows as usize, cols as usize, colors, house.line);
    let specials_percent = [0, 0, 0, 2, 2, 10, 40, 100][rng.below(8) as usize];
    let only = sometimes(rng, 30, |rng| rng.below(6) as u8 + 1, 0);
    let special = |rng: &mut Rng| if only > 0 { only } else { rng.below(6) as u8 + 1 };
    let specials = board
        .iter()
        .map(|row| row.iter().map(|_| sometimes(rng, specials_percent, special, 0)).collect())
        .collect();
    let bad = [0, 0, 2, 30][rng.below(4) as usize];
    let number = rng.below(40) as usize;
    let mut swaps: Vec<_> = (0..number).map(|_| random_swap(rng, rows, cols, bad)).collect();
    // All pairs of neighbours, again and again until the board is exhausted.
    if rows * cols < 65 && rng.percent(25) {
        let all = (1..=rows as i32).flat_map(|r| (1..=cols as i32).map(move |c| (r, c)));
        let pairs = all.flat_map(|(r, c)| [[r, c, r, c + 1], [r + 1, c, r, c]]);
        let mut pairs: Vec<_> = pairs.filter(|&[r, _, _, c]| r <= rows as i32 && c <= cols as i32).collect();
        rng.shuffle(&mut pairs);
        (0..2).for_each(|_| swaps.extend(&pairs));
    }
    Game { board, specials, swaps, house }
}

#[test]
fn engine_and_twin_agree() {
    let cases = if std::env::var_os("RULEBOOK_LONG_TESTS").is_some() { 1_000_000 } else { 20_000 };
    let (mut valid, mut long, mut cleared, mut reasons) = (0, 0, 0, std::collections::BTreeSet::new());
    for case in 0..cases {
        let mut rng = Rng::new(3, case);
        let game = random_game(&mut rng);
        let played = compare(&game, case % 8 == 0);
        valid += played.valid;
        long += usize::from(played.chain > 80 * 9);
        cleared += usize::from(played.cleared);
        reasons.extend(played.skipped);
    }
    // The sample is worth something: much happens in it, and every reason to skip.
    assert!(valid as u64 > cases && long > 100 && cleared > 100, "{valid} {long} {cleared}");
    assert_eq!(reasons.len(), 6, "{reasons:?}");
}

/// The game that reads `1 2 1 / …`: colors, then specials as `(row, col, effect)`, then swaps.
fn game(board: &str, specials: &[(usize, usize, u8)], swaps: &[[i32; 4]]) -> Game {
    let board: Vec<Vec<u8>> = board
        .split('/')
        .map(|row| row.split_whitespace().map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let mut effects: Vec<_> = board.iter().map(|row| vec![0; row.len()]).collect();
    for &(row, col, effect) in specials {
        effects[row - 1][col - 1] = effect;
    }
    Game { board, specials: effects, swaps: swaps.to_vec(), house: House::default() }
}

const SAMPLE_BOARD: &str = "1 1 5 1 5 4 5 3 / 2 1 2 2 5 4 3 2 / 1 4 1 4 2 1 5 4 / 2 1 5 5 2 1 4 4 / \
    2 3 5 2 3 4 2 2 / 4 2 4 3 3 2 4 5 / 1 3 4 3 5 2 4 3 / 3 4 2 5 2 1 1 2";

#[test]
fn sample_1_with_all_that_its_note_explains() {
    let specials = [(2, 1, 2), (3, 5, 5), (6, 4, 6), (6, 7, 3), (6, 8, 1), (7, 5, 3), (8, 7, 1), (8, 8, 4)];
    let swaps = [[3, 2, 4, 2], [5, 4, 5, 5], [7, 2, 7, 3], [8, 5, 8, 6], [6, 7, 6, 8]];
    let game = game(SAMPLE_BOARD, &specials, &swaps);
    compare(&game, true);
    let (witness, facts) = Witness::of(&game.setup());
    assert_eq!(fact(&facts, "score"), Value::Int(11692));
    assert_eq!(fact(&facts, "running"), Value::ints([315, 417, 429, 435, 482]));
    assert_eq!(fact(&facts, "hands"), Value::Int(210));
    assert_eq!(fact(&facts, "hand_kinds"), texts(["two-pairs"]));
    assert_eq!(fact(&facts, "endgame"), Value::Int(11000));
    assert_eq!(fact(&facts, "cleared"), Value::Bool(true));
    assert_eq!(*witness.moment(5, "score"), Value::Int(692));
    let ends: Vec<_> = witness.codes.iter().rev().take(4).rev().map(String::as_str).collect();
    assert_eq!(ends, ["match3::hand", "match3::swap-scored", "match3::all-valid", "match3::cleared"]);
    let ledger = Match3::ledger(&game.setup()).unwrap();
    let column = |name: &str| ledger.head.iter().position(|head| head == name).unwrap();
    let running: Vec<_> = ledger.rows.iter().map(|row| row[column("running")].as_str()).collect();
    assert_eq!(running, ["315", "417", "429", "435", "", "482", "", "", ""]);
    let hand = &ledger.rows[4];
    assert_eq!(
        [&hand[column("cells")], &hand[column("result")], &hand[column("points")]],
        ["1 2 4 2 4", "two-pairs", "210"]
    );
    assert_eq!(ledger.rows[8][column("points")], "11692");
}

#[test]
fn sample_2_skips_three_swaps_and_ends_without_endgame_points() {
    let specials = [(2, 1, 2), (3, 5, 5), (6, 4, 6), (6, 7, 3), (6, 8, 1), (7, 5, 3)];
    let swaps = [
        [1, 1, 2, 2],
        [3, 2, 4, 2],
        [3, 2, 3, 3],
        [4, 2, 4, 3],
        [5, 4, 5, 5],
        [7, 2, 7, 3],
        [8, 5, 8, 6],
        [6, 7, 6, 8],
    ];
    let game = game(SAMPLE_BOARD, &specials, &swaps);
    compare(&game, true);
    let (_, facts) = Witness::of(&game.setup());
    assert_eq!(fact(&facts, "score"), Value::Int(684));
    assert_eq!(fact(&facts, "valid_swaps"), Value::Int(5));
    assert_eq!(fact(&facts, "endgame"), Value::Int(0));
}

#[test]
fn sample_3_counts_two_blocks_by_their_edges() {
    let board = "1 1 2 1 1 / 1 1 2 1 1 / 2 2 1 2 2 / 1 1 2 1 1 / 1 1 2 1 1";
    let game = game(board, &[], &[[3, 3, 4, 3]]);
    compare(&game, true);
    let (_, facts) = Witness::of(&game.setup());
    assert_eq!(fact(&facts, "score"), Value::Int(3023));
    assert_eq!(fact(&facts, "primary"), Value::List(vec![Value::ints([1, 2])]));
}

/// The facts of a game on which both agree.
fn facts_of(game: &Game) -> impl Fn(&str) -> Value + use<> {
    compare(game, true);
    let (_, facts) = Witness::of(&game.setup());
    move |name| fact(&facts, name)
}

#[test]
fn each_reason_to_skip_has_its_name_and_the_first_in_order_counts() {
    let swaps = [
        [0, 1, 0, 1],
        [1, 1, 1, 5],
        [2, 2, 2, 2],
        [1, 1, 2, 2],
        [1, 1, 1, 3],
        [1, 1, 1, 2],
        [3, 3, 3, 4],
        [1, 1, 2, 1],
    ];
    let facts = facts_of(&game("1 2 3 4 / 2 3 4 2 / 1 1 2 1", &[], &swaps));
    let expected =
        ["off-board", "off-board", "same-cell", "not-adjacent", "not-adjacent", "no-match", "", "empty-cell"];
    assert_eq!(facts("skipped"), texts(expected));
}

#[test]
fn a_skipped_swap_gives_back_colors_and_specials() {
    let start = game("1 2 3 / 2 3 1", &[(1, 1, 4)], &[[1, 1, 1, 2]]);
    let (witness, _) = Witness::of(&start.setup());
    compare(&start, true);
    assert_eq!(*witness.moment(1, "specials"), drawn(&start.specials));
    assert_eq!(*witness.moment(1, "board"), drawn(&start.board));
}

#[test]
fn equal_colors_never_match_but_a_special_moves_with_its_piece() {
    assert_eq!(facts_of(&game("1 1 2 1", &[(1, 1, 6)], &[[1, 1, 1, 2]]))("valid_swaps"), Value::Int(0));
    // The special swapped away from the line stays, and that swapped into it acts.
    let facts = facts_of(&game("1 1 2 1 2", &[(1, 3, 1)], &[[1, 3, 1, 4]]));
    assert_eq!(facts("elimination"), Value::Int(3));
    let facts = facts_of(&game("1 1 2 1 2", &[(1, 4, 1)], &[[1, 3, 1, 4]]));
    assert_eq!(facts("elimination"), Value::Int(7));
}

#[test]
fn specials_hit_one_another_each_once_and_each_piece_counts_once() {
    // The row effect hits the column effect, which hits the row of its own color through effect 6.
    let board = "2 3 4 3 6 / 3 2 3 4 5 / 1 1 2 1 2";
    let facts = facts_of(&game(board, &[(3, 4, 1), (3, 5, 2), (2, 5, 6), (1, 5, 1)], &[[3, 3, 3, 4]]));
    assert_eq!(facts("rounds"), Value::Int(1));
    // Row 3 is 1 1 1 2 2, column 5 adds 5 and 6, and row 1 adds 2 3 4 3.
    assert_eq!(facts("elimination"), Value::Int(7 + 11 + 12));
}

#[test]
fn touching_parallel_lines_are_one_block() {
    // Three 9s vanish upright; the two 1s above them fall beside two each, in rows one on the other.
    let board = "3 1 4 5 / 4 1 5 4 / 3 9 4 5 / 9 5 1 1 / 4 9 1 1";
    let facts = facts_of(&game(board, &[], &[[4, 1, 4, 2]]));
    assert_eq!(facts("rounds"), Value::Int(2));
    assert_eq!(facts("combo"), Value::Int(450));
    assert_eq!(facts("running"), Value::ints([27 + 12 + 80 + 450]));
}

#[test]
fn blocks_that_touch_at_a_corner_are_two_unless_the_house_joins_them() {
    // Three 9s vanish; the 1s above them complete a line in each of two rows, which touch at a corner.
    let board = "2 3 1 4 5 6 / 1 1 2 1 1 3 / 4 5 3 2 4 1 / 5 6 9 9 8 7 / 6 7 5 6 9 4";
    let mut game = game(board, &[], &[[4, 5, 5, 5]]);
    assert_eq!(facts_of(&game)("combo"), Value::Int(0));
    game.house.corners_join = true;
    assert_eq!(facts_of(&game)("combo"), Value::Int(450));
}

#[test]
fn only_matched_pieces_are_in_a_block() {
    // Three 1s match; the 1 above them is their neighbour but no line's.
    let facts = facts_of(&game("2 1 3 2 / 1 1 2 1", &[], &[[2, 3, 2, 4]]));
    assert_eq!((facts("combo"), facts("elimination")), (Value::Int(0), Value::Int(3)));
}

/// A board of pairs of rows with `n` chances to make a line of each of `colors`, far from one another.
fn chances(colors: &[u8]) -> Game {
    // Column c of a block reads x x / . y; the swap of the lower two brings the third x.
    let (mut board, mut swaps) = (vec![Vec::new(); 2], Vec::new());
    for (i, &color) in colors.iter().enumerate() {
        let (low, high) = (101 + 2 * (i as u8 % 2), 102 + 2 * (i as u8 % 2));
        board[0].extend([color, color, low, high]);
        board[1].extend([low + 10, high + 10, color, low + 20]);
        let col = 4 * i as i32 + 3;
        swaps.push([1, col, 2, col]);
    }
    let specials = board.iter().map(|row: &Vec<u8>| vec![0; row.len()]).collect();
    Game { board, specials, swaps, house: House::default() }
}

#[test]
fn five_valid_swaps_make_a_hand_and_what_is_left_over_none() {
    assert_eq!(facts_of(&chances(&[1, 1, 1, 1]))("hands"), Value::Int(0));
    assert_eq!(facts_of(&chances(&[1, 1, 1, 1, 1]))("hands"), Value::Int(1010));
    assert_eq!(facts_of(&chances(&[1, 1, 1, 1, 1, 2, 2, 2, 2]))("hands"), Value::Int(1010));
    let facts = facts_of(&chances(&[1, 1, 1, 1, 1, 2, 2, 3, 3, 3]));
    assert_eq!(facts("hand_kinds"), texts(["five-of-a-kind", "full-house"]));
    assert_eq!(facts("hands"), Value::Int(1010 + 500 + 9 + 2));
}

#[test]
fn a_skipped_swap_neither_counts_in_a_hand_nor_breaks_one() {
    let mut game = chances(&[1, 1, 1, 1, 1]);
    game.swaps.insert(2, [1, 1, 1, 1]);
    let facts = facts_of(&game);
    assert_eq!(facts("hands"), Value::Int(1010));
    assert_eq!(facts("endgame"), Value::Int(0));
}

#[test]
fn sliding_hands_count_after_every_valid_swap_from_the_fifth_on() {
    let mut game = chances(&[1, 1, 1, 1, 1, 2, 2]);
    game.house.sliding_hands = true;
    let facts = facts_of(&game);
    assert_eq!(facts("hand_kinds"), texts(["five-of-a-kind", "four-of-a-kind", "full-house"]));
}

#[test]
fn an_empty_board_and_only_valid_swaps_are_worth_points_of_their_own() {
    let facts = facts_of(&game("1 1 2 1", &[(1, 4, 1)], &[[1, 3, 1, 4]]));
    assert_eq!((facts("endgame"), facts("cleared")), (Value::Int(11000), Value::Bool(true)));
    let facts = facts_of(&game("1 1 2 1", &[(1, 4, 1)], &[[1, 3, 1, 4], [1, 1, 1, 2]]));
    assert_eq!(facts("endgame"), Value::Int(10000));
}

/// A large board on which nothing matches, but for what `top` has in its upper left corner.
fn quiet(rows: usize, cols: usize, top: &str) -> Game {
    let mut game = game(top, &[], &[]);
    let corner = std::mem::take(&mut game.board);
    let cell = |r: usize, c: usize| {
        let drawn = corner.get(r).and_then(|row| row.get(c)).copied();
        drawn.unwrap_or((20 + (r % 2) * 10 + c % 3) as u8)
    };
    game.board = (0..rows).map(|r| (0..cols).map(|c| cell(r, c)).collect()).collect();
    game.specials = vec![vec![0; cols]; rows];
    game
}

#[test]
fn swaps_allocate_nothing() {
    let allocations = |game: &Game| {
        let setup = game.setup();
        crate::alloc::count(|| Match3::run(&setup, &mut ())).1
    };
    for case in 0..300 {
        let mut game = random_game(&mut Rng::new(5, case));
        game.swaps.extend(game.swaps.clone());
        let all = allocations(&game);
        game.swaps.clear();
        assert_eq!(all, allocations(&game), "{}", game.input());
    }
}

#[cfg(debug_assertions)]
#[test]
fn the_work_of_a_swap_does_not_grow_with_the_board() {
    use rulebook::engines::match3::work;
    let top = "1 1 2 1 / 3 4 5 6";
    let of = |side: usize, swaps: &[[i32; 4]]| {
        let mut game = quiet(side, side, top);
        game.swaps = swaps.to_vec();
        let setup = game.setup();
        let before = work();
        let outcome = Match3::run(&setup, &mut ());
        (outcome.tally().valid_swaps, work() - before)
    };
    let far = |side: i32| vec![[side, side, side, side - 1]; 100];
    let (small, large) = (of(20, &far(20)), of(1012, &far(1012)));
    assert_eq!(small, large);
    assert_eq!(small.0, 0);
    assert!(small.1 > 0);
    let valid = [[1, 3, 1, 4]];
    assert_eq!(of(20, &valid).0, 1);
    assert_eq!(of(20, &valid), of(1012, &valid));
}
