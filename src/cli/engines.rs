//! `engines`: what the engines offer, from their own records.

use std::fmt::Write as _;
use std::io::Write as _;

use rulebook::diagnostic::CodeSpec;
use rulebook::engine::{AnyEngine, keys};
use rulebook::engines::Engines;
use rulebook::script;
use rulebook::trace::Table;
use rulebook::value::FactSpec;
use rulebook::visible::visible;

use super::exit::{Exit, Trouble};
use super::output;

/// Lists the engines, or shows one in full.
pub(crate) fn engines(name: Option<&str>) -> Result<Exit, Trouble> {
    let (mut out, _) = output::stdout();
    match name {
        None => {
            let rows = Engines::builtin();
            let rows = rows.iter().map(|engine| vec![engine.name().to_string(), engine.about().to_owned()]);
            out.write_all(table("", &rows.collect::<Vec<_>>()).as_bytes())?;
        }
        Some(name) => out.write_all(in_full(&*output::engine_or_game(name)?).as_bytes())?,
    }
    out.flush()?;
    Ok(Exit::Passed)
}

/// Lists the functions that scripts may call.
pub(crate) fn functions() -> Result<Exit, Trouble> {
    let (mut out, _) = output::stdout();
    for function in script::functions() {
        writeln!(out, "{}\n    {}", function.signature, function.about)?;
        for line in function.example.lines() {
            writeln!(out, "    {}", line.trim())?;
        }
    }
    out.flush()?;
    Ok(Exit::Passed)
}

fn in_full(engine: &dyn AnyEngine) -> String {
    let mut text = visible(&format!("{}: {}", engine.name(), engine.about())) + "\n";
    let doc = engine.doc_schema();
    let rules = engine.rules_schema();
    let section = |text: &mut String, title: &str, rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            let _ = write!(text, "\n{}\n{}", visible(title), table("  ", &rows));
        }
    };
    section(&mut text, "keys", described(&doc));
    section(&mut text, "house rules (`rules = { … }`)", described(&rules));
    section(&mut text, "facts (`expect`)", facts(engine.facts()));
    section(&mut text, &format!("after a {} (`checkpoint`)", engine.step()), facts(engine.moments()));
    section(&mut text, "what a policy sees (`state`)", seen(engine.seen()));
    let natives = engine.natives().iter();
    let natives = natives.map(|native| vec![native.signature.to_owned(), native.about.to_owned()]);
    section(&mut text, "functions for scripts", natives.collect());
    section(&mut text, "events", codes(engine.events()));
    section(&mut text, "faults", codes(engine.codes()));
    text
}

fn described(schema: &schemars::Schema) -> Vec<Vec<String>> {
    let about =
        |key: &serde_json::Value| key.get("description").and_then(|d| d.as_str()).unwrap_or("").to_owned();
    let keys = keys::properties(schema.as_value(), schema).into_iter().flatten();
    keys.map(|(name, key)| vec![name.clone(), about(key).replace('\n', " ")]).collect()
}

fn facts(specs: &[FactSpec]) -> Vec<Vec<String>> {
    specs.iter().map(|s| vec![s.name.to_string(), s.kind.to_string(), s.about.to_string()]).collect()
}

fn seen(specs: &[FactSpec]) -> Vec<Vec<String>> {
    specs.iter().map(|spec| vec![spec.name.to_string(), spec.about.to_string()]).collect()
}

fn codes(specs: &[CodeSpec]) -> Vec<Vec<String>> {
    specs.iter().map(|spec| vec![spec.code.to_owned(), spec.about.to_owned()]).collect()
}

/// Rows under each other, their columns aligned.
fn table(indent: &str, rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let rows = rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let table = Table { head: vec![String::new(); columns], rows };
    table.lines().iter().skip(1).flat_map(|line| [indent, line.as_str(), "\n"]).collect()
}
