//! From a piece of a scenario file to cases: parse, take the file's defaults, read the header, then what `plan` does:
//! bind, and read what is expected.
//!
//! Scenarios without a fault go through once. Those with one are read a second time, thoroughly, so that finding
//! every fault costs the others nothing. A fault of one scenario never touches another.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::case::{Case, Made};
use super::header::{self, Header};
use super::late;
use super::lines;
use super::misplaced;
use super::needs::Needs;
use super::scripted::{Batch, Many};
use super::select::{Candidate, Select};
use super::split::{self, Chunk, Form};
use super::syntax;
use crate::diagnostic::{CodeSpec, Diagnostic, names, nearest};
use crate::engine::{AnyEngine, keys};
use crate::engines::Engines;
use crate::identity::{Id, Name};
use crate::root::Beyond;
use crate::script::{self, Limits, Scripts};
use crate::source::{Source, Span};
use crate::spanned::Spanned;
use crate::tree::{self, Key, Node, Table, Tree, Usual};

/// The faults of scenario files as such.
pub const CODES: &[CodeSpec] = &[
    syntax::SYNTAX,
    lines::SYNTAX,
    lines::NO_OBJECT,
    lines::NULL,
    CodeSpec { code: "scenario::late-default", about: "a default comes after a scenario" },
    CodeSpec { code: "scenario::duplicate-name", about: "two scenarios of a file have the same name" },
    CodeSpec { code: "scenario::nothing", about: "a file without any scenario" },
    CodeSpec { code: "scenario::no-engine", about: "a scenario does not say which engine plays it" },
    CodeSpec { code: "scenario::unknown-engine", about: "a scenario names an engine that does not exist" },
    CodeSpec { code: "scenario::two-starts", about: "a scenario gives its start twice" },
    CodeSpec {
        code: "scenario::outside",
        about: "a scenario names a file outside of its suite, or a hidden one",
    },
    CodeSpec { code: "scenario::unreadable-input", about: "an input file cannot be read" },
];

/// How the name of an engine ends that is a script.
pub(super) const SCRIPT: &str = ".rhai";

/// What standard input is called, as a file of scenarios.
pub const STDIN: &str = "-";

/// A scenario file, as far as its scenarios need to know it.
#[derive(Debug)]
pub struct File {
    /// The path as the user wrote it.
    pub name: Arc<str>,
    /// The folder that the paths in it are taken from.
    pub folder: PathBuf,
    /// The scripts of the run.
    pub scripts: Arc<Scripts>,
    /// The path itself, and where is noted what its scenarios open, if anybody wants to know.
    needs: Option<(PathBuf, Arc<Needs>)>,
}

impl File {
    /// The file at `path`, in a run that has opened `scripts`.
    pub fn new(path: &std::path::Path, scripts: &Arc<Scripts>) -> Self {
        let folder = path.parent().map(std::path::Path::to_owned).unwrap_or_default();
        Self { name: path.display().to_string().into(), folder, scripts: Arc::clone(scripts), needs: None }
    }

    /// The same in a run that notes what is needed.
    #[must_use]
    pub fn noting(self, path: &std::path::Path, needs: &Arc<Needs>) -> Self {
        Self { needs: Some((path.to_owned(), Arc::clone(needs))), ..self }
    }

    /// A scenario of the file opens another one.
    pub(super) fn opens(&self, path: &std::path::Path) {
        if let Some((file, needs)) = &self.needs {
            needs.note(file, path);
        }
    }

    /// Whether it is standard input, which may have no end.
    pub fn is_stream(&self) -> bool {
        &*self.name == STDIN
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
    let loader = Loader { source: &source, file, select, index: 0, title: None, hash: None, begins: false };
    match &chunk.form {
        Form::Toml => {}
        Form::JsonLines => return loader.lines(chunk, each),
        Form::NoLine(fault) => {
            let slot = loader.no_scenario(chunk.lines_above + 1, vec![(**fault).clone()]);
            return loader.hand_out(slot, chunk, each);
        }
    }
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
    let loader = Loader { source: &source, file, select, index: 0, title: None, hash: None, begins: false };
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
    /// The hash of the scenario that is read, once it is known.
    pub(super) hash: Option<u64>,
    /// Whether the game only begins: a policy is to make its moves, and makes none.
    pub(super) begins: bool,
}

impl<'a> Loader<'a> {
    /// The cases of a chunk that is no TOML, or too deep: its scenarios one by one, so that only the broken ones are
    /// lost.
    fn broken(&self, chunk: &Chunk, each: &mut dyn FnMut(Case) -> ControlFlow<()>) -> ControlFlow<()> {
        let ranges: Vec<_> = split::scenarios(&chunk.text).collect();
        if ranges.len() > 1 {
            let mut single = |range| {
                let part = chunk.part(range);
                // What is not TOML by itself is not read behind the defaults again, however long they are.
                if tree::parse(&part.text).is_some() {
                    return load_any(&part, self.file, self.select, each);
                }
                let source = Source::piece(&*self.file.name, "", &part.text, part.lines_above);
                let loader = Loader { source: &source, ..*self };
                let faults = syntax::faults(&source);
                loader.hand_out(loader.no_scenario(part.lines_above + 1, faults), &part, each)
            };
            return ranges.into_iter().try_for_each(&mut single);
        }
        let start = if chunk.text.is_empty() { 0 } else { self.source.piece_start() };
        let line = Span::new(self.source, start..start).line();
        let faults = syntax::faults(self.source);
        self.hand_out(self.no_scenario(line, faults), chunk, each)
    }

