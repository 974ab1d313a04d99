//! What a run came to, held against what its author expects.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Options, bless, gather};
use crate::columns;
use crate::diagnostic::{CodeSpec, Diagnostic, count, names};
use crate::engine::{Answers, AnyEngine, Questions, Start, Unanswered};
use crate::grid::{Grid, Pos};
use crate::scenario::expect::{Checkpoint, Expectation, ExpectedOutput};
use crate::scenario::matcher::{Matcher, differing};
use crate::scenario::{Case, ExpectedError, Plan};
use crate::script::{self, Objection};
use crate::source::Span;
use crate::value::{FactSpec, Value, board_lines};
use crate::verdict::{Blessing, Verdict};

/// What a check can find.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "verdict::mismatch", about: "a fact is not as expected" },
    CodeSpec { code: "verdict::output", about: "the statement's output is not as expected" },
    CodeSpec { code: "verdict::not-reached", about: "a run ended before a checkpoint's step" },
    CodeSpec { code: "verdict::not-refused", about: "a scenario that must be refused was accepted" },
    CodeSpec { code: "verdict::other-fault", about: "a scenario was refused for other faults than expected" },
    CodeSpec { code: "verdict::expects-nothing", about: "a scenario expects nothing, so nothing is checked" },
    CodeSpec { code: "verdict::signature", about: "the facts of all cases together are not as expected" },
    CodeSpec { code: "verdict::unexpected-pass", about: "a scenario that is known to fail passed" },
    CodeSpec {
        code: "verdict::engine-panicked",
        about: "an engine panicked: a bug in it, not in the scenario",
    },
];

/// Most columns of two boards that are drawn side by side.
const WIDEST: usize = 120;

/// A verdict, and what the case adds to what all cases of its scenario come to.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    /// The facts that the scenario asks for, by name, if a report wants them.
    pub(super) facts: Vec<(Cow<'static, str>, Value)>,
    /// The facts of the summary, by name.
    pub(super) spreads: Vec<(String, Option<Value>)>,
    /// The hash of all facts, if a signature is expected or a report wants it.
    pub(super) outcome: Option<u64>,
    /// Whether a script was found to be broken.
    pub(super) broken: bool,
    /// What would make its author's values true, if that is wanted.
    pub(super) blessing: Option<Box<Blessing>>,
}

impl From<Verdict> for Judgement {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, facts: Vec::new(), spreads: Vec::new(), outcome: None, broken: false, blessing: None }
    }
}

/// Runs a case and judges it; where it is to be loaded only, what can be judged without a run.
pub(super) fn judge(case: &Case, options: &Options) -> Judgement {
    if let Some(reason) = &case.skip {
        return Verdict::Skipped(reason.clone()).into();
    }
    let plan = match &case.plan {
        Ok(plan) => plan,
        Err(faults) => {
            let spreads = case.summary.iter().map(|name| (name.clone(), None)).collect();
            return Judgement { spreads, ..Verdict::Errored(faults.clone()).into() };
        }
    };
    let signed = case.made.as_ref().is_some_and(|made| made.signature.is_some());
    let judged = catch_unwind(AssertUnwindSafe(|| judge_plan(plan, case, options, signed)));
    let judged = judged.unwrap_or_else(|panic| Verdict::Errored(vec![panicked(plan, panic.as_ref())]).into());
    let verdict = match (judged.verdict, &case.expect_failure) {
        (Verdict::Failed(_), Some(_)) => Verdict::Passed { known_failure: true },
        (Verdict::Passed { .. }, Some((reason, span))) if !options.select.load_only => Verdict::Failed(vec![
            Diagnostic::new("verdict::unexpected-pass", "the scenario passed, though it is known to fail")
                .label(span.clone(), "the reason it was to fail for")
                .help(format!("if `{reason}` is no longer true, remove `expect_failure`")),
        ]),
        (verdict, _) => verdict,
    };
    let spreads = if matches!(verdict, Verdict::Errored(_)) {
        // What is left out of a spread is counted beside it.
        let name = |&fact: &usize| case.engine.as_ref().map(|engine| engine.facts()[fact].name.to_string());
        plan.summary.iter().filter_map(name).map(|name| (name, None)).collect()
    } else {
        judged.spreads
    };
    Judgement { verdict, spreads, ..judged }
}

