//! Shapes of scenario files: the same board in every way that strangers lay a file out.
//!
//! Each scenario of a [`Shape`] is one quento board and expects a number of solutions, which the caller chooses: it
//! passes with [`SOLUTIONS`]. The tests here hand the shapes to the commands; other modules draw from [`shapes`] too.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rulebook::rng::Rng;
use rulebook::scenario::{File, format};
use rulebook::script::Scripts;
use rulebook::source::Source;
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{rulebook, stderr, stdout};
use crate::reports;
use crate::split;

/// Number of solutions that the board of every scenario has.
pub(crate) const SOLUTIONS: u64 = 3;

/// A scenario file.
pub(crate) struct Shape {
    /// The choices that made it.
    pub(crate) about: String,
    /// How its scenarios are written.
    pub(crate) form: Form,
    /// Its scenarios, each with the name that reports give it, and its line from 1.
    pub(crate) scenarios: Vec<(String, usize)>,
    /// Its text, with [`HOLE`] for each number of solutions.
    text: String,
}

/// How the scenarios of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The file is one scenario.
    Alone,
    /// Each has a header.
    Headers,
    /// They are the items of an array.
    Array,
}

impl Shape {
    /// Returns the text of the file whose scenarios expect this many solutions.
    pub(crate) fn expecting(&self, solutions: u64) -> String {
        self.text.replace(HOLE, &solutions.to_string())
    }

    /// Returns the text of the file whose scenarios expect nothing; an array of scenarios has no lines to do without.
    fn expecting_nothing(&self) -> Option<String> {
        let lines = self.text.split_inclusive('\n').map(|line| {
            let line = line.replace(&format!("{{ solutions = {HOLE} }}"), "{}");
            if line.contains(HOLE) { String::new() } else { line }
        });
        (self.form != Form::Array).then(|| lines.collect())
    }

    /// Number of values in the text.
    fn values(&self) -> usize {
        self.text.matches(HOLE).count()
    }
}

/// Returns the first `count` shapes, always the same ones.
pub(crate) fn shapes(count: u64) -> impl Iterator<Item = Shape> {
    (0..count).map(|stream| {
        let mut rng = Rng::new(9, stream);
        let choices = Choices::new(&mut rng);
        let about = format!("shape {stream}: {choices:?}");
        Writer { choices, rng, text: String::new(), scenarios: Vec::new() }.shape(about)
    })
}

/// Place of a number of solutions in a text.
const HOLE: &str = "@";

/// Number of shapes that show every choice.
const ENOUGH: u64 = 240;

const FIRST: &[&str] =
    &["", "", "", " ", "\t", "\n", "  \n", "#\n", "# a comment\n\n", "# [[scenario]]\n", "\n\n# '''\n"];
const LAST: &[&str] = &["", "\n", "\n\n", "\n# the end", "\n# the end\n", "  ", " # the end", "\n\t\n"];
const FORMS: &[Form] = &[Form::Alone, Form::Headers, Form::Headers, Form::Headers, Form::Array];
const HEADERS: &[&str] = &[
    "[[scenario]]",
    "[[scenario]]",
    "[[ scenario ]]",
    "  [[scenario]]",
    "[['scenario']]",
    "[[scenario]] # [",
];
const EXPECTS: &[&str] =
    &["expect.solutions = ", "expect={ solutions = ", "[expect]\nsolutions = ", "\"expect\".'solutions'= "];
const BOARDS: &[&str] = &[
    "board = ['4+3', '-5-', '9-2']",
    "board = [\n  \"4+3\", # one\n  \"-5-\",\n  # two\n  \"9-2\",\n]",
    "board = '''\n4+3\n-5-\n9-2'''",
    "\"board\" = \"\"\"\n    4 + 3\n    - 5 -\n    9 - 2\n  \"\"\"",
    "board = [ '4, +, 3','-, 5, -' , '9, -, 2' ]",
];
const NAMES: &[&str] = &["none", "all", "some"];
const OWNERS: &[Owner] = &[Owner::Defaults, Owner::Scenarios, Owner::Both];

/// Who has the keys of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Defaults,
    Scenarios,
    /// The defaults have some of them, and the expectation that all share.
    Both,
}

