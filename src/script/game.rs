//! Games in rhai: a script that has everything an engine has.
//!
//! `fn game()` says what the game is: a map with `about`, `step` (what a move is called), `moves` (the key that holds
//! them), `keys` and `facts`, both maps of names to `#{ kind: "…", about: "…" }`, boards with `blank` where blanks are
//! cells, and, if it likes, `example`, the keys of a scenario to start from. `setup(doc)` makes a state of a scenario's
//! keys, `legal(state)` lists the moves, `step(state, move)` makes one, `facts(state)` answers. `frame(state)` and
//! `output(state)` may be missing.

use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::sync::Arc;

use rhai::{Dynamic, Map};
use schemars::{Schema, json_schema};
use serde_json::{Value as Json, json};

use super::board::Board;
use super::chance;
use super::convert;
use super::example;
use super::fault::heading;
use super::generate::wrong_shape;
use super::host::Script;
use crate::board::{self, BOARD_FORMAT};
use crate::diagnostic::{CodeSpec, Diagnostic};
use crate::engine::{
    Answers, AnyEngine, Keys, Moment, Native, Place, Questions, Session, Start, Unanswered, keys,
};
use crate::input::Input;
use crate::source::{Source, Span};
use crate::trace::{Cell, Frame, Picture};
use crate::tree::{self, Node, Table, Tree};
use crate::value::{FactSpec, Item, Kind, Value};

/// The rules of a game as its script declares them.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) script: Script,
    name: Arc<str>,
    about: String,
    step: String,
    /// The key that holds the moves.
    moves: String,
    pub(super) keys: Vec<FactSpec>,
    pub(super) facts: Vec<FactSpec>,
    /// The keys of a scenario to start from, if the script has one.
    pub(super) example: Option<Map>,
}

/// The most moves of a game: all states of it are kept.
const MOST_MOVES: usize = 10_000;

impl Declared {
    /// The game that the script at `path` declares.
    pub(super) fn new(script: &Script, path: &Path) -> Result<Self, Diagnostic> {
        for (name, parameters) in [("game", 0), ("setup", 1), ("legal", 1), ("step", 2), ("facts", 1)] {
            script.needs(name, parameters)?;
        }
        let header = script.call("game", Vec::new)?;
        let Ok(map) = header.as_map_ref().map(|map| map.clone()) else {
            return Err(wrong_shape(
                script,
                "game",
                &convert::kind(&header),
                "a map that says what the game is",
            ));
        };
        let wrong = |what: &str, expected: &str| wrong(script, what, expected);
        let text = |key: &str, expected: &str| {
            let text = map
                .get(key)
                .and_then(|value| value.as_immutable_string_ref().ok().map(|text| text.to_string()));
            text.filter(|text| !text.is_empty() && is_one_line(text)).ok_or_else(|| wrong(key, expected))
        };
        let specs = |key: &str| {
            let specs = map.get(key).and_then(|value| value.as_map_ref().ok().map(|map| map.clone()));
            let specs =
                specs.ok_or_else(|| wrong(key, "a map of names to `#{ kind: \"…\", about: \"…\" }`"))?;
            specs
                .iter()
                .map(|(name, spec)| spec_of(script, &format!("{key}.{name}"), name, spec))
                .collect::<Result<Vec<_>, _>>()
        };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let declared = Self {
            name: stem.unwrap_or_default().into(),
            about: text("about", "one line that says which game it is")?,
            step: text("step", "what a move is called, such as \"move\"")?,
            moves: text("moves", "the key that holds the moves, such as \"moves\"")?,
            keys: specs("keys")?,
            facts: specs("facts")?,
            example: match map.get("example") {
                None => None,
                Some(keys) => match keys.as_map_ref() {
                    Ok(keys) => Some(keys.clone()),
                    Err(_) => return Err(wrong("example", "a map of a scenario's keys")),
                },
            },
            script: script.clone(),
        };
        let holds_moves = |key: &FactSpec| key.name == declared.moves && key.kind.depth > 0;
        if !declared.keys.iter().any(holds_moves) {
            return Err(wrong("moves", "one of `keys`, of a kind in brackets"));
        }
        Ok(declared)
    }

