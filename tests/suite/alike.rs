//! Failures that are alike are counted, not drawn one by one.

use std::fs;

use tempfile::TempDir;

use crate::command::{rulebook, stderr, stdout};

/// A directory with a suite of many failures: all cases of a generator, scenarios that share the file's expectation,
/// some that have their own, faults in what a script made, faults of a script, and files that cannot be read.
fn suite() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let quento = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\n";
    let make = "fn generate(rng, index, args) {\n\
                if args.fault == \"throw\" { throw `no ${index}` }\n\
                #{ target: if args.fault == \"made\" { 0 } else { 7 + index } }\n}\n";
    let generated = |name: &str, fault: &str| {
        format!(
            "[[scenario]]\nname = '{name}'\nexpect.solutions = 99\n\
             generate = {{ script = 'make.rhai', count = 30, args = {{ fault = '{fault}' }} }}\n"
        )
    };
    let plain = |name: String, more: &str| format!("[[scenario]]\nname = '{name}'\n{more}\n");
    let shared: String = (0..20).map(|i| plain(format!("s{i}"), "")).collect();
    let own: String = (0..5).map(|i| plain(format!("o{i}"), "target = 7\nexpect.solutions = 99")).collect();
    for (name, text) in [
        ("generated.toml", format!("{quento}{}", generated("g", "none"))),
        ("made.toml", format!("{quento}{}", generated("m", "made"))),
        ("shared.toml", format!("{quento}target = 7\nexpect.solutions = 99\n{shared}")),
        ("own.toml", format!("{quento}{own}")),
        ("make.rhai", make.to_owned()),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    for i in 0..5 {
        fs::write(folder.path().join(format!("unread{i}.toml")), [b'a', 0xff]).expect("a file");
    }
    folder
}

#[test]
fn equal_failures_are_counted() {
    let folder = suite();
    let run = |args: &[&str]| {
        let command = rulebook().current_dir(folder.path()).args(["run", ".", "--jobs", "2"]).args(args);
        let assert = command.assert().code(3);
        assert_eq!(stderr(&assert), "");
        stdout(&assert)
    };
    let count = |said: &str| {
        said.lines().filter(|line| line.starts_with("FAILED ") || line.starts_with("ERROR ")).count()
    };
    let said = run(&[]);
    // Three of each kind; those with a line or a file of their own are not alike.
    assert_eq!(count(&said), 3 + 3 + 3 + 5 + 5, "{said}");
    for line in [
        "27 cases more fail like `./generated.toml::g#0`: `./generated.toml::g#3` to `./generated.toml::g#29`\n",
        "17 cases more fail like `./shared.toml::s0`: `./shared.toml::s3` to `./shared.toml::s19`\n",
    ] {
        assert!(said.contains(line), "{line}{said}");
    }
    assert!(said.contains("55 failed, 35 errored in "), "{said}");
    // Reports hold each of them, and who asks for them sees each of them.
    let all = run(&["--draw", "1000", "--report", "jsonl=all.jsonl"]);
    let report = fs::read_to_string(folder.path().join("all.jsonl")).expect("a report");
    assert_eq!(
        count(&all),
        report.matches("\"verdict\":\"failed\"").count() + report.matches("\"verdict\":\"errored\"").count()
    );
    assert!(!all.contains("more fail"), "{all}");
    assert_eq!(count(&run(&["--draw", "0"])), 0);
    assert_eq!(count(&run(&["--quiet"])), count(&said));
}
