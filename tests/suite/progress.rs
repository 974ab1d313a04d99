//! Bytes that a run says are done, and the time that cases take.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rulebook::identity::{Id, Key, Name};
use rulebook::runner::{self, Listener, Options};
use rulebook::scenario::suite::{self, Pieces};
use rulebook::scenario::{Case, Cases, Known, Pattern, Select, Shard, load};
use rulebook::verdict::{CaseResult, Summary};

use crate::scripts::folder;

/// Makes the same case of every index.
const SAME: &[u8] = b"fn generate(rng, i, args) { #{ target: 7, digits: 2 } }";

/// Hears of bytes.
#[derive(Default)]
struct Hearing {
    /// Those of each piece.
    bytes: Vec<u64>,
    /// The key of each case.
    keys: Vec<Key>,
}

impl Listener for Hearing {
    fn case(&mut self, report: &CaseResult) -> ControlFlow<()> {
        self.keys.push(Key::new(report.id(), report.line));
        ControlFlow::Continue(())
    }

    fn bytes(&mut self, done: u64) {
        self.bytes.push(done);
    }
}

/// Runs `files`, and holds the bytes that are said to be done against those that the files have.
fn hear(files: &[PathBuf], options: &Options, what: &str) -> (Hearing, Summary) {
    let total: u64 = files.iter().map(|path| path.metadata().map_or(0, |data| data.len())).sum();
    assert_eq!(files.iter().map(|path| suite::size(path)).sum::<Option<u64>>(), Some(total), "{what}");
    let mut hearing = Hearing::default();
    let all = files.iter().cloned().map(Ok).collect();
    let summary = runner::run(all, options, &AtomicBool::new(false), &mut hearing).expect("workers");
    assert_eq!(hearing.bytes.iter().sum::<u64>(), total, "{what}: {:?}", hearing.bytes);
    (hearing, summary)
}

fn options(jobs: usize, select: Select) -> Options {
    Options { jobs, select, ..Options::default() }
}

/// A scenario file with a generated scenario among others, which has this many cases.
fn around(count: u64) -> String {
    format!(
        "\u{feff}engine = 'quento' # ä\r\nboard = ['4+3', '-5-', '9-2']\nexpect.solvable = true\n\n\
         [[scenario]]\nname = 'before'\ntarget = 7\ndigits = 2\n\
         [[scenario]]\nname = 'made'\ngenerate = {{ script = 'g.rhai', count = {count} }}\n# ü\n\
         [[scenario]]\nname = 'after'\ntarget = 7\ndigits = 2\n\n\n# the end"
    )
}

#[test]
fn the_bytes_of_all_batches_are_those_of_the_file() {
    for count in [1, 2, 17, 1000] {
        let folder = folder(&[("a.toml", around(count).as_bytes()), ("g.rhai", SAME)]);
        for jobs in [1, 3] {
            let what = format!("{count} cases, {jobs} workers");
            let (heard, summary) =
                hear(&[folder.path().join("a.toml")], &options(jobs, Select::default()), &what);
            assert_eq!((summary.passed, summary.cases()), (count + 2, count + 2), "{what}");
            if count == 1000 {
                assert!(heard.bytes.len() as u64 > 50 && around(count).len() < 1000, "{what}");
                // Half of the pieces are not more than the smaller half of the cases.
                let made = &heard.bytes[1..heard.bytes.len() - 1];
                let (all, last) = (made.iter().sum::<u64>(), made.last().expect("batches"));
                assert!(all > 50 && *last < all / 2, "{what}: {made:?}");
            }
        }
    }
}

#[test]
fn a_file_of_one_generated_scenario_goes_on_before_its_end() {
    let text = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\nexpect.solvable = true\n\
                generate = { script = 'g.rhai', count = 40 }";
    let folder = folder(&[("a.toml", text.as_bytes()), ("g.rhai", SAME)]);
    let (heard, _) = hear(&[folder.path().join("a.toml")], &options(1, Select::default()), "one scenario");
    let parts = (1..=40).map(|done| text.len() as u64 * done / 40);
    let shares: Vec<_> =
        parts.clone().zip([0].into_iter().chain(parts)).map(|(now, last)| now - last).collect();
    // Sixteen and more cases come in batches of one and two.
    assert_eq!(heard.bytes[..16], shares[..16]);
}

