//! The stacking engine against its twin, the statement's samples and the rulings.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use rulebook::engine::{Binder, Engine, Now, Observer};
use rulebook::engines::stacking::{
    Blocked, Ending, Ends, Event, Movers, Outcome, Red, Rules, Setup, Stacking, State, What,
};
use rulebook::grid::Pos;
use rulebook::input::Input;
use rulebook::rng::Rng;
use rulebook::source::{Excerpt, Source};
use rulebook::value::Value;

use super::stacking::{Game, House, play};
use crate::alloc;

const SAMPLES: [(&str, i64); 5] = [
    ("4 4  0 0 2 0  0 0 1 0  0 0 1 2  0 2 0 0  2 1 1  3 2 3  2 2 1  4 1 2", -1),
    ("4 4  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0  1 1 1  1 2 1  1 3 1  1 4 1", 1),
    ("4 4  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0  1 1 1  1 2 1  1 3 1  2 4 3", 1),
    ("4 4  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0  1 1 1  1 2 1  1 3 1  3 3 3", 2),
    (
        "6 10  0 1 2 0 1 1  1 2 0 1 1 0  2 1 0 1 1 0  1 0 1 1 0 2  2 0 1 2 0 1  0 2 1 0 2 1
        1 1 1  2 2 2  3 3 4  4 4 1  5 5 3  6 6 2  1 6 3  6 1 2  2 4 3  4 2 1",
        7,
    ),
];

/// Looks on, and wants `turns` whatever is known.
struct Watcher<F> {
    turns: RangeInclusive<u64>,
    on: F,
}

impl<F: FnMut(&State, &Event)> Observer<State, Event> for Watcher<F> {
    fn active(&self) -> bool {
        true
    }

    fn next(&self, after: u64) -> Option<u64> {
        Some((after + 1).max(*self.turns.start())).filter(|next| next <= self.turns.end())
    }

    fn on(&mut self, state: &State, event: impl FnOnce() -> Event) {
        (self.on)(state, &event());
    }
}

fn watch(setup: &Setup, until: u64, on: impl FnMut(&State, &Event)) -> Outcome {
    Stacking::run(setup, &mut Watcher { turns: 0..=until, on })
}

fn setup(input: &str, rules: Rules) -> Setup {
    bind(input, rules, true)
}

fn any_size(input: &str, rules: Rules) -> Setup {
    bind(input, rules, false)
}

fn bind(input: &str, rules: Rules, size_limits: bool) -> Setup {
    let source = Source::new("input", input);
    let mut binder = Binder::new(&source, size_limits);
    let setup = Stacking::read_input(&mut Input::new(Excerpt::all(&source)), rules, &mut binder);
    let faults = binder.into_faults();
    setup.unwrap_or_else(|| panic!("{}", faults[0].draw(false)))
}

fn statement(input: &str) -> Setup {
    setup(input, Rules::default())
}

fn within(turn_limit: u64) -> Rules {
    Rules { turn_limit, ..Rules::default() }
}

fn turn(setup: &Setup) -> i64 {
    int(&fact(setup, &Stacking::run(setup, &mut ()), "turn"))
}

fn fact(setup: &Setup, outcome: &Outcome, name: &str) -> Value {
    Stacking::answer(setup, outcome, name).unwrap().unwrap()
}

fn moment(setup: &Setup, state: &State, event: &Event, name: &str) -> Value {
    let fact = Stacking::moments().iter().find(|fact| fact.spec().name == name).unwrap();
    fact.answer(&Now { setup, state, event })
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(int) => *int,
        _ => panic!("{value} is no number"),
    }
}

fn rules(house: House) -> Rules {
    Rules {
        height_limit: house.height_limit as u64,
        turn_limit: house.turn_limit,
        moves: if house.lowest { Movers::Lowest } else { Movers::FromPiece },
        blocked: if house.turns_back { Blocked::TurnsBack } else { Blocked::KeepsTurned },
        ends: if house.after_turn { Ends::AfterTurn } else { Ends::AtOnce },
        red: if house.whole_stack { Red::WholeStack } else { Red::Moved },
        ..Rules::default()
    }
}

