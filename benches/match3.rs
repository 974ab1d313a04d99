//! How long a game of Texas Match-3 takes, and how much longer its plain twin.

#![expect(clippy::print_stdout, reason = "what was measured is told on the terminal")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use rulebook::engine::{Binder, Engine};
use rulebook::engines::match3::{Match3, Rules, Setup};
use rulebook::input::Input;
use rulebook::rng::Rng;
use rulebook::source::{Excerpt, Source};

#[path = "../tests/suite/twins/match3.rs"]
mod twin;

/// A sort of games.
#[derive(Clone, Copy, Debug)]
struct Sort {
    side: usize,
    colors: u8,
    /// Specials in a thousand pieces.
    specials: u64,
    swaps: usize,
    /// Whether swaps are sought that are valid, until there is none left.
    seeking: bool,
}

const SORTS: &[Sort] = &[
    Sort { side: 50, colors: 5, specials: 0, swaps: 1000, seeking: false },
    Sort { side: 50, colors: 5, specials: 0, swaps: 1000, seeking: true },
    Sort { side: 50, colors: 5, specials: 5, swaps: 1000, seeking: true },
    Sort { side: 50, colors: 8, specials: 0, swaps: 1000, seeking: true },
    Sort { side: 50, colors: 8, specials: 5, swaps: 1000, seeking: true },
    Sort { side: 50, colors: 20, specials: 0, swaps: 1000, seeking: true },
    Sort { side: 50, colors: 100, specials: 0, swaps: 1000, seeking: false },
    Sort { side: 50, colors: 5, specials: 0, swaps: 1_000_000, seeking: false },
    Sort { side: 200, colors: 20, specials: 0, swaps: 1000, seeking: false },
    Sort { side: 200, colors: 5, specials: 0, swaps: 1000, seeking: true },
    Sort { side: 1000, colors: 100, specials: 0, swaps: 100_000, seeking: false },
    Sort { side: 1000, colors: 20, specials: 0, swaps: 100_000, seeking: false },
];

struct Bench {
    name: String,
    twin: twin::Game,
    setup: Setup,
}

fn bench(sort: Sort) -> Bench {
    let Sort { side, colors, specials, swaps, seeking } = sort;
    let mut rng = Rng::new(11, u64::from(colors));
    let mut board = vec![vec![0u8; side]; side];
    for row in 0..side {
        for col in 0..side {
            board[row][col] = loop {
                let color = rng.below(colors.into()) as u8 + 1;
                let left = col >= 2 && board[row][col - 1] == color && board[row][col - 2] == color;
                let above = row >= 2 && board[row - 1][col] == color && board[row - 2][col] == color;
                if !left && !above {
                    break color;
                }
            };
        }
    }
    let special = |rng: &mut Rng| if rng.below(1000) < specials { rng.below(6) as u8 + 1 } else { 0 };
    let effects: Vec<Vec<u8>> =
        board.iter().map(|row| row.iter().map(|_| special(&mut rng)).collect()).collect();
    let mut twin = twin::Game { board, specials: effects, swaps: Vec::new(), house: twin::House::default() };
    let (mut now, mut effects) = (twin.board.clone(), twin.specials.clone());
    for _ in 0..swaps {
        let mut swap = random_swap(&mut rng, side);
        if seeking {
            let tries = (0..20_000).map(|_| random_swap(&mut rng, side));
            swap = tries.into_iter().find(|&swap| matches(&mut now, swap)).unwrap_or(swap);
            twin::turn(&mut now, &mut effects, swap, &twin.house);
        }
        twin.swaps.push(swap);
    }
    let setup = setup(&twin);
    let kind = if seeking { "seeking" } else { "random" };
    let name = format!("{side}x{side} k={colors} specials {specials}/1000 q={swaps} {kind}");
    Bench { name, twin, setup }
}

fn random_swap(rng: &mut Rng, side: usize) -> [i32; 4] {
    let (row, col) = (rng.range(1, side as i64) as i32, rng.range(1, side as i64 - 1) as i32);
    if rng.percent(50) { [row, col, row, col + 1] } else { [col, row, col + 1, row] }
}

