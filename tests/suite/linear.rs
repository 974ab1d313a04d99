//! Work that grows with the length of a file and not with its square, whatever list makes the file long.
//!
//! Work is counted, not timed: as bytes that were asked for, the same on every machine.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use rulebook::CaseResult;
use rulebook::report::record::Record;
use rulebook::report::terminal;
use rulebook::root::Bounds;
use rulebook::runner::{self, Details, Options};
use rulebook::scenario::bless::File;
use rulebook::scenario::{STDIN, Select, Targets, Which, Word};

use crate::alloc;

const QUENTO: &str = "engine='quento'\nboard=['4+3','-5-','9-2']\ntarget=7\ndigits=2\n";
const MATCH3: &str = "engine='match3'\nlimits='none'\nboard='''\n1 2 3\n2 1 1\n1 3 2\n'''\n";
const STACKING: &str = "engine='stacking'\nlimits='none'\nboard=['wwww','wwww','wwww','wwww']\n";
const SCENARIO: &str = "[[scenario]]\nboard=['4+3','-5-','9-2']\ntarget=7\ndigits=2\n";

/// Repeats what `item` makes of the numbers below `count`.
fn many(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

/// Keys that nothing knows, in one table.
fn keys(count: usize) -> String {
    many(count, |i| format!("k{i}=1, ")) + "z=1"
}

/// A file whose list has so many items.
type Long = fn(usize) -> String;

/// Each list that can make a file long, be it right or wrong.
const LISTS: &[(&str, Long)] = &[
    ("unknown keys on lines", |n| format!("{QUENTO}{}", many(n, |i| format!("k{i}=1\n")))),
    ("unknown keys on one line", |n| format!("{QUENTO}rules={{ {} }}\n", keys(n))),
    ("unknown keys below comments", |n| {
        format!("{}{QUENTO}{}", "# a\n".repeat(n), many(n, |i| format!("k{i}=1\n")))
    }),
    ("unknown keys of no engine", |n| many(n, |i| format!("k{i}=1\n")) + "engine='quanto'\n"),
    ("unknown tables", |n| format!("{QUENTO}{}", many(n, |i| format!("[k{i}]\n")))),
    ("duplicate keys", |n| format!("{QUENTO}{}", "k=1\n".repeat(n))),
    ("late defaults", |n| format!("[[scenario]]\n{QUENTO}[rules]\n{}", many(n, |i| format!("k{i}=1\n")))),
    ("unknown facts on one line", |n| format!("{QUENTO}expect={{ {} }}\n", keys(n))),
    ("unknown facts on lines", |n| format!("{QUENTO}{}", many(n, |i| format!("expect.k{i}=1\n")))),
    ("matchers", |n| format!("{QUENTO}expect.solutions.one_of=[{}]\n", many(n, |i| format!("{i},")))),
    ("summaries", |n| format!("{QUENTO}summary=[{}]\n", many(n, |i| format!("'s{i}',")))),
    ("tags", |n| format!("{QUENTO}tags=[{}]\nexpect.solutions=3\n", many(n, |i| format!("'t{i}',")))),
    ("tags that are none", |n| format!("{QUENTO}tags=[{}]\n", many(n, |i| format!("{i},")))),
    ("codes of faults", |n| format!("{QUENTO}expect.error=[{}]\n", many(n, |i| format!("'a::b{i}',")))),
    ("swaps", |n| format!("{MATCH3}swaps=[{}]\nexpect.score=7\n", "[1,1,1,2],".repeat(n))),
    ("swaps that are none", |n| format!("{MATCH3}swaps=[{}]\nexpect.score=0\n", "'a',".repeat(n))),
    ("swaps off the board", |n| {
        format!("{MATCH3}swaps=[{}]\nexpect.score=0\n", many(n, |i| format!("[1,1,1,{}],", i + 9)))
    }),
    ("checkpoints not reached", |n| {
        format!("{MATCH3}swaps=[]\n{}", many(n, |i| format!("[[checkpoint]]\nafter={}\nrunning=1\n", i + 5)))
    }),
    ("checkpoints that do not hold", |n| {
        let checkpoints = many(n, |i| format!("[[checkpoint]]\nafter={}\nrunning=77\n", i + 1));
        format!("{MATCH3}swaps=[{}]\n{checkpoints}", "[1,1,1,2],".repeat(n))
    }),
    ("checkpoints on one line", |n| {
        let checkpoints = many(n, |i| format!("{{after={},running=77}},", i + 1));
        format!("{MATCH3}swaps=[{}]\ncheckpoint=[{checkpoints}]\n", "[1,1,1,2],".repeat(n))
    }),
    ("boards of checkpoints", |n| {
        let checkpoints =
            many(n, |i| format!("[[checkpoint]]\nafter={}\nboard=['111','111','111']\n", i + 1));
        format!("{MATCH3}swaps=[{}]\n{checkpoints}", "[1,1,1,2],".repeat(n))
    }),
    ("checkpoints without a step", |n| {
        format!("{MATCH3}swaps=[]\n{}", "[[checkpoint]]\nrunning=1\n".repeat(n))
    }),
    ("pieces with unknown keys", |n| {
        format!("{STACKING}pieces=[{}]\nexpect.turn=1\n", "{at=[1,1],facng='up'},".repeat(n))
    }),
    ("pieces on one square", |n| {
        format!("{STACKING}pieces=[{}]\nexpect.turn=1\n", "{at=[1,1],facing='up'},".repeat(n))
    }),
    ("pieces off the board", |n| {
        format!(
            "{STACKING}pieces=[\n{}]\nexpect.turn=1\n",
            many(n, |i| format!("{{at=[{},1],facing='up'}},\n", i + 9))
        )
    }),
    ("lines of a board", |n| {
        format!("engine='match3'\nlimits='none'\nboard=[{}]\nexpect.score=1\n", "'1 2 3',".repeat(n))
    }),
    ("lines of a board with a hole", |n| {
        format!(
            "engine='match3'\nlimits='none'\nboard='''\n{}1 2\n'''\nexpect.score=1\n",
            "1 2 3\n".repeat(n)
        )
    }),
    ("cells of a row that are none", |n| {
        format!("engine='match3'\nlimits='none'\nboard=['{}']\n", "1 x ".repeat(n))
    }),
    ("scenarios", |n| {
        format!("engine='quento'\n{}", many(n, |i| format!("{SCENARIO}name='n{i}'\nexpect.solutions=3\n")))
    }),
    ("scenarios that fail", |n| {
        format!("engine='quento'\n{}", many(n, |i| format!("{SCENARIO}name='n{i}'\nexpect.solutions=4\n")))
    }),
    ("scenarios that fail alike, word by word", |n| {
        format!("engine='quento'\n{}", format!("{SCENARIO}expect.solutions=4\n").repeat(n))
    }),
    ("scenarios that expect nothing", |n| {
        format!("engine='quento'\n{}", many(n, |i| format!("{SCENARIO}name='n{i}'\n")))
    }),
    ("scenarios of one name", |n| {
        format!("engine='quento'\n{}", format!("{SCENARIO}name='n'\nexpect.solutions=3\n").repeat(n))
    }),
    ("scenarios on one line", |n| {
        let one = "{board=['4+3','-5-','9-2'],target=7,digits=2,expect.solutions=4},";
        format!("engine='quento'\nscenario=[{}]\n", one.repeat(n))
    }),
    ("scenarios that are not TOML below long defaults", |n| {
        format!("engine='quento'\n{}{}", "# a\n".repeat(10 * n), "[[scenario]]\nx = \n".repeat(n / 4))
    }),
    ("lines that are not TOML", |n| format!("{QUENTO}{}", "k =\n".repeat(n))),
    ("an array without an end", |n| format!("{QUENTO}x=[\n{}", "1,\n".repeat(n))),
    ("a string without an end", |n| format!("{QUENTO}x='''\n{}", "1\n".repeat(n))),
    ("keys of a scenario and of its defaults", |n| {
        let own = many(n, |i| format!("j{i}=1, ")) + "z=1";
        format!("engine='quento'\nrules={{ {} }}\n{SCENARIO}rules={{ {own} }}\n", keys(n))
    }),
    ("letters of a name", |n| format!("{QUENTO}name='{}'\nexpect.solutions=4\n", "n".repeat(9 * n))),
    ("letters of an unknown key", |n| format!("{QUENTO}{}=1\n", "k".repeat(9 * n))),
    ("letters of an unknown word", |n| {
        format!("{QUENTO}rules.order='{}'\nexpect.solutions=3\n", "k".repeat(9 * n))
    }),
];

/// What is run of a long file.
type Selected = fn(&Path) -> Targets;

/// Every scenario of it.
fn all(path: &Path) -> Targets {
    Targets::find(vec![(path.to_owned(), Which::All)], &Bounds::default())
}

/// Each scenario of it by its line.
fn by_line(path: &Path) -> Targets {
    let text = fs::read_to_string(path).expect("the file");
    let lines = text.lines().zip(1..).filter(|(line, _)| line.starts_with("[["));
    named(lines.map(|(_, line)| format!("{}:{line}", path.display())))
}

/// Each scenario of it by its name, which is that of its place.
fn by_name(path: &Path) -> Targets {
    let scenarios = fs::read_to_string(path).expect("the file").matches("[[scenario]]").count();
    named((0..scenarios).map(|i| format!("{}::{}", path.display(), name(i))))
}

/// A name as long as one that is said in a sentence or two, for the scenario at this place.
fn name(place: usize) -> String {
    format!("{place}: {}", "a row of blocks falls where another was ".repeat(5))
}

/// What the words name.
fn named(words: impl Iterator<Item = String>) -> Targets {
    let target = |word: String| match Word::read(Path::new(&word)) {
        Word::Target(path, which) => (path, which),
        Word::Name(name) => panic!("`{name}` is a name"),
    };
    Targets::find(words.map(target).collect(), &Bounds::default())
}

/// Runs the file, draws and reports every fault, and makes what would be written into it.
fn work(Targets { files, places }: Targets, text: &str) {
    let mut file = File::default();
    let mut cases = 0;
    let details = Details { blessing: true, facts: true, ..Details::default() };
    let select = Select { places, ..Select::default() };
    let options = Options { jobs: 1, details, select, ..Options::default() };
    let summary = runner::run(files, &options, &AtomicBool::new(false), &mut |report: &CaseResult| {
        let drawn = terminal::case(report, false, false);
        let record = serde_json::to_string(&Record::new(report)).expect("a record");
        assert!(record.len() > 2 && (report.verdict.faults().is_empty() || !drawn.is_empty()));
        file.add(report);
        cases += 1;
    });
    assert!(cases > 0 && summary.is_ok());
    let revised = file.revise(text);
    assert!(revised.revisions.len() + revised.left.len() <= 2 * cases);
}

/// Asserts that twice the length makes twice the work: `work` is of `n`, 2 `n` and 4 `n` items.
///
/// What does not depend on the length falls out of the differences. They double where work is linear, grow to four times
/// where it is not, and may grow `most` times: tables grow by steps.
fn assert_linear(list: &str, work: [u64; 3], most: f64) {
    let (first, second) = (work[1].abs_diff(work[0]), work[2].abs_diff(work[1]));
    assert!(second as f64 <= most * first as f64, "{list}: {work:?}");
}

/// Set in a process that runs one test alone, so that bytes of other tests are not counted.
const ALONE: &str = "RULEBOOK_TEST_ALONE";

/// Runs `test` in a process of its own, with `input` on its standard input; what it prints.
fn alone(test: &str, input: &Path) -> String {
    let output = Command::new(env::current_exe().expect("this binary"))
        .args([test, "--exact", "--nocapture"])
        .env(ALONE, "1")
        .stdin(fs::File::open(input).expect("the input"))
        .output()
        .expect("a process");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn no_list_of_a_file_is_worked_through_for_each_of_its_items() {
    if env::var_os(ALONE).is_none() {
        alone("linear::no_list_of_a_file_is_worked_through_for_each_of_its_items", Path::new("Cargo.toml"));
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("long.toml");
    let scenarios: [(&str, Long, Selected); 4] = [
        (
            "scenarios by their names",
            |n| {
                let named = many(n, |i| format!("{SCENARIO}name='{}'\nexpect.solutions=3\n", name(i)));
                format!("engine='quento'\n{named}")
            },
            by_name,
        ),
        (
            "scenarios by their lines",
            |n| format!("engine='quento'\n{}", format!("{SCENARIO}expect.solutions=3\n").repeat(n)),
            by_line,
        ),
        (
            "scenarios of long defaults",
            |n| {
                let tags = many(50, |i| format!("'t{i}',"));
                format!("engine='quento'\ntags=[{tags}]\nexpect.solutions=3\n{}", SCENARIO.repeat(n))
            },
            all,
        ),
        (
            "scenarios by their lines, that fail",
            |n| format!("engine='quento'\n{}", format!("{SCENARIO}expect.solutions=4\n").repeat(n)),
            by_line,
        ),
    ];
    let lists = LISTS.iter().map(|&(list, long)| (list, long, all as Selected)).chain(scenarios);
    for (list, long, selected) in lists {
        let bytes = [100, 100, 200, 400].map(|n| {
            let text = long(n);
            fs::write(&path, &text).expect("a file");
            alloc::bytes(|| work(selected(&path), &text)).1
        });
        // The first time makes what is made once.
        assert_linear(list, [bytes[1], bytes[2], bytes[3]], 2.3);
    }
}

/// Lines of scenarios with these keys, so many.
type Lines = fn(&str, usize) -> String;

/// The work of what is on standard input, printed.
#[test]
fn standard_input_is_worked_through_once() {
    const OWN: &str = "linear::standard_input_is_worked_through_once";
    if env::var_os(ALONE).is_some() {
        let work = || work(Targets::find(vec![(STDIN.into(), Which::All)], &Bounds::default()), "");
        writeln!(std::io::stdout(), "bytes: {}", alloc::bytes(work).1).expect("standard output");
        return;
    }
    let json = r#""engine":"quento","board":["4+3","-5-","9-2"],"target":7,"digits":2,"#;
    let lists: [(&str, Lines); 4] = [
        ("lines of JSON", |json, n| format!("{{{json}\"expect\":{{\"solutions\":3}}}}\n").repeat(n)),
        ("lines of JSON that fail", |json, n| {
            format!("{{{json}\"expect\":{{\"solutions\":4}}}}\n").repeat(n)
        }),
        ("lines that are not JSON", |_, n| "{\"engine\":}\n".repeat(n)),
        ("unknown keys of a line of JSON", |json, n| {
            format!("{{{json}{}\"expect\":{{\"solutions\":3}}}}\n", many(n, |i| format!("\"k{i}\":1,")))
        }),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("input");
    for (list, long) in lists {
        let bytes = [100, 200, 400].map(|n| {
            fs::write(&path, long(json, n)).expect("a file");
            let said = alone(OWN, &path);
            let line = said.lines().find_map(|line| line.strip_prefix("bytes: ")).expect("a line");
            line.parse().expect("a number")
        });
        assert_linear(list, bytes, 2.3);
    }
}
