//! From a piece of a scenario file to cases: parse, take the file's defaults, read the header, bind, read what is
//! expected.
//!
//! Scenarios without a fault go through once. Those with one are read a second time, thoroughly, so that finding
//! every fault costs the others nothing. A fault of one scenario never touches another.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::case::{Case, ExpectedError, Made, Plan};
use super::expect::{ExpectedOutput, Reader};
use super::header::{self, Header, Size};
use super::late;
use super::scripted::{Batch, Many};
use super::select::Select;
use super::split::{self, Chunk};
use super::syntax;
use crate::diagnostic::{CodeSpec, Diagnostic, Label, names, nearest};
use crate::engine::{Game, Keys, Place, Referee, Seat, keys};
use crate::engines::{self, ENGINES};
use crate::input::Input;
use crate::script::{self, Scripts};
use crate::source::{Excerpt, Source, Span};
use crate::spanned::Spanned;
use crate::tree::{self, Key, Node, Table, Tree, Usual};

/// The faults of scenario files as such.
pub const CODES: &[CodeSpec] = &[
    syntax::SYNTAX,
    CodeSpec { code: "scenario::late-default", about: "a default of the file stands behind a scenario" },
    CodeSpec { code: "scenario::duplicate-name", about: "two scenarios of a file have the same name" },
    CodeSpec { code: "scenario::nothing", about: "a file without any scenario" },
    CodeSpec { code: "scenario::no-engine", about: "a scenario does not say which engine plays it" },
    CodeSpec { code: "scenario::unknown-engine", about: "a scenario names an engine that does not exist" },
    CodeSpec { code: "scenario::two-starts", about: "a scenario gives its start twice" },
    CodeSpec { code: "scenario::unreadable-input", about: "an input file cannot be read" },
];

/// How the name of an engine ends that is a script.
pub(super) const SCRIPT: &str = ".rhai";

/// A scenario file, as far as its scenarios need to know it.
#[derive(Debug)]
pub struct File {
    /// The path as the user wrote it.
    pub name: Arc<str>,
    /// The folder that the paths in it are taken from.
    pub folder: PathBuf,
    /// The scripts of the run.
    pub scripts: Arc<Scripts>,
}

impl File {
    /// The file at `path`, in a run that has opened `scripts`.
    pub fn new(path: &std::path::Path, scripts: &Arc<Scripts>) -> Self {
        let folder = path.parent().map(std::path::Path::to_owned).unwrap_or_default();
        Self { name: path.display().to_string().into(), folder, scripts: Arc::clone(scripts) }
    }
}

/// Gives `each` the selected scenarios of `chunk`, in order, each ready to run or with its faults, until it breaks.
pub fn load(
    chunk: &Chunk,
    file: &File,
    select: &Select,
    each: &mut dyn FnMut(Case) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let source = Source::piece(&*file.name, &chunk.defaults, &chunk.text, chunk.lines_above);
    let loader = Loader { source: &source, file, select, index: 0, title: None };
    let mut usual = Usual::new(source.text());
    let root = usual.root().filter(|_| usual.at() == source.piece_start() && !usual.is_over());
    let Some(root) = root else { return load_any(chunk, file, select, each) };
    while !usual.is_over() {
        let start = usual;
        let Some(scenario) = usual.scenario() else {
            let rest = chunk.part(start.at() - source.piece_start()..chunk.text.len());
            return load_any(&rest, file, select, each);
        };
        let slot = match loader.item(scenario, &root, false) {
            Slot::Again => start.clone().scenario().map(|again| loader.item(again, &root, true)),
            slot => Some(slot),
        };
        slot.map_or(ControlFlow::Continue(()), |slot| loader.hand_out(slot, chunk, each))?;
    }
    ControlFlow::Continue(())
}

