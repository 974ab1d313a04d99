//! What reports cost: each format over the cases of a file, against the same run without a report.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod measure;

use std::fmt::Write as _;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rulebook::report::github::Github;
use rulebook::report::html::Html;
use rulebook::report::jsonl::JsonLines;
use rulebook::report::junit::Junit;
use rulebook::report::markdown::Markdown;
use rulebook::report::record::Record;
use rulebook::report::tap::Tap;
use rulebook::report::{End, Format, Head};
use rulebook::runner::{self, Details, Listener, Options};
use rulebook::scenario::suite;
use rulebook::verdict::CaseResult;

use measure::{fastest, peak_memory, run};

const ROUNDS: usize = 7;
const SCENARIOS: u64 = 100_000;

/// Makes a format to be written.
type Make = fn() -> Box<dyn Format>;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("suite.toml");
    let mut text = String::from("engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ntarget = 7\ndigits = 2\n");
    for number in 0..SCENARIOS {
        let _ = write!(text, "\n[[scenario]]\nname = 'case {number}'\nexpect.solutions = 3\n");
    }
    std::fs::write(&path, text).expect("the suite is written");
    let (without, summary) = fastest(ROUNDS, || run(&path, 1));
    assert_eq!(summary.passed, SCENARIOS, "every scenario passes");
    let per = |time: Duration| time.as_secs_f64() * 1e9 / SCENARIOS as f64;
    println!(
        "reports: {SCENARIOS} passing scenarios, one worker: {:.0} ns each without a report",
        per(without)
    );
    let formats: [(&str, Make); 6] = [
        ("jsonl", || Box::new(JsonLines::default())),
        ("tap", || Box::new(Tap::default())),
        ("github", || Box::new(Github::new(""))),
        ("html", || Box::new(Html::default())),
        ("markdown", || Box::new(Markdown::default())),
        ("junit", || Box::new(Junit::default())),
    ];
    for (name, make) in formats {
        // Side by side, for a machine may change its pace meanwhile.
        let (mut without, mut with) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            without = without.min(run(&path, 1).0);
            with = with.min(reported(&path, make()));
        }
        let more = per(with) - per(without);
        println!("{name:>9}: {more:.0} ns more each, peak memory so far {}", peak_memory());
    }
}

/// Runs the file and writes the report to nowhere.
fn reported(path: &Path, format: Box<dyn Format>) -> Duration {
    let details = Details { facts: true, ..Details::default() };
    let options = Options { jobs: 1, details, ..Options::default() };
    let start = Instant::now();
    let mut writing = Writing(format);
    writing.0.begin(&Head::default(), &mut io::sink()).expect("a sink");
    let files = suite::files(&[PathBuf::from(path)]);
    let summary =
        runner::run(files, &options, &AtomicBool::new(false), &mut writing).expect("room for a worker");
    let end = End { summary, ..End::default() };
    writing.0.end(&end, &mut io::sink()).expect("a sink");
    start.elapsed()
}

struct Writing(Box<dyn Format>);

impl Listener for Writing {
    fn case(&mut self, report: &CaseResult) -> ControlFlow<()> {
        self.0.case(&Record::new(report), &mut io::sink()).expect("a sink");
        ControlFlow::Continue(())
    }
}