    /// The case of something that is no scenario, if the selection leaves room for it.
    pub(super) fn no_scenario(&self, line: usize, faults: Vec<Diagnostic>) -> Slot<'static> {
        let name = Name::Line(line);
        let candidate = Candidate { file: &self.file.name, name: &name, line, engine: None, tags: &[] };
        if !self.select.wants(&candidate) {
            return Slot::Unselected;
        }
        Slot::Case(Box::new(Self::faulty(name, line, faults)))
    }

    /// The case of a scenario that was selected and has nothing but faults.
    pub(super) fn faulty(name: Name, line: usize, faults: Vec<Diagnostic>) -> Case {
        Case {
            name,
            named: None,
            line,
            made: None,
            engine: None,
            tags: Vec::new(),
            summary: Vec::new(),
            skip: None,
            expect_failure: None,
            printed: String::new(),
            spent: Duration::ZERO,
            hash: None,
            toml: None,
            plan: Err(faults),
        }
    }

    /// Gives `each` the case of `slot`, or all those that a script makes.
    pub(super) fn hand_out(
        &self,
        slot: Slot<'a>,
        chunk: &Chunk,
        each: &mut dyn FnMut(Case) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let breaks_at = |index| chunk.batch.iter().for_each(|batch| batch.breaks_at(index));
        let many = match slot {
            Slot::Case(mut case) => {
                // A scenario that cannot be made cases of is one case, in whatever batch that is found out.
                let first = self.select.indices(0..u64::MAX).start;
                let first = chunk.batch.as_ref().map(|_| first);
                if !self.select.wants_case(&self.file.name, &case.name, first, false) {
                    breaks_at(0);
                    return ControlFlow::Continue(());
                }
                // What is wrong with a scenario itself is said once, not with every batch.
                if let Some(Batch { cases, .. }) = chunk.batch.as_deref() {
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
            if !self.select.wants_case(&self.file.name, &many.name, Some(index), many.speaks_together()) {
                continue;
            }
            let id = Id { file: &self.file.name, name: &many.name, index: Some(index) };
            if self.select.is_past(id, many.line()) {
                continue;
            }
            let case = if self.select.loads(id, many.line(), many.speaks_together()) {
                self.made(&many, index)
            } else {
                many.unmade(index)
            };
            let case = Case { hash: many.hash, ..case };
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
            let late = Diagnostic::new(
                "scenario::late-default",
                format!("`{name}` must come before the first `[[scenario]]`"),
            )
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
                Diagnostic::new("scenario::wrong-kind", "`scenario` has the wrong type")
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
        let fault = Diagnostic::new("scenario::wrong-kind", "a scenario has the wrong type")
            .label(self.span(&item.range), "expected a table");
        self.fault(fault)
    }

    /// The case that has nothing but a fault.
    fn fault(&self, fault: Diagnostic) -> Slot<'static> {
        let line = fault.labels[0].span.line();
        self.no_scenario(line, vec![fault])
    }

    /// The scenario of `table`, with what its scripts print while it is read.
    pub(super) fn scenario(
        &self,
        table: Table<'a>,
        range: std::ops::Range<usize>,
        thorough: bool,
    ) -> Slot<'a> {
        let mut slot = self.read(table, range, thorough);
        // Read again, it prints again.
        let printed = script::printed();
        if let Slot::Case(case) = &mut slot {
            case.printed += &printed;
        }
        slot
    }

    fn read(&self, mut table: Table<'a>, range: std::ops::Range<usize>, thorough: bool) -> Slot<'a> {
        if self.select.hashes && self.hash.is_none() {
            return Self { hash: Some(tree::hash(&table)), ..*self }.read(table, range, thorough);
        }
        if is_skipped(&table) {
            return self.skipped(&table, &range);
        }
        let mut faults = Vec::new();
        if thorough {
            let engine = self.engine_of(&table);
            misplaced::refuse(&mut table, engine.as_deref(), self.source, &mut faults);
        }
        if let Some(generate) = table.remove("generate") {
            return self.many(table, generate, range, thorough, faults);
        }
        if let Some(play) = table.remove("play") {
            return self.played(table, play, range, thorough, faults);
        }
        let toml = self.select.text.then(|| self.written(&table));
        let place = self.span(&range);
        let line = place.line();
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
        let named = header.name.as_ref().filter(|name| !name.is_empty());
        let name = Name::new(named.map(|name| &*name.value), line);
        let named = named.map(|name| self.span(&name.range));
        let tags = header.tags.clone().unwrap_or_default();
        let engine = match &header.engine {
            Some(name) => self.engine(name, &header, &mut faults),
            None if vital[0] => None,
            None => {
                faults.push(no_engine(&place, self.engines()));
                None
            }
        };
        let played = engine.as_ref().map(|engine| engine.name());
        let candidate = Candidate { file: &self.file.name, name: &name, line, engine: played, tags: &tags };
        if !self.select.wants(&candidate) {
            return Slot::Unselected;
        }
        if !self.select.loads(Id { file: &self.file.name, name: &name, index: None }, line, false) {
            return Slot::Case(Box::new(Case {
                named,
                hash: self.hash,
                ..Self::faulty(name, line, Vec::new())
            }));
        }
        let reason = header.expect_failure.as_ref();
        let expect_failure = reason.map(|reason| (reason.value.clone(), self.span(&reason.range)));
        let mut case = Case {
            name,
            named,
            line,
            made: None,
            engine: engine.clone(),
            tags,
            summary: Vec::new(),
            skip: None,
            expect_failure,
            printed: String::new(),
            spent: Duration::ZERO,
            hash: self.hash,
            toml,
            plan: Err(Vec::new()),
        };
        let plan = match &engine {
            // Nothing can be said of a start that is given and not known.
            Some(_) if read != vital => None,
            Some(engine) => {
                let (plan, spent) = self.plan(table, &header, &**engine, place, thorough, &mut faults);
                case.spent = spent;
                plan
            }
            None => {
                self.refuse_keys_of_none(&mut table, &header, &mut faults);
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
                let named = header.summary.iter().flatten().map(|name| &*name.value);
                case.summary = self.asked(named, case.engine.as_deref());
                case.plan = Err(faults);
            }
        }
        Slot::Case(Box::new(case))
    }

    /// Refuses the keys that no engine has: whatever game it may be, they are wrong.
    fn refuse_keys_of_none(&self, table: &mut Table<'a>, header: &Header, faults: &mut Vec<Diagnostic>) {
        if header.engine.as_ref().is_none_or(|name| !name.ends_with(SCRIPT)) {
            let engines: Vec<_> = self.engines().iter().map(|engine| &**engine).collect();
            refuse_unknown(table, &engines, self.source, faults);
        }
    }

    /// Returns the engine that a scenario names, if there is one, or the game in rhai.
    pub(super) fn engine_of(&self, table: &Table<'a>) -> Option<Arc<dyn AnyEngine>> {
        let Tree::Text(name) = &table.get("engine")?.value else { return None };
        if !name.ends_with(SCRIPT) {
            return self.engines().find(name).cloned();
        }
        let path = self.file.scripts.beside(&self.file.folder, name).ok()?;
        self.file.scripts.game(&path, &Limits::default()).ok()
    }

    /// The scenario of `table`, which is skipped: nothing that it names is opened, and no fault of it is looked for.
    fn skipped(&self, table: &Table<'a>, range: &std::ops::Range<usize>) -> Slot<'a> {
        let (header, faults) = self.peek(table, range, false);
        let header = if faults.is_empty() { header } else { self.peek(table, range, true).0 };
        let line = self.span(range).line();
        let name = name_of(table, line);
        let tags = header.tags.unwrap_or_default();
        let engine = header.engine.as_ref().map(|engine| engine_name(&engine.value));
        if !self.select.wants(&Candidate { file: &self.file.name, name: &name, line, engine, tags: &tags }) {
            return Slot::Unselected;
        }
        let named = header.name.as_ref().filter(|name| !name.is_empty());
        Slot::Case(Box::new(Case {
            named: named.map(|name| self.span(&name.range)),
            engine: header.engine.as_ref().and_then(|engine| self.engines().find(&engine.value)).cloned(),
            tags,
            skip: header.skip,
            toml: self.select.text.then(|| self.written(table)),
            ..Self::faulty(name, line, Vec::new())
        }))
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

    pub(super) fn engines(&self) -> &'a Engines {
        self.file.scripts.engines()
    }

    pub(super) fn span(&self, range: &std::ops::Range<usize>) -> Span {
        Span::new(self.source, range.clone())
    }

    /// Returns the path of the script that the scenario names, and notes that it is opened.
    ///
    /// # Errors
    /// `scenario::outside`, when it is out of reach.
    pub(super) fn beside(&self, named: &Spanned<String>) -> Result<PathBuf, Diagnostic> {
        let path = self.file.scripts.beside(&self.file.folder, named);
        let path = path.map_err(|beyond| self.beyond(named, &beyond))?;
        self.file.opens(&path);
        Ok(path)
    }

    /// Returns the fault of a scenario that names a file out of its reach.
    pub(super) fn beyond(&self, named: &Spanned<String>, beyond: &Beyond) -> Diagnostic {
        Diagnostic::new("scenario::outside", format!("`{}` is out of reach of the suite", named.value))
            .label(self.span(&named.range), beyond.to_string())
            .help("move the file into the suite, or give `--allow-outside`")
    }

    pub(super) fn engine(
        &self,
        name: &Spanned<String>,
        header: &Header,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<Arc<dyn AnyEngine>> {
        if name.ends_with(SCRIPT) {
            let limits = header.limits.clone().unwrap_or_default().script;
            let game = self.beside(name).and_then(|path| {
                let game = self.file.scripts.game(&path, &limits);
                game.map_err(|fault| fault.label(self.span(&name.range), "named here"))
            });
            return game.map_err(|fault| faults.push(fault)).ok();
        }
        let found = self.engines().find(name);
        if found.is_none() {
            let fault =
                Diagnostic::new("scenario::unknown-engine", format!("there is no engine `{}`", name.value))
                    .label(self.span(&name.range), "not an engine");
            let fault = fault.suggest(name, self.engines().names());
            faults.push(if name.contains(['/', '.']) {
                fault.help("the path of a game in rhai ends in `.rhai`")
            } else {
                fault
            });
        }
        found.cloned()
    }
}

/// The name of the engine that an author calls `typed`: a game in rhai is called after its file.
pub(super) fn engine_name(typed: &str) -> &str {
    match typed.strip_suffix(SCRIPT) {
        Some(path) => path.rsplit('/').next().unwrap_or(path),
        None => typed,
    }
}

/// Whether a scenario of these keys says that it is skipped.
pub(super) fn is_skipped(table: &Table<'_>) -> bool {
    table.get("skip").is_some_and(|skip| skip.value.as_str().is_some())
}

/// The name that a scenario's keys give it, or its line.
pub(super) fn name_of(table: &Table<'_>, line: usize) -> Name {
    Name::new(table.get("name").and_then(|name| name.value.as_str()), line)
}

fn no_engine(place: &Span, engines: &Engines) -> Diagnostic {
    let known: Vec<_> = engines.names().collect();
    Diagnostic::new("scenario::no-engine", "`engine` is missing")
        .label(place.clone(), "which engine plays this scenario?")
        .help(format!("add `engine = \"{}\"`; there are {}", known[0], names(&known)))
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
    table.add(defaults, |key, own, default| match (&mut own.value, &default.value) {
        (Tree::Table(own), Tree::Table(default)) => add_defaults(own, default),
        (Tree::Array(own), Tree::Array(default)) if key.value == "tags" => {
            own.splice(..0, default.iter().cloned());
        }
        _ => {}
    });
}

/// Names the keys that neither the header nor one of the engines knows, and takes them out.
pub(super) fn refuse_unknown(
    table: &mut Table<'_>,
    engines: &[&dyn AnyEngine],
    source: &Arc<Source>,
    faults: &mut Vec<Diagnostic>,
) {
    let schemas: Vec<_> = engines.iter().map(|engine| engine.doc_schema()).collect();
    let own = schemas.iter().filter_map(|schema| keys::properties(schema.as_value(), schema));
    let own: BTreeSet<_> = own.flat_map(|keys| keys.keys().map(String::as_str)).collect();
    let known = || own.iter().copied().chain(header::KEYS).chain(header::TABLES);
    for (key, _) in table.take(|key| known().all(|known| key.value != known)) {
        let name = &key.value;
        let fact = engines.iter().any(|engine| engine.facts().iter().any(|fact| fact.name == *name));
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