/// [`load`] for any spelling.
fn load_any(
    chunk: &Chunk,
    file: &File,
    select: &Select,
    each: &mut dyn FnMut(Case) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let source = Source::piece(&*file.name, &chunk.defaults, &chunk.text, chunk.lines_above);
    let loader = Loader { source: &source, file, select, index: 0, title: None };
    let Some(root) = tree::parse(source.text()) else { return loader.broken(chunk, each) };
    let mut slots = loader.pass(root, false, |_| true);
    let again = |slot: &Slot<'_>| matches!(slot, Slot::Again);
    if slots.iter().any(again)
        && let Some(root) = tree::parse(source.text())
    {
        let second = loader.pass(root, true, |index| again(&slots[index]));
        for (slot, better) in slots.iter_mut().zip(second) {
            if again(slot) {
                *slot = better;
            }
        }
    }
    slots.into_iter().try_for_each(|slot| loader.hand_out(slot, chunk, each))
}

/// What became of one scenario in a pass.
pub(super) enum Slot<'a> {
    Case(Box<Case>),
    /// A script makes its cases.
    Many(Box<Many<'a>>),
    Unselected,
    /// There are faults: read it thoroughly.
    Again,
}

impl Slot<'_> {
    /// The same where no cases are to be made: it holds nothing of the text.
    pub(super) fn settled(self) -> Slot<'static> {
        match self {
            Self::Case(case) => Slot::Case(case),
            Self::Again => Slot::Again,
            Self::Unselected | Self::Many(_) => Slot::Unselected,
        }
    }
}

/// Reads scenarios of `source`.
#[derive(Clone, Copy)]
pub(super) struct Loader<'a> {
    pub(super) source: &'a Arc<Source>,
    pub(super) file: &'a File,
    pub(super) select: &'a Select,
    /// Which of its scenario's cases is read; 0 if there is one only.
    pub(super) index: u64,
    /// What a case is called that a script made, where it is written out.
    pub(super) title: Option<&'a str>,
}

impl<'a> Loader<'a> {
    /// The cases of a chunk that is no TOML, or too deep: its scenarios one by one, so that only the broken ones are
    /// lost.
    fn broken(&self, chunk: &Chunk, each: &mut dyn FnMut(Case) -> ControlFlow<()>) -> ControlFlow<()> {
        let ranges: Vec<_> = split::scenarios(&chunk.text).collect();
        if ranges.len() > 1 {
            let mut single = |range| load_any(&chunk.part(range), self.file, self.select, each);
            return ranges.into_iter().try_for_each(&mut single);
        }
        let start = if chunk.text.is_empty() { 0 } else { self.source.piece_start() };
        let line = Span::new(self.source, start..start).line();
        let faults = syntax::faults(self.source);
        self.hand_out(self.no_scenario(line, faults), chunk, each)
    }

