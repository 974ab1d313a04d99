//! A scenario of a game in rhai to start from: the keys that its script gives as `example`, and what comes of them.

use rhai::Map;

use super::convert;
use super::game::Declared;
use super::generate::wrong_shape;
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use crate::tree;
use crate::value::FactSpec;

/// The keys, each with a word on it, and all facts of their game.
pub(super) fn written(game: &Declared) -> Result<String, Vec<Diagnostic>> {
    let given = game.example.clone().unwrap_or_default();
    let lines = |key: &str, map: &Map| -> Result<String, Vec<Diagnostic>> {
        let value = map.get(key).cloned().unwrap_or_default();
        let table = convert::table(&Map::from([(key.into(), value)])).map_err(|wrong| {
            let expected = "numbers, texts, booleans, boards and arrays as the `example`";
            vec![wrong_shape(&game.script, "game", &format!("{} as `{}`", wrong.found, wrong.at), expected)]
        })?;
        Ok(tree::write(&table))
    };
    let mut keys = String::new();
    let mut text = "name = \"to start from\"\n".to_owned();
    if game.example.is_none() {
        text += "# `game()` of the script has no `example`: give the keys below their values.\n";
    }
    for spec in &game.keys {
        text += &format!("\n{}", comment(spec));
        if given.contains_key(spec.name.as_ref()) {
            let line = lines(&spec.name, &given)?;
            keys += &line;
            text += &line;
        } else {
            text += &format!("# {} = …\n", spec.name);
        }
    }
    for key in given.keys().filter(|key| game.keys.iter().all(|spec| spec.name != key.as_str())) {
        // The game refuses it as it would refuse an author's.
        keys += &lines(key, &given)?;
    }
    let source = Source::new("example", keys);
    let table = tree::parse(source.text()).unwrap_or_default();
    let facts = match game.states(&table, &source) {
        Ok((mut turns, _)) => turns.pop().map(|turn| turn.facts).unwrap_or_default(),
        // Which keys a start needs is known to the script alone.
        Err(faults)
            if game.example.is_none() && faults.iter().all(|fault| fault.code == "script::refused") =>
        {
            text += "\n# Without its keys the game is refused: write them above, and take this line out.\n";
            text += "expect.error = \"script::refused\"\n";
            return Ok(text);
        }
        Err(faults) => return Err(faults),
    };
    let facts: Map = game
        .facts
        .iter()
        .map(|spec| spec.name.as_ref().into())
        .zip(facts.iter().map(convert::of_value))
        .collect();
    text += "\n# What is expected at the end; a value may be a matcher. `[[checkpoint]]` expects on the way.\n[expect]\n";
    for spec in &game.facts {
        text += &comment(spec);
        text += &lines(&spec.name, &facts)?;
    }
    Ok(text)
}

fn comment(spec: &FactSpec) -> String {
    format!("# {}: {}\n", spec.kind, spec.about.replace('\n', " "))
}
