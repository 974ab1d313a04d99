//! What would make the values of a scenario's author true.

use crate::diagnostic::{Diagnostic, names};
use crate::engine::{Answers, AnyEngine, Questions, Start};
use crate::scenario::bless::{Hand, LosesComment, insertion, is_default, rewrite, rewrite_words};
use crate::scenario::expect::Expectation;
use crate::scenario::matcher::Matcher;
use crate::scenario::{Case, Plan, Signature};
use crate::source::Span;
use crate::value::{FactSpec, Value};
use crate::verdict::{Blessing, Claim, Edit};

use super::check;

/// Gathers what is to be written, and what cannot be.
struct Scribe<'a> {
    place: &'a Span,
    engine: &'a dyn AnyEngine,
    /// Whether the author's values are those of many cases.
    many: bool,
    claims: Vec<Claim>,
    left: Vec<Diagnostic>,
}

/// What the answers make of the plan's expectations; nothing where there is nothing to say.
///
/// A value that is right is a claim as well where others have a word on it.
pub(super) fn blessing(
    plan: &Plan,
    case: &Case,
    engine: &dyn AnyEngine,
    game: &dyn Start,
    answers: &Answers,
) -> Option<Box<Blessing>> {
    if case.expect_failure.is_some() {
        return None;
    }
    let mut scribe = Scribe {
        place: &plan.place,
        engine,
        many: case.made.is_some(),
        claims: Vec::new(),
        left: Vec::new(),
    };
    let facts = plan.expectations.iter().zip(&answers.facts);
    let facts = facts.filter_map(|(expectation, answer)| Some((expectation, answer.as_ref().ok()?)));
    let moments = plan
        .checkpoints
        .iter()
        .zip(&answers.moments)
        .flat_map(|(checkpoint, values)| checkpoint.expectations.iter().zip(values.iter().flatten()));
    let chosen = chosen(facts.clone().chain(moments.clone()));
    for (expectation, actual) in facts {
        scribe.expectation(expectation, &engine.facts()[expectation.fact], one_of(actual, chosen));
    }
    for (expectation, actual) in moments {
        scribe.expectation(expectation, &engine.moments()[expectation.fact], one_of(actual, chosen));
    }
    if let (Some(expected), Some(Ok(actual))) = (&plan.output, &answers.output) {
        let text = expected.excerpt.text();
        let holds = check::output_mismatch(expected, actual).is_none() || game.accepts_output(text);
        scribe.claim("output", &expected.span, holds, || {
            Ok(rewrite_words(&expected.span, &expected.excerpt, actual))
        });
    }
    let Scribe { claims, left, .. } = scribe;
    let cases = case.made.as_ref().map(|made| made.count);
    let silent = claims.is_empty() && left.is_empty();
    (!silent).then(|| Box::new(Blessing { place: plan.place.clone(), cases, claims, left }))
}

/// Returns which of several right answers is to be written: the first of those that most expectations hold for.
fn chosen<'a>(expected: impl Iterator<Item = (&'a Expectation, &'a Value)> + Clone) -> usize {
    let several = expected.filter_map(|(expectation, actual)| match actual {
        Value::AnyOf(answers) => Some((expectation, answers)),
        _ => None,
    });
    let count = several.clone().map(|(_, answers)| answers.len()).min().unwrap_or(0);
    let held = |&i: &usize| {
        several.clone().filter(|(expectation, answers)| expectation.matcher.holds(&answers[i])).count()
    };
    // Of equals the last would win.
    (0..count).rev().max_by_key(held).unwrap_or(0)
}

/// Returns the right answer `chosen`, where there are several.
fn one_of(actual: &Value, chosen: usize) -> &Value {
    match actual {
        Value::AnyOf(answers) => answers.get(chosen).unwrap_or(actual),
        one => one,
    }
}