/// The last position as facts, from the twin.
fn facts(game: &Game) -> [(&'static str, Value); 4] {
    let rows = game.stacks.iter().map(|row| {
        row.iter().map(|stack| {
            let pieces: Vec<_> = stack.iter().map(usize::to_string).collect();
            if pieces.is_empty() { ".".to_owned() } else { pieces.join("-") }
        })
    });
    let cells = rows.flatten().collect();
    let place = |piece| {
        let (row, col, _) = game.find(piece);
        Value::ints([row as i64 + 1, col as i64 + 1])
    };
    let names = ["right", "left", "up", "down"];
    let facing = |&facing: &i64| Value::Text(names[facing as usize - 1].to_owned());
    [
        ("stacks", Value::Board(rulebook::grid::Grid::from_cells(game.stacks.len(), cells).unwrap())),
        ("moves", Value::Int(game.moves)),
        ("facings", Value::List(game.facings.iter().map(facing).collect())),
        ("places", Value::List((1..=game.facings.len()).map(place).collect())),
    ]
}

/// A random game of the given size: `n` rows, `k` pieces.
fn random(rng: &mut Rng, n: u64, k: u64) -> String {
    let (red, blue) = [(0, 0), (50, 0), (30, 10), (10, 20), (0, 30), (33, 33), (20, 60), (0, 100), (100, 0)]
        [rng.below(9) as usize];
    let mut text = format!("{n} {k}\n");
    for _ in 0..n {
        for _ in 0..n {
            let draw = rng.below(100);
            let _ = write!(text, "{} ", if draw < red { 1 } else { u64::from(draw < red + blue) * 2 });
        }
        text.push('\n');
    }
    let mut squares: Vec<_> = (0..n * n).collect();
    rng.shuffle(&mut squares);
    for square in squares.into_iter().take(k as usize) {
        let _ = writeln!(text, "{} {} {}", square / n + 1, square % n + 1, rng.range(1, 4));
    }
    text
}

fn statement_size(rng: &mut Rng) -> String {
    let (n, k) = (rng.range(4, 12) as u64, rng.range(4, 10) as u64);
    random(rng, n, k)
}

fn turn_limit(rng: &mut Rng) -> u64 {
    let most = [20, 20, 50, 100, 200, 1000][rng.below(6) as usize];
    1 + rng.below(most)
}

fn cases(few: u64, many: u64) -> u64 {
    if std::env::var_os("RULEBOOK_LONG_TESTS").is_some() { many } else { few }
}

#[test]
fn the_samples_hold() {
    for (input, expected) in SAMPLES {
        let setup = statement(input);
        assert_eq!(turn(&setup), expected);
        let outcome = watch(&setup, 0, |_, _| ());
        assert_eq!(Stacking::write_output(&setup, &outcome).unwrap(), format!("{expected}\n"));
        assert_eq!(play(input, House::STATEMENT).turn, expected);
    }
}

/// Plays `input` unobserved, observed and by the twin; all must agree.
fn agree(input: &str, house: House) {
    let setup = any_size(input, rules(house));
    let outcome = Stacking::run(&setup, &mut ());
    let twin = play(input, house);
    assert_eq!(int(&fact(&setup, &outcome, "turn")), twin.turn, "{house:?}\n{input}");
    assert_eq!(watch(&setup, 0, |_, _| ()).ending, outcome.ending, "{house:?}\n{input}");
    for (name, expected) in facts(&twin) {
        assert_eq!(fact(&setup, &outcome, name), expected, "{name}, {house:?}\n{input}");
    }
}

#[test]
fn random_games_end_as_their_twins() {
    for case in 0..cases(20_000, 1_000_000) {
        let mut rng = Rng::new(1, case);
        let input = statement_size(&mut rng);
        agree(&input, House { turn_limit: turn_limit(&mut rng), ..House::STATEMENT });
    }
}

#[test]
fn random_games_with_house_rules_end_as_their_twins() {
    for case in 0..cases(20_000, 1_000_000) {
        let mut rng = Rng::new(2, case);
        let input = statement_size(&mut rng);
        let house = House {
            height_limit: rng.range(2, 6) as usize,
            turn_limit: turn_limit(&mut rng),
            lowest: rng.percent(40),
            turns_back: rng.percent(40),
            after_turn: rng.percent(40),
            whole_stack: rng.percent(40),
        };
        agree(&input, house);
    }
}

#[test]
fn games_beyond_the_statement_end_as_their_twins() {
    let mut rng = Rng::new(3, 0);
    for (n, k) in [(1, 1), (2, 3), (3, 9), (16, 15), (17, 15), (16, 16), (30, 40), (64, 200)] {
        for _ in 0..20 {
            let input = random(&mut rng, n, k);
            agree(&input, House { turn_limit: 40, ..House::STATEMENT });
        }
    }
}

#[test]
fn moments_are_the_twins_positions() {
    for case in 0..cases(300, 10_000) {
        let mut rng = Rng::new(4, case);
        let input = statement_size(&mut rng);
        let setup = setup(&input, within(30));
        watch(&setup, u64::MAX, |state, event| {
            let Some(turn) = Stacking::step(event) else { return };
            let twin = play(&input, House { turn_limit: turn, ..House::STATEMENT });
            for (name, expected) in facts(&twin) {
                let actual = moment(&setup, state, event, name);
                assert_eq!(actual, expected, "{name} after turn {turn}\n{input}");
            }
            let tallest = moment(&setup, state, event, "tallest");
            assert_eq!(tallest, Value::Int(twin.highest() as i64), "after turn {turn}\n{input}");
        });
    }
}

#[test]
fn every_turn_is_completed_once() {
    for case in 0..cases(3_000, 100_000) {
        let mut rng = Rng::new(5, case);
        let input = statement_size(&mut rng);
        let house =
            House { turn_limit: turn_limit(&mut rng), after_turn: rng.percent(30), ..House::STATEMENT };
        let setup = setup(&input, rules(house));
        let until = rng.below(house.turn_limit + 10);
        let (mut completed, mut last, mut found) = (0, None, None);
        let outcome = watch(&setup, until, |_, event| {
            assert_eq!(event.what == What::Start, last.is_none());
            if let What::Cycle { first, again } = event.what {
                assert_eq!((event.turn, completed, found.replace((first, again))), (again, again, None));
            }
            if let Some(turn) = Stacking::step(event) {
                completed += 1;
                assert_eq!(turn, completed, "{input}");
            }
            last = Some(event.clone());
        });
        let last = last.unwrap();
        let expected = match outcome.ending {
            Ending::Tall { turn } => {
                assert!(matches!(last.what, What::TallStack { height: 4.., .. }), "{input}");
                assert_eq!(last.turn, turn, "{input}");
                turn
            }
            Ending::Cycle { first, again } => {
                assert_eq!(found, Some((first, again)), "{input}");
                assert!(
                    matches!(last.what, What::TurnLimit { like: Some(like) } if like >= first && like < again)
                );
                assert_eq!(last.turn, house.turn_limit, "{input}");
                until.clamp(again, house.turn_limit)
            }
            Ending::TurnLimit => {
                assert_eq!(last, Event { turn: house.turn_limit, what: What::TurnLimit { like: None } });
                house.turn_limit
            }
            Ending::Undecided { .. } => panic!("a small game is decided\n{input}"),
        };
        assert_eq!(completed, expected, "{input}");
    }
}

/// Games that end around the statement's last turn.
const LATE: [(&str, i64); 3] = [
    ("4 4  0 0 0 0  0 0 0 0  0 0 2 0  0 0 2 2  4 2 3  3 4 2  3 3 4  2 4 2", 999),
    ("4 4  0 0 0 0  0 2 0 0  2 0 0 0  0 0 0 0  2 4 1  2 1 2  4 3 4  3 2 4", 1000),
    ("4 4  0 0 0 0  0 0 0 0  0 2 0 0  0 0 2 0  3 2 2  3 4 2  4 4 4  3 3 1", 1001),
];

#[test]
fn the_last_turn_that_counts_is_the_limit() {
    for (input, end) in LATE {
        let expected = if end <= 1000 { end } else { -1 };
        assert_eq!(turn(&statement(input)), expected);
        assert_eq!(turn(&setup(input, within(1001))), end);
        assert_eq!(turn(&setup(input, within(end as u64 - 1))), -1);
        agree(input, House::STATEMENT);
        agree(input, House { turn_limit: 1001, ..House::STATEMENT });
    }
}

/// The facts of a small game after `turns` turns.
fn after(input: &str, rules: &Rules, turns: u64, name: &str) -> String {
    let setup = any_size(input, Rules { turn_limit: turns, ..rules.clone() });
    fact(&setup, &Stacking::run(&setup, &mut ()), name).to_string()
}

fn cell(input: &str, rules: &Rules, turns: u64, (row, col): (usize, usize)) -> String {
    let setup = any_size(input, Rules { turn_limit: turns, ..rules.clone() });
    match fact(&setup, &Stacking::run(&setup, &mut ()), "stacks") {
        Value::Board(board) => board[Pos::new(row - 1, col - 1)].clone(),
        other => panic!("{other} is no board"),
    }
}

#[test]
fn a_piece_leaves_those_below() {
    let two = "4 2  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0  1 1 1  1 2 1";
    assert_eq!(cell(two, &Rules::default(), 1, (1, 3)), "2-1");
    assert_eq!(cell(two, &Rules::default(), 2, (1, 4)), "1-2");
    let lowest = Rules { moves: Movers::Lowest, ..Rules::default() };
    assert_eq!(cell(two, &lowest, 2, (1, 4)), "2-1");
}

#[test]
fn a_piece_between_blue_and_blue_stays_turned() {
    let one = "4 1  2 0 2 0  0 0 0 0  0 0 0 0  0 0 0 0  1 2 1";
    assert_eq!(after(one, &Rules::default(), 1, "facings"), r#"["left"]"#);
    assert_eq!(after(one, &Rules::default(), 1, "places"), "[[1, 2]]");
    assert_eq!(after(one, &Rules::default(), 2, "facings"), r#"["right"]"#);
    let back = Rules { blocked: Blocked::TurnsBack, ..Rules::default() };
    assert_eq!(after(one, &back, 1, "facings"), r#"["right"]"#);
    assert_eq!(after(one, &Rules::default(), 1_000_000_001, "facings"), r#"["left"]"#);
}

/// Piece 1 climbs onto piece 2, which faces blue and has red behind it.
const RED_BEHIND: &str = "4 2  1 0 2 0  0 0 0 0  0 0 0 0  0 0 0 0  2 2 3  1 2 1";

#[test]
fn the_square_behind_counts_in_full_and_those_carried_keep_their_directions() {
    assert_eq!(cell(RED_BEHIND, &Rules::default(), 1, (1, 1)), "1-2");
    assert_eq!(after(RED_BEHIND, &Rules::default(), 1, "facings"), r#"["up", "left"]"#);
}

#[test]
fn a_tall_stack_ends_the_game_inside_the_turn() {
    let (input, _) = SAMPLES[1];
    assert_eq!(cell(input, &Rules::default(), 1000, (1, 4)), "4-3-2-1");
    assert_eq!(after(input, &Rules::default(), 1000, "moves"), "3");
    let patient = Rules { ends: Ends::AfterTurn, ..Rules::default() };
    assert_eq!(after(input, &patient, 1000, "moves"), "4");
    assert_eq!(cell(input, &patient, 1000, (1, 3)), "4-3-2-1");
}

#[test]
fn boards_without_an_open_square_never_end() {
    for case in 0..50 {
        let mut rng = Rng::new(6, case);
        let n = rng.range(4, 12) as usize;
        let blue = "2 ".repeat(n * n);
        let input = format!("{n} 4 {blue} 1 1 1  1 2 2  2 1 3  {n} {n} 4");
        let setup = setup(&input, within(1 + rng.below(1_000_000_000)));
        let outcome = Stacking::run(&setup, &mut ());
        assert!(matches!(outcome.ending, Ending::Cycle { .. } | Ending::TurnLimit));
        assert_eq!(fact(&setup, &outcome, "moves"), Value::Int(0));
        let turned = setup.rules().turn_limit % 2 == 1;
        let Value::List(facings) = fact(&setup, &outcome, "facings") else { panic!("a list") };
        assert_eq!(facings[0], Value::Text(if turned { "left" } else { "right" }.to_owned()));
    }
}

#[test]
fn positions_behind_a_cycle_are_the_twins() {
    let mut cycles = 0;
    for case in 0..cases(150, 10_000) {
        let mut rng = Rng::new(8, case);
        let n = rng.range(4, 6) as u64;
        let input = random(&mut rng, n, 4);
        let turn_limit = 1 + rng.below(20_000);
        let ending = Stacking::run(&setup(&input, within(turn_limit)), &mut ()).ending;
        cycles += u64::from(matches!(ending, Ending::Cycle { .. }));
        agree(&input, House { turn_limit, lowest: rng.percent(30), ..House::STATEMENT });
    }
    assert!(cycles > 50);
}

#[test]
fn a_cycle_costs_the_same_whatever_the_turn_limit() {
    let played = |input: &str, turn_limit, until| {
        let mut turns = 0_u64;
        let setup = setup(input, within(turn_limit));
        watch(&setup, until, |_, event| turns += u64::from(event.what == What::TurnOver));
        (turns, Stacking::run(&setup, &mut ()).ending)
    };
    let mut cycles = 0;
    for case in 0..500 {
        let input = statement_size(&mut Rng::new(9, case));
        let (turns, ending) = played(&input, 1000, 0);
        if let Ending::Cycle { again, .. } = ending {
            cycles += 1;
            assert_eq!(turns, again, "{input}");
            for limit in [10_000, 1_000_000_000, rulebook::engines::stacking::MAX_TURNS] {
                assert_eq!(played(&input, limit, 0), (turns, ending), "{input}");
            }
            assert_eq!(played(&input, 1_000_000_000, again + 7), (again + 7, ending), "{input}");
        }
    }
    assert!(cycles > 100);
}

#[test]
fn a_turn_far_behind_a_cycle_is_reached_at_once() {
    let mut cycles = 0;
    for case in 0..cases(300, 3_000) {
        let mut rng = Rng::new(14, case);
        let input = statement_size(&mut rng);
        let setup = setup(&input, within(rulebook::engines::stacking::MAX_TURNS));
        let Ending::Cycle { first, again } = Stacking::run(&setup, &mut ()).ending else { continue };
        if again > 500 {
            continue;
        }
        cycles += 1;
        let period = again - first;
        let twin = |turn_limit| play(&input, House { turn_limit, ..House::STATEMENT });
        for far in [again + rng.below(5 * period), 1_000_000_000] {
            let (rounds, rest) = ((far - first) / period, (far - first) % period);
            let mut expected = twin(first + rest);
            expected.moves += rounds as i64 * (twin(again).moves - twin(first).moves);
            let (mut played, mut reached) = (0, false);
            let on = |state: &State, event: &Event| {
                played += u64::from(event.what == What::TurnOver);
                if Stacking::step(event) == Some(far) {
                    reached = true;
                    for (name, expected) in facts(&expected) {
                        let actual = moment(&setup, state, event, name);
                        assert_eq!(actual, expected, "{name} after turn {far}\n{input}");
                    }
                }
            };
            Stacking::run(&setup, &mut Watcher { turns: far..=far, on });
            assert!(reached && played <= again + period, "{played} turns to {far}\n{input}");
        }
    }
    assert!(cycles > 100);
}

#[test]
fn a_thousand_million_turns_are_answered() {
    for case in 0..300 {
        let mut rng = Rng::new(10, case);
        let input = random(&mut rng, 6, 5);
        let setup = setup(&input, within(1_000_000_000));
        let outcome = Stacking::run(&setup, &mut ());
        assert!(matches!(outcome.ending, Ending::Tall { .. } | Ending::Cycle { .. }), "{input}");
    }
}

#[test]
fn the_largest_number_of_moves_is_counted() {
    // A piece alone on a white board changes squares in every turn.
    let limit = rulebook::engines::stacking::MAX_TURNS;
    let one = "4 1  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0  1 1 1";
    assert_eq!(after(one, &Rules::default(), limit, "moves"), limit.to_string());
}

#[test]
fn a_game_of_the_statements_size_allocates_nothing() {
    for case in 0..300 {
        let mut rng = Rng::new(12, case);
        let input = statement_size(&mut rng);
        let setup = setup(&input, within(turn_limit(&mut rng)));
        let (_, allocations) = alloc::count(|| Stacking::run(&setup, &mut ()));
        assert_eq!(allocations, 0, "{input}");
    }
}

#[test]
fn frames_say_what_happened_and_mark_where() {
    let setup = any_size(RED_BEHIND, within(2));
    let (mut lines, mut drawn) = (Vec::new(), Vec::new());
    watch(&setup, u64::MAX, |state, event| {
        let frame = Stacking::frame(&setup, state, event);
        lines.push(format!("{} {}: {}", frame.step, frame.rule, frame.text));
        let rows = frame.boards.iter().map(|picture| {
            let cells = picture.rows[0]
                .iter()
                .map(|cell| if cell.marked { format!("[{}]", cell.text) } else { cell.text.clone() });
            format!("{}: {}", picture.title, cells.collect::<Vec<_>>().join(" "))
        });
        drawn.push(rows.collect::<Vec<_>>().join(", "));
    });
    let expected = [
        "0 stacking::start: 2 pieces on a 4 by 4 board",
        "1 stacking::white-stacked: piece 1 moves up to (1, 2); there now 2-1",
        "1 stacking::blue-turned-red-reversed: piece 2, carrying 1, turns round before blue and moves left to \
         (1, 1), red: the two are reversed; there now 1-2",
        "1 stacking::turn-over: the turn is over; the highest stack has 2 pieces",
        "2 stacking::blue-turned: piece 1, carrying 2, turns round before the edge and moves down to (2, 1); \
         there now 1-2",
        "2 stacking::blue-turned: piece 2 turns round before the edge and moves right to (2, 2)",
        "2 stacking::turn-over: the turn is over; the highest stack has 1 piece",
        "2 stacking::turn-limit: the game has not ended within 2 turns",
    ];
    assert_eq!(lines, expected);
    assert_eq!(drawn[1], "board: r [.] b ., pieces: . [2>-1^] . .");
    assert_eq!(drawn[2], "board: [r] [.] b ., pieces: [1^-2<] [.] . .");
}

#[test]
fn the_other_events_have_their_lines() {
    let text = |input: &str, rules: Rules, rule: &str| {
        let setup = any_size(input, rules);
        let mut text = String::new();
        watch(&setup, 0, |state, event| {
            let frame = Stacking::frame(&setup, state, event);
            if text.is_empty() && frame.rule == rule {
                text = frame.text;
            }
        });
        text
    };
    let one = "4 1  2 0 2 0  0 0 0 0  0 0 0 0  0 0 0 0  1 2 1";
    assert_eq!(
        text(one, Rules::default(), "stacking::blocked"),
        "piece 1 is blocked at (1, 2), blue on both sides: it stays, turned to face left"
    );
    let back = Rules { blocked: Blocked::TurnsBack, ..Rules::default() };
    assert_eq!(
        text(&one.replace("2 0 2 0", "0 0 2 2").replace("1 2 1", "1 4 1"), back, "stacking::blocked"),
        "piece 1 is blocked at (1, 4), the edge ahead and blue behind: it stays, facing right as before"
    );
    assert_eq!(
        text(one, Rules::default(), "stacking::cycle"),
        "the position after turn 4 is that after turn 2, so the game never ends: turns 3 to 4 repeat up to turn 1000, \
         the turn limit"
    );
    assert_eq!(
        text(one, Rules::default(), "stacking::turn-limit"),
        "the last turn that counts; the position is that after turn 2"
    );
    let lowest = Rules { moves: Movers::Lowest, red: Red::WholeStack, ..Rules::default() };
    let two = "4 2  0 0 0 1  0 0 0 0  0 0 0 0  0 0 0 0  1 1 1  1 2 1";
    assert_eq!(
        text(two, lowest.clone(), "stacking::not-lowest"),
        "piece 1 stays: it is not the lowest of 2-1 at (1, 3)"
    );
    assert_eq!(
        text(two, lowest, "stacking::red-reversed"),
        "piece 2, carrying 1, moves right to (1, 4), red: the whole stack is reversed; there now 1-2"
    );
    assert_eq!(
        text(SAMPLES[4].0, Rules::default(), "stacking::tall-stack"),
        "4 pieces stand at (4, 2): the game ends in turn 7"
    );
}