fn panicked(plan: &Plan, panic: &(dyn Any + Send)) -> Diagnostic {
    Diagnostic::new("verdict::engine-panicked", "the engine panicked")
        .label(plan.place.clone(), "while it played this scenario")
        .note(said(panic))
        .help("this is a bug in the engine: please report it with this scenario")
}

/// The fault of a piece of a file that could not be loaded for a bug.
pub(super) fn loader_panicked(panic: &(dyn Any + Send)) -> Diagnostic {
    Diagnostic::new("verdict::engine-panicked", "a part of the file could not be loaded")
        .note(said(panic))
        .help("this is a bug: please report it with this file")
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why").to_owned()
}

fn judge_plan(plan: &Plan, case: &Case, options: &Options, signed: bool) -> Judgement {
    let engine = case.engine.as_deref();
    if plan.expects_nothing() && !signed {
        let fact = engine.and_then(|engine| engine.facts().first()).map_or("output", |fact| &fact.name);
        let fault = Diagnostic::new("verdict::expects-nothing", "the scenario expects nothing")
            .label(plan.place.clone(), "nothing would be checked here")
            .help(format!("add an expectation, such as `expect.{fact} = …`"));
        let blessing = options.details.blessing.then(|| bless::new(plan, case));
        return Judgement { broken: true, blessing, ..Verdict::Errored(vec![fault]).into() };
    }
    let game = match (&plan.game, &plan.error) {
        (Ok(game), None) => game.as_ref(),
        (Ok(_), Some(_)) if options.select.load_only => return PASSED.into(),
        (Ok(game), Some(expected)) => return given_up(game.as_ref(), plan, expected).into(),
        (Err(faults), Some(expected)) => return refused(faults, expected).into(),
        (Err(faults), None) => return Verdict::Errored(faults.clone()).into(),
    };
    let (Some(engine), false) = (engine, options.select.load_only) else { return PASSED.into() };
    let mut questions = plan.questions();
    let named = questions.facts.len();
    let hashed = signed || options.details.outcomes;
    if hashed {
        questions.facts.extend(0..engine.facts().len());
    }
    let answers = game.play(&questions);
    let outcome = hashed.then(|| gather::outcome(engine, &answers, named));
    let fact = |(fact, answer): (&usize, &Result<Value, Unanswered>)| {
        (engine.facts()[*fact].name.to_string(), answer.as_ref().ok().cloned())
    };
    let spreads = plan.summary.iter().zip(&answers.facts[plan.expectations.len()..]).map(fact).collect();
    let facts = if options.details.facts { asked(plan, engine, &answers) } else { Vec::new() };
    let blessing = options.details.blessing.then(|| bless::blessing(plan, case, engine, game, &answers));
    let blessing = blessing.flatten();
    let mut broken = false;
    let verdict = match mismatches(plan, engine, game, answers) {
        Ok(mut found) => {
            let objection = plan.checker.as_ref().map(|checker| checker.judge(game, engine));
            match objection {
                Some(Err(Objection::Broken(fault))) => {
                    broken = true;
                    Verdict::Errored(vec![*fault])
                }
                Some(Err(Objection::Wrong(fault))) => {
                    explain(game, &mut found);
                    found.push(*fault);
                    Verdict::Failed(found)
                }
                _ if found.is_empty() => PASSED,
                _ => {
                    explain(game, &mut found);
                    Verdict::Failed(found)
                }
            }
        }
        Err(fault) => {
            broken = script::is_broken(fault.code);
            Verdict::Errored(vec![*fault])
        }
    };
    Judgement { verdict, facts, spreads, outcome, broken, blessing }
}

