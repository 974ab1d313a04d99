//! The formats of reports, each held against what reads it.

mod html;
mod jsonl;
mod junit;
mod markdown;
mod merge;
mod outputs;
mod tap;

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::command::{rulebook, stdout};

pub(crate) const QUENTO: &str = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";

/// Every verdict, and two lines printed by a script.
pub(crate) fn every_verdict() -> String {
    format!(
        "{QUENTO}\n[[scenario]]\nname = 'good'\ntags = ['a', 'b']\nexpect.solutions = 3\n\n\
         [[scenario]]\nname = 'bad'\nexpect.solutions = 2\n\n\
         [[scenario]]\nname = 'broken'\ntraget = 7\nexpect.solutions = 3\n\n\
         [[scenario]]\nname = 'later'\nskip = 'not yet'\nexpect.solutions = 3\n\n\
         [[scenario]]\nname = 'known'\nexpect_failure = 'a ruling'\nexpect.solutions = 9\n\n\
         [[scenario]]\nname = 'talks'\ncheck = {{ script = 'talks.rhai' }}\n"
    )
}

/// A checker that prints.
pub(crate) const TALKS: &str = "fn check(scenario, facts, args) { print(\"first ]]> <b> & \\x1b[31m\"); print(\"second ``` ````\"); true }\n";

/// Names that mean something to the formats that hold them.
pub(crate) fn hard_names() -> String {
    let mut text = QUENTO.to_owned();
    for name in [
        r"control \u0000 \u0001 \u0008 \u001b[31mred\u001b[0m \u007f \u0085 \uFFFE",
        r"lines\n::error::x\r\n\tok 1 - y\u2028z",
        r#"\"quotes\" 'single' ]]> <script>alert(1)</script> &amp; <!-- -->"#,
        r"# TODO not this # SKIP nor this \\# \\",
        r"| a | `b` ``` *c* [d](e) ~~f~~ https://example.org",
        r"50% a,b:c %0A",
        "日本 \u{1f600} e\u{301} \\u202e turned",
        " blanks  around ",
        "1..9",
        "  ...",
    ] {
        text += &format!("\n[[scenario]]\nname = \"{name}\"\nexpect.solutions = 2\n");
    }
    text += &format!("\n[[scenario]]\nname = '{}'\nexpect.solutions = 2\n", "long ".repeat(2048));
    text
}

/// How many scenarios have such names.
pub(crate) const HARD_NAMES: usize = 11;

/// A folder with all of these, and with what cannot be read.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).expect("a file");
    write("a.toml", every_verdict().as_bytes());
    write("hard.toml", hard_names().as_bytes());
    write("latin.toml", b"engine = 'quento'\nname = '\xff'\n");
    write("made.toml", b"engine = 'quento'\n[[scenario]]\nname = 'made'\ngenerate = { script = 'makes.rhai', count = 40, seed = 1 }\nexpect.solutions = 3\n");
    write("makes.rhai", b"fn generate(rng, index, args) { #{ target: 7 + index % 2, digits: 2, board: [\"4+3\", \"-5-\", \"9-2\"] } }\n");
    write("talks.rhai", TALKS.as_bytes());
    folder
}

/// The report in `format` of all that is in `folder`.
pub(crate) fn report(folder: &Path, format: &str, more: &[&str]) -> String {
    let mut args = vec!["run", ".", "--report", format];
    args.extend(more);
    stdout(&rulebook().current_dir(folder).args(args).assert().code(3))
}

/// The report without its times.
pub(crate) fn timeless(report: &str) -> String {
    let times =
        [r#""seconds":[-+.e\d]+"#, r#"time="[.\d]+""#, r"in [.\d]+ s", r#"<td class="number">\d+\.\d+</td>"#];
    times.iter().fold(report.to_owned(), |text, time| {
        regex::Regex::new(time).expect("a pattern").replace_all(&text, "TIME").into_owned()
    })
}

/// Whether the program is there; says which test goes without it, and why.
pub(crate) fn has(program: &str, argument: &str) -> bool {
    let found = Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success());
    if !found {
        // Skipped tests say so where test output is shown.
        drop(std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped in part: `{program}` is not installed\n").as_bytes(),
        ));
    }
    found
}

#[test]
fn every_format_is_the_same_for_any_number_of_workers() {
    let folder = folder();
    for format in ["jsonl", "junit", "tap", "github", "markdown"] {
        let one = timeless(&report(folder.path(), format, &["--jobs", "1", "--signature"]));
        let three = timeless(&report(folder.path(), format, &["--jobs", "3", "--signature"]));
        assert!(!one.is_empty() && one == three, "{format} differs:\n{one}\n\n{three}");
    }
}