    /// The scenario's keys as a script's map, boards as boards, without the moves.
    fn doc(&self, table: &Table<'_>, source: &Arc<Source>) -> Result<Map, Vec<Diagnostic>> {
        let mut map = Map::new();
        let mut faults = Vec::new();
        for (key, node) in table {
            let place = |node: &Node<'_>| Span::new(source, node.range.clone());
            let Some(spec) = self.keys.iter().find(|spec| spec.name == key.value) else {
                let fault = Diagnostic::new("scenario::unknown-key", format!("unknown key `{}`", key.value))
                    .label(Span::new(source, key.range.clone()), "not a key here");
                faults.push(fault.suggest(key, self.keys.iter().map(|spec| spec.name.as_ref())));
                continue;
            };
            let wrong_kind = || {
                let title = format!("`{}` has the wrong type", key.value);
                let expected = format!("expected {}", spec.kind);
                Diagnostic::new("scenario::wrong-kind", title).label(place(node), expected)
            };
            match typed(node, spec.kind, source) {
                Ok(value) => drop(map.insert(key.as_ref().into(), value)),
                Err(Mistyped::Kind) => faults.push(wrong_kind()),
                Err(Mistyped::Limit(why)) => faults.push(wrong_kind().note(why)),
                Err(Mistyped::Board(fault)) => faults.push(fault),
            }
        }
        if faults.is_empty() { Ok(map) } else { Err(faults) }
    }

    /// The start.
    fn setup(&self, table: &Table<'_>, source: &Arc<Source>) -> Result<Turn, Vec<Diagnostic>> {
        let mut doc = self.doc(table, source)?;
        doc.remove(self.moves.as_str());
        let state =
            self.script.call("setup", || vec![doc.clone().into()]).map_err(|fault| vec![refused(fault)])?;
        self.turn(state).map_err(|fault| vec![fault])
    }

    fn legal(&self, state: &State) -> Result<Vec<Value>, Diagnostic> {
        let legal = self.script.call("legal", || vec![state.copy()])?;
        let Ok(moves) = legal.as_array_ref() else {
            return Err(wrong_shape(&self.script, "legal", &convert::kind(&legal), "an array of moves"));
        };
        moves.iter().map(convert::value).collect::<Result<_, _>>().map_err(|why| {
            Diagnostic::new("script::wrong-shape", format!("`legal` returns what is no move: {why}"))
                .label(heading(self.script.source(), "legal"), "expected moves of numbers, texts and arrays")
        })
    }

    /// A state with its facts.
    fn turn(&self, state: Dynamic) -> Result<Turn, Diagnostic> {
        let state = State(state);
        let facts = self.answers(&state)?;
        Ok(Turn { state, facts })
    }

    /// What comes of a legal move.
    fn after(&self, state: &State, choice: &Value) -> Result<Turn, Diagnostic> {
        let next =
            self.script.call("step", || vec![state.copy(), convert::of_value(choice)]).map_err(refused)?;
        if next.is_unit() {
            return Err(wrong_shape(&self.script, "step", "nothing", "the state after the move"));
        }
        self.turn(next)
    }

    /// The facts of a state, as many as were declared.
    fn answers(&self, state: &State) -> Result<Vec<Value>, Diagnostic> {
        let facts = self.script.call("facts", || vec![state.copy()])?;
        let Ok(map) = facts.as_map_ref() else {
            return Err(wrong_shape(&self.script, "facts", &convert::kind(&facts), "a map of facts"));
        };
        let answer = |spec: &FactSpec| {
            let found = map.get(spec.name.as_ref());
            let value =
                found.and_then(|value| convert::value(value).ok()).filter(|value| value.is(spec.kind));
            value.ok_or_else(|| {
                let found = found.map_or_else(|| "nothing".to_owned(), convert::kind);
                let title = format!("`facts` returns {found} as `{}`", spec.name);
                Diagnostic::new("script::wrong-shape", title).label(
                    heading(self.script.source(), "facts"),
                    format!("expected {}, as `game` declares", spec.kind),
                )
            })
        };
        self.facts.iter().map(answer).collect()
    }