/// The facts that the scenario asks for and their answers, each once.
fn asked(plan: &Plan, engine: &dyn AnyEngine, answers: &Answers) -> Vec<(Cow<'static, str>, Value)> {
    let expected = plan.expectations.iter().map(|expectation| expectation.fact);
    let mut facts: Vec<(Cow<'static, str>, Value)> = Vec::with_capacity(expected.len() + plan.summary.len());
    for (fact, answer) in expected.chain(plan.summary.iter().copied()).zip(&answers.facts) {
        let name = &engine.facts()[fact].name;
        if let Ok(value) = answer
            && !facts.iter().any(|(known, _)| known == name)
        {
            facts.push((name.clone(), value.clone()));
        }
    }
    facts
}

const PASSED: Verdict = Verdict::Passed { known_failure: false };

/// A start that was accepted is as its author expects only if the run gives up for the expected reasons.
fn given_up(game: &dyn Start, plan: &Plan, expected: &ExpectedError) -> Verdict {
    let answers = game.play(&Questions { output: true, ..plan.questions() });
    let reasons: Vec<_> = answers
        .facts
        .iter()
        .filter_map(|fact| fact.as_ref().err())
        .chain(answers.output.iter().filter_map(|output| output.as_ref().err()))
        .map(|reason| reason.code)
        .collect();
    let found = |code: &String| reasons.iter().any(|reason| reason == code);
    let wanted = |reason: &&str| expected.codes.iter().any(|code| code == reason);
    if expected.codes.iter().all(found) && reasons.iter().all(wanted) {
        return Verdict::Passed { known_failure: false };
    }
    Verdict::Failed(vec![
        Diagnostic::new("verdict::not-refused", "the scenario was accepted").label(
            expected.span.clone(),
            format!("expected it to be refused with {}", names(&expected.codes)),
        ),
    ])
}

fn refused(faults: &[Diagnostic], expected: &ExpectedError) -> Verdict {
    let found = |code: &String| faults.iter().any(|fault| fault.code == code);
    let wanted = |fault: &Diagnostic| expected.codes.iter().any(|code| code == fault.code);
    if expected.codes.iter().all(found) && faults.iter().all(wanted) {
        return Verdict::Passed { known_failure: false };
    }
    let mut codes = Vec::new();
    for fault in faults {
        if !codes.contains(&fault.code) {
            codes.push(fault.code);
        }
    }
    let mismatch =
        Diagnostic::new("verdict::other-fault", format!("the scenario was refused with {}", names(&codes)))
            .label(expected.span.clone(), format!("expected {} and no other fault", names(&expected.codes)));
    Verdict::Failed(std::iter::once(mismatch).chain(faults.iter().cloned()).collect())
}

/// Every way in which the answers are not as expected.
fn mismatches(
    plan: &Plan,
    engine: &dyn AnyEngine,
    game: &dyn Start,
    answers: Answers,
) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut several = Vec::new();
    for (expectation, answer) in plan.expectations.iter().zip(answers.facts) {
        let actual = answer.map_err(|reason| unanswered(reason, &expectation.span))?;
        found.extend(mismatch(expectation, &engine.facts()[expectation.fact], &actual, None));
        several.push((expectation, actual));
    }
    for (checkpoint, values) in plan.checkpoints.iter().zip(answers.moments) {
        let Some(values) = values else {
            found.push(not_reached(checkpoint, engine.step(), answers.steps));
            continue;
        };
        for (expectation, actual) in checkpoint.expectations.iter().zip(values) {
            let when = Some((engine.step(), checkpoint));
            found.extend(mismatch(expectation, &engine.moments()[expectation.fact], &actual, when));
            several.push((expectation, actual));
        }
    }
    if found.is_empty() {
        found.extend(torn(&several));
    }
    if let (Some(expected), Some(answer)) = (&plan.output, answers.output) {
        let actual = answer.map_err(|reason| unanswered(reason, &expected.span))?;
        let mismatch = output_mismatch(expected, &actual);
        found.extend(mismatch.filter(|_| !game.accepts_output(expected.excerpt.text())));
    }
    Ok(found)
}

