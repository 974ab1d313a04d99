//! Scenarios that scripts have a hand in: cases that a generator makes, moves that a policy makes.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::case::{Case, Made, Signature};
use super::header::{self, Check, Generate, Header, Play};
use super::load::{Loader, Slot, engine_name, is_skipped, name_of};
use super::plan::PLACED;
use super::select::{Candidate, Select};
use super::split::{Chunk, Form};
use crate::diagnostic::{Diagnostic, Label};
use crate::engine::{AnyEngine, keys};
use crate::identity::{Id, Name};
use crate::script::{self, Checker, Generator, Policy, Script};
use crate::source::Span;
use crate::spanned::Spanned;
use crate::tree::{self, Key, Node, Table, Tree};

/// The most cases of a scenario: any index is a number of a script.
const MOST_CASES: i64 = i64::MAX;
/// So many moves a policy makes at most if the scenario does not say.
const MOVES: u64 = 1000;

/// Some of the cases of the one scenario of a chunk.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Their indices.
    pub cases: Range<u64>,
    /// The lowest index at which a script of the scenario was found to be broken; nothing behind it is made.
    pub broken: Arc<AtomicU64>,
}

/// The number of cases that a script makes of the one scenario of `chunk`; `None` if it has no generator, has one with
/// faults, or is skipped.
pub(super) fn count(chunk: &Chunk) -> Option<u64> {
    let text = [&*chunk.defaults, &*chunk.text].concat();
    let root = match chunk.form {
        Form::Toml => tree::parse(&text)?,
        Form::JsonLines => tree::parse_json(&text, 0..text.len()).ok()?,
        Form::NoLine(_) => return None,
    };
    let own = match root.get("scenario").map(|scenarios| &scenarios.value) {
        Some(Tree::Array(scenarios)) => scenarios.first()?.value.as_table(),
        _ => None,
    };
    // Where a scenario does not say so itself, the defaults may.
    if is_skipped(own.filter(|own| own.get("skip").is_some()).unwrap_or(&root)) {
        return None;
    }
    let generate = own.and_then(|own| own.get("generate")).or_else(|| root.get("generate"))?;
    // A scenario may leave the count to the defaults.
    let counts = [Some(generate), root.get("generate")];
    let count = counts.into_iter().flatten().find_map(|generate| generate.value.as_table()?.get("count"));
    let generated = generate.value.as_table().is_some();
    generated.then(|| count.map_or(Some(1), |count| u64::try_from(count.value.as_int()?).ok()))?
}

/// A scenario whose cases a script makes.
pub(super) struct Many<'a> {
    table: Table<'a>,
    range: Range<usize>,
    /// Its name, and where the author gives it.
    pub(super) name: Name,
    named: Option<Span>,
    place: Span,
    generator: Generator,
    /// Where the scenario names the script.
    script: Span,
    pub(super) count: u64,
    signature: Option<Signature>,
    /// The hash of the scenario, if it is wanted.
    pub(super) hash: Option<u64>,
    /// Names of the facts whose spread is wanted.
    summary: Vec<String>,
    /// What is wanted of its cases.
    select: Select,
}