/// Files that end early, or are not what they should be, with the number of cases that come of them.
const ODD: &[(&str, &[u8], u64)] = &[
    ("breaks", b"engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\nexpect.solvable = true\ngenerate = { script = 'breaks.rhai', count = 1000 }\n", 6),
    ("no-script", b"[[scenario]]\nengine = 'quento'\ngenerate = { script = 'no.rhai', count = 1000 }\n", 1),
    ("unknown-key", b"[[scenario]]\nengin = 'quento'\ngenerate = { script = 'g.rhai', count = 1000 }\n", 1),
    (
        "own-fault",
        b"[[scenario]]\nengine = 'quento'\ngenerate = { script = 'g.rhai', count = 99 }\nx = 1\n",
        1,
    ),
    (
        "skipped",
        b"[[scenario]]\nskip = 'no'\nengine = 'quento'\ngenerate = { script = 'g.rhai', count = 9 }\n",
        1,
    ),
    ("no-count", b"[[scenario]]\nengine = 'quento'\ngenerate = { script = 'g.rhai', count = 'x' }\n", 1),
    ("nothing", b"", 1),
    ("blank", b"\n \n", 1),
    ("comment", b"# generate", 1),
    ("mark", b"\xef\xbb\xbf", 1),
    (
        "not-utf8",
        b"engine = 'quento'\n[[scenario]]\nname = 'a'\n[[scenario]]\nname = '\xff'\n[[scenario]]\n",
        2,
    ),
    ("not-utf8-at-once", b"\xff\n[[scenario]]\n", 1),
    ("cut-character", b"[[scenario]]\nname = 'a'\n# generate \xc3", 1),
    ("bad-defaults", b"engine = \n[[scenario]]\nname = 'generate'\n[[scenario]]\nname = 'b'\n", 1),
    ("two-spellings", b"scenario = [{}]\n[[scenario]]\nname = 'generate'\n[[scenario]]\n", 1),
    ("inline", b"scenario = [{ name = 'a' }, { name = 'b' }] # generate\n", 2),
    ("no-toml", b"[[scenario]]\nname = 'a'\n]\n[[scenario]]\nname = 'b'\n[[scenario]]\ngenerate\n", 3),
    ("late", b"[[scenario]]\nname = 'a'\n[rules]\nx = 1\n", 2),
];

fn odd() -> (tempfile::TempDir, Vec<PathBuf>) {
    let breaks = b"fn generate(rng, i, args) { if i == 5 { throw `no` } #{ target: 7, digits: 2 } }";
    let folder = folder(&[("g.rhai", SAME), ("breaks.rhai", breaks)]);
    let files = ODD.iter().map(|(name, text, _)| {
        let path = folder.path().join(format!("{name}.toml"));
        fs::write(&path, text).expect("a scenario file");
        path
    });
    let files = files.collect();
    (folder, files)
}

#[test]
fn what_ends_early_is_done_all_the_same() {
    let (folder, files) = odd();
    for jobs in [1, 3] {
        for (file, (name, _, cases)) in files.iter().zip(ODD) {
            let (_, summary) = hear(std::slice::from_ref(file), &options(jobs, Select::default()), name);
            assert_eq!(summary.cases(), *cases, "{name}: {summary:?}");
        }
        let missing = [folder.path().join("is-not-there.toml")];
        assert_eq!(hear(&missing, &options(jobs, Select::default()), "missing").1.errored, 1);
    }
}

