//! What every engine promises, held against all of [`Engines::builtin()`]: the tests walk the list and know no game.

mod mutants;
mod playthroughs;
mod starts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

use rulebook::engine::{Answers, AnyEngine, Questions, Start};
use rulebook::engines::Engines;
use rulebook::rng::Rng;
use rulebook::trace::Frame;
use rulebook::value::{Kind, Value};

use self::starts::Given;
use crate::reports::{self, Told};

/// Random games of each engine.
const GAMES: u64 = 400;
/// Steps of a game that are looked at one by one.
const STEPS: u64 = 60;

fn every_game(mut check: impl FnMut(&dyn AnyEngine, &Given)) {
    for engine in &Engines::builtin() {
        for game in 0..GAMES {
            let start = starts::random(&**engine, &mut Rng::new(29, game));
            check(&**engine, &start);
        }
    }
}

/// The questions for the output and all facts but those of the course, which need no observer.
fn unobserved(engine: &dyn AnyEngine) -> Questions {
    let facts = engine.facts().iter().enumerate().filter(|(_, fact)| !fact.course).map(|(i, _)| i).collect();
    Questions { facts, moments: Vec::new(), output: true }
}

/// The questions for all there is to know.
fn everything(engine: &dyn AnyEngine) -> Questions {
    let moments = |step| (step, (0..engine.moments().len()).collect());
    Questions {
        facts: (0..engine.facts().len()).collect(),
        moments: (1..=STEPS).map(moments).collect(),
        output: true,
    }
}

fn frames(game: &dyn Start, steps: std::ops::RangeInclusive<u64>) -> Vec<Frame> {
    let mut frames = Vec::new();
    game.replay(steps, &mut |frame| {
        frames.push(frame);
        ControlFlow::Continue(())
    });
    frames
}

fn told(answers: &Answers) -> String {
    format!("{answers:?}")
}

/// Names the start when a check of it fails.
fn shown(engine: &dyn AnyEngine, start: &Given) -> String {
    format!("{} with `{}`\n{}", engine.name(), start.rules, start.input)
}

