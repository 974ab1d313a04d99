//! Faults of one scenario stay its own, all of them are found, and no nesting is too deep to be refused.

use std::fs;

use crate::reports::{self, Told};

const QUENTO: &str = "engine = 'quento'\ntarget = 7\ndigits = 2\nboard = ['4+3', '-5-', '9-2']\n";

fn run(text: &str, jobs: usize) -> Vec<Told> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("some.toml");
    fs::write(&path, text).expect("a scenario file");
    reports::run(&path, jobs)
}

#[test]
fn late_tables_change_no_defaults() {
    let scenario = |name| format!("[[scenario]]\nname = '{name}'\n");
    let some = ["a", "b", "c", "d"].map(scenario).concat();
    let defaults =
        "[rules]\nbudget = 9\n[expect.solutions]\nat_least = 3\n[[checkpoint]]\nafter = 1\nvalue = 4\n";
    for late in
        ["[rules.order]\nx = 1\n", "[expect.solutions.not]\nat_least = 3\n", "[[checkpoint]]\nafter = 9\n"]
    {
        let told = run(&[QUENTO, defaults, &some, late, &scenario("e")].concat(), 1);
        let (faults, others): (Vec<_>, Vec<_>) = told.iter().partition(|told| told.name.starts_with("line "));
        assert!(faults.len() == 1 && faults[0].drawn.contains("error[scenario::late-default]"), "{told:?}");
        assert!(others.len() == 5 && others.iter().all(|told| told.verdict == "passed"), "{told:?}");
    }
}

#[test]
fn a_refusal_is_judged_by_all_faults() {
    let expected = |error: &str| {
        let text = QUENTO.replace("target = 7\n", "target = 'seven'\n").replace("digits = 2", "digist = 2");
        let told = run(&format!("{text}expect.error = {error}\n"), 1);
        assert_eq!(told.len(), 1);
        (told[0].verdict, told[0].drawn.clone())
    };
    assert_eq!(expected("['scenario::unknown-key', 'scenario::wrong-kind']").0, "passed");
    assert_eq!(expected("'scenario::unknown-key'").0, "failed");
    assert_eq!(expected("'scenario::wrong-kind'").0, "failed");
    let (verdict, drawn) = expected("[]");
    assert!(verdict == "errored" && drawn.contains("error[expect::wrong-kind]"), "{drawn}");
}

#[test]
fn values_may_be_nested_as_deep_as_toml_lets_them() {
    let keys = ["not"; 78].join(".");
    let deep = (0..76).fold("1".to_owned(), |inner, _| format!("{{ {keys} = {inner} }}"));
    for place in
        ["rules", "rules.order", "rules.budget", "expect", "expect.solutions", "expect.error", "tags", "x"]
    {
        let value = format!("{place} = {deep}\n");
        for text in [
            format!("{QUENTO}{value}"),
            format!("{QUENTO}{value}[[scenario]]\nname = 'a'\n{value}[[scenario]]\nname = 'b'\n"),
        ] {
            let told = run(&text, 2);
            assert!(!told.is_empty() && told.iter().all(|told| told.verdict == "errored"), "{place}");
        }
    }
}

#[test]
fn something_is_said_of_a_file_without_scenarios() {
    for text in ["", "# nothing\n", "scenario = []\n", "engine = 'quento'\nscenario = []\n"] {
        let told = run(text, 1);
        assert!(told.len() == 1 && told[0].drawn.contains("error[scenario::nothing]"), "{text}: {told:?}");
    }
}