    /// What people see of a state after `text` happened.
    fn frame(&self, turn: &Turn, step: u64, text: &str) -> Frame {
        let frame =
            self.script.has("frame", 1).then(|| self.script.call("frame", || vec![turn.state.copy()]));
        let map = match frame {
            Some(Ok(map)) => map.as_map_ref().ok().map(|map| map.clone()).unwrap_or_default(),
            Some(Err(fault)) => Map::from([("text".into(), fault.title.into())]),
            None => Map::new(),
        };
        let said = |key: &str| {
            let text = map.get(key)?.as_immutable_string_ref().ok()?.to_string();
            Some(text)
        };
        let mut boards = Vec::new();
        for (title, value) in &map {
            if let Some(board) = value.read_lock::<Board>() {
                boards.push(picture(title, &board.cells()));
            }
        }
        if map.is_empty() {
            for (spec, value) in self.facts.iter().zip(&turn.facts) {
                if let Value::Board(grid) = value {
                    boards.push(picture(&spec.name, grid));
                }
            }
        }
        if let [only] = boards.as_mut_slice() {
            only.title.clear();
        }
        let rule =
            said("rule").unwrap_or_else(|| if step == 0 { "start".to_owned() } else { self.step.clone() });
        Frame {
            step,
            rule: format!("{}::{rule}", self.name),
            text: said("text").unwrap_or_else(|| text.to_owned()),
            boards,
        }
    }

    /// All states of a game whose moves stand in `table`.
    pub(super) fn states(
        &self,
        table: &Table<'_>,
        source: &Arc<Source>,
    ) -> Result<(Vec<Turn>, Vec<Value>), Vec<Diagnostic>> {
        let mut turns = vec![self.setup(table, source)?];
        let mut made = Vec::new();
        let Some(Node { value: Tree::Array(moves), range }) = table.get(&self.moves) else {
            return Ok((turns, made));
        };
        if moves.len() > MOST_MOVES {
            let title = format!("{} moves are too many", moves.len());
            let fault = Diagnostic::new("script::setting", title);
            return Err(vec![
                fault.label(Span::new(source, range.clone()), format!("expected at most {MOST_MOVES}")),
            ]);
        }
        for node in moves {
            let span = || Span::new(source, node.range.clone());
            let state = &turns[made.len()].state;
            let choice = convert::value(&convert::of_tree(node)).map_err(|why| {
                vec![Diagnostic::new("scenario::wrong-kind", "a move has the wrong type").label(span(), why)]
            })?;
            let legal = self.legal(state).map_err(|fault| vec![fault.label(span(), "before this move")])?;
            if !legal.contains(&choice) {
                return Err(vec![
                    illegal(&choice, &legal, made.len() + 1, &self.step).label(span(), "not legal here"),
                ]);
            }
            let next = self.after(state, &choice);
            turns.push(next.map_err(|fault| vec![fault.label(span(), "at this move")])?);
            made.push(choice);
        }
        Ok((turns, made))
    }
}

/// A state of a game and its facts.
#[derive(Clone)]
pub(super) struct Turn {
    state: State,
    pub(super) facts: Vec<Value>,
}

/// A state of a game. Scripts get copies of it, so that it stays what it is, whatever they draw from its generators.
#[derive(Clone)]
struct State(Dynamic);

impl State {
    fn copy(&self) -> Dynamic {
        chance::copy(&self.0)
    }
}

