//! Mutilated scenario files: whatever an author types is answered, never a panic, and harms nobody else.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rulebook::rng::Rng;
use rulebook::scenario::{split, suite};

use super::starts::pick;
use crate::command::root;
use crate::documents;
use crate::reports::{self, Told};

fn mutants() -> u64 {
    if std::env::var_os("RULEBOOK_LONG_TESTS").is_some() { 500_000 } else { 10_000 }
}

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "5",
    "255",
    "256",
    "65536",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "1000000000000000000000000000000",
    "0.5",
    "1e400",
    "-inf",
    "nan",
    "0xff",
    "1979-05-27",
    "true",
];

const STRINGS: &[&str] = &[
    "\"\"",
    "''",
    "\"\\u0000\"",
    "\"\\n\"",
    "'\u{1f3b2}'",
    "\"\\u00e9\u{65e5}\u{672c}\"",
    "'(a{1000}){1000}('",
    "[]",
    "{}",
    "[[]]",
    "{ at_least = 3, not = { not = 2 } }",
    "{ each = { len = { at_most = -1 } } }",
    "{ one_of = [], contains = '?' }",
    "{ matches = '^(' }",
];

/// Texts that mutants are made of: the scenarios of the docs, of the tests and of those that ship.
fn documents() -> Vec<String> {
    let blocks = documents::blocks().into_iter().filter(|block| block.language.starts_with("toml"));
    let mut texts: Vec<_> = blocks.map(|block| block.text).collect();
    let folders = ["tests/golden", "tests/diagnostics", "scenarios"].map(|folder| root().join(folder));
    for path in suite::files(&folders).into_iter().flatten() {
        // Some are not UTF-8.
        texts.push(fs::read_to_string(path).unwrap_or_default());
    }
    // Large files and boards would only be run again and again.
    texts.retain(|text| text.len() < 4_000 && !text.contains("limits = \"none\"") && !words(text).is_empty());
    assert!(texts.len() > 30, "there are texts to damage");
    texts
}

/// Where the words of a text stand: names and numbers, or strings, or marks.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut quote = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let joins = |last: &Range<usize>| {
            let name = |c: char| c.is_alphanumeric() || "_+-".contains(c);
            last.end == at && name(c) && text[last.start..].starts_with(name)
        };
        match (quote, words.last_mut()) {
            (Some(open), Some(last)) => {
                last.end = end;
                quote = (open != c && c != '\n').then_some(open);
            }
            (None, Some(last)) if joins(last) => last.end = end,
            _ if c.is_whitespace() => {}
            _ => {
                words.push(at..end);
                quote = (c == '"' || c == '\'').then_some(c);
            }
        }
    }
    words
}

