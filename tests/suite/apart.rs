//! Calls of scripts are apart: no case, look ahead, frame or worker changes what another one sees.

use std::ops::ControlFlow;
use std::path::Path;

use rulebook::engine::{Keys, Place, Questions};
use rulebook::rng::Rng;
use rulebook::scenario::suite::{self, Pieces};
use rulebook::scenario::{Case, Select, load};
use rulebook::source::Source;
use rulebook::tree;
use rulebook::value::Value;

use crate::reports;
use crate::scripts::{folder, is_errored, run, with_neighbour};

/// The cases of a scenario file, loaded.
fn loaded(path: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for piece in Pieces::new(suite::files(&[path.to_owned()]), None) {
        let chunk = piece.content.expect("a sound file");
        let _ = load(&chunk, &piece.file, &Select::default(), &mut |case| {
            cases.push(case);
            ControlFlow::Continue(())
        });
    }
    cases
}

/// What can be said of a game: its moves, facts, frames and output.
fn said(case: &Case) -> (String, Vec<Value>, Vec<String>, String) {
    let game = case.plan.as_ref().expect("a sound scenario").game.as_ref().expect("a legal game");
    let facts = case.engine.as_ref().expect("a game").facts().len();
    let facts = || {
        let answers = game.play(&Questions { facts: (0..facts).collect(), ..Questions::default() });
        answers.facts.into_iter().map(|fact| fact.expect("an answer")).collect::<Vec<_>>()
    };
    let first = facts();
    let mut frames = Vec::new();
    game.replay(0..=u64::MAX, &mut |frame| {
        frames.push(format!("{frame:?}"));
        ControlFlow::Continue(())
    });
    let output = game.output().expect("an output");
    assert_eq!(facts(), first, "asked again, after frames and output");
    (game.doc(), first, frames, output)
}

/// A game whose every function draws, from generators that its state holds in several ways.
const DICE: &str = r#"
const SPARE = rng(77, 0);

fn game() {
    #{
        about: "Dice", step: "throw", moves: "throws",
        keys: #{ seed: #{ kind: "int", about: "the seed" }, throws: #{ kind: "[int]", about: "dice, in turn" } },
        facts: #{
            rolls: #{ kind: "[int]", about: "what was thrown" },
            next: #{ kind: "[int]", about: "what would be thrown" },
            table: #{ kind: "board", about: "the table" },
        },
    }
}

fn setup(doc) {
    let r = rng(doc.seed, 0);
    #{
        rolls: [], rng: r, again: r, spare: global::SPARE, table: board(2, 2, 0), bag: blob(2, 0),
        deep: #{ list: [[rng(doc.seed, 1)], #{ r: rng(doc.seed, 2) }] },
    }
}

fn draw(state) {
    [
        state.rng.below(100), state.again.below(100), state.spare.below(100),
        state.deep.list[0][0].below(100), state.deep.list[1].r.below(100),
    ]
}

fn legal(state) { draw(state); if state.rolls.len() > 30 { [] } else { [1, 2] } }

fn step(state, throws) {
    for i in 0..throws { state.rolls += draw(state); }
    state.table.fill_random(state.again, 9);
    state.bag[0] += 1;
    state.rolls.push(state.bag[0]);
    state
}