/// Whether a text stays on its line, and does nothing to a terminal.
fn is_one_line(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

const KINDS: &str = "`#{ kind: \"bool\", about: \"…\" }`; kinds are `bool`, `int`, `text`, `board`, and lists of them in \
                     brackets: `[int]`, `[[int]]`; names and `about` are one line";

/// The keys that declare a key or a fact.
const SPEC: &[&str] = &["kind", "about", "blank"];

const BLANK: &str = "the cell that a blank on a board is: one character other than white space, `,` and `?`";

/// Returns the cell that a script says for blanks.
fn blank_of(value: &Dynamic) -> Option<char> {
    let text = value.as_char().map(String::from).or_else(|_| value.clone().into_string()).ok()?;
    let mut chars = text.chars();
    let is_cell = |c: &char| !c.is_whitespace() && !c.is_control() && ![',', '?'].contains(c);
    chars.next().filter(is_cell).filter(|_| chars.next().is_none())
}

/// Returns the fault of `game` that does not say `what`.
fn wrong(script: &Script, what: &str, expected: &str) -> Diagnostic {
    Diagnostic::new("script::game", format!("`game` does not say `{what}` as it must"))
        .label(heading(script.source(), "game"), format!("expected {expected}"))
}

/// Reads the key or fact `name` that `game` declares at `at`.
fn spec_of(script: &Script, at: &str, name: &str, spec: &Dynamic) -> Result<FactSpec, Diagnostic> {
    let map = spec.as_map_ref().map(|map| map.clone()).unwrap_or_default();
    let text = |key| map.get(key)?.as_immutable_string_ref().ok().map(|text| text.to_string());
    let (kind, about) = (text("kind").and_then(|kind| kind_of(&kind)), text("about"));
    let (Some(kind), Some(about)) = (kind, about.filter(|about| is_one_line(name) && is_one_line(about)))
    else {
        return Err(wrong(script, at, KINDS));
    };
    if let Some(unknown) = map.keys().find(|key| !SPEC.contains(&key.as_str())) {
        let fault = Diagnostic::new("script::game", format!("unknown key `{at}.{unknown}`"));
        let fault = fault.label(heading(script.source(), "game"), "not a key here");
        return Err(fault.suggest(unknown, SPEC.iter().copied()));
    }
    let blank = match map.get("blank") {
        None => None,
        Some(blank) => {
            let blank = blank_of(blank).filter(|_| kind.item == Item::Board);
            Some(blank.ok_or_else(|| wrong(script, &format!("{at}.blank"), BLANK))?)
        }
    };
    let kind = Kind { blank, ..kind };
    Ok(FactSpec { name: name.to_owned().into(), kind, about: about.into(), course: false })
}

fn kind_of(typed: &str) -> Option<Kind> {
    match typed {
        "bool" => Some(Kind::BOOL),
        "int" => Some(Kind::INT),
        "text" => Some(Kind::TEXT),
        "board" => Some(Kind::BOARD),
        list => {
            kind_of(list.strip_prefix('[')?.strip_suffix(']')?).filter(|kind| kind.depth < 4).map(Kind::list)
        }
    }
}

/// The reason that a value is not one of its kind.
enum Mistyped {
    /// It is of another kind.
    Kind,
    /// It is larger than the limits of scripts allow.
    Limit(String),
    /// It is a board with this fault.
    Board(Diagnostic),
}

/// Returns a value that an author typed in `source`, as one of `kind`.
fn typed(node: &Node<'_>, kind: Kind, source: &Arc<Source>) -> Result<Dynamic, Mistyped> {
    match (&node.value, kind.element()) {
        (Tree::Array(items), Some(element)) => {
            let items: Result<Vec<_>, _> = items.iter().map(|item| typed(item, element, source)).collect();
            items.map(Dynamic::from)
        }
        (_, None) if kind.item == Item::Board => {
            let drawn = keys::board(node).ok_or(Mistyped::Kind)?;
            let cells = board::read(&drawn, source, kind.blank).map_err(Mistyped::Board)?;
            let board = Board::drawn(&cells).map_err(|trouble| Mistyped::Limit(trouble.to_string()));
            board.map(Dynamic::from)
        }
        (Tree::Text(_), None) if kind.item == Item::Text => Ok(convert::of_tree(node)),
        (Tree::Int(_), None) if kind.item == Item::Int => Ok(convert::of_tree(node)),
        (Tree::Bool(_), None) if kind.item == Item::Bool => Ok(convert::of_tree(node)),
        _ => Err(Mistyped::Kind),
    }
}

/// What a script throws while it sets a game up or makes a move is its refusal.
fn refused(fault: Diagnostic) -> Diagnostic {
    if fault.code == "script::thrown" { Diagnostic { code: "script::refused", ..fault } } else { fault }
}

fn illegal(choice: &Value, legal: &[Value], number: usize, step: &str) -> Diagnostic {
    const SHOWN: usize = 12;
    let shown: Vec<_> = legal.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if legal.len() > SHOWN { ", …" } else { "" };
    let fault = Diagnostic::new("script::illegal-move", format!("{step} {number}, {choice}, is not legal"));
    match legal.len() {
        0 => fault.help("the game is over by then"),
        _ => fault.help(format!("legal are {}{more}", shown.join(", "))),
    }
}

fn picture(title: &str, grid: &crate::grid::Grid<String>) -> Picture {
    let cell = |text: &String| Cell { text: text.clone(), marked: false };
    let rows = grid.iter_rows().map(|row| row.iter().map(cell).collect()).collect();
    Picture { title: title.to_owned(), rows }
}

fn schema_of(kind: Kind) -> Json {
    match (kind.element(), kind.item) {
        (Some(element), _) => json!({ "type": "array", "items": schema_of(element) }),
        (None, Item::Bool) => json!({ "type": "boolean" }),
        (None, Item::Int) => json!({ "type": "integer" }),
        (None, Item::Text) => json!({ "type": "string" }),
        // Only the game knows which blanks are cells: what aligns boards leaves these alone.
        (None, Item::Board) if kind.blank.is_some() => {
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
        }
        (None, Item::Board) => {
            json!({ "anyOf": [{ "type": "string", "format": BOARD_FORMAT }, { "type": "array", "items": { "type": "string" } }] })
        }
    }
}

impl AnyEngine for Arc<Declared> {
    fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn example(&self) -> Result<String, Vec<Diagnostic>> {
        example::written(self)
    }

    fn facts(&self) -> &[FactSpec] {
        &self.facts
    }

    /// The first fact that is declared.
    fn answer(&self) -> Vec<usize> {
        (0..self.facts().len()).take(1).collect()
    }

    fn moments(&self) -> &[FactSpec] {
        &self.facts
    }

    fn step(&self) -> &str {
        &self.step
    }

    fn events(&self) -> &[CodeSpec] {
        &[]
    }

    fn codes(&self) -> &[CodeSpec] {
        &[]
    }

    fn seen(&self) -> &[FactSpec] {
        &[]
    }

    fn natives(&self) -> &[Native] {
        &[]
    }

    fn doc_schema(&self) -> Schema {
        let keys = self.keys.iter().map(|spec| {
            let mut schema = schema_of(spec.kind);
            schema["description"] = spec.about.as_ref().into();
            (spec.name.to_string(), schema)
        });
        let keys: serde_json::Map<_, _> = keys.collect();
        json_schema!({ "type": "object", "properties": keys })
    }

    fn rules_schema(&self) -> Schema {
        json_schema!({ "type": "object", "properties": {} })
    }

    fn cell(&self, _: &str, typed: &str) -> Option<String> {
        Some(typed.to_owned())
    }

    fn bind(&self, keys: Keys<'_>, place: &Place<'_>) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
        without_rules(&keys, place)?;
        let (turns, moves) = self.states(&keys.doc, place.source)?;
        Ok(Box::new(Played { rules: Arc::clone(self), turns, moves, doc: tree::write(&keys.doc) }))
    }

    fn begin(&self, keys: Keys<'_>, place: &Place<'_>) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
        self.bind(keys, place)
    }

    fn session(
        &self,
        keys: Keys<'_>,
        place: &Place<'_>,
    ) -> Result<Option<Box<dyn Session>>, Vec<Diagnostic>> {
        without_rules(&keys, place)?;
        let turn = self.setup(&keys.doc, place.source)?;
        let legal = self.legal(&turn.state).map_err(|fault| vec![fault])?;
        Ok(Some(Box::new(ScriptSession { rules: Arc::clone(self), turn, legal, moves: Vec::new() })))
    }

    fn read(
        &self,
        _: &mut Input,
        _: Option<Node<'_>>,
        _: &Place<'_>,
    ) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
        Err(vec![
            Diagnostic::new("script::setting", format!("`{}` has no input format", self.name))
                .help("give the keys of the game instead"),
        ])
    }
}

