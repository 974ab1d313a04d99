//! The engines' rules for scripts: any start played, and each engine's own functions under its name.

use std::ops::Range;

use rhai::{Array, Dynamic, EvalAltResult, FuncRegistration, Map, Module, NativeCallContext};

use super::call;
use super::chance::trouble;
use super::convert;
use super::functions::{Function, Functions, Trouble};
use crate::engine::{AnyEngine, Keys, Native, Place, Questions};
use crate::engines::Engines;
use crate::source::Source;
use crate::tree::{self, Table};

pub(super) fn register(functions: &mut Functions<'_>, engines: &Engines) {
    let known = engines.clone();
    functions.add(
        "facts(scenario, names)",
        "the facts of a scenario, which is a map with `engine` and the keys of its game, as a map by their names; \
         `()` where the engine gave up, which it does after a `budget` of 20 million at the most. A start that the \
         engine refuses throws.",
        "",
        move |scenario: Map, names: Array| facts(&known, &scenario, &names),
    );
    for engine in engines {
        let mut module = Module::new();
        for native in engine.natives() {
            let signature = format!("{}::{}", engine.name(), native.signature).into();
            let record = Function { signature, about: native.about, example: native.example };
            add(&mut module, record.name(), *native);
            functions.note(record);
        }
        module.build_index();
        functions.engine().register_static_module(engine.name(), module.into());
    }
}

/// Registers an engine's function under its own name, for as many arguments as it has parameters.
fn add(module: &mut Module, name: &str, native: Native) {
    let call = move |context: &NativeCallContext<'_>, arguments: &[&Dynamic]| -> Result<Dynamic, Trouble> {
        if let Some(rule) = call::set_rule(native.rules) {
            let why = format!(
                "it plays by the statement's rules, and the scenario sets the house rule `{rule}`: `state.legal` and \
                 `state.after(move)` obey it, and `facts(scenario, names)` plays with `rules`"
            );
            return Err(EvalAltResult::ErrorRuntime(why.into(), context.call_position()).into());
        }
        let values = arguments.iter().map(|argument| convert::value(argument)).collect::<Result<Vec<_>, _>>();
        let answer = values.and_then(|values| (native.call)(&values));
        // Rhai gives the faults of functions in modules no place.
        let failed = |why: String| EvalAltResult::ErrorRuntime(why.into(), context.call_position()).into();
        answer.map(|value| convert::of_value(&value)).map_err(failed)
    };
    match native.signature.matches(',').count() {
        0 => FuncRegistration::new(name)
            .set_into_module(module, move |context: NativeCallContext<'_>, a: Dynamic| call(&context, &[&a])),
        1 => FuncRegistration::new(name)
            .set_into_module(module, move |context: NativeCallContext<'_>, a: Dynamic, b: Dynamic| {
                call(&context, &[&a, &b])
            }),
        _ => FuncRegistration::new(name).set_into_module(
            module,
            move |context: NativeCallContext<'_>, a: Dynamic, b: Dynamic, c: Dynamic| {
                call(&context, &[&a, &b, &c])
            },
        ),
    };
}

/// Largest `budget` of house rules in a call of `facts`, which nothing else can stop: less than a second.
const BUDGET: i64 = 20_000_000;

/// Lowers the `budget` of a scenario's house rules to [`BUDGET`], where its engine knows such a rule.
fn within_budget(engines: &Engines, scenario: &Map) -> Map {
    let mut scenario = scenario.clone();
    let engine = scenario.get("engine").and_then(|name| name.clone().into_immutable_string().ok());
    let schema = engine.and_then(|name| engines.find(&name)).map(|engine| engine.rules_schema());
    if schema.is_some_and(|schema| schema.as_value()["properties"].get("budget").is_some())
        && let Ok(mut rules) =
            scenario.entry("rules".into()).or_insert_with(|| Map::new().into()).as_map_mut()
    {
        let budget = rules.entry("budget".into()).or_insert(BUDGET.into());
        if let Ok(typed) = budget.as_int() {
            *budget = typed.min(BUDGET).into();
        }
    }
    scenario
}

fn facts(engines: &Engines, scenario: &Map, names: &Array) -> Result<Map, Trouble> {
    let table = convert::table(&within_budget(engines, scenario))
        .map_err(|wrong| trouble(format!("`{}` is {}, which no scenario has", wrong.at, wrong.found)))?;
    let text = tree::write(&table);
    let source = Source::new("a script's scenario", text);
    let mut table =
        tree::parse(source.text()).ok_or_else(|| trouble("the scenario is no TOML".to_owned()))?;
    let engine = table.remove("engine");
    let engine = engine.as_ref().and_then(|engine| engine.value.as_str());
    let engine = engine.and_then(|name| engines.find(name)).ok_or_else(|| {
        let known: Vec<_> = engines.names().collect();
        trouble(format!("`engine` is one of {}", crate::diagnostic::names(&known)))
    })?;
    let limits = table.remove("limits");
    let size_limits = limits.is_none_or(|limits| limits.value.as_str() != Some("none"));
    let asked = names.iter().map(|name| fact(&**engine, name)).collect::<Result<Vec<_>, _>>()?;
    let game = bind(
        &**engine,
        table,
        0..source.text().len(),
        &Place { source: &source, size_limits, thorough: true },
    )?;
    let answers = game.play(&Questions { facts: asked.clone(), ..Questions::default() });
    let answer = |(index, answer): (&usize, Result<crate::value::Value, _>)| {
        let name = engine.facts()[*index].name.as_ref().into();
        (name, answer.map_or(Dynamic::UNIT, |value| convert::of_value(&value)))
    };
    Ok(asked.iter().zip(answers.facts).map(answer).collect())
}

fn fact(engine: &dyn AnyEngine, name: &Dynamic) -> Result<usize, Trouble> {
    let name = name.clone().into_immutable_string().unwrap_or_default();
    engine
        .facts()
        .iter()
        .position(|fact| fact.name == name.as_str())
        .ok_or_else(|| trouble(format!("`{}` has no fact `{name}`", engine.name())))
}

fn bind(
    engine: &dyn AnyEngine,
    mut doc: Table<'_>,
    range: Range<usize>,
    place: &Place<'_>,
) -> Result<Box<dyn crate::engine::Start>, Trouble> {
    let rules = doc.remove("rules");
    engine.bind(Keys { doc, range, rules }, place).map_err(|faults| {
        let fault = faults.first();
        trouble(fault.map_or_else(|| "the start is refused".to_owned(), |fault| fault.title.clone()))
    })
}