impl Many<'_> {
    /// Whether something is said of all cases together: then they are run together.
    pub(super) fn speaks_together(&self) -> bool {
        self.signature.is_some() || self.table.get("summary").is_some()
    }

    /// Returns the line that it begins on, from 1.
    pub(super) fn line(&self) -> usize {
        self.place.line()
    }

    /// Returns the case `index` without asking the script for it.
    pub(super) fn unmade(&self, index: u64) -> Case {
        let made = Made { index, count: self.count, ends: false, signature: self.signature.clone() };
        let case = Loader::faulty(self.name.clone(), self.line(), Vec::new());
        Case { named: self.named.clone(), made: Some(made), ..case }
    }

    /// Notes which case it is, and whether others follow: not behind one that shows that a script is broken, or that the
    /// scenario itself is, whose text has `base` bytes.
    fn finish(&self, slot: Slot<'_>, index: u64, base: usize) -> Case {
        let mut case = if let Slot::Case(case) = slot.settled() {
            *case
        } else {
            // A case of a scenario that was selected is one all the same.
            let fault = Diagnostic::new("script::wrong-shape", "what `generate` returns is no scenario");
            let fault = fault.label(self.script.clone(), "called for this scenario");
            Loader::faulty(self.name.clone(), self.place.line(), vec![fault])
        };
        let source = &self.place.source;
        let of_scenario = |fault: &Diagnostic| {
            let label = fault.labels.first().filter(|label| label.text != PLACED);
            label.is_some_and(|Label { span, .. }| {
                let shared = span.source.text().get(..base);
                span.range.start < base && shared == Some(source.text())
            })
        };
        let ends = case.plan.as_ref().is_err_and(|faults| {
            faults.iter().any(|fault| script::is_broken(fault.code) || of_scenario(fault))
        });
        if case.plan.is_err() && case.summary.is_empty() {
            case.summary.clone_from(&self.summary);
        }
        case.made = Some(Made { index, count: self.count, ends, signature: self.signature.clone() });
        case.name.clone_from(&self.name);
        case.named.clone_from(&self.named);
        case.line = self.place.line();
        case.printed.insert_str(0, &script::printed());
        case
    }
}