    /// The case of something that is no scenario, if the selection leaves room for it.
    fn no_scenario(&self, line: usize, faults: Vec<Diagnostic>) -> Slot<'static> {
        let name = format!("line {line}");
        if !self.select.wants(&self.file.name, &name, None, &[]) {
            return Slot::Unselected;
        }
        Slot::Case(Box::new(Self::faulty(name, line, faults)))
    }

    /// The case of a scenario that was selected and has nothing but faults.
    pub(super) fn faulty(name: String, line: usize, faults: Vec<Diagnostic>) -> Case {
        Case {
            name,
            named: None,
            line,
            made: None,
            referee: None,
            tags: Vec::new(),
            skip: None,
            expect_failure: None,
            printed: String::new(),
            toml: None,
            plan: Err(faults),
        }
    }

    /// Gives `each` the case of `slot`, or all those that a script makes.
    fn hand_out(
        &self,
        slot: Slot<'a>,
        chunk: &Chunk,
        each: &mut dyn FnMut(Case) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let breaks_at = |index| chunk.batch.iter().for_each(|batch| batch.breaks_at(index));
        let many = match slot {
            Slot::Case(mut case) => {
                // What is wrong with a scenario itself is said once, not with every batch.
                if let Some(Batch { cases, .. }) = &chunk.batch {
                    breaks_at(cases.start);
                    case.made = Some(Made { index: cases.start, count: 1, ends: true, signature: None });
                }
                return each(*case);
            }
            Slot::Many(many) => many,
            Slot::Unselected | Slot::Again => {
                breaks_at(0);
                return ControlFlow::Continue(());
            }
        };
        let cases = chunk.batch.as_ref().map_or(0..many.count, |batch| batch.cases.clone());
        for index in self.select.indices(cases) {
            if chunk.batch.as_ref().is_some_and(|batch| batch.is_behind_a_break(index)) {
                break;
            }
            let case = self.made(&many, index);
            let ends = case.made.as_ref().is_some_and(|made| made.ends);
            if ends {
                breaks_at(index);
            }
            each(case)?;
            if ends {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// One pass over all scenarios of the chunk; those not `wanted` are left alone.
    fn pass(&self, mut root: Table<'a>, thorough: bool, wanted: impl Fn(usize) -> bool) -> Vec<Slot<'a>> {
        let scenarios = root.remove("scenario");
        let start = self.source.piece_start();
        let late = if start < self.source.text().len() { late::take(&mut root, start) } else { Vec::new() };
        let mut slots = Vec::new();
        let fault = |fault| self.fault(fault);
        for key in late {
            let name = &key.value;
            let late =
                Diagnostic::new("scenario::late-default", format!("`{name}` stands behind a scenario"))
                    .label(self.span(&key.range), "expected `scenario`, or a table of it");
            slots.push(fault(misspelt_header(&key, self.source).unwrap_or_else(|| {
                late.help(format!("write `scenario.{name}` if it belongs to the scenario above"))
                    .help("move it above the first `[[scenario]]` if it is a default of the file")
            })));
        }
        let nothing = |range| {
            fault(
                Diagnostic::new("scenario::nothing", "the file holds no scenario")
                    .label(Span::new(self.source, range), "expected a scenario")
                    .help("`engine`, the keys of its game and `expect` make one"),
            )
        };
        let Some(scenarios) = scenarios else {
            if root.is_empty() && slots.is_empty() {
                slots.push(nothing(0..0));
            } else if let Some(misspelt) = root.keys().find_map(|key| misspelt_header(key, self.source)) {
                slots.push(fault(misspelt));
            } else if !root.is_empty() {
                slots.push(self.scenario(root, 0..0, thorough));
            }
            return slots;
        };
        let span = scenarios.range;
        let Tree::Array(items) = scenarios.value else {
            slots.push(fault(
                Diagnostic::new("scenario::wrong-kind", "`scenario` is of the wrong kind")
                    .label(Span::new(self.source, span), "expected an array of tables")
                    .help("write `[[scenario]]`, with two brackets"),
            ));
            return slots;
        };
        if items.is_empty() {
            slots.push(nothing(span));
        }
        for item in items {
            if !wanted(slots.len()) {
                slots.push(Slot::Unselected);
                continue;
            }
            slots.push(self.item(item, &root, thorough));
        }
        slots
    }

    /// A scenario of several, with the file's defaults.
    fn item(&self, item: Node<'a>, defaults: &Table<'a>, thorough: bool) -> Slot<'a> {
        if let Tree::Table(mut table) = item.value {
            add_defaults(&mut table, defaults);
            return self.scenario(table, item.range, thorough);
        }
        let fault = Diagnostic::new("scenario::wrong-kind", "a scenario is of the wrong kind")
            .label(self.span(&item.range), "expected a table");
        self.fault(fault)
    }

    /// The case that has nothing but a fault.
    fn fault(&self, fault: Diagnostic) -> Slot<'static> {
        let line = fault.labels[0].span.line();
        self.no_scenario(line, vec![fault])
    }

    pub(super) fn scenario(
        &self,
        mut table: Table<'a>,
        range: std::ops::Range<usize>,
        thorough: bool,
    ) -> Slot<'a> {
        if let Some(generate) = table.remove("generate") {
            return self.many(table, generate, range, thorough);
        }
        if let Some(play) = table.remove("play") {
            return self.played(table, play, range, thorough);
        }
        let toml = self.select.text.then(|| self.written(&table));
        let place = self.span(&range);
        let line = place.line();
        let mut faults = Vec::new();
        let header = table.take(|key| header::KEYS.contains(&&*key.value));
        let vital = ["engine", "input", "input_file"].map(|key| header.get(key).is_some());
        let header = Spanned { value: Tree::Table(header), range: range.clone() };
        let (header, more) = keys::read_sound::<Header>(header, self.source, thorough);
        if !more.is_empty() && !thorough {
            return Slot::Again;
        }
        faults.extend(more);
        let header = header.unwrap_or_default();
        let read = [&header.engine, &header.input, &header.input_file].map(Option::is_some);
        let (name, named) = match &header.name {
            Some(name) if !name.is_empty() => (name.value.clone(), Some(self.span(&name.range))),
            _ => (format!("line {line}"), None),
        };
        let tags = header.tags.clone().unwrap_or_default();
        let referee = match &header.engine {
            Some(name) => self.referee(name, &header, &mut faults),
            None if vital[0] => None,
            None => {
                faults.push(no_engine(&place));
                None
            }
        };
        if !self.select.wants(&self.file.name, &name, referee, &tags) {
            return Slot::Unselected;
        }
        let expect_failure =
            header.expect_failure.as_ref().map(|reason| (reason.value.clone(), self.span(&reason.range)));
        let mut case = Case {
            name,
            named,
            line,
            made: None,
            referee,
            tags,
            skip: header.skip.clone(),
            expect_failure,
            printed: String::new(),
            toml,
            plan: Err(Vec::new()),
        };
        if case.skip.is_some() && faults.is_empty() {
            return Slot::Case(Box::new(case));
        }
        let plan = match referee {
            // Nothing can be said of a start that is given and not known.
            Some(_) if read != vital => None,
            Some(referee) => self.plan(table, &header, referee, place, thorough, &mut faults),
            // Whatever game it may be: a key that none has is wrong.
            None => {
                let is_script = header.engine.as_ref().is_some_and(|name| name.ends_with(SCRIPT));
                if !is_script {
                    refuse_unknown(&mut table, ENGINES, self.source, &mut faults);
                }
                None
            }
        };
        match plan {
            Some(plan) if faults.is_empty() => case.plan = Ok(plan),
            _ if !thorough => return Slot::Again,
            _ => {
                let in_text =
                    |span: &Span| Arc::ptr_eq(&span.source, self.source).then_some(span.range.start);
                faults.sort_by_key(|fault| in_text(&fault.labels[0].span).unwrap_or(usize::MAX));
                case.plan = Err(faults);
            }
        }
        case.printed = script::printed();
        Slot::Case(Box::new(case))
    }

    /// The scenario as TOML.
    fn written(&self, table: &Table<'a>) -> String {
        let Some(title) = self.title else { return tree::write(table) };
        let mut table = table.clone();
        let name = Spanned { value: Tree::Text(title.into()), range: 0..0 };
        match table.get_mut("name") {
            Some(own) => *own = name,
            None => table.push(Spanned { value: "name".into(), range: 0..0 }, name),
        }
        tree::write(&table)
    }

    pub(super) fn span(&self, range: &std::ops::Range<usize>) -> Span {
        Span::new(self.source, range.clone())
    }

    pub(super) fn referee(
        &self,
        name: &Spanned<String>,
        header: &Header,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<&'static dyn Referee> {
        if name.ends_with(SCRIPT) {
            let limits = header.limits.clone().unwrap_or_default().script;
            let game = self.file.scripts.game(&self.file.scripts.beside(&self.file.folder, name), &limits);
            return game.map_err(|fault| faults.push(fault.label(self.span(&name.range), "named here"))).ok();
        }
        let found = engines::find(name);
        if found.is_none() {
            let fault =
                Diagnostic::new("scenario::unknown-engine", format!("there is no engine `{}`", name.value))
                    .label(self.span(&name.range), "not an engine");
            let fault = fault.suggest(name, ENGINES.iter().map(|engine| engine.name()));
            faults.push(if name.contains(['/', '.']) {
                fault.help("the path of a game in rhai ends in `.rhai`")
            } else {
                fault
            });
        }
        found
    }

    fn plan(
        &self,
        mut table: Table<'a>,
        header: &Header,
        referee: &'static dyn Referee,
        place: Span,
        thorough: bool,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<Plan> {
        let rules = table.remove("rules").filter(|rules| {
            let sound = rules.value.as_table().is_some();
            if !sound {
                let fault = Diagnostic::new("scenario::wrong-kind", "`rules` is of the wrong kind");
                faults.push(fault.label(self.span(&rules.range), "expected a table of house rules"));
            }
            sound
        });
        let house_rules = rules.as_ref().map(|rules| self.span(&rules.range));
        let expect = table.remove("expect");
        let checkpoint = table.remove("checkpoint");
        let mut reader = Reader { source: self.source, faults };
        let mut error = None;
        let mut output = None;
        let mut expectations = Vec::new();
        if let Some(expect) = expect {
            let span = expect.range;
            match expect.value {
                Tree::Table(mut expect) => {
                    error = expect.remove("error").and_then(|value| expected_error(&value, &mut reader));
                    output = expect.remove("output").and_then(|value| expected_output(value, &mut reader));
                    if error.is_some() && (output.is_some() || !expect.is_empty() || checkpoint.is_some()) {
                        reader.faults.push(
                            Diagnostic::new("expect::error-alone", "`expect.error` stands beside other expectations")
                                .label(Span::new(self.source, span.clone()), "what is refused has no facts")
                                .help("keep `expect.error`, or the other expectations"),
                        );
                    }
                    expectations = reader.expectations(expect, referee, false);
                }
                _ => reader.faults.push(
                    Diagnostic::new("scenario::wrong-kind", "`expect` is of the wrong kind")
                        .label(Span::new(self.source, span), "expected a table of facts")
                        .help("write `expect.FACT = VALUE`, or `[scenario.expect]` in single brackets above the facts"),
                ),
            }
        }
        let checkpoints = checkpoint.map(|value| reader.checkpoints(value, referee)).unwrap_or_default();
        let mut unknown = Vec::new();
        if thorough {
            refuse_unknown(&mut table, &[referee], self.source, &mut unknown);
        }
        let checker = header.check.as_ref().map(|check| self.checker(check, header, &table, rules.as_ref()));
        let summary = self.summary(header, referee, faults);
        let place_of_keys = Place { source: self.source, size_limits: size_limits(header), thorough };
        let game = match self.game(table, rules, header, referee, &place, &place_of_keys) {
            Ok(game) if unknown.is_empty() => Ok(game),
            Err(_) if !thorough => return None,
            game => {
                let refused = unknown.into_iter().chain(game.err().into_iter().flatten());
                let refused: Vec<_> = refused.map(|fault| placed(fault, &place)).collect();
                if error.is_none() {
                    faults.extend(refused);
                    return None;
                }
                Err(refused)
            }
        };
        let checker = match checker.transpose() {
            Ok(checker) => checker,
            Err(fault) => {
                faults.push(fault);
                return None;
            }
        };
        Some(Plan {
            place,
            game,
            rules: house_rules,
            error,
            expectations,
            checkpoints,
            output,
            checker,
            summary,
        })
    }

    /// The facts whose spread is wanted: those that the scenario names, and those that the run asks for.
    fn summary(&self, header: &Header, referee: &dyn Referee, faults: &mut Vec<Diagnostic>) -> Vec<usize> {
        let named = |name: &str| referee.facts().iter().position(|fact| fact.name == name && fact.spreads());
        let mut summary: Vec<_> = Vec::new();
        for name in header.summary.iter().flatten() {
            if let Some(fact) = named(name) {
                summary.push(fact);
                continue;
            }
            let title = format!("`{}` has no fact `{}` that spreads", referee.name(), name.value);
            let known = referee.facts().iter().filter(|fact| fact.spreads());
            let fault = Diagnostic::new("expect::unknown-fact", title)
                .label(self.span(&name.range), "not a number or boolean among its facts")
                .suggest(name, known.map(|fact| fact.name.as_ref()));
            faults.push(fault);
        }
        let asked = self.select.summary.iter().filter_map(|name| named(name));
        for fact in asked {
            if !summary.contains(&fact) {
                summary.push(fact);
            }
        }
        summary
    }

    /// The start for somebody to choose the moves from.
    pub(super) fn start(
        &self,
        mut table: Table<'a>,
        header: &Header,
        referee: &'static dyn Referee,
        place: &Span,
    ) -> Result<Option<Box<dyn Seat>>, Vec<Diagnostic>> {
        let own =
            |key: &Key<'_>| header::KEYS.contains(&&*key.value) || header::TABLES[1..].contains(&&*key.value);
        drop(table.take(own));
        let rules = table.remove("rules");
        let limits = Place { source: self.source, size_limits: size_limits(header), thorough: true };
        if let Some(input) = header.input.as_ref().or(header.input_file.as_ref()) {
            let fault = Diagnostic::new("script::setting", "a policy plays from keys, not from an input")
                .label(self.span(&input.range), "the input gives the moves, too")
                .help("`rulebook import` makes keys of inputs");
            return Err(vec![fault]);
        }
        let bound = referee.seat(Keys { doc: table, range: place.range.clone(), rules }, &limits);
        bound.map_err(|faults| faults.into_iter().map(|fault| placed(fault, place)).collect())
    }

    fn game(
        &self,
        table: Table<'a>,
        rules: Option<Node<'a>>,
        header: &Header,
        referee: &'static dyn Referee,
        place: &Span,
        limits: &Place<'_>,
    ) -> Result<Box<dyn Game>, Vec<Diagnostic>> {
        let excerpt = match (&header.input, &header.input_file) {
            (None, None) => {
                return referee.bind(Keys { doc: table, range: place.range.clone(), rules }, limits);
            }
            (Some(input), Some(file)) => {
                return Err(vec![self.two_starts("input_file", &file.range, &input.range)]);
            }
            (Some(input), None) => Excerpt::string(self.source, input.range.clone(), input.value.clone()),
            (None, Some(path)) => Excerpt::all(&self.input_file(path).map_err(|fault| vec![fault])?),
        };
        if let Some(key) = table.keys().next() {
            let input =
                header.input.as_ref().or(header.input_file.as_ref()).map_or(0..0, |i| i.range.clone());
            return Err(vec![self.two_starts(key, &key.range, &input)]);
        }
        referee.read(&mut Input::new(excerpt), rules, limits)
    }

    fn two_starts(
        &self,
        key: &str,
        at: &std::ops::Range<usize>,
        other: &std::ops::Range<usize>,
    ) -> Diagnostic {
        Diagnostic::new("scenario::two-starts", format!("`{key}` gives the start a second time"))
            .label(self.span(at), "stands beside an input")
            .label(self.span(other), "the input")
            .help("keep one of the two")
    }

    fn input_file(&self, path: &Spanned<String>) -> Result<Arc<Source>, Diagnostic> {
        let full = self.file.folder.join(&path.value);
        let regular = !full.exists() || full.is_file();
        let read = if regular { Source::read(&full) } else { Err("it is not a regular file".to_owned()) };
        read.map_err(|reason| {
            Diagnostic::new(
                "scenario::unreadable-input",
                format!("the input file `{}` cannot be read", path.value),
            )
            .label(self.span(&path.range), reason)
            .help("its path is taken from the scenario file's folder")
        })
    }
}

fn size_limits(header: &Header) -> bool {
    header.limits.as_ref().is_none_or(|limits| limits.size == Size::Statement)
}

fn no_engine(place: &Span) -> Diagnostic {
    let known: Vec<_> = ENGINES.iter().map(|engine| engine.name()).collect();
    Diagnostic::new("scenario::no-engine", "`engine` is missing")
        .label(place.clone(), "which engine plays this scenario?")
        .help(format!("add `engine = \"{}\"`; there are {}", known[0], names(&known)))
}

/// What is said at the scenario of a fault that has no place of its own in the file.
pub(super) const PLACED: &str = "in this scenario";

/// A fault that knows no place in the file belongs to the whole scenario.
fn placed(fault: Diagnostic, place: &Span) -> Diagnostic {
    let here = |label: &Label| Arc::ptr_eq(&label.span.source, &place.source);
    if fault.labels.iter().any(here) { fault } else { fault.label(place.clone(), PLACED) }
}

/// The fault of a key that was to be `scenario`.
fn misspelt_header(key: &Key<'_>, source: &Arc<Source>) -> Option<Diagnostic> {
    nearest(key, ["scenario"]).map(|_| {
        keys::unknown_key(key, key.range.clone(), source)
            .help("a line that begins a scenario says `[[scenario]]`")
    })
}

/// The file's defaults for what the scenario does not say: tables key by key, tags added.
fn add_defaults<'t>(table: &mut Table<'t>, defaults: &Table<'t>) {
    for (key, default) in defaults {
        match table.get_mut(key).map(|own| &mut own.value) {
            None => table.push(key.clone(), default.clone()),
            Some(Tree::Table(own)) => {
                if let Tree::Table(default) = &default.value {
                    add_defaults(own, default);
                }
            }
            Some(Tree::Array(own)) if key.value == "tags" => {
                if let Tree::Array(default) = &default.value {
                    own.splice(..0, default.iter().cloned());
                }
            }
            Some(_) => {}
        }
    }
}