#[test]
fn bytes_add_up_whatever_is_selected() {
    let (folder, mut files) = odd();
    let plain =
        "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\nexpect.solutions = 3\n";
    for (name, text) in [("plain", plain.to_owned()), ("around", around(300))] {
        let path = folder.path().join(format!("{name}.toml"));
        fs::write(&path, text).expect("a scenario file");
        files.push(path);
    }
    let file = files[files.len() - 1].display().to_string();
    let mut failed = Cases::default();
    failed.insert(&file, &Name::Given("made".to_owned()), Some(100));
    let failed = Some(Arc::new(failed));
    let (whole, all) = hear(&files, &options(1, Select::default()), "all");
    // As if all but the last hundred were known.
    let keys = &whole.keys[..whole.keys.len() - 100];
    let made = Key::new(Id { file: &file, name: &Name::Given("made".to_owned()), index: None }, 9);
    let known = Known {
        cases: keys.iter().copied().collect(),
        last: keys.last().copied(),
        open: Some(made),
        closed: HashSet::new(),
    };
    let indices = |range| Select { indices: Some(range), ..Select::default() };
    let shard = |index| Select { shard: Shard::new(index, 3), ..Select::default() };
    let table = [
        ("index 0", indices(0..1), false),
        ("index 299", indices(299..300), false),
        ("an index that none has", indices(5000..5001), false),
        ("several indices", indices(20..90), false),
        ("shard 1", shard(1), false),
        ("shard 3", shard(3), false),
        ("a name", Select { names: vec![Pattern::new("made")], ..Select::default() }, false),
        ("nothing", Select { name: Some("no such name".to_owned()), ..Select::default() }, false),
        ("only what failed", Select { only: failed.clone(), ..Select::default() }, false),
        ("all but what failed", Select { except: failed, ..Select::default() }, false),
        ("loaded only", Select { load_only: true, ..Select::default() }, true),
        ("resumed", Select { known: Some(Arc::new(known)), ..Select::default() }, false),
    ];
    for (what, select, is_all) in table {
        for jobs in [1, 3] {
            for shuffle in [None, Some(1)] {
                let options = Options { shuffle, ..options(jobs, select.clone()) };
                let (_, some) = hear(&files, &options, what);
                assert_eq!(some.cases() == all.cases(), is_all, "{what}: {some:?} of {all:?}");
            }
        }
    }
}

/// Returns the case of this scenario.
fn case(text: &str) -> Case {
    let scripts = b"fn generate(rng, i, args) { throw `no` } fn choose(state, rng, args) { throw `no` }";
    let game = b"fn game() { #{ about: `Heap`, step: `take`, moves: `takes`, keys: #{ takes: #{ kind: `[int]`, about: `t` } },\n\
        facts: #{ left: #{ kind: `int`, about: `left` } } } }\nfn setup(doc) { throw `no` }\nfn legal(state) { [] }\n\
        fn step(state, take) { state }\nfn facts(state) { state }\n";
    let folder = folder(&[
        ("a.toml", text.as_bytes()),
        ("throws.rhai", scripts),
        ("other.rhai", b"fn generate(rng, i, args) { #{ engine: `other` } }"),
        ("game.rhai", game),
    ]);
    let mut cases = Vec::new();
    for piece in Pieces::new(suite::files(&[folder.path().join("a.toml")]), None) {
        let chunk = piece.content.expect("scenarios");
        let _ = load(&chunk, &piece.file, &Select::default(), &mut |case| {
            cases.push(case);
            ControlFlow::Continue(())
        });
    }
    assert_eq!(cases.len(), 1, "{text}");
    cases.remove(0)
}

#[test]
fn the_time_of_scripts_and_of_the_start_is_noted() {
    const MATCH3: &str = "engine = 'match3'\nboard = ['1121', '3413']\nexpect.valid_swaps = 1\n";
    let faults = |case: &Case| match &case.plan {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(|fault| fault.code).collect(),
    };
    // Nothing is begun of the first ones; of each of the others one thing alone.
    let table: &[(&str, &[&str], bool)] = &[
        ("engine = 'other'", &["scenario::unknown-engine"], false),
        ("engine = 'quento'\nskip = 'no'\ngenerate = { script = 'throws.rhai' }", &[], false),
        ("engine = 'quento'\ngenerate = { script = 'missing.rhai' }", &["script::unreadable"], false),
        (&format!("{MATCH3}swaps = [[1, 3, 2, 3]]"), &[], true),
        ("engine = 'quento'\ngenerate = { script = 'throws.rhai' }", &["script::thrown"], true),
        ("generate = { script = 'other.rhai' }", &["scenario::unknown-engine"], true),
        (&format!("{MATCH3}play = {{ script = 'throws.rhai' }}"), &["script::thrown"], true),
        ("engine = 'game.rhai'", &["script::refused"], true),
    ];
    for (text, codes, is_begun) in table {
        let case = case(text);
        assert_eq!(faults(&case), *codes, "{text}");
        assert_eq!(case.spent > Duration::ZERO, *is_begun, "{text}: {:?}", case.spent);
    }
}