/// Returns the fault of expectations that each hold for some answer of several, but never all for the same.
fn torn(held: &[(&Expectation, Value)]) -> Option<Diagnostic> {
    let several: Vec<_> = held
        .iter()
        .filter_map(|(expectation, actual)| match actual {
            Value::AnyOf(answers) => Some((*expectation, answers)),
            _ => None,
        })
        .collect();
    let (first, answers) = several.first()?;
    let holds = |i: usize| {
        several.iter().all(|(expectation, answers)| {
            answers.get(i).is_some_and(|answer| expectation.matcher.holds(answer))
        })
    };
    if (0..answers.len()).any(holds) {
        return None;
    }
    let fault = Diagnostic::new("verdict::mismatch", "no answer is all that is expected of it")
        .label(first.span.clone(), "expected this of one right answer")
        .note(
            "each of the expectations holds for some right answer, but they do not all hold for the same one",
        );
    Some(several[1..].iter().fold(fault, |fault, (expectation, _)| {
        fault.label(expectation.span.clone(), "and this of the same one")
    }))
}

fn unanswered(reason: Unanswered, span: &Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(reason.code, reason.why).label(span.clone(), "has no answer").help(reason.help))
}

/// Returns the fault of a checkpoint after the last of `steps`.
pub(super) fn not_reached(checkpoint: &Checkpoint, step: &str, steps: u64) -> Diagnostic {
    let after = checkpoint.after;
    let title = match steps {
        0 => format!("the run ended before its first {step}"),
        _ => format!("the run ended after {step} {steps}"),
    };
    Diagnostic::new("verdict::not-reached", title)
        .label(checkpoint.span.clone(), format!("expected it to go on to {step} {after}"))
}

fn mismatch(
    expectation: &Expectation,
    fact: &FactSpec,
    actual: &Value,
    when: Option<(&str, &Checkpoint)>,
) -> Option<Diagnostic> {
    let matcher = &expectation.matcher;
    if matcher.holds(actual) {
        return None;
    }
    let name = &fact.name;
    let when =
        when.map(|(step, checkpoint)| format!(" after {step} {}", checkpoint.after)).unwrap_or_default();
    let (title, note) = match (matcher, actual) {
        (Matcher::Equals(Value::Board(expected)), Value::Board(actual)) => {
            (format!("`{name}`{when} differs"), Some(side_by_side(expected, actual)))
        }
        (_, Value::Board(board)) => {
            (format!("`{name}`{when} is not as expected"), Some(drawn(board, Pos::new(0, 0))))
        }
        (Matcher::Equals(Value::List(expected)), Value::List(items)) => {
            (format!("`{name}`{when} is {}", shortened(actual)), Some(first_difference(expected, items)))
        }
        _ => (format!("`{name}`{when} is {}", shortened(actual)), None),
    };
    // Of several matchers, those that fail; where any of several answers will do, it may be none by itself.
    let failing = match matcher {
        Matcher::All(all) => all.iter().filter(|matcher| !matcher.holds(actual)).cloned().collect(),
        _ => Vec::new(),
    };
    let failing = if failing.is_empty() { matcher.clone() } else { Matcher::All(failing) };
    let label = format!("expected {}", shortened(&failing));
    let diagnostic = Diagnostic::new("verdict::mismatch", title).label(expectation.span.clone(), label);
    Some(match note {
        Some(note) => diagnostic.note(note),
        None => diagnostic,
    })
}

/// The text of a value, its middle left out when it is long.
pub(super) fn shortened(value: &impl std::fmt::Display) -> String {
    const LONGEST: usize = 100;
    let text = value.to_string();
    let length = text.chars().count();
    if length <= LONGEST {
        return text;
    }
    let head: String = text.chars().take(LONGEST * 2 / 3).collect();
    let tail: String = text.chars().skip(length - LONGEST / 3).collect();
    format!("{head} … {tail}")
}