/// Names the keys that neither the header nor one of the engines knows, and takes them out.
fn refuse_unknown(
    table: &mut Table<'_>,
    referees: &[&dyn Referee],
    source: &Arc<Source>,
    faults: &mut Vec<Diagnostic>,
) {
    let schemas: Vec<_> = referees.iter().map(|referee| referee.doc_schema()).collect();
    let own = schemas.iter().filter_map(|schema| keys::properties(schema.as_value(), schema));
    let own: BTreeSet<_> = own.flat_map(|keys| keys.keys().map(String::as_str)).collect();
    let known = || own.iter().copied().chain(header::KEYS).chain(header::TABLES);
    for (key, _) in table.take(|key| known().all(|known| key.value != known)) {
        let name = &key.value;
        let fact = referees.iter().any(|referee| referee.facts().iter().any(|fact| fact.name == *name));
        faults.push(misspelt_header(&key, source).unwrap_or_else(|| {
            let fault = keys::unknown_key(name, key.range.clone(), source);
            if fact {
                fault.help(format!("a fact is expected with `expect.{name}`"))
            } else {
                fault.suggest(name, known())
            }
        }));
    }
}

fn expected_error(value: &Node<'_>, reader: &mut Reader<'_>) -> Option<ExpectedError> {
    let span = Span::new(reader.source, value.range.clone());
    let code = |value: &Tree<'_>| value.as_str().map(str::to_owned);
    let codes: Option<Vec<_>> = match &value.value {
        Tree::Array(codes) => codes.iter().map(|value| code(value)).collect(),
        single => code(single).map(|code| vec![code]),
    };
    let codes = codes.filter(|codes| !codes.is_empty());
    if codes.is_none() {
        let fault = Diagnostic::new("expect::wrong-kind", "`error` names no fault")
            .label(span.clone(), "expected the code of a fault, or several in an array");
        reader.faults.push(fault);
    }
    codes.map(|codes| ExpectedError { codes, span })
}

fn expected_output(value: Node<'_>, reader: &mut Reader<'_>) -> Option<ExpectedOutput> {
    let span = Span::new(reader.source, value.range);
    let Tree::Text(text) = value.value else {
        let fault =
            Diagnostic::new("expect::wrong-kind", "the value expected of `output` is of the wrong kind")
                .label(span, "expected the statement's output as a string");
        reader.faults.push(fault);
        return None;
    };
    let excerpt = Excerpt::string(reader.source, span.range.clone(), text.into_owned());
    Some(ExpectedOutput { excerpt, span })
}
