//! Quento: the engine and its twin on boards of the statement's size and on larger ones.

#[path = "../tests/suite/twins/quento.rs"]
mod twin;

use std::hint::black_box;
use std::time::{Duration, Instant};

use divan::Bencher;
use rulebook::engine::Engine as _;
use rulebook::engines::quento::Quento;
use rulebook::engines::quento::rules::{Board, Rules, Setup};
use rulebook::rng::Rng;

use twin::Task;

/// The inputs: sides of the board, digits, targets from and to, and how many tasks.
#[derive(Clone, Copy, Debug)]
struct Series {
    name: &'static str,
    side: usize,
    digits: usize,
    targets: (i64, i64),
    tasks: u64,
    /// Whether the twin has a chance.
    twin: bool,
}

const fn series(name: &'static str, side: usize, digits: usize, targets: (i64, i64), tasks: u64) -> Series {
    Series { name, side, digits, targets, tasks, twin: side == 3 || side == 5 && digits < 13 }
}

const SERIES: [Series; 13] = [
    series("3x3, 2 digits, random target", 3, 2, (1, 45), 1000),
    series("3x3, 3 digits, random target", 3, 3, (1, 45), 1000),
    series("3x3, 4 digits, random target", 3, 4, (1, 45), 1000),
    series("3x3, 5 digits, random target", 3, 5, (1, 45), 1000),
    series("3x3, 2 digits, no solution", 3, 2, (44, 45), 1000),
    series("3x3, 3 digits, no solution", 3, 3, (44, 45), 1000),
    series("3x3, 4 digits, no solution", 3, 4, (44, 45), 1000),
    series("3x3, 5 digits, no solution", 3, 5, (44, 45), 1000),
    series("5x5, 8 digits, random target", 5, 8, (1, 45), 20),
    series("5x5, 11 digits, random target", 5, 11, (1, 45), 20),
    series("5x5, 13 digits, random target", 5, 13, (1, 45), 300),
    series("7x7, 13 digits, random target", 7, 13, (1, 45), 1000),
    series("7x7, 13 digits, out of reach", 7, 13, (112, 117), 300),
];

impl std::fmt::Display for Series {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Series {
    fn tasks(&self) -> Vec<(Task, Setup)> {
        let mut rng = Rng::new(1, self.digits as u64);
        let mut task = || {
            let mut square = |i: usize| match i % 2 {
                0 => char::from(b'1' + rng.below(9) as u8),
                _ if rng.percent(50) => '+',
                _ => '-',
            };
            let row = |row| (0..self.side).map(|col| square(row * self.side + col)).collect();
            let board: Vec<Vec<char>> = (0..self.side).map(row).collect();
            let text: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
            let target = rng.range(self.targets.0, self.targets.1);
            let task = Task { target, digits: self.digits, board };
            let board = Board::read(&text.join("\n")).expect("digits and symbols in turn");
            let setup = Setup::new(board, target, self.digits, Rules::default()).expect("few digits");
            (task, setup)
        };
        (0..self.tasks).map(|_| task()).collect()
    }
}

#[divan::bench(args = &SERIES[..8])]
fn solve(bencher: Bencher<'_, '_>, series: &Series) {
    let tasks = series.tasks();
    bencher.counter(divan::counter::ItemsCount::new(tasks.len())).bench(|| solve_all(&tasks));
}

#[divan::bench(args = &SERIES[..4])]
fn count(bencher: Bencher<'_, '_>, series: &Series) {
    let tasks = series.tasks();
    bencher.counter(divan::counter::ItemsCount::new(tasks.len())).bench(|| count_all(&tasks));
}

fn solve_all(tasks: &[(Task, Setup)]) {
    for (_, setup) in tasks {
        black_box(Quento::run(black_box(setup), &mut ()));
    }
}

fn count_all(tasks: &[(Task, Setup)]) {
    for (_, setup) in tasks {
        let _ = black_box(black_box(setup).count());
    }
}

fn timed<R>(f: impl FnOnce() -> R) -> Duration {
    let start = Instant::now();
    black_box(f());
    start.elapsed()
}

/// The engine's and the twin's shortest times for all tasks, measured in alternation, and the engine's longest time
/// for one task.
fn compare(series: &Series) -> (Duration, Duration, Duration) {
    let tasks = series.tasks();
    let rounds = if series.side == 3 { 50 } else { 3 };
    let (mut fast, mut slow) = (Duration::MAX, Duration::MAX);
    let mut each = vec![Duration::MAX; tasks.len()];
    for _ in 0..rounds {
        fast = fast.min(timed(|| solve_all(&tasks)));
        if series.twin {
            slow = slow.min(timed(|| tasks.iter().filter(|(task, _)| task.first().is_some()).count()));
        }
        for (shortest, task) in each.iter_mut().zip(tasks.chunks(1)) {
            *shortest = timed(|| solve_all(task)).min(*shortest);
        }
    }
    (fast, slow, each.into_iter().max().unwrap_or_default())
}

#[expect(clippy::print_stdout, reason = "a benchmark tells people what it measured")]
fn main() {
    divan::main();
    println!("\n{:32} {:>12} {:>12} {:>8}", "task", "engine", "longest", "ratio");
    for series in &SERIES {
        let (fast, slow, longest) = compare(series);
        let mean = fast / series.tasks as u32;
        let ratio =
            if series.twin { format!("{:.0}x", slow.as_secs_f64() / fast.as_secs_f64()) } else { "-".into() };
        println!("{:32} {:>12} {:>12} {ratio:>8}", series.name, format!("{mean:?}"), format!("{longest:?}"));
    }
    for digits in 2..=5 {
        let series = series("", 3, digits, (1, 45), 1000);
        let tasks = series.tasks();
        let (mut fast, mut slow) = (Duration::MAX, Duration::MAX);
        for _ in 0..10 {
            fast = fast.min(timed(|| count_all(&tasks)));
            slow = slow.min(timed(|| tasks.iter().map(|(task, _)| task.all().len()).sum::<usize>()));
        }
        let ratio = slow.as_secs_f64() / fast.as_secs_f64();
        println!(
            "{:32} {:>12} {:>12} {ratio:>7.0}x",
            format!("3x3, {digits} digits, count all"),
            format!("{:?}", fast / 1000),
            ""
        );
    }
}
