//! A game of your own, end to end: rules in Rust, scenarios in TOML.
//!
//! Nim with one pile: the players take 1 to 3 stones in turn, and who takes the last one wins. A house rule turns that
//! round.

use std::sync::LazyLock;

use rulebook::diagnostic::CodeSpec;
use rulebook::engine::{Binder, Engine, Fact, MomentFact, Observer, Unanswered};
use rulebook::input::Input;
use rulebook::spanned::Spanned;
use rulebook::trace::Frame;
use rulebook::{CaseResult, Engines, NoWorker, Options, Suite};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The engine.
struct Nim;

/// The keys of a scenario.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Doc {
    /// Stones at the start.
    #[schemars(range(min = 1))]
    pile: i64,
    /// Stones taken, the players in turn.
    moves: Vec<Spanned<i64>>,
}

/// The house rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Rules {
    /// Whether who takes the last stone loses.
    misere: bool,
}

/// A legal start with legal moves.
#[derive(Clone, Debug, PartialEq)]
struct Setup {
    pile: i64,
    moves: Vec<i64>,
    rules: Rules,
}

/// A game under way, and how it ends.
#[derive(Clone, Copy)]
struct State {
    left: i64,
    moves: u64,
}

/// The move `number` took stones; 0 is the start.
struct Taken {
    number: u64,
    stones: i64,
}

/// What a scenario is written as.
#[derive(Serialize)]
struct Written {
    pile: i64,
    moves: Vec<i64>,
}

impl Setup {
    /// Returns the player who has won, 1 or 2; 0 as long as stones are left.
    fn winner(&self, state: State) -> u64 {
        match (state.left, self.rules.misere) {
            (0, false) => 2 - state.moves % 2,
            (0, true) => 1 + state.moves % 2,
            _ => 0,
        }
    }
}

static FACTS: LazyLock<Vec<Fact<Nim>>> = LazyLock::new(|| {
    vec![
        Fact::<Nim>::new("left", "stones left", |run| run.outcome.left),
        Fact::<Nim>::new("winner", "player who has won, 1 or 2; 0 as long as stones are left", |run| {
            run.setup.winner(*run.outcome)
        }),
    ]
});

static MOMENTS: LazyLock<Vec<MomentFact<Nim>>> =
    LazyLock::new(|| vec![MomentFact::<Nim>::new("left", "stones left", |now| now.state.left)]);

impl Engine for Nim {
    const NAME: &'static str = "nim";
    const ABOUT: &'static str = "Nim with one pile: take 1 to 3 stones";
    const EXAMPLE: &'static str = "pile = 5\nmoves = [1, 3, 1]\nexpect.winner = 1\n";
    const STEP: &'static str = "move";
    const EVENTS: &'static [CodeSpec] = &[CodeSpec { code: "nim::taken", about: "stones are taken" }];
    const CODES: &'static [CodeSpec] = &[CodeSpec { code: "nim::move", about: "an illegal move" }];

    type Doc = Doc;
    type Rules = Rules;
    type Setup = Setup;
    type State = State;
    type Event = Taken;
    type Outcome = State;

    fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
        let mut left = doc.pile;
        for taken in &doc.moves {
            if !(1..=left.min(3)).contains(&taken.value) {
                let title = format!("{} stones cannot be taken of {left}", taken.value);
                binder.fault(
                    "nim::move",
                    title,
                    taken.range.clone(),
                    format!("expected 1 to {}", left.min(3)),
                );
                return None;
            }
            left -= taken.value;
        }
        let moves = doc.moves.into_iter().map(|taken| taken.value).collect();
        Some(Setup { pile: doc.pile, moves, rules })
    }

    fn read_input(_: &mut Input, _: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
        binder.missing("pile", "Nim has no input format: give `pile` and `moves`");
        None
    }

    fn run<O: Observer<State, Taken>>(setup: &Setup, observer: &mut O) -> State {
        let mut state = State { left: setup.pile, moves: 0 };
        observer.on(&state, || Taken { number: 0, stones: 0 });
        for &stones in &setup.moves {
            state = State { left: state.left - stones, moves: state.moves + 1 };
            observer.on(&state, || Taken { number: state.moves, stones });
        }
        state
    }

    fn at(state: &State) -> u64 {
        state.moves
    }

    fn step(event: &Taken) -> Option<u64> {
        (event.number > 0).then_some(event.number)
    }

    fn facts() -> &'static [Fact<Self>] {
        &FACTS
    }

    fn moments() -> &'static [MomentFact<Self>] {
        &MOMENTS
    }

    fn frame(_: &Setup, state: &State, event: &Taken) -> Frame {
        let text = format!("{} taken, {} left", event.stones, state.left);
        Frame { step: state.moves, rule: "nim::taken".to_owned(), text, boards: Vec::new() }
    }

    fn write_input(setup: &Setup) -> String {
        format!("{}\n", setup.pile)
    }

    fn write_output(setup: &Setup, outcome: &State) -> Result<String, Unanswered> {
        Ok(format!("{}\n", setup.winner(*outcome)))
    }

    fn write_doc(setup: &Setup) -> impl Serialize {
        Written { pile: setup.pile, moves: setup.moves.clone() }
    }

    fn rules(setup: &Setup) -> &Rules {
        &setup.rules
    }

    fn cell(_: &str, _: &str) -> Option<String> {
        None
    }
}

/// The scenarios of the game; the last one expects too much.
const SUITE: &str = r#"
engine = "nim"

[[scenario]]
name = "who takes the last stone wins"
pile = 5
moves = [1, 3, 1]
expect = { left = 0, winner = 1 }
checkpoint = [{ after = 2, left = 1 }]

[[scenario]]
name = "or loses by the house rule"
pile = 5
moves = [1, 3, 1]
rules.misere = true
expect.winner = 2

[[scenario]]
name = "four stones are too many"
pile = 5
moves = [4]
expect.error = "nim::move"

[[scenario]]
name = "one stone is left"
pile = 5
moves = [1, 3]
expect.left = 0
"#;

/// Runs the suite; what failed, drawn.
fn run() -> Result<(u64, String), NoWorker> {
    let options = Options { engines: Engines::builtin().with::<Nim>(), ..Options::default() };
    let mut drawn = String::new();
    let summary = Suite::from_toml("nim.toml", SUITE).run(&options, &mut |case: &CaseResult| {
        drawn.extend(case.verdict.faults().iter().map(|fault| fault.draw(false)));
    })?;
    Ok((summary.passed, drawn))
}

fn main() -> Result<(), NoWorker> {
    let (passed, drawn) = run()?;
    let mut out = anstream::stdout();
    // A reader who leaves has seen enough.
    let _ = std::io::Write::write_fmt(&mut out, format_args!("{drawn}{passed} passed\n"));
    Ok(())
}

#[test]
fn a_game_of_ones_own_runs_like_those_that_are_built_in() {
    let (passed, drawn) = run().expect("room for a worker");
    assert_eq!(passed, 3);
    assert!(
        drawn.contains("error[verdict::mismatch]: `left` is 1") && drawn.contains("expect.left = 0"),
        "{drawn}"
    );
}