impl Scribe<'_> {
    fn expectation(&mut self, expectation: &Expectation, fact: &FactSpec, actual: &Value) {
        let Expectation { matcher, span, .. } = expectation;
        let holds = matcher.holds(actual);
        if !holds && !matches!(matcher, Matcher::Equals(_)) {
            self.left.push(
                Diagnostic::new("bless::matcher", format!("a matcher of `{}` does not hold", fact.name))
                    .label(span.clone(), format!("expected {}", check::shortened(matcher)))
                    .note(format!("the value is {}", check::shortened(actual)))
                    .help("a matcher is no value that can be written: change it by hand"),
            );
            return;
        }
        let cell = |typed: &str| self.engine.cell(&fact.name, typed);
        let (cell, place) = (&cell, self.place);
        self.claim(&fact.name, span, holds, || {
            rewrite(span, actual, &Hand::new(cell, fact.kind.blank, place))
        });
    }

    /// Claims the value at `span`, if it is the author's.
    fn claim(
        &mut self,
        name: &str,
        span: &Span,
        holds: bool,
        edits: impl FnOnce() -> Result<Vec<Edit>, LosesComment>,
    ) {
        let claim = |edits| Claim { value: span.clone(), count: 1, edits };
        if span.range.start >= span.source.author_end() {
            if !holds {
                let title = format!("a script made the value that is expected of `{name}`");
                self.left.push(Diagnostic::new("bless::made", title).label(span.clone(), "not an author's"));
            }
        } else if holds {
            if self.many || is_default(span, self.place) {
                self.claims.push(claim(Vec::new()));
            }
        } else {
            match edits() {
                Ok(edits) => self.claims.push(claim(edits)),
                Err(LosesComment) => self.left.push(
                    Diagnostic::new(
                        "bless::comment",
                        format!("a comment in the value of `{name}` would be lost"),
                    )
                    .label(span.clone(), "holds comments beside what has to go")
                    .help("move the comment, or change the value by hand"),
                ),
            }
        }
    }
}

/// What makes the signature of a scenario's cases true.
pub(super) fn signature(expected: &Signature, actual: String) -> Box<Blessing> {
    let Signature { span, place, .. } = expected;
    let mut blessing = Blessing { place: place.clone(), cases: None, claims: Vec::new(), left: Vec::new() };
    if is_default(span, place) {
        let fault = Diagnostic::new("bless::shared", "a signature is a default of the file");
        blessing.left.push(
            fault
                .label(span.clone(), "shared by several scenarios")
                .help("give each scenario a signature of its own"),
        );
        return Box::new(blessing);
    }
    let hand = Hand::new(&|_| None, None, place);
    // A text has no room for comments.
    if let Ok(edits) = rewrite(span, &Value::Text(actual), &hand) {
        blessing.claims.push(Claim { value: span.clone(), count: 1, edits });
    }
    Box::new(blessing)
}

/// The expectations that a scenario without any would have.
pub(super) fn new(plan: &Plan, case: &Case) -> Box<Blessing> {
    let place = &plan.place;
    let mut blessing = Blessing { place: place.clone(), cases: None, claims: Vec::new(), left: Vec::new() };
    match expected(plan, case) {
        Ok((count, edit)) => {
            blessing.claims.push(Claim { value: edit.span.clone(), count, edits: vec![edit] });
        }
        Err(fault) => blessing.left.extend(fault),
    }
    Box::new(blessing)
}

/// The change that adds them, and how many they are.
fn expected(plan: &Plan, case: &Case) -> Result<(u64, Edit), Vec<Diagnostic>> {
    let place = &plan.place;
    let no_place = |title: String| {
        vec![Diagnostic::new("bless::no-place", title).label(place.clone(), "nothing would be checked here")]
    };
    if case.made.is_some() {
        return Err(no_place("a scenario whose cases a script makes expects nothing".to_owned()));
    }
    if case.expect_failure.is_some() {
        return Err(no_place("a scenario that is known to fail expects nothing".to_owned()));
    }
    let (Some(engine), Ok(game)) = (case.engine.as_deref(), &plan.game) else {
        return Err(plan.game.as_ref().err().cloned().unwrap_or_default());
    };
    let asked = engine.answer();
    let answers = game.play(&Questions { facts: asked.clone(), ..plan.questions() });
    let checkpoints = plan.checkpoints.iter().zip(&answers.moments).filter(|(_, moment)| moment.is_none());
    let not_reached = |(checkpoint, _)| check::not_reached(checkpoint, engine.step(), answers.steps);
    let not_reached: Vec<_> = checkpoints.map(not_reached).collect();
    if !not_reached.is_empty() {
        return Err(not_reached);
    }
    let mut facts = Vec::new();
    for (fact, answer) in asked.iter().zip(answers.facts) {
        let fact = &*engine.facts()[*fact].name;
        match answer {
            Ok(value) => facts.push((fact, value)),
            Err(reason) => {
                let fault = Diagnostic::new(reason.code, reason.why).label(place.clone(), "has no answer");
                return Err(vec![fault.help(reason.help)]);
            }
        }
    }
    let cell = |typed: &str| facts.iter().find_map(|(fact, _)| engine.cell(fact, typed));
    let edit = insertion(place, &facts, &Hand::new(&cell, None, place));
    let named: Vec<_> = facts.iter().map(|(name, _)| name).collect();
    let title = || format!("there is no line to expect {} on", names(&named));
    Ok((facts.len() as u64, edit.ok_or_else(|| no_place(title()))?))
}