/// Damages a text once.
fn damage(text: &str, others: &[String], rng: &mut Rng) -> String {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let words = words(text);
    if words.is_empty() {
        return text.to_owned();
    }
    let (line, word) = (rng.below(lines.len() as u64) as usize, pick_range(&words, rng));
    let with = |range: Range<usize>, new: &str| [&text[..range.start], new, &text[range.end..]].concat();
    let other = &others[rng.below(others.len() as u64) as usize];
    let mut lines = lines;
    match rng.below(12) {
        0 => {
            lines.remove(line);
            lines.concat()
        }
        1 => {
            lines.insert(line, lines[line]);
            lines.concat()
        }
        2 => {
            let last = rng.below(lines.len() as u64) as usize;
            lines.swap(line, last);
            lines.concat()
        }
        3 => {
            let foreign: Vec<_> = other.split_inclusive('\n').collect();
            lines[line] = pick(rng, &foreign);
            lines.concat()
        }
        4 => with(word, ""),
        5 => with(word.end..word.end, &text[word]),
        6 => {
            let foreign = self::words(other);
            with(word, &other[pick_range(&foreign, rng)])
        }
        7 => with(word, &text[pick_range(&words, rng)]),
        8 => {
            let numbers = words.iter().filter(|word| text.as_bytes()[word.start].is_ascii_digit());
            let numbers: Vec<_> = numbers.cloned().collect();
            let place = if numbers.is_empty() { word } else { pick_range(&numbers, rng) };
            with(place, pick(rng, NUMBERS))
        }
        9 => {
            let value = text[word.start..].find('\n').map_or(text.len(), |end| word.start + end);
            let start = text[word.start..value].find("= ").map_or(word.start, |at| word.start + at + 2);
            let values = if rng.percent(50) { STRINGS } else { NUMBERS };
            with(start..value, pick(rng, values))
        }
        _ => {
            let mut bytes = text.as_bytes().to_vec();
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(4) {
                0 => bytes[at] = rng.bits() as u8,
                1 => bytes[at] = pick(rng, b"\"'\\[]{}=.,#\n\r\t -0"),
                2 => bytes.truncate(at + 1),
                _ => drop(bytes.remove(at)),
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}

fn pick_range(ranges: &[Range<usize>], rng: &mut Rng) -> Range<usize> {
    ranges[rng.below(ranges.len() as u64) as usize].clone()
}

fn mutant(text: &str, others: &[String], rng: &mut Rng) -> String {
    let times = pick(rng, &[1, 1, 1, 2, 4]);
    (0..times).fold(text.to_owned(), |text, _| damage(&text, others, rng))
}

/// What is said of a file with this text; panics are shown with it.
fn run(path: &Path, text: &str) -> Vec<Told> {
    fs::write(path, text).expect("a scenario file");
    let told = catch_unwind(AssertUnwindSafe(|| reports::run(path, 1)));
    // Some file systems wait for the disk when a file is written anew.
    fs::remove_file(path).expect("the file");
    told.unwrap_or_else(|_| panic!("this breaks it:\n{text}"))
}

#[test]
fn mutilated_files_are_answered() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("mutant.toml");
    let documents = documents();
    let mut verdicts = BTreeSet::new();
    for case in 0..mutants() {
        let mut rng = Rng::new(31, case);
        let document = &documents[rng.below(documents.len() as u64) as usize];
        let text = mutant(document, &documents, &mut rng);
        let told = run(&path, &text);
        assert!(!told.is_empty(), "nothing is said of\n{text}");
        verdicts.extend(told.iter().map(|told| told.verdict));
    }
    assert!(["passed", "failed", "errored"].iter().all(|verdict| verdicts.contains(verdict)), "{verdicts:?}");
}

/// Scenarios that stand around a mutant: one passes, one fails, one is skipped and one is at fault.
const GUARDS: &[&str] = &[
    "[[scenario]]\nname = 'guard 1'\nengine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n\
     expect.solutions = 3\n",
    "[[scenario]]\nname = 'guard 2'\nengine = 'match3'\nboard = '''\n2 2 1\n3 1 2\n'''\nswaps = [[1, 3, 2, 3]]\n\
     [scenario.expect]\nelimination = 5\n",
    "[[scenario]]\nname = 'guard 3'\nskip = 'not today'\n",
    "[[scenario]]\nname = 'guard 4'\nengine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n\
     tagz = []\nexpect.solutions = 3\n",
];

/// What the scenarios of the documents say, each below a header of its own.
fn bodies() -> Vec<String> {
    let mut bodies = Vec::new();
    for text in documents() {
        let text = text
            .replace("\n[expect", "\n[scenario.expect")
            .replace("\n[[checkpoint", "\n[[scenario.checkpoint");
        let mut ranges: Vec<_> = split::scenarios(&text).collect();
        let defaults = &text[..ranges.first().map_or(text.len(), |first| first.start)];
        if ranges.is_empty() {
            ranges.push(text.len()..text.len());
        }
        let own = |range: Range<usize>| {
            text[range].split_once('\n').map_or("", |(_, own): (&str, &str)| own).to_owned()
        };
        bodies.extend(ranges.into_iter().map(|range| [defaults, &own(range)].concat()));
    }
    bodies.retain(|body| !words(body).is_empty());
    bodies
}

/// A guard's report, but for the numbers of lines.
fn essence(told: &Told) -> (&str, &str, String) {
    let drawn = told.drawn.chars().filter(|c| !c.is_ascii_digit() && *c != ' ').collect();
    (&told.name, told.verdict, drawn)
}

#[test]
fn a_mutilated_scenario_leaves_its_neighbours_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("mutant.toml");
    let defaults = "tags = ['all']\n[rules]\n[expect]\n";
    let alone = run(&path, &[defaults, &GUARDS.concat()].concat());
    assert!(alone.iter().map(|told| told.verdict).eq(["passed", "failed", "skipped", "errored"]));
    let bodies = bodies();
    let mut complete = 0;
    for case in 0..mutants() {
        let mut rng = Rng::new(37, case);
        let body = &bodies[rng.below(bodies.len() as u64) as usize];
        let scenario = format!("[[scenario]]\n{}\n", mutant(body, &bodies, &mut rng));
        let (before, after) = GUARDS.split_at(rng.below(GUARDS.len() as u64 + 1) as usize);
        let text = [defaults, &before.concat(), &scenario, &after.concat()].concat();
        // A string or an array that is left open takes in what follows.
        let behind = text.len() - after.concat().len();
        let whole = split::scenarios(&text).filter(|range| range.start >= behind).count() == after.len();
        complete += u64::from(whole);
        let safe = if whole { GUARDS.len() } else { before.len() };
        let mut told = run(&path, &text);
        told.retain(|told| told.name.starts_with("guard "));
        let shown = || format!("in\n{text}");
        assert!(told.len() >= safe, "{}", shown());
        let lines = scenario.matches('\n').count();
        for (i, (told, alone)) in told.iter().zip(&alone).take(safe).enumerate() {
            assert_eq!(essence(told), essence(alone), "{}", shown());
            let above = if i < before.len() { 0 } else { lines };
            assert_eq!(told.line, alone.line + above, "{}", shown());
        }
    }
    assert!(complete > mutants() / 2, "most mutants leave the text behind them in order");
}
