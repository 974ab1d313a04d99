//! How fast New Game 2 is played, and how much faster than by its twin.

#![expect(clippy::print_stdout, reason = "a benchmark reports what it measured")]

#[path = "../tests/suite/twins/stacking.rs"]
mod twin;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rulebook::engine::{Binder, Engine};
use rulebook::engines::stacking::{Ending, Rules, Setup, Stacking};
use rulebook::input::Input;
use rulebook::rng::Rng;
use rulebook::source::{Excerpt, Source};
use rulebook::value::Value;

/// A kind of boards: rows, pieces, and of 100 squares how many are red and blue.
type Boards = (&'static str, u64, u64, u64, u64);

const BOARDS: [Boards; 5] = [
    ("33% red 33% blue", 12, 10, 33, 33),
    ("30% red 10% blue", 12, 10, 30, 10),
    ("no colors", 12, 10, 0, 0),
    ("20% red 60% blue", 12, 10, 20, 60),
    ("4x4, 4 pieces", 4, 4, 33, 33),
];

fn main() {
    divan::main();
    for boards in BOARDS {
        compare(boards);
    }
    far(BOARDS[0]);
}

#[divan::bench(args = 0..BOARDS.len())]
fn fast(bencher: divan::Bencher<'_, '_>, kind: usize) {
    let setups = setups(BOARDS[kind], 200, 1000);
    bencher.bench_local(|| run(&setups));
}

#[divan::bench(args = 0..BOARDS.len(), sample_count = 5)]
fn plain(bencher: divan::Bencher<'_, '_>, kind: usize) {
    let inputs = inputs(BOARDS[kind], 200);
    bencher.bench_local(|| run_twin(&inputs));
}

fn inputs((_, n, k, red, blue): Boards, cases: u64) -> Vec<String> {
    (0..cases).map(|case| input(&mut Rng::new(11, case), n, k, red, blue)).collect()
}

/// A random board on which no piece starts on blue.
fn input(rng: &mut Rng, n: u64, k: u64, red: u64, blue: u64) -> String {
    loop {
        let draws: Vec<_> = (0..n * n).map(|_| rng.below(100)).collect();
        let color = |draw| if draw < red { 1 } else { u64::from(draw < red + blue) * 2 };
        let colors: Vec<_> = draws.into_iter().map(color).collect();
        let mut squares: Vec<_> = (0..n * n).filter(|&square| colors[square as usize] != 2).collect();
        if squares.len() < k as usize {
            continue;
        }
        rng.shuffle(&mut squares);
        let mut text = format!("{n} {k}");
        for color in colors {
            let _ = write!(text, " {color}");
        }
        for square in squares.into_iter().take(k as usize) {
            let _ = write!(text, "\n{} {} {}", square / n + 1, square % n + 1, rng.range(1, 4));
        }
        return text;
    }
}

fn setups(boards: Boards, cases: u64, turn_limit: u64) -> Vec<Setup> {
    let setup = |input: String| {
        let source = Source::new("input", input);
        let rules = Rules { turn_limit, ..Rules::default() };
        let mut input = Input::new(Excerpt::all(&source));
        Stacking::read_input(&mut input, rules, &mut Binder::new(&source, true)).expect("a legal start")
    };
    inputs(boards, cases).into_iter().map(setup).collect()
}

fn run(setups: &[Setup]) {
    for setup in setups {
        black_box(Stacking::run(black_box(setup), &mut ()));
    }
}

fn run_twin(inputs: &[String]) {
    for input in inputs {
        black_box(twin::play(black_box(input), twin::House::STATEMENT));
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Times engine and twin in alternation and prints the means of each case's best times: a case is short enough
/// to be undisturbed once on a busy machine.
fn compare(boards: Boards) {
    const CASES: usize = 400;
    let (setups, inputs) = (setups(boards, CASES as u64, 1000), inputs(boards, CASES as u64));
    let mut fast = vec![Duration::MAX; CASES];
    let mut plain = fast.clone();
    for _ in 0..4 {
        for _ in 0..4 {
            for (best, setup) in fast.iter_mut().zip(&setups) {
                *best = time(|| run(std::slice::from_ref(setup))).min(*best);
            }
        }
        for (best, input) in plain.iter_mut().zip(&inputs) {
            *best = time(|| run_twin(std::slice::from_ref(input))).min(*best);
        }
    }
    let moves: u64 = setups.iter().map(moves_played).sum();
    let total = |best: &[Duration]| best.iter().sum::<Duration>().as_secs_f64();
    let per_case = |best: &[Duration]| total(best) / CASES as f64 * 1e6;
    println!(
        "{:<17} {:8.2} us/case, twin {:8.2} us/case, ratio {:6.1}, {:5.2} ns/move",
        boards.0,
        per_case(&fast),
        per_case(&plain),
        total(&plain) / total(&fast),
        total(&fast) * 1e9 / moves as f64,
    );
}

/// The number of moves up to the turn after which the engine knew the outcome.
fn moves_played(setup: &Setup) -> u64 {
    let outcome = Stacking::run(setup, &mut ());
    match outcome.ending {
        Ending::Cycle { again, .. } => again * setup.pieces().len() as u64,
        _ => match Stacking::answer(setup, &outcome, "moves") {
            Some(Ok(Value::Int(moves))) => moves as u64,
            _ => 0,
        },
    }
}

/// Times games that may go on for a thousand million turns.
fn far(boards: Boards) {
    let setups = setups(boards, 20_000, 1_000_000_000);
    let mut times: Vec<_> = setups.iter().map(|setup| time(|| run(std::slice::from_ref(setup)))).collect();
    times.sort();
    let at = |permille: usize| times[(times.len() - 1) * permille / 1000].as_secs_f64() * 1e6;
    println!(
        "{}, 10^9 turns: {:.1} us at the median, {:.1} us at 99%, {:.1} us at most",
        boards.0,
        at(500),
        at(990),
        at(1000)
    );
}