fn first_difference(expected: &[Value], actual: &[Value]) -> String {
    let same =
        expected.iter().zip(actual).take_while(|(e, a)| Matcher::Equals((*e).clone()).holds(a)).count();
    match (expected.get(same), actual.get(same)) {
        (Some(expected), Some(actual)) => {
            format!("item {} is {}, expected {}", same + 1, shortened(actual), shortened(expected))
        }
        (None, Some(more)) => {
            format!("item {} is {}, expected the end of the list", same + 1, shortened(more))
        }
        (Some(missing), None) if same == 0 => {
            format!("the list is empty, expected {} first", shortened(missing))
        }
        (Some(missing), None) => {
            format!("the list ends after item {same}, expected {} next", shortened(missing))
        }
        (None, None) => "the lists differ".into(),
    }
}

/// Most rows or columns of a board that is drawn whole.
const LARGEST: usize = 64;

/// The part of a large board that is drawn.
struct Window {
    rows: Range<usize>,
    cols: Range<usize>,
}

impl Window {
    /// Returns the part of `grid` round `center` that is drawn, if the board is too large to be drawn whole.
    fn round(grid: &Grid<String>, center: Pos) -> Option<Self> {
        const SIDE: usize = 16;
        if grid.rows() <= LARGEST && grid.cols() <= LARGEST {
            return None;
        }
        let part = |length: usize, center: usize| {
            let start = center.saturating_sub(SIDE / 2).min(length.saturating_sub(SIDE));
            start..length.min(start + SIDE)
        };
        Some(Self { rows: part(grid.rows(), center.row), cols: part(grid.cols(), center.col) })
    }

    fn cut(&self, grid: &Grid<String>) -> Grid<String> {
        let cell = |pos: Pos| grid[Pos::new(self.rows.start + pos.row, self.cols.start + pos.col)].clone();
        Grid::from_fn(self.rows.len(), self.cols.len(), cell)
    }
}

impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rows, cols } = self;
        let part = |range: &Range<usize>, noun| match range.len() {
            1 => format!("{noun} {}", range.end),
            _ => format!("{noun}s {} to {}", range.start + 1, range.end),
        };
        write!(f, "{} and {}, counted from 1", part(rows, "row"), part(cols, "column"))
    }
}

/// The lines of a board, or those round `center` of one that is too large to be drawn whole.
fn drawn(board: &Grid<String>, center: Pos) -> String {
    match Window::round(board, center) {
        Some(window) => format!("{window}:\n{}", board_lines(&window.cut(board)).join("\n")),
        None => board_lines(board).join("\n"),
    }
}

/// Both boards, the cells in which they differ in brackets; one below the other if they are wide.
fn side_by_side(expected: &Grid<String>, actual: &Grid<String>) -> String {
    let Some(cells) = differing(expected, actual) else {
        let shape = |grid: &Grid<String>| {
            format!("{} of {}", count(grid.rows() as u64, "row"), count(grid.cols() as u64, "cell"))
        };
        // The corner that one of the boards goes beyond.
        let corner = Pos::new(
            actual.rows().min(expected.rows()).saturating_sub(1),
            actual.cols().min(expected.cols()).saturating_sub(1),
        );
        let drawn = drawn(actual, corner);
        return format!("the board has {}, expected {}:\n{drawn}", shape(actual), shape(expected));
    };
    let first = cells.first().map_or(Pos::new(0, 0), |&i| Pos::new(i / actual.cols(), i % actual.cols()));
    if let Some(window) = Window::round(actual, first) {
        return format!(
            "{}, the first in row {}, column {}; here are {window}:\n{}",
            count(cells.len() as u64, "differing cell"),
            first.row + 1,
            first.col + 1,
            side_by_side(&window.cut(expected), &window.cut(actual))
        );
    }
    let marked = |grid: &Grid<String>| {
        let width = grid.cells().iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let cell = |(i, cell): (usize, &String)| {
            if cells.binary_search(&i).is_ok() {
                format!("[{}]", columns::right(cell, width))
            } else {
                format!(" {} ", columns::right(cell, width))
            }
        };
        let drawn: Vec<_> = grid.cells().iter().enumerate().map(cell).collect();
        drawn.chunks(grid.cols()).map(<[String]>::concat).collect::<Vec<_>>()
    };
    let (left, right) = (marked(expected), marked(actual));
    let width = left[0].chars().count().max("expected".len());
    if width + right[0].chars().count() > WIDEST {
        let heads = [vec!["expected".to_owned()], left, vec!["actual".to_owned()], right];
        return heads.concat().iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    }
    let head = columns::left("expected", width) + "   actual";
    let rows = left
        .iter()
        .zip(&right)
        .map(|(left, right)| format!("{}  {right}", columns::left(left, width)).trim_end().to_owned());
    std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
}