/// What distinguishes one shape from others.
#[derive(Debug)]
struct Choices {
    mark: bool,
    crlf: bool,
    first: &'static str,
    last: &'static str,
    form: Form,
    header: &'static str,
    expect: &'static str,
    board: &'static str,
    names: &'static str,
    owner: Owner,
    comments: bool,
    scenarios: u64,
}

impl Choices {
    fn new(rng: &mut Rng) -> Self {
        fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
            from[rng.below(from.len() as u64) as usize]
        }
        Self {
            mark: rng.percent(25),
            crlf: rng.percent(30),
            first: pick(rng, FIRST),
            last: pick(rng, LAST),
            form: pick(rng, FORMS),
            header: pick(rng, HEADERS),
            expect: pick(rng, EXPECTS),
            board: pick(rng, BOARDS),
            names: pick(rng, NAMES),
            owner: pick(rng, OWNERS),
            comments: rng.percent(50),
            scenarios: 1 + rng.below(4),
        }
    }
}

/// Writes a shape line by line.
struct Writer {
    choices: Choices,
    rng: Rng,
    text: String,
    scenarios: Vec<(String, usize)>,
}

impl Writer {
    fn shape(mut self, about: String) -> Shape {
        let Choices { first, form, owner, .. } = self.choices;
        self.text.push_str(first);
        match form {
            Form::Alone => {
                let name = self.name(1);
                self.scenarios.push((name.clone().unwrap_or_else(|| "line 1".to_owned()), 1));
                self.lines(name.iter().map(|name| format!("name = '{name}'")));
                self.start(|_| true);
                self.expectation("");
            }
            Form::Headers => {
                self.start(|key| owner == Owner::Defaults || owner == Owner::Both && key != "board");
                if owner == Owner::Both {
                    self.expectation("");
                }
                (0..self.choices.scenarios).for_each(|index| self.below_header(index));
            }
            Form::Array => {
                self.start(|_| true);
                self.array();
            }
        }
        let Choices { mark, crlf, last, .. } = self.choices;
        let text = self.text.trim_end_matches('\n').to_owned() + last;
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let text = if mark { format!("\u{feff}{text}") } else { text };
        Shape { about, form, scenarios: self.scenarios, text }
    }

    /// Returns the name of a scenario that has one.
    fn name(&self, index: u64) -> Option<String> {
        let named = match self.choices.names {
            "all" => true,
            "some" => index % 2 == 1,
            _ => false,
        };
        named.then(|| format!("no. {index} # [[scenario]]"))
    }

    /// Adds lines, with the comments that authors leave between and beside them; returns the last one's number.
    fn lines(&mut self, lines: impl IntoIterator<Item = String>) -> usize {
        let mut number = 0;
        for line in lines {
            if self.choices.comments {
                self.text += ["", "# don't\n", "\n", "  # [[scenario]]\n"][self.rng.below(4) as usize];
            }
            number = self.text.matches('\n').count() + 1;
            self.text += &line;
            let last = line.lines().last().unwrap_or_default();
            if self.choices.comments && !last.contains('#') && self.rng.percent(40) {
                self.text += "\t# it's";
            }
            self.text.push('\n');
        }
        number
    }

    /// Adds those keys of the start that are wanted.
    fn start(&mut self, wanted: impl Fn(&str) -> bool) {
        let mut keys = [
            ("engine", "engine = \"quento\""),
            ("target", "target=7"),
            ("digits", "digits = 2"),
            ("board", self.choices.board),
        ];
        self.rng.shuffle(&mut keys);
        let wanted = keys.into_iter().filter(|(key, _)| wanted(key));
        self.lines(wanted.map(|(_, line)| line.to_owned()));
    }

    /// Adds the expectation, in a table of its own below `above`.
    fn expectation(&mut self, above: &str) {
        let end = if self.choices.expect.contains('{') { " }" } else { "" };
        let line =
            format!("{}{HOLE}{end}", self.choices.expect.replace("[expect]", &format!("[{above}expect]")));
        self.lines(line.split('\n').map(str::to_owned));
    }

    fn below_header(&mut self, index: u64) {
        let Choices { header, owner, .. } = self.choices;
        let name = self.name(index);
        let line = self.lines([header.to_owned()]);
        self.scenarios.push((name.clone().unwrap_or_else(|| format!("line {line}")), line));
        self.lines(name.map(|name| format!("  name = '{name}'")));
        self.start(|key| owner == Owner::Scenarios || owner == Owner::Both && key == "board");
        if owner != Owner::Both {
            self.expectation("scenario.");
        }
    }

