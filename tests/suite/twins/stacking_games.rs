//! The stacking engine against its twin, the statement's samples and the rulings.

use std::fmt::Write as _;

use rulebook::engine::{Binder, Engine, Observer};
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

/// Looks on at the events of the turns up to `until`.
struct Watcher<F> {
    until: u64,
    on: F,
}

impl<F: FnMut(&State, &Event)> Observer<State, Event> for Watcher<F> {
    fn active(&self) -> bool {
        true
    }

    fn until(&self) -> u64 {
        self.until
    }

    fn on(&mut self, state: &State, event: impl FnOnce() -> Event) {
        (self.on)(state, &event());
    }
}

fn watch(setup: &Setup, until: u64, on: impl FnMut(&State, &Event)) -> Outcome {
    Stacking::run(setup, &mut Watcher { until, on })
}

fn setup(input: &str, rules: Rules) -> Setup {
    let source = Source::new("input", input);
    let mut binder = Binder::new(&source, false);
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
    Stacking::fact(setup, outcome, &(), name).unwrap()
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
    let most = [20, 100, 300, 1000][rng.below(4) as usize];
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

#[test]
fn random_games_end_as_their_twins() {
    for case in 0..cases(20_000, 1_000_000) {
        let mut rng = Rng::new(1, case);
        let input = statement_size(&mut rng);
        let house = House { turn_limit: turn_limit(&mut rng), ..House::STATEMENT };
        let setup = setup(&input, rules(house));
        let outcome = Stacking::run(&setup, &mut ());
        let twin = play(&input, house);
        assert_eq!(int(&fact(&setup, &outcome, "turn")), twin.turn, "{house:?}\n{input}");
        assert_eq!(watch(&setup, 0, |_, _| ()).ending, outcome.ending, "{house:?}\n{input}");
        for (name, expected) in facts(&twin) {
            assert_eq!(fact(&setup, &outcome, name), expected, "{name}, {house:?}\n{input}");
        }
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
        let setup = setup(&input, rules(house));
        let outcome = Stacking::run(&setup, &mut ());
        let twin = play(&input, house);
        assert_eq!(int(&fact(&setup, &outcome, "turn")), twin.turn, "{house:?}\n{input}");
        assert_eq!(watch(&setup, 0, |_, _| ()).ending, outcome.ending, "{house:?}\n{input}");
        for (name, expected) in facts(&twin) {
            assert_eq!(fact(&setup, &outcome, name), expected, "{name}, {house:?}\n{input}");
        }
    }
}

#[test]
fn games_beyond_the_statement_end_as_their_twins() {
    let mut rng = Rng::new(3, 0);
    for (n, k) in [(1, 1), (2, 3), (3, 9), (16, 15), (17, 15), (16, 16), (30, 40), (64, 200)] {
        for _ in 0..20 {
            let input = random(&mut rng, n, k);
            let house = House { turn_limit: 40, ..House::STATEMENT };
            let source = Source::new("input", input.as_str());
            let mut binder = Binder::new(&source, false);
            let mut text = Input::new(Excerpt::all(&source));
            let setup = Stacking::read_input(&mut text, rules(house), &mut binder).unwrap();
            let outcome = Stacking::run(&setup, &mut ());
            let twin = play(&input, house);
            assert_eq!(int(&fact(&setup, &outcome, "turn")), twin.turn, "{input}");
            for (name, expected) in facts(&twin) {
                assert_eq!(fact(&setup, &outcome, name), expected, "{name}\n{input}");
            }
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
                let actual = Stacking::moment(&setup, state, event, name);
                assert_eq!(actual, expected, "{name} after turn {turn}\n{input}");
            }
            let tallest = Stacking::moment(&setup, state, event, "tallest");
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
        let (mut completed, mut last) = (0, None);
        let outcome = watch(&setup, until, |_, event| {
            assert_eq!(event.what == What::Start, last.is_none());
            if let Some(turn) = Stacking::step(event) {
                completed += 1;
                assert_eq!(turn, completed, "{input}");
            }
            last = Some(event.clone());
        });
        let last = last.unwrap();
        assert_eq!(last.turn, completed);
        let expected = match outcome.ending {
            Ending::Tall { turn } => {
                assert!(matches!(last.what, What::TallStack { height: 4.., .. }), "{input}");
                turn
            }
            Ending::Cycle { first, again } => {
                assert_eq!(last.what, What::Cycle { first, again });
                until.clamp(again, house.turn_limit)
            }
            Ending::TurnLimit => {
                assert_eq!(last.what, What::TurnLimit);
                house.turn_limit
            }
            Ending::Undecided { .. } => panic!("a small game is decided\n{input}"),
        };
        assert_eq!(completed, expected, "{input}");
    }
}