impl<'a> Loader<'a> {
    /// The scenario of `table`, whose key `generate` is taken out of it.
    pub(super) fn many(
        &self,
        mut table: Table<'a>,
        generate: Node<'a>,
        range: Range<usize>,
        thorough: bool,
        mut faults: Vec<Diagnostic>,
    ) -> Slot<'a> {
        let (header, more) = self.peek(&table, &range, thorough);
        faults.extend(more);
        if !faults.is_empty() && !thorough {
            return Slot::Again;
        }
        let line = self.span(&range).line();
        let name = Name::new(header.name.as_ref().map(|name| &*name.value), line);
        let generate = keys::read::<Generate>(generate, self.source, thorough);
        let engine = header.engine.as_ref().map(|engine| engine_name(&engine.value));
        let tags = header.tags.as_deref().unwrap_or_default();
        let candidate = Candidate { file: &self.file.name, name: &name, line, engine, tags };
        if !self.select.wants_scenario(&candidate) {
            return Slot::Unselected;
        }
        let signature = self.signature(&mut table, self.span(&range), &mut faults);
        let opened = match generate {
            Err(more) => Err(more),
            Ok(Generate { script, count, seed, args }) => {
                let count = self.number(count.as_ref(), "count", 1, MOST_CASES, 1);
                let opened = self.open(&script, &header, table.get("rules"));
                match (count, opened) {
                    (Ok(count), Ok(opened)) => Ok((
                        Generator::new(opened, seed.unwrap_or(0), &args),
                        self.span(&script.range),
                        count,
                    )),
                    (count, opened) => Err(count.err().into_iter().chain(opened.err()).collect()),
                }
            }
        };
        match opened {
            Ok((generator, script, count)) if faults.is_empty() => {
                let named = header.name.as_ref().filter(|name| !name.is_empty());
                let named = named.map(|name| self.span(&name.range));
                // What is selected once is selected with all its cases, whatever they call themselves.
                let select = Select {
                    text: self.select.text,
                    load_only: self.select.load_only,
                    summary: self.select.summary.clone(),
                    ..Select::default()
                };
                let place = self.span(&range);
                let summary = self.asked(strings(table.get("summary")), self.engine_of(&table).as_deref());
                Slot::Many(Box::new(Many {
                    table,
                    range,
                    name,
                    named,
                    place,
                    generator,
                    script,
                    count,
                    signature,
                    hash: self.hash,
                    summary,
                    select,
                }))
            }
            _ if !thorough => Slot::Again,
            opened => {
                faults.extend(opened.err().into_iter().flatten());
                let tags = header.tags.unwrap_or_default();
                Slot::Case(Box::new(Case { tags, ..self.unbound(&table, line, faults) }))
            }
        }
    }

    /// The case `index` of `many`.
    pub(super) fn made(&self, many: &Many<'a>, index: u64) -> Case {
        drop(script::printed());
        let called = |fault: Diagnostic| {
            fault.label(many.script.clone(), format!("called for index {index} of this scenario"))
        };
        let base = self.source.text().len();
        let faulty = |fault| {
            let case = Self::faulty(many.name.clone(), many.place.line(), vec![fault]);
            Slot::Case(Box::new(case))
        };
        let start = Instant::now();
        let text = many.generator.make(index);
        let spent = start.elapsed();
        let text = match text {
            Ok(text) => text,
            Err(fault) => return Case { spent, ..many.finish(faulty(called(fault)), index, base) },
        };
        let printed = script::printed();
        let source = self.source.extended(many.generator.name(index), &text);
        let title = format!("{}#{index}", many.name.text());
        let inner = Loader { source: &source, index, title: Some(&title), select: &many.select, ..*self };
        let pass = |thorough| match tree::parse_behind(source.text(), base) {
            None => {
                faulty(called(Diagnostic::new("script::wrong-shape", "what `generate` returns is too deep")))
            }
            Some(made) if made.get("generate").is_some() => faulty(called(Diagnostic::new(
                "script::wrong-shape",
                "`generate` returns a generator, not the keys of one case",
            ))),
            Some(made) => inner.with(&many.table, made, &many.range, thorough),
        };
        let slot = match pass(false) {
            Slot::Again => pass(true),
            slot => slot,
        };
        let mut case = many.finish(slot, index, base);
        case.spent += spent;
        case.printed.insert_str(0, &printed);
        case
    }

    /// The scenario of `own` keys with those that a script made.
    fn with(&self, own: &Table<'a>, made: Table<'a>, range: &Range<usize>, thorough: bool) -> Slot<'a> {
        let mut table = own.clone();
        let mut faults = Vec::new();
        self.add_made(&mut table, made, "", &mut faults);
        if faults.is_empty() {
            return self.scenario(table, range.clone(), thorough);
        }
        let line = self.span(range).line();
        Slot::Case(Box::new(self.unbound(own, line, faults)))
    }

    /// Returns the case of the scenario of `table` that has these faults, and nothing to run.
    fn unbound(&self, table: &Table<'a>, line: usize, faults: Vec<Diagnostic>) -> Case {
        let name = name_of(table, line);
        let given =
            table.get("name").filter(|given| given.value.as_str().is_some_and(|given| !given.is_empty()));
        let named = given.map(|given| self.span(&given.range));
        let summary = self.asked(strings(table.get("summary")), self.engine_of(table).as_deref());
        Case { named, summary, hash: self.hash, ..Self::faulty(name, line, faults) }
    }

    fn add_made(&self, table: &mut Table<'a>, made: Table<'a>, above: &str, faults: &mut Vec<Diagnostic>) {
        for (key, value) in made {
            match (table.get_mut(&key), value) {
                (None, value) => table.push(key, value),
                (Some(Spanned { value: Tree::Table(own), .. }), Spanned { value: Tree::Table(made), .. }) => {
                    self.add_made(own, made, &format!("{above}{}.", &*key), faults);
                }
                (Some(_), _) => {
                    let own = table.key(&key).map(|own| self.span(&own.range));
                    let title = format!("`{above}{}` is given by the scenario and by its script", &*key);
                    let fault = Diagnostic::new("script::given-twice", title)
                        .label(self.span(&key.range), "the script's")
                        .help("leave it to one of the two");
                    faults.push(match own {
                        Some(own) => fault.label(own, "the scenario's"),
                        None => fault,
                    });
                }
            }
        }
    }

    /// The scenario of `table` with the moves that its policy makes; `play` is taken out of it.
    pub(super) fn played(
        &self,
        table: Table<'a>,
        play: Node<'a>,
        range: Range<usize>,
        thorough: bool,
        mut faults: Vec<Diagnostic>,
    ) -> Slot<'a> {
        let (header, more) = self.peek(&table, &range, thorough);
        faults.extend(more);
        if !faults.is_empty() && !thorough {
            return Slot::Again;
        }
        let engine = header.engine.as_ref().and_then(|name| self.engine(name, &header, &mut faults));
        let place = self.span(&range);
        let line = place.line();
        let name = name_of(&table, line);
        let tags = header.tags.as_deref().unwrap_or_default();
        let played = engine.as_ref().map(|engine| engine.name());
        if !self.select.wants(&Candidate { file: &self.file.name, name: &name, line, engine: played, tags }) {
            return Slot::Unselected;
        }
        if !self.select.loads(Id { file: &self.file.name, name: &name, index: None }, line, false) {
            return Slot::Case(Box::new(self.unbound(&table, line, Vec::new())));
        }
        let play = keys::read::<Play>(play, self.source, thorough);
        let policy = match (play, engine) {
            (Ok(play), Some(engine)) if faults.is_empty() => {
                self.policy(&table, &play, &header).map(|policy| (policy, play, engine))
            }
            (play, _) => Err(play.err().unwrap_or_default()),
        };
        let start = Instant::now();
        let moves = policy
            .and_then(|(policy, play, engine)| self.moves(&policy, &play, &table, &header, &*engine, &place));
        let spent = start.elapsed();
        let mut slot = match moves {
            Ok((title, text)) => {
                let source = self.source.extended(title, &text);
                let inner = Loader { source: &source, begins: self.select.load_only, ..*self };
                if let Some(made) = tree::parse_behind(source.text(), self.source.text().len()) {
                    inner.with(&table, made, &range, thorough).settled()
                } else {
                    let title = "the moves are too deep to be written";
                    let fault = Diagnostic::new("script::illegal-move", title);
                    let fault = fault.label(place, "played by this scenario");
                    Slot::Case(Box::new(self.unbound(&table, line, vec![fault])))
                }
            }
            Err(_) if !thorough => Slot::Again,
            Err(more) => {
                faults.extend(more);
                if faults.is_empty() {
                    // What is wrong is said of the scenario as it would be without moves.
                    self.scenario(table, range, thorough)
                } else {
                    Slot::Case(Box::new(self.unbound(&table, line, faults)))
                }
            }
        };
        if let Slot::Case(case) = &mut slot {
            case.spent += spent;
        }
        slot
    }

    /// Returns the policy of the scenario of `table`.
    fn policy(&self, table: &Table<'a>, play: &Play, header: &Header) -> Result<Policy, Vec<Diagnostic>> {
        let script = self.open(&play.script, header, table.get("rules")).map_err(|fault| vec![fault])?;
        let most = match (&play.moves, &play.swaps) {
            (Some(moves), Some(swaps)) => {
                let fault = Diagnostic::new("script::setting", "`swaps` and `moves` say the same")
                    .label(self.span(&swaps.range), "the one")
                    .label(self.span(&moves.range), "the other");
                return Err(vec![fault]);
            }
            (moves, swaps) => {
                let key = if swaps.is_some() { "swaps" } else { "moves" };
                let most = self.number(moves.as_ref().or(swaps.as_ref()), key, 1, 1_000_000, MOVES);
                most.map_err(|fault| vec![fault])?
            }
        };
        let most = if self.select.load_only { 0 } else { most };
        Ok(Policy::new(script, play.seed.unwrap_or(0), &play.args, most))
    }

    /// Returns the moves that `policy` makes in the scenario of `table`, as TOML, and the name of that text.
    fn moves(
        &self,
        policy: &Policy,
        play: &Play,
        table: &Table<'a>,
        header: &Header,
        engine: &dyn AnyEngine,
        place: &Span,
    ) -> Result<(String, String), Vec<Diagnostic>> {
        let script = || self.span(&play.script.range);
        let Some(session) = self.start(table.clone(), header, engine, place)? else {
            let title = format!("`{}` has no moves to choose", engine.name());
            let fault = Diagnostic::new("script::no-moves", title)
                .label(script(), "this script has nothing to choose");
            return Err(vec![fault]);
        };
        let called = |fault: Diagnostic| vec![fault.label(script(), "played by this scenario")];
        Ok((policy.name(self.index), policy.play(session, self.index).map_err(called)?))
    }

    /// The checker of a scenario whose keys, those that its engine reads, are `table`.
    pub(super) fn checker(
        &self,
        check: &Spanned<Check>,
        header: &Header,
        table: &Table<'_>,
        rules: Option<&Node<'_>>,
    ) -> Result<Checker, Diagnostic> {
        let mut table = table.clone();
        let key = |name: &'static str| Spanned { value: name.into(), range: 0..0 };
        if let Some(rules) = rules {
            table.push(key("rules"), rules.clone());
        }
        if let Some(input) = &header.input {
            let text = Tree::Text(input.value.as_str().into());
            table.push(key("input"), Spanned { value: text, range: input.range.clone() });
        }
        let span = self.span(&check.script.range);
        let script = self.open(&check.script, header, rules)?;
        Checker::new(script, &check.args, &table, span.clone())
            .map_err(|fault| fault.label(span, "to be called for this scenario"))
    }

    /// Opens the script that the scenario names.
    pub(super) fn open(
        &self,
        path: &Spanned<String>,
        header: &Header,
        rules: Option<&Node<'_>>,
    ) -> Result<Script, Diagnostic> {
        let limits = header.limits.clone().unwrap_or_default().script;
        if let Some((key, typed, most)) = limits.fault() {
            let title = format!("`limits.script.{key}` is {typed}");
            return Err(Diagnostic::new("script::setting", title)
                .label(self.span(&path.range), "the limits of this script")
                .help(format!("expected 1 to {most}")));
        }
        let full = self.beside(path)?;
        let script = self.file.scripts.open(&full, &limits);
        let rules = rules.and_then(|rules| rules.value.as_table()).into_iter().flatten();
        let rules = rules.map(|(rule, _)| rule.value.clone().into_owned()).collect();
        script
            .map(|script| script.under(rules))
            .map_err(|fault| fault.label(self.span(&path.range), "named here"))
    }

    /// The header of a scenario without taking it out, and its faults.
    pub(super) fn peek(
        &self,
        table: &Table<'a>,
        range: &Range<usize>,
        thorough: bool,
    ) -> (Header, Vec<Diagnostic>) {
        let wanted = |key: &Key<'_>| header::KEYS.contains(&&*key.value);
        let header: Table<'_> = table.iter().filter(|(key, _)| wanted(key)).cloned().collect();
        let header = Spanned { value: Tree::Table(header), range: range.clone() };
        let (header, faults) = keys::read_sound::<Header>(header, self.source, thorough);
        (header.unwrap_or_default(), faults)
    }

    /// `expect.signature`, taken out.
    fn signature(
        &self,
        table: &mut Table<'a>,
        place: Span,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<Signature> {
        let Tree::Table(expect) = &mut table.get_mut("expect")?.value else { return None };
        let value = expect.remove("signature")?;
        let span = self.span(&value.range);
        if let Tree::Text(text) = value.value {
            return Some(Signature { text: text.into_owned(), span, place });
        }
        let fault = Diagnostic::new("expect::wrong-kind", "the signature has the wrong type");
        faults.push(fault.label(span, "expected the signature as a text"));
        None
    }

    fn number(
        &self,
        typed: Option<&Spanned<i64>>,
        key: &str,
        least: i64,
        most: i64,
        default: u64,
    ) -> Result<u64, Diagnostic> {
        let Some(typed) = typed else { return Ok(default) };
        if (least..=most).contains(&typed.value) {
            return Ok(typed.value as u64);
        }
        let expected =
            if most == MOST_CASES { format!("at least {least}") } else { format!("{least} to {most}") };
        Err(Diagnostic::new("script::setting", format!("`{key}` is {}", typed.value))
            .label(self.span(&typed.range), format!("expected {expected}")))
    }
}

impl Batch {
    /// Whether the case `index` lies behind one at which a script was found to be broken.
    pub(super) fn is_behind_a_break(&self, index: u64) -> bool {
        index > self.broken.load(Ordering::Relaxed)
    }

    /// Notes that a script was found to be broken.
    pub fn breaks_at(&self, index: u64) {
        self.broken.fetch_min(index, Ordering::Relaxed);
    }
}

/// Returns the texts of an array.
fn strings<'n>(array: Option<&'n Node<'_>>) -> impl Iterator<Item = &'n str> {
    let items = match array.map(|array| &array.value) {
        Some(Tree::Array(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| item.value.as_str())
}