    fn array(&mut self) {
        self.text += "scenario = [\n";
        for index in 0..self.choices.scenarios {
            let name = self.name(index);
            let key = name.as_ref().map(|name| format!("name = '{name}', ")).unwrap_or_default();
            let line = self.lines([format!("  {{ {key}expect.solutions = {HOLE} }},")]);
            self.scenarios.push((name.unwrap_or_else(|| format!("line {line}")), line));
        }
        self.text += "]\n";
    }
}

/// Returns a directory with a file for each shape, as `text` has it.
fn directory(shapes: &[Shape], text: impl Fn(&Shape) -> String) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (index, shape) in shapes.iter().enumerate() {
        fs::write(directory.path().join(file(index)), text(shape)).expect("a file");
    }
    directory
}

fn file(index: usize) -> String {
    format!("{index:03}.toml")
}

fn read(directory: &Path, index: usize) -> String {
    fs::read_to_string(directory.join(file(index))).expect("the file")
}

/// Calls the binary in `directory`; returns what it prints.
#[track_caller]
fn call(directory: &Path, args: &[&str], code: i32) -> String {
    let called = rulebook().current_dir(directory).env_remove("CI").args(args).assert();
    let actual = called.get_output().status.code();
    assert_eq!(actual, Some(code), "{args:?}: {}{}", stdout(&called), stderr(&called));
    stdout(&called)
}

#[test]
fn shapes_differ_in_every_choice() {
    let about: String = shapes(ENOUGH).map(|shape| shape.about).collect();
    let seen = |what: String| assert!(about.contains(&what), "no shape has {what}");
    for first in FIRST {
        seen(format!("first: {first:?}"));
    }
    for last in LAST {
        seen(format!("last: {last:?}"));
    }
    for form in FORMS {
        seen(format!("form: {form:?}"));
    }
    for header in HEADERS {
        seen(format!("header: {header:?}"));
    }
    for expect in EXPECTS {
        seen(format!("expect: {expect:?}"));
    }
    for board in BOARDS {
        seen(format!("board: {board:?}"));
    }
    for names in NAMES {
        seen(format!("names: {names:?}"));
    }
    for owner in OWNERS {
        seen(format!("owner: {owner:?}"));
    }
    for flag in ["mark", "crlf", "comments"] {
        for on in [true, false] {
            seen(format!("{flag}: {on}"));
        }
    }
    assert!(shapes(ENOUGH).any(|shape| shape.expecting(0).starts_with("[[scenario]]")));
}

#[test]
fn every_shape_loads_and_splits() {
    let shapes: Vec<_> = shapes(ENOUGH).collect();
    let directory = directory(&shapes, |shape| shape.expecting(SOLUTIONS));
    for (index, shape) in shapes.iter().enumerate() {
        let told = reports::run(&directory.path().join(file(index)), 1);
        let passed: Vec<_> = told.iter().filter(|told| told.verdict == "passed").collect();
        let passed: Vec<_> = passed.iter().map(|told| (told.name.clone(), told.line)).collect();
        assert_eq!(passed, shape.scenarios, "{}: {told:?}", shape.about);
        if shape.form == Form::Headers {
            let found = split::found(&read(directory.path(), index));
            assert_eq!(found, shape.scenarios.len(), "{}", shape.about);
        }
    }
}

#[test]
fn every_shape_is_blessed_and_reviewed() {
    let shapes: Vec<_> = shapes(ENOUGH).collect();
    let directory = directory(&shapes, |shape| shape.expecting(1));
    let values: usize = shapes.iter().map(Shape::values).sum();
    let review = call(directory.path(), &["run", "--review", "."], 1);
    let said = format!("\n{values} values to be written in {ENOUGH} files\n");
    assert!(review.ends_with(&said), "{review}");
    let bless = call(directory.path(), &["run", "--bless", "--quiet", "."], 0);
    assert_eq!(bless, "");
    for (index, shape) in shapes.iter().enumerate() {
        assert_eq!(read(directory.path(), index), shape.expecting(SOLUTIONS), "{}", shape.about);
    }
}