pub(super) fn output_mismatch(expected: &ExpectedOutput, actual: &str) -> Option<Diagnostic> {
    let text = expected.excerpt.text();
    let wanted: Vec<_> = text.split_whitespace().collect();
    let written: Vec<_> = actual.split_whitespace().collect();
    if wanted == written {
        return None;
    }
    let same = wanted.iter().zip(&written).take_while(|(w, a)| w == a).count();
    let (title, label) = match (wanted.get(same), written.get(same)) {
        (Some(wanted), Some(written)) => {
            (format!("the output says `{written}`"), format!("expected `{wanted}`"))
        }
        (Some(wanted), None) => ("the output ends early".to_owned(), format!("expected `{wanted}` next")),
        (None, Some(written)) => {
            (format!("the output goes on with `{written}`"), "expected its end here".into())
        }
        (None, None) => return None,
    };
    let start = wanted
        .get(same)
        .map_or(text.trim_end().len(), |word| word.as_ptr() as usize - text.as_ptr() as usize);
    let length = wanted.get(same).map_or(0, |word| word.len());
    let place = expected.excerpt.place(start..start + length);
    Some(
        Diagnostic::new("verdict::output", title)
            .label(Span::new(expected.excerpt.source(), place), label)
            .note(format!("the whole output:\n{}", actual.trim_end())),
    )
}

/// Adds the ledger of points, where the game has one.
fn explain(game: &dyn Start, mismatches: &mut [Diagnostic]) {
    let Some(last) = mismatches.last_mut() else { return };
    let Some(ledger) = game.ledger() else { return };
    last.notes.push(format!("the ledger:\n{}", ledger.lines().join("\n")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_mismatch_shows_the_first_differing_cell_of_boards_of_any_size() {
        let mut rng = Rng::new(3, 0);
        for (rows, cols) in
            [(1, 1), (64, 64), (65, 1), (1, 65), (1, 20_000), (300, 2), (129, 257), (1000, 1000)]
        {
            let at = Pos::new(rng.below(rows as u64) as usize, rng.below(cols as u64) as usize);
            let expected = Grid::from_fn(rows, cols, |_| ".".to_owned());
            let actual = Grid::from_fn(rows, cols, |pos| if pos == at { "7" } else { "." }.to_owned());
            let text = side_by_side(&expected, &actual);
            assert!(text.contains("[7]") && text.contains("[.]"), "{rows} x {cols}: {text}");
            let is_whole = rows <= LARGEST && cols <= LARGEST;
            let named = format!("the first in row {}, column {};", at.row + 1, at.col + 1);
            assert!(is_whole || text.contains(&named), "{rows} x {cols}: {text}");
            assert!(text.lines().count() <= 2 * LARGEST + 3, "{rows} x {cols}: {text}");
            assert!(text.lines().all(|line| line.len() < 4 * LARGEST), "{rows} x {cols}: {text}");
        }
    }

    #[test]
    fn boards_of_other_shapes_are_shown_where_they_end() {
        let board = |rows, cols| Grid::from_fn(rows, cols, |pos| ((pos.row + pos.col) % 10).to_string());
        let text = side_by_side(&board(100, 99), &board(100, 100));
        assert!(
            text.starts_with("the board has 100 rows of 100 cells, expected 100 rows of 99 cells:\n"),
            "{text}"
        );
        assert!(text.contains("rows 85 to 100 and columns 85 to 100, counted from 1:\n"), "{text}");
        assert!(
            drawn(&board(1, 70), Pos::new(0, 0)).starts_with("row 1 and columns 1 to 16, counted from 1:\n")
        );
        assert_eq!(drawn(&board(1, 3), Pos::new(0, 0)).lines().count(), 1);
    }
}