#[test]
fn names_and_meanings_are_in_house_style() {
    let is_name = |text: &str, between| {
        text.split(between).all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    let is_meaning = |text: &str| {
        !text.is_empty()
            && !text.ends_with(['.', ' '])
            && !text.starts_with(|c: char| c.is_uppercase() || c == ' ')
    };
    for engine in &Engines::builtin() {
        assert!(!engine.about().is_empty() && !engine.about().ends_with('.'), "{}", engine.about());
        assert!(is_name(engine.step(), '_'), "{}", engine.step());
        for specs in [engine.facts(), engine.moments()] {
            let names: BTreeSet<_> = specs.iter().map(|fact| &fact.name).collect();
            assert_eq!(names.len(), specs.len(), "every name of `{}` once", engine.name());
            for fact in specs {
                assert!(is_name(&fact.name, '_'), "{}", fact.name);
                assert!(is_meaning(&fact.about), "{}: {}", fact.name, fact.about);
                assert!(!["error", "output", "after"].contains(&&*fact.name), "`{}` is taken", fact.name);
            }
        }
        for specs in [engine.events(), engine.codes()] {
            let codes: BTreeSet<_> = specs.iter().map(|spec| spec.code).collect();
            assert_eq!(codes.len(), specs.len(), "every code of `{}` once", engine.name());
            for spec in specs {
                let (area, what) = spec.code.split_once("::").expect("an area");
                assert!(area == engine.name() && is_name(what, '-'), "{}", spec.code);
                assert!(is_meaning(spec.about), "{}: {}", spec.code, spec.about);
            }
        }
    }
}

#[test]
fn every_fact_and_moment_is_answered_in_its_kind() {
    let mut answered = BTreeSet::new();
    every_game(|engine, start| {
        let answers = start.game.play(&everything(engine));
        let mut check = |spec: &rulebook::value::FactSpec, value: &Value| {
            answered.insert((engine.name().to_owned(), spec.name.to_string(), spec.course));
            assert!(value.is(spec.kind), "`{}` of {}is {value}", spec.name, shown(engine, start));
            boards(value, &mut |cell| {
                assert_eq!(
                    engine.cell(&spec.name, cell).as_deref(),
                    Some(cell),
                    "`{}` of {}",
                    spec.name,
                    shown(engine, start)
                );
            });
        };
        let mut unanswered = Vec::new();
        assert_eq!(answers.facts.len(), engine.facts().len());
        for (spec, answer) in engine.facts().iter().zip(&answers.facts) {
            match answer {
                Ok(value) => check(spec, value),
                Err(reason) => unanswered.push(reason),
            }
        }
        for values in answers.moments.iter().flatten() {
            assert_eq!(values.len(), engine.moments().len());
            engine.moments().iter().zip(values).for_each(|(spec, value)| check(spec, value));
        }
        unanswered.extend(answers.output.as_ref().expect("asked for").as_ref().err());
        for reason in unanswered {
            assert!(engine.codes().iter().any(|spec| spec.code == reason.code), "{}", reason.code);
            assert!(!reason.why.is_empty() && !reason.help.is_empty());
        }
    });
    let specs = |engine: &Arc<dyn AnyEngine>| engine.facts().len() + engine.moments().len();
    let both: usize = Engines::builtin()
        .iter()
        .map(|engine| {
            let shared =
                |name: &str| engine.moments().iter().any(|moment| moment.name == name && !moment.course);
            engine.facts().iter().filter(|fact| !fact.course && shared(&fact.name)).count()
        })
        .sum();
    assert_eq!(answered.len() + both, Engines::builtin().iter().map(specs).sum::<usize>(), "{answered:?}");
}

/// Calls `see` for every cell of every board in `value`.
fn boards(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::Board(grid) => grid.cells().iter().for_each(|cell| see(cell)),
        Value::List(values) | Value::AnyOf(values) => values.iter().for_each(|value| boards(value, see)),
        _ => {}
    }
}

#[test]
fn a_run_is_the_same_observed_or_not_and_played_twice() {
    every_game(|engine, start| {
        let (plain, all) = (unobserved(engine), everything(engine));
        let (alone, observed) = (start.game.play(&plain), start.game.play(&all));
        let outcome: Vec<_> = plain.facts.iter().map(|&fact| observed.facts[fact].clone()).collect();
        assert_eq!(alone.facts, outcome, "{}", shown(engine, start));
        assert_eq!(alone.output, observed.output, "{}", shown(engine, start));
        assert_eq!(told(&start.game.play(&all)), told(&observed), "{}", shown(engine, start));
        assert_eq!(told(&start.game.play(&plain)), told(&alone), "{}", shown(engine, start));
    });
}

#[test]
fn a_replay_shows_the_steps_that_the_answers_speak_of() {
    every_game(|engine, start| {
        let answers = start.game.play(&everything(engine));
        let reached = answers.moments.iter().take_while(|values| values.is_some()).count();
        assert!(answers.moments[reached..].iter().all(Option::is_none), "{}", shown(engine, start));
        let all = frames(&*start.game, 0..=STEPS);
        assert_eq!(all.last().map(|frame| frame.step), Some(reached as u64), "{}", shown(engine, start));
        let steps: BTreeSet<_> = all.iter().map(|frame| frame.step).collect();
        assert!(steps.into_iter().eq(0..=reached as u64), "no step is left out: {}", shown(engine, start));
        assert!(all.is_sorted_by_key(|frame| frame.step), "{}", shown(engine, start));
        let middle = reached as u64 / 2;
        let some: Vec<_> = all.iter().filter(|frame| frame.step >= middle).cloned().collect();
        assert_eq!(frames(&*start.game, middle..=STEPS), some, "{}", shown(engine, start));
        let mut calls = 0;
        start.game.replay(0..=u64::MAX, &mut |_| {
            calls += 1;
            ControlFlow::Break(())
        });
        assert_eq!(calls, 1, "{}", shown(engine, start));
    });
}