#[test]
fn every_shape_that_expects_nothing_is_given_an_expectation() {
    let shapes: Vec<_> = shapes(ENOUGH).filter(|shape| shape.expecting_nothing().is_some()).collect();
    let directory = directory(&shapes, |shape| shape.expecting_nothing().expect("a text"));
    let bless = call(directory.path(), &["run", "--bless", "--quiet", "."], 0);
    assert_eq!(bless, "");
    for (index, shape) in shapes.iter().enumerate() {
        let text = read(directory.path(), index);
        let added: Vec<_> = text.lines().filter(|line| line.contains("solvable")).collect();
        let expects_nothing = shape.expecting_nothing().expect("a text");
        let kept = expects_nothing.lines().all(|line| line.contains("{}") || text.contains(line));
        assert!(!added.is_empty() && kept, "{}:\n{expects_nothing}\n{text}", shape.about);
        assert_eq!(
            text.matches("\r\n").count(),
            if text.contains('\r') { text.matches('\n').count() } else { 0 }
        );
    }
    call(directory.path(), &["run", "."], 0);
}

#[test]
fn every_shape_is_formatted() {
    let solid = |text: &str| text.replace(|c: char| c.is_whitespace() && c != '\u{feff}', "");
    let shapes: Vec<_> = shapes(ENOUGH).collect();
    let directory = directory(&shapes, |shape| shape.expecting(SOLUTIONS).replace("5 -", "5   -"));
    call(directory.path(), &["fmt", "."], 0);
    for (index, shape) in shapes.iter().enumerate() {
        let (text, before) = (read(directory.path(), index), shape.expecting(SOLUTIONS));
        assert_eq!(solid(&text), solid(&before), "{}", shape.about);
        assert_eq!(text.matches('\n').count(), before.matches('\n').count(), "{}", shape.about);
        let file = File::new(Path::new("a.toml"), &Arc::<Scripts>::default());
        let bare = text.trim_start_matches('\u{feff}');
        let again = format::formatted(&Source::new("a.toml", bare), &file);
        assert_eq!(again.expect("a text"), bare, "{}", shape.about);
    }
    call(directory.path(), &["run", "."], 0);
}

#[test]
fn what_is_expanded_is_blessed() {
    let shapes: Vec<_> = shapes(ENOUGH).step_by(6).collect();
    let directory = directory(&shapes, |shape| shape.expecting(1));
    let expand = |index| call(directory.path(), &["expand", &file(index)], 0);
    let expanded: Vec<_> = (0..shapes.len()).map(expand).collect();
    for (index, text) in expanded.iter().enumerate() {
        fs::write(directory.path().join(file(index)), text).expect("a file");
    }
    call(directory.path(), &["run", "--bless", "."], 0);
    for (index, (shape, text)) in shapes.iter().zip(&expanded).enumerate() {
        assert_eq!(text.matches("[[scenario]]\n").count(), shape.scenarios.len(), "{}", shape.about);
        let right = text.replace("solutions = 1", &format!("solutions = {SOLUTIONS}"));
        assert!(right != *text && read(directory.path(), index) == right, "{}:\n{text}", shape.about);
    }
}

#[test]
fn a_run_of_every_shape_is_resumed() {
    let shapes: Vec<_> = shapes(ENOUGH).collect();
    let directory = directory(&shapes, |shape| shape.expecting(SOLUTIONS));
    call(directory.path(), &["run", ".", "--report", "jsonl=whole.jsonl"], 0);
    let cases = |report: &str| {
        let text = fs::read_to_string(directory.path().join(report)).expect("a report");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let cases = lines.filter(|line| line["name"].is_string());
        let mut cases: Vec<_> =
            cases.map(|case| format!("{} {} {}", case["file"], case["name"], case["line"])).collect();
        cases.sort();
        cases
    };
    let whole = cases("whole.jsonl");
    assert_eq!(whole.len(), shapes.iter().map(|shape| shape.scenarios.len()).sum::<usize>());
    let text = fs::read(directory.path().join("whole.jsonl")).expect("the report");
    for parts in [2, 3, 7] {
        fs::write(directory.path().join("cut.jsonl"), &text[..text.len() / parts]).expect("a report");
        call(directory.path(), &["run", ".", "--resume", "cut.jsonl"], 0);
        assert_eq!(cases("cut.jsonl"), whole);
    }
}
