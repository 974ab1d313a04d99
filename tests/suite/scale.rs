//! Memory grows with the workers, not with the scenarios.
//!
//! All threads of the process are measured, so each test runs in a process of its own.

use std::env;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use rulebook::verdict::Summary;

use crate::{alloc, reports};

const ALONE: &str = "RULEBOOK_TEST_ALONE";

/// Runs `body` in a process that runs nothing but the test called `name`.
pub(crate) fn alone(name: &str, body: fn()) {
    if env::var_os(ALONE).is_some() {
        return body();
    }
    let this = env::current_exe().expect("the path of the tests");
    let test = if name.contains("::") { name.to_owned() } else { format!("scale::{name}") };
    let output = Command::new(this).args([&test, "--exact", "--nocapture"]).env(ALONE, "1").output();
    let output = output.expect("the tests");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
}

/// Writes a file of `count` scenarios; `scenario` is told their numbers.
fn write(path: &Path, count: usize, scenario: impl Fn(usize) -> String) -> usize {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    write!(file, "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\n").expect("the defaults");
    for number in 0..count {
        write!(file, "\n[[scenario]]\n{}", scenario(number)).expect("a scenario");
    }
    file.flush().expect("the rest");
    path.metadata().expect("the file").len() as usize
}

/// Runs a file of `count` scenarios with `jobs` workers: what they came to, and the peak of memory in bytes.
fn run(count: usize, jobs: usize, scenario: impl Fn(usize) -> String) -> (Summary, usize, usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("many.toml");
    let length = write(&path, count, scenario);
    let (summary, peak) = alloc::peak(|| reports::hear(&path, jobs, |_| {}));
    assert_eq!(summary.cases(), count as u64);
    (summary, peak, length)
}

fn small(number: usize) -> String {
    // Some fail, some are broken.
    match number % 50 {
        0 => "target = 7\ndigits = 2\nexpect.solutions = 2\n".to_owned(),
        5 => "target = 7\ndigist = 2\nexpect.solutions = 2\n".to_owned(),
        _ => format!(
            "target = {}\ndigits = 2\nexpect.solvable = {{ one_of = [true, false] }}\n",
            number % 45 + 1
        ),
    }
}

#[test]
fn more_scenarios_take_no_more_memory() {
    alone("more_scenarios_take_no_more_memory", || {
        const COUNT: usize = 10_000;
        // Workers are now and then a little more ahead of the listener.
        for jobs in [1, 3] {
            let (few, some, _) = run(COUNT, jobs, small);
            let (many, most, _) = run(4 * COUNT, jobs, small);
            assert!(few.failed > 0 && few.errored > 0 && many.failed == 4 * few.failed);
            assert!(most < 2 * some, "{jobs} workers: {some} bytes, then {most}");
        }
    });
}

#[test]
fn a_name_is_remembered_in_a_few_bytes() {
    alone("a_name_is_remembered_in_a_few_bytes", || {
        const COUNT: usize = 40_000;
        let (_, unnamed, _) = run(COUNT, 1, small);
        let long = "x".repeat(200);
        let (_, named, _) = run(COUNT, 1, |number| format!("name = '{long} {number}'\n{}", small(number)));
        assert!(named < unnamed + COUNT * 32 + (256 << 10), "{unnamed} bytes, with names {named}");
    });
}

#[test]
fn a_large_file_is_read_in_pieces() {
    alone("a_large_file_is_read_in_pieces", || {
        const LARGE: usize = 20 << 20;
        let padding = format!("# {}\n", "a comment ".repeat(100)).repeat(4);
        let large = |number| format!("{}{padding}", small(number));
        let (_, peak, length) = run(LARGE / (padding.len() + 70), 2, large);
        assert!(length > LARGE * 9 / 10, "{length} bytes");
        assert!(peak < 12 << 20, "{peak} bytes for a file of {length}");
    });
}