fn facts(state) { #{ rolls: state.rolls, next: draw(state), table: state.rng.shuffle(state.table) } }

fn frame(state) { #{ text: `${draw(state)}`, table: state.rng.shuffle(state.table) } }

fn output(state) { `${draw(state)}` }
"#;

/// A player who looks ahead so often, and throws one die and two in turn.
const LOOKING: &str = r"
fn choose(state, rng, args) {
    for i in 0..args.looks {
        let there = state.after(2);
        for move in [1, 2] { if move in there.legal { there = there.after(move); } }
    }
    if state.rolls.len() % 2 == 0 { 1 } else { 2 }
}
";

#[test]
fn a_game_is_the_same_however_often_its_player_looks_ahead() {
    let mut text = String::from("engine = \"dice.rhai\"\r\nexpect.rolls = { len = 1 }\r\n");
    for seed in [3, 4] {
        for looks in [0, 1, 3] {
            text += &format!(
                "[[scenario]]\r\nseed = {seed}\r\nplay = {{ script = 'player.rhai', args.looks = {looks} }}\r\n"
            );
        }
    }
    let folder = folder(&[
        ("a.toml", text.as_bytes()),
        ("dice.rhai", DICE.as_bytes()),
        ("player.rhai", LOOKING.as_bytes()),
    ]);
    let cases = loaded(&folder.path().join("a.toml"));
    let games: Vec<_> = cases.iter().map(said).collect();
    assert_eq!(games.len(), 6);
    assert_eq!((&games[0], &games[0]), (&games[1], &games[2]));
    assert_eq!((&games[3], &games[3]), (&games[4], &games[5]));
    assert_ne!(games[0], games[3], "another seed");
    // Two names of one generator draw from one stream.
    let mut rng = Rng::new(3, 0);
    let draws = [rng.below(100), rng.below(100)].map(|draw| Value::Int(draw as i64));
    let Value::List(rolls) = &games[0].1[1] else { panic!("a list: {:?}", games[0].1) };
    assert_eq!(rolls[..2], draws);
    // The same moves, written by an author, make the same game.
    let engine = cases[0].engine.as_ref().expect("a game");
    let source = Source::new("written", &*games[0].0);
    let doc = tree::parse(source.text()).expect("TOML");
    let place = Place { source: &source, size_limits: true, thorough: true };
    let again = engine.bind(Keys { doc, range: 0..0, rules: None }, &place).expect("a legal game");
    let facts = again.play(&Questions { facts: (0..3).collect(), ..Questions::default() }).facts;
    assert_eq!(facts.into_iter().collect::<Result<Vec<_>, _>>(), Ok(games[0].1.clone()));
}

/// A script that draws from everything that might outlive a call.
const DRAWING: &str = r#"
import "lib" as l;
import "mid" as m;
const MINE = rng(4, 0);
const LIST = #{ a: [rng(5, 0)] };

fn generate(rng, index, args) {
    import "lib" as again;
    let drawn = [
        l::R.below(9), again::R.below(9), l::DEEP.a[0].below(9), l::draw(), l::hidden(), m::draw(), m::l::R.below(9), m::R.below(9),
        global::MINE.below(9), global::LIST.a[0].below(9), l::BOARD.get(1, 1),
    ];
    let board = l::BOARD;
    board.fill_random(l::R, 9);
    let list = [1, 2, 3];
    list.push(index);
    let map = #{ a: [] };
    map.a.push(index);
    print(`drew ${drawn} ${board} ${list} ${map}`);
    #{ board: [`${drawn[0] + 1}+${drawn[1] + 1}`, `-${drawn[2] + 1}-`, `${drawn[3] + 1}-${drawn[4] + 1}`], target: 1 + drawn[5] }
}
"#;

const LIB: &str = r#"
print("evaluated");
export const R = rng(1, 0);
export const DEEP = #{ a: [rng(2, 0)] };
export const BOARD = board("1 2");
const HIDDEN = rng(3, 0);
fn draw() { global::DEEP.a[0].below(9) }
fn hidden() { global::HIDDEN.below(9) }
"#;

#[test]
fn cases_share_nothing_with_one_another() {
    let folder = folder(&[
        (
            "a.toml",
            b"[[scenario]]\nengine = 'quento'\nname = 'g'\ndigits = 2\nexpect.solutions = -1\n\
              generate = { script = 'draw.rhai', count = 40 }\n",
        ),
        ("draw.rhai", DRAWING.as_bytes()),
        ("lib.rhai", LIB.as_bytes()),
        ("mid.rhai", b"import \"lib\" as l;\nexport const R = l::R;\nfn draw() { l::R.below(9) }\n"),
    ]);
    let printed = |args: &[&str]| {
        let said = run(folder.path(), &[&["a.toml", "--draw", "100"], args].concat(), 1);
        said.lines().filter(|line| line.contains("drew ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let one = printed(&["--jobs", "1"]);
    assert_eq!(one.len(), 40);
    for jobs in ["2", "4"] {
        assert_eq!(printed(&["--jobs", jobs]), one);
    }
    for index in [0, 7, 39] {
        assert_eq!(printed(&["--index", &index.to_string()]), one[index..=index]);
    }
}

#[test]
fn what_a_module_prints_and_spends_belongs_to_the_call_that_imports_it() {
    let lib =
        b"print(\"evaluated\");\nlet sum = 0;\nfor i in 0..300 { sum += i; }\nfn make() { #{ target: 7 } }\n";
    let text = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\nexpect.solutions = -1\n[[scenario]]\n\
                name = 'g'\ngenerate = { script = 'gen.rhai', count = 6 }\n";
    let script = b"fn generate(rng, index, args) { import \"lib\" as l; import \"lib\" as k; k::make() }\n";
    let suite = folder(&[("a.toml", text.as_bytes()), ("lib.rhai", lib), ("gen.rhai", script)]);
    for jobs in ["1", "3"] {
        let said = run(suite.path(), &["a.toml", "--draw", "100", "--jobs", jobs], 1);
        assert_eq!(said.matches("evaluated").count(), 6, "{said}");
    }
    // Either part is within the limit, both are not; and what fails in a module is spent, too.
    let limits = "generate = { script = 'gen.rhai', count = 6 }\nlimits.script = { operations = 1000, milliseconds = 60000 }";
    let spend = "let sum = 0; for i in 0..300 { sum += i; }";
    let heavy: &[u8] = b"let sum = 0;\nfor i in 0..300 { sum += i; }\nfn make() { 1 }\n";
    let throwing: &[u8] = b"let sum = 0;\nfor i in 0..300 { sum += i; }\nthrow 1;\n";
    for (lib, body) in [
        (heavy, format!("import \"lib\" as l;\n{spend}")),
        (heavy, format!("{spend}\nimport \"lib\" as l;")),
        (heavy, "import \"lib\" as l;\nimport \"other\" as o;".to_owned()),
        (throwing, "for i in 0..2 { try { import \"lib\" as l; l::make(); } catch { } }".to_owned()),
    ] {
        let script = format!("fn generate(rng, index, args) {{\n{body}\n#{{ target: 7, digits: 2 }} }}\n");
        let files = [("gen.rhai", script.as_bytes()), ("lib.rhai", lib), ("other.rhai", heavy)];
        is_errored(&files, limits, "script::limit", ".rhai:", &["takes too many steps"]);
        // With room for both it passes.
        let text = with_neighbour(&limits.replace("1000", "2000"));
        let roomy = folder(&[&files[..], &[("a.toml", text.as_bytes())]].concat());
        assert!(run(roomy.path(), &["a.toml"], 0).starts_with("7 passed in "));
    }
}

#[test]
fn what_is_printed_belongs_to_the_case_that_prints_it() {
    let game = "fn game() { print(\"declared\");\n#{ about: \"a\", step: \"s\", moves: \"m\", keys: #{ n: #{ kind: \"int\", about: \"n\" }, \
                m: #{ kind: \"[int]\", about: \"m\" } }, facts: #{ n: #{ kind: \"int\", about: \"n\" } } } }\n\
                fn setup(doc) { print(`set up ${doc.n}`); #{ n: doc.n } }\nfn legal(state) { [1] }\n\
                fn step(state, move) { state }\nfn facts(state) { state }\n";
    let player = "fn choose(state, rng, args) { print(`asked of ${state.n}`); throw \"no\" }\n";
    // Spelled so that all scenarios are read at once, and each at fault is read again.
    let text = "engine = 'g.rhai'\nscenario = [\n\
                { name = 'a', n = 1, expect.n = 0 }, { name = 'b', n = 2, play.script = 'p.rhai', expect.n = 0 },\n\
                { name = 'c', n = 3, expect.x = 0 }, { name = 'd', n = 4, expect.n = 0 } ]\n";
    let folder =
        folder(&[("a.toml", text.as_bytes()), ("g.rhai", game.as_bytes()), ("p.rhai", player.as_bytes())]);
    for jobs in ["1", "2"] {
        let mut printed = Vec::new();
        let summary =
            reports::hear(&folder.path().join("a.toml"), jobs.parse().expect("a number"), |report| {
                printed.push((report.name.to_string(), report.printed.clone()));
            });
        assert_eq!((summary.failed, summary.errored), (2, 2));
        let expected =
            [("a", "set up 1\n"), ("b", "set up 2\nasked of 2\n"), ("c", "set up 3\n"), ("d", "set up 4\n")];
        assert_eq!(printed, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }
}

#[test]
fn the_place_of_a_fault_is_that_of_the_call_that_failed() {
    let player = "fn choose(state, rng, args) {\nlet way = rng.below(3);\nprint(`way ${way}`);\n\
                  if way == 0 { loop { } }\nif way == 1 { loop { } }\nloop { } }\n";
    let mut ways = std::collections::BTreeSet::new();
    for seed in 0..8 {
        let text = format!(
            "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ntarget = 7\ndigits = 2\n\
             play = {{ script = 'p.rhai', seed = {seed} }}\nlimits.script = {{ operations = 500, milliseconds = 60000 }}\n"
        );
        let folder = folder(&[("a.toml", text.as_bytes()), ("p.rhai", player.as_bytes())]);
        let said = run(folder.path(), &["a.toml"], 3);
        let way =
            said.split("way ").find_map(|rest| rest.chars().next()?.to_digit(10)).expect("what was printed");
        assert!(said.contains(&format!("p.rhai:{}:", way + 4)), "way {way}: {said}");
        ways.insert(way);
    }
    assert_eq!(ways.len(), 3, "all ways are gone");
}