/// Whatever the window, it shows the frames that are shown without one; without an end, what only repeats is left out.
#[test]
fn a_window_of_a_replay_is_a_slice_of_the_whole() {
    let mut beyond = 0;
    every_game(|engine, start| {
        let shown = shown(engine, start);
        let rng = &mut Rng::new(37, start.input.len() as u64);
        let open = frames(&*start.game, 0..=u64::MAX);
        let (last, before) = open.split_last().expect("a frame");
        let known = before.last().map_or(0, |frame| frame.step);
        let whole = frames(&*start.game, 0..=known + 40);
        let within = |steps: std::ops::RangeInclusive<u64>| -> Vec<Frame> {
            whole.iter().filter(|frame| steps.contains(&frame.step)).cloned().collect()
        };
        let end = frames(&*start.game, last.step..=last.step);
        assert_eq!(end.last(), Some(last), "the last frame is that of its step: {shown}");
        for _ in 0..6 {
            let from = rng.range(0, known as i64 + 40) as u64;
            let to = rng.range(from as i64, known as i64 + 40) as u64;
            beyond += u64::from(from > known && last.step > to);
            assert_eq!(frames(&*start.game, from..=to), within(from..=to), "{from} to {to}: {shown}");
            assert_eq!(frames(&*start.game, from..=from), within(from..=from), "at {from}: {shown}");
            let mut expected = within(from..=from.max(known));
            expected.extend((last.step > from.max(known)).then(|| last.clone()));
            assert_eq!(frames(&*start.game, from..=u64::MAX), expected, "from {from}: {shown}");
        }
    });
    assert!(beyond > 100, "{beyond} windows lie after a cycle");
}

#[test]
fn every_event_is_shown_by_some_game() {
    let mut seen = BTreeSet::new();
    every_game(|engine, start| {
        let mut shapes = BTreeMap::new();
        let mut count = 0;
        start.game.replay(0..=u64::MAX, &mut |frame| {
            let event = engine.events().iter().find(|event| event.code == frame.rule);
            let event =
                event.unwrap_or_else(|| panic!("`{}` is no event of `{}`", frame.rule, engine.name()));
            seen.insert(event.code);
            assert!(!frame.text.is_empty() && !frame.text.contains('\n'), "{frame:?}");
            for board in &frame.boards {
                let shape = (board.rows.len(), board.rows[0].len());
                assert!(board.rows.iter().all(|row| row.len() == shape.1), "{frame:?}");
                assert_eq!(*shapes.entry(board.title.clone()).or_insert(shape), shape, "{frame:?}");
            }
            count += 1;
            if count < 2_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    });
    for engine in &Engines::builtin() {
        for event in engine.events() {
            assert_ne!(seen.contains(event.code), starts::is_rare(&**engine, event.code), "{}", event.code);
        }
    }
}

#[test]
fn every_house_rule_is_tried() {
    for engine in &Engines::builtin() {
        let schema = engine.rules_schema();
        let known = rulebook::engine::keys::properties(schema.as_value(), &schema).expect("keys");
        let known: BTreeSet<_> = known.keys().map(String::as_str).collect();
        assert_eq!(known, starts::rules(&**engine).collect());
    }
}

#[test]
fn a_cell_is_what_is_documented_and_nothing_that_looks_like_it() {
    let characters = ('!'..='\u{17f}').chain("−–０１Ａａ＋".chars());
    // These have a meaning of their own in every board.
    let characters: Vec<_> =
        characters.filter(|c| !c.is_control() && !c.is_whitespace() && !"?,'\\".contains(*c)).collect();
    for engine in &Engines::builtin() {
        let [typed, expected] = starts::cells(&**engine);
        for (keys, allowed) in typed {
            for &c in &characters {
                let bound = starts::bind(&**engine, &keys.replacen('?', &c.to_string(), 1));
                assert_eq!(bound.is_ok(), allowed.contains(c), "`{c}` in {keys}");
            }
        }
        let boards = engine.facts().iter().chain(engine.moments()).filter(|fact| fact.kind == Kind::BOARD);
        for fact in boards {
            let board = expected.iter().find(|(name, _)| *name == fact.name);
            let (_, allowed) = board.unwrap_or_else(|| panic!("the cells of `{}` are not listed", fact.name));
            for &c in &characters {
                let cell = engine.cell(&fact.name, &c.to_string());
                assert_eq!(cell.is_some(), allowed.contains(c), "`{c}` in `{}`", fact.name);
            }
        }
    }
}

#[test]
fn a_start_is_written_as_it_was_read() {
    every_game(|engine, start| {
        let Given { input, rules, game } = start;
        let shown = shown(engine, start);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&game.input()), words(input), "{shown}");
        let read = starts::read(engine, &game.input(), rules);
        let bound = starts::bind(engine, &game.doc());
        let answers = told(&game.play(&unobserved(engine)));
        for again in [read, bound] {
            let again =
                again.unwrap_or_else(|faults| panic!("{shown}{}{}", game.doc(), faults[0].draw(false)));
            assert_eq!(again.input(), game.input(), "{shown}");
            assert_eq!(again.doc(), game.doc(), "{shown}");
            assert_eq!(told(&again.play(&unobserved(engine))), answers, "{shown}");
        }
    });
}

