//! What scripts cost: a call of one, a board that it makes, and cases that it makes by the hundred thousand.
//!
//! The cases of a generator are run as such, and once more as the plain scenarios that they come to: what is more in
//! the first is the scripts' share.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod measure;

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rulebook::scenario::suite::{self, Pieces};
use rulebook::scenario::{Select, load};
use rulebook::script::{Generator, Limits, Scripts};

use measure::{fastest, peak_memory, run};

const ROUNDS: usize = 3;

fn main() {
    let long = std::env::var_os("RULEBOOK_LONG_BENCHES").is_some();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    calls(folder);
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").display().to_string();
    let stacking = format!(
        "engine = 'stacking'\n[[scenario]]\nname = 'made'\nexpect.turn = {{ at_least = -1 }}\n\
         generate = {{ script = '{scripts}/stacking-random.rhai', seed = 7, count = COUNT }}\n"
    );
    let match3 = format!(
        "engine = 'match3'\n[[scenario]]\nname = 'made'\nexpect.score = {{ at_least = 0 }}\n\
         generate = {{ script = '{scripts}/match3-random.rhai', seed = 7, count = COUNT, args = {{ specials = 0, swaps = 0 }} }}\n\
         play = {{ script = '{scripts}/match3-any.rhai', swaps = 20 }}\n"
    );
    for (name, scenario, few) in [("stacking", &stacking, 20_000), ("match3 8x8, 20 swaps", &match3, 5_000)] {
        let path = folder.join("made.toml");
        let write = |count: u64| {
            std::fs::write(&path, scenario.replace("COUNT", &count.to_string())).expect("a suite");
        };
        write(few);
        let (one, summary) = fastest(ROUNDS, || run(&path, 1));
        let (two, _) = fastest(ROUNDS, || run(&path, 2));
        let plain = plain(&path, few);
        let per = |time: Duration| time.as_secs_f64() * 1e6 / few as f64;
        println!(
            "{name}: {:.1} us a case with one worker, {:.0} a second, {:.0}% of it scripts; two workers {:.2} times as fast",
            per(one),
            1e6 / per(one),
            100.0 * (1.0 - plain.as_secs_f64() / one.as_secs_f64()),
            one.as_secs_f64() / two.as_secs_f64(),
        );
        assert_eq!(summary.passed + summary.errored, few);
        for count in if long { &[100_000, 1_000_000][..] } else { &[100_000][..] } {
            write(*count);
            let (time, summary) = run(&path, 2);
            println!(
                "{name}: {count} cases with two workers in {:.1} s, {} errored, peak memory {}",
                time.as_secs_f64(),
                summary.errored,
                peak_memory()
            );
        }
    }
}

/// How long the plain scenarios take that the cases come to.
fn plain(path: &Path, count: u64) -> Duration {
    let select = Select { text: true, ..Select::default() };
    let mut text = String::new();
    for piece in Pieces::new(suite::files(&[PathBuf::from(path)]), None) {
        let chunk = piece.content.expect("a sound file");
        let _ = load(&chunk, &piece.file, &select, &mut |case| {
            let index = case.made.as_ref().map_or(0, |made| made.index);
            let toml = case.toml.unwrap_or_default().replace("\"made\"", &format!("\"made {index}\""));
            let _ = writeln!(text, "[[scenario]]\n{toml}");
            ControlFlow::Continue(())
        });
    }
    let path = path.with_file_name("plain.toml");
    std::fs::write(&path, text).expect("a suite");
    let (time, summary) = fastest(ROUNDS, || run(&path, 1));
    assert_eq!(summary.cases(), count);
    time
}

/// What a call costs, and a board by the functions that work on all of one.
fn calls(folder: &Path) {
    let scripts = Scripts::default();
    for (name, body, times) in [
        ("a call that makes nothing", "#{}", 200_000),
        (
            "a random board, 50 by 50",
            "let b = board(50, 50, 0); b.fill_random(rng, 5); #{ n: b.count(1) }",
            20_000,
        ),
        (
            "the same, written as a scenario",
            "let b = board(50, 50, 0); b.fill_random(rng, 5); #{ board: b }",
            20_000,
        ),
        (
            "the same, cell by cell",
            "let b = board(50, 50, 0); for r in 1..=50 { for c in 1..=50 { b.set(r, c, rng.range(1, 5)); } } #{ n: b.count(1) }",
            200,
        ),
    ] {
        let path = folder.join(format!("{}.rhai", name.replace(' ', "-")));
        std::fs::write(&path, format!("fn generate(rng, index, args) {{ {body} }}")).expect("a script");
        let script = scripts.open(&path, &Limits::default()).expect("a sound script");
        let generator = Generator::new(script, 7, &std::collections::BTreeMap::new());
        let (time, ()) = fastest(ROUNDS, || {
            let start = Instant::now();
            for index in 0..times {
                std::hint::black_box(generator.make(index).expect("a case"));
            }
            (start.elapsed(), ())
        });
        println!("{name}: {:.2} us", time.as_secs_f64() * 1e6 / times as f64);
    }
}
