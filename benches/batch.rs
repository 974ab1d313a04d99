//! The path from a file to a verdict: what a scenario of sample size costs, and what of that is the engine's.
//!
//! Writes a suite of stacking scenarios as large as the statement's samples into one temporary file, runs it end to
//! end with one worker, and, for the share of the engine, plays the same starts again without files.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod measure;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rulebook::engine::{Place, Questions, Start};
use rulebook::engines::Engines;
use rulebook::input::Input;
use rulebook::rng::Rng;
use rulebook::source::{Excerpt, Source};

use measure::{fastest, peak_memory, run};

const FACINGS: [&str; 4] = ["right", "left", "up", "down"];
const ROUNDS: usize = 5;
/// So many starts are played without files, to know the engine's share.
const STARTS: usize = 10_000;

fn main() {
    let sizes: &[u64] =
        if std::env::var_os("RULEBOOK_LONG_BENCHES").is_some() { &[100_000, 1_000_000] } else { &[100_000] };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("suite.toml");
    for &count in sizes {
        let starts = write_suite(&path, count).expect("the suite is written");
        let (whole, summary) = fastest(ROUNDS, || run(&path, 1));
        assert_eq!(summary.passed, count, "every scenario passes");
        let engine = engine_alone(&starts);
        let per = |time: Duration| time.as_secs_f64() * 1e6 / count as f64;
        let bytes = path.metadata().expect("the suite").len();
        println!(
            "batch: {count} scenarios of {} bytes, one worker: {:.2} us each, {:.2} us of it in the engine, peak memory {}",
            bytes / count,
            per(whole),
            engine.as_secs_f64() * 1e6 / starts.len() as f64,
            peak_memory(),
        );
    }
}

/// The time that the engine alone takes for `starts`, bound before.
fn engine_alone(starts: &[String]) -> Duration {
    let engine = Engines::builtin();
    let engine = engine.find("stacking").expect("the engine");
    let turn = engine.facts().iter().position(|fact| fact.name == "turn").expect("the fact");
    let questions = Questions { facts: vec![turn], ..Questions::default() };
    let games: Vec<_> = starts.iter().map(|start| bind(start)).collect();
    let play = || {
        let start = Instant::now();
        for game in &games {
            std::hint::black_box(game.play(&questions));
        }
        (start.elapsed(), ())
    };
    fastest(ROUNDS, play).0
}

/// Writes `count` scenarios; returns some of their starts in the statement's format.
fn write_suite(path: &Path, count: u64) -> std::io::Result<Vec<String>> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "engine = \"stacking\"\n")?;
    let mut starts = Vec::new();
    for index in 0..count {
        let mut rng = Rng::new(4, index);
        let mut text = format!("[[scenario]]\nname = \"{index}\"\nboard = \"\"\"\n");
        let mut start = String::from("4 4\n");
        for _ in 0..4 {
            let line: Vec<_> = (0..4).map(|_| rng.below(3).to_string()).collect();
            let line = line.join(" ");
            let _ = writeln!(text, "{line}");
            let _ = writeln!(start, "{line}");
        }
        text += "\"\"\"\npieces = [\n";
        let mut squares: Vec<_> = (0..16).collect();
        rng.shuffle(&mut squares);
        for square in &squares[..4] {
            let (row, col, facing) = (square / 4 + 1, square % 4 + 1, rng.below(4) as usize);
            let _ = writeln!(text, "{{at=[{row},{col}],facing=\"{}\"}},", FACINGS[facing]);
            let _ = writeln!(start, "{row} {col} {}", facing + 1);
        }
        text += &format!("]\nexpect.turn = {}\n\n", answer(&start));
        file.write_all(text.as_bytes())?;
        if starts.len() < STARTS {
            starts.push(start);
        }
    }
    file.flush()?;
    Ok(starts)
}

/// The start that `text` describes.
fn bind(text: &str) -> Box<dyn Start> {
    let engine = Engines::builtin();
    let engine = engine.find("stacking").expect("the engine");
    let source = Source::new("start", text);
    let place = Place { source: &source, size_limits: true, thorough: false };
    engine.read(&mut Input::new(Excerpt::all(&source)), None, &place).expect("a legal start")
}

/// The turn in which a game ends.
fn answer(start: &str) -> String {
    let answers = bind(start).play(&Questions { output: true, ..Questions::default() });
    answers.output.expect("asked for").expect("an answer").trim().to_owned()
}