fn without_rules(keys: &Keys<'_>, place: &Place<'_>) -> Result<(), Vec<Diagnostic>> {
    let Some(rules) = &keys.rules else { return Ok(()) };
    let fault = Diagnostic::new("script::setting", "a game in rhai has no house rules")
        .label(Span::new(place.source, rules.range.clone()), "expected none")
        .help("declare keys of the game for them");
    Err(vec![fault])
}

/// A game in rhai with all its moves made.
struct Played {
    rules: Arc<Declared>,
    /// The start, and what came of each move.
    turns: Vec<Turn>,
    moves: Vec<Value>,
    doc: String,
}

impl Played {
    fn last(&self) -> &Turn {
        &self.turns[self.turns.len() - 1]
    }

    fn frame(&self, index: usize) -> Frame {
        let text = match index.checked_sub(1) {
            None => "the game begins".to_owned(),
            Some(last) => self.moves[last].to_string(),
        };
        self.rules.frame(&self.turns[index], index as u64, &text)
    }
}

fn unanswered(fault: &Diagnostic) -> Unanswered {
    let place = fault.labels.first().map(|label| {
        let (line, column) = label.span.source.line_column(label.span.range.start);
        format!(" ({}:{line}:{column})", label.span.source.name())
    });
    let why = format!("{}{}", fault.title, place.unwrap_or_default());
    Unanswered { code: fault.code, why, help: "mend the script of the game".to_owned() }
}