/// Whether a swap makes a line, looking no farther than it must.
fn matches(board: &mut [Vec<u8>], swap: [i32; 4]) -> bool {
    let [r1, c1, r2, c2] = swap.map(|number| number as usize - 1);
    if board[r1][c1] == 0 || board[r2][c2] == 0 {
        return false;
    }
    let exchange = |board: &mut [Vec<u8>]| {
        let (a, b) = (board[r1][c1], board[r2][c2]);
        (board[r1][c1], board[r2][c2]) = (b, a);
    };
    exchange(board);
    let run = |r: usize, c: usize, dr: isize, dc: isize| {
        let color = board[r][c];
        let at = |i: isize| {
            let (r, c) = (r.checked_add_signed(dr * i)?, c.checked_add_signed(dc * i)?);
            board.get(r)?.get(c).copied()
        };
        (1..3).take_while(|&i| at(i) == Some(color)).count()
            + (1..3).take_while(|&i| at(-i) == Some(color)).count()
    };
    let found = [(r1, c1), (r2, c2)].iter().any(|&(r, c)| run(r, c, 0, 1) >= 2 || run(r, c, 1, 0) >= 2);
    exchange(board);
    found
}

fn setup(game: &twin::Game) -> Setup {
    let (rows, cols) = (game.board.len(), game.board[0].len());
    let mut text = format!("{rows} {cols} 255 {}\n", game.swaps.len());
    let numbers = game.board.iter().chain(&game.specials).flatten().map(|&cell| i32::from(cell));
    for number in numbers.chain(game.swaps.iter().copied().flatten()) {
        let _ = write!(text, "{number} ");
    }
    let source = Source::new("input", text);
    let mut binder = Binder::new(&source, false);
    let mut input = Input::new(Excerpt::all(&source));
    Match3::read_input(&mut input, Rules::default(), &mut binder).expect("a legal game")
}

/// Seconds that `f` takes.
fn seconds(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}

#[divan::bench(args = 0..SORTS.len())]
fn engine(bencher: divan::Bencher<'_, '_>, sort: usize) {
    let bench = bench(SORTS[sort]);
    bencher.bench(|| Match3::run(&bench.setup, &mut ()));
}

fn main() {
    divan::main();
    // The twin takes minutes on large games, so it plays their first swaps only.
    println!(
        "\n{:48} {:>9} {:>6} {:>6} {:>9} {:>9} {:>7}",
        "game", "swaps", "valid", "rounds", "ns/swap", "us/load", "ratio"
    );
    for &sort in SORTS {
        let Bench { name, mut twin, setup: whole } = bench(sort);
        let played = Match3::run(&whole, &mut ());
        let tally = played.tally().clone();
        let budget = 20_000_000 / (sort.side * sort.side);
        twin.swaps.truncate(budget.max(20));
        let part = setup(&twin);
        let mut empty = twin.clone();
        empty.swaps.clear();
        let load = setup(&empty);
        // Alternating, and the least of many: what else the machine does then falls out.
        let mut best = [f64::INFINITY; 4];
        for _ in 0..7 {
            best[2] = best[2].min(seconds(|| drop(black_box(twin::play(black_box(&twin))))));
            for _ in 0..20 {
                for (i, setup) in [(0, &whole), (1, &part), (3, &load)] {
                    best[i] =
                        best[i].min(seconds(|| drop(black_box(Match3::run(black_box(setup), &mut ())))));
                }
            }
        }
        let [whole_time, part_time, twin_time, load_time] = best;
        let swaps = whole.swaps().len();
        println!(
            "{name:48} {swaps:>9} {:>6} {:>6} {:>9.1} {:>9.1} {:>7.0}",
            tally.valid_swaps,
            tally.rounds,
            (whole_time - load_time) / swaps as f64 * 1e9,
            load_time * 1e6,
            twin_time / part_time,
        );
    }
}