/// A scenario that expects of `start` what it comes to, and how many facts that are.
fn scenario(engine: &dyn AnyEngine, start: &Given, name: &str) -> (String, usize) {
    let questions =
        Questions { facts: (0..engine.facts().len()).collect(), moments: Vec::new(), output: true };
    let answers = start.game.play(&questions);
    let named = engine.facts().iter().map(|fact| &*fact.name).zip(answers.facts);
    let output = answers.output.and_then(Result::ok).map(|text| ("output", Ok(Value::Text(text))));
    let mut text = format!("[[scenario]]\nname = '{name}'\nengine = '{}'\nlimits = 'none'\n", engine.name());
    text += &start.game.doc();
    let mut expected = 0;
    for (fact, answer) in named.chain(output) {
        let value = match answer {
            Err(_) => continue,
            Ok(Value::AnyOf(values)) => values.into_iter().next_back().expect("an answer"),
            Ok(value) => value,
        };
        let value = toml::Value::try_from(value).expect("a value as TOML");
        text += &format!("expect.{fact} = {value}\n");
        expected += 1;
    }
    (text, expected)
}

#[test]
fn what_a_run_comes_to_can_be_expected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("all.toml");
    let (mut text, mut number) = (String::new(), 0);
    every_game(|engine, start| {
        let name = format!("game {number}");
        let (scenario, expected) = scenario(engine, start, &name);
        number += usize::from(expected > 0);
        text += if expected > 0 { &scenario } else { "" };
    });
    assert!(number > 800, "{number} games have answers");
    fs::write(&path, text).expect("a scenario file");
    for report in reports::run(&path, 2) {
        assert_eq!(report.drawn, "", "{}", report.name);
    }
}

#[test]
fn workers_change_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("all.toml");
    let (mut text, mut number) = (String::new(), 0);
    every_game(|engine, start| {
        number += 1;
        // Some names come twice, some outputs are wrong, some scenarios are no TOML and some have an unknown fact.
        let scenario = scenario(engine, start, &format!("game {}", number - number % 7 / 6)).0;
        let wrong = if number % 5 == 1 { "7 " } else { "" };
        text += &scenario.replace("expect.output = \"\"\"", &format!("expect.output = \"\"\"{wrong}"));
        text += ["", "", "", "board = 7\n", "expect.fact = 1\n"][number % 5];
    });
    fs::write(&path, text).expect("a scenario file");
    let alone: Vec<Told> = reports::run(&path, 1);
    let passed = alone.iter().filter(|report| report.drawn.is_empty()).count();
    assert!(alone.len() == number && passed > number / 4 && passed < number * 3 / 4, "{passed} of {number}");
    assert_eq!(alone, reports::run(&path, 2));
    assert_eq!(alone, reports::run(&path, 5));
}