impl Start for Played {
    fn play(&self, questions: &Questions) -> Answers {
        let fact = |&fact: &usize| Ok(self.last().facts[fact].clone());
        let moment = |(step, wanted): &(u64, Vec<usize>)| {
            let turn = self.turns.get(usize::try_from(*step).ok()?)?;
            Some(wanted.iter().map(|&moment| turn.facts[moment].clone()).collect())
        };
        Answers {
            facts: questions.facts.iter().map(fact).collect(),
            moments: questions.moments.iter().map(moment).collect(),
            steps: self.moves.len() as u64,
            output: questions.output.then(|| self.output()),
        }
    }

    fn replay(&self, steps: RangeInclusive<u64>, sink: &mut dyn FnMut(Frame) -> ControlFlow<()>) {
        let shown = (0..self.turns.len()).filter(|&index| steps.contains(&(index as u64)));
        let _ = shown.map(|index| self.frame(index)).try_for_each(sink);
    }

    fn follow(&self, sink: &mut dyn FnMut(&dyn Moment) -> ControlFlow<()>) {
        let _ = (0..self.turns.len()).try_for_each(|index| sink(&At { game: self, index }));
    }

    fn output(&self) -> Result<String, Unanswered> {
        if !self.rules.script.has("output", 1) {
            return Err(Unanswered {
                code: "script::no-function",
                why: format!("`{}` has no output", self.rules.name),
                help: "write `fn output(state) { … }` in its script".to_owned(),
            });
        }
        let text = self.rules.script.call("output", || vec![self.last().state.copy()]);
        text.map(|text| text.to_string()).map_err(|fault| unanswered(&fault))
    }

    fn accepts_output(&self, _: &str) -> bool {
        false
    }

    fn ledger(&self) -> Option<crate::trace::Table> {
        None
    }

    fn input(&self) -> String {
        self.doc.clone()
    }

    fn doc(&self) -> String {
        self.doc.clone()
    }
}

/// A moment of a game in rhai.
struct At<'a> {
    game: &'a Played,
    index: usize,
}

impl Moment for At<'_> {
    fn step(&self) -> u64 {
        self.index as u64
    }

    fn frame(&self) -> Frame {
        self.game.frame(self.index)
    }

    fn answer(&self, moment: usize) -> Value {
        self.game.turns[self.index].facts[moment].clone()
    }
}

/// A game in rhai under way.
#[derive(Clone)]
struct ScriptSession {
    rules: Arc<Declared>,
    turn: Turn,
    legal: Vec<Value>,
    moves: Vec<Value>,
}

impl Session for ScriptSession {
    fn key(&self) -> &str {
        &self.rules.moves
    }

    fn see(&self, name: &str) -> Option<Value> {
        let index = self.rules.facts.iter().position(|fact| fact.name == name)?;
        self.turn.facts.get(index).cloned()
    }

    fn seen(&self) -> Vec<&str> {
        self.rules.facts.iter().map(|fact| fact.name.as_ref()).collect()
    }

    fn legal(&self) -> Vec<Value> {
        self.legal.clone()
    }

    fn is_over(&self) -> bool {
        self.legal.is_empty()
    }

    fn make(&mut self, choice: &Value) -> Result<(), String> {
        if !self.legal.contains(choice) {
            return Err("this move is not legal".to_owned());
        }
        let failed = |fault: Diagnostic| unanswered(&fault).why;
        self.turn = self.rules.after(&self.turn.state, choice).map_err(failed)?;
        self.legal = self.rules.legal(&self.turn.state).map_err(failed)?;
        self.moves.push(choice.clone());
        Ok(())
    }

    fn moves(&self) -> Vec<Value> {
        self.moves.clone()
    }

    fn branch(&self) -> Box<dyn Session> {
        Box::new(self.clone())
    }
}
