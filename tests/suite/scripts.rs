//! Scripts that do their worst, and what scripts make of a seed.

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::sync::Arc;

use rulebook::engine::{AnyEngine, Keys, Place, Questions, keys};
use rulebook::engines::Engines;
use rulebook::rng::Rng;
use rulebook::scenario::suite::{self, Pieces};
use rulebook::scenario::{Plan, Select, load};
use rulebook::script::{self, Limits, Scripts};
use rulebook::source::Source;
use rulebook::tree;
use rulebook::value::Value;
use tempfile::TempDir;

use crate::command::{copy_folder, root, rulebook, stderr, stdout};
use crate::{alloc, reports, scale};

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    folder
}

/// What `rulebook run` with these arguments says in `folder`.
pub(crate) fn run(folder: &Path, args: &[&str], code: i32) -> String {
    stdout(&rulebook().current_dir(folder).arg("run").args(args).assert().code(code))
}

/// A scenario with these keys, and a plain one behind it.
pub(crate) fn with_neighbour(keys: &str) -> String {
    format!(
        "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\n\n[[scenario]]\nname = 'hostile'\n{keys}\n\
         expect.solvable = true\n\n[[scenario]]\nname = 'plain'\ntarget = 7\ndigits = 2\nexpect.solutions = 3\n"
    )
}

/// Runs the scenario with these keys, and what else there is in its folder: it is errored once, with this code, at this
/// line of this script, and says all of `says`; its neighbour passes.
pub(crate) fn is_errored(files: &[(&str, &[u8])], keys: &str, code: &str, place: &str, says: &[&str]) {
    let text = with_neighbour(keys);
    let folder = folder(&[files, &[("a.toml", text.as_bytes())]].concat());
    fs::create_dir_all(folder.path().join("folder.rhai")).expect("a folder");
    for jobs in ["1", "2"] {
        let said = run(folder.path(), &["a.toml", "--jobs", jobs], 3);
        assert!(said.contains("\n1 errored, 1 passed in "), "{said}");
        assert!(said.contains(&format!("error[{code}]: ")), "{code} in\n{said}");
        assert!(said.contains(place), "{place} in\n{said}");
        for say in says {
            assert!(said.contains(say), "{say} in\n{said}");
        }
    }
}

/// [`is_errored`] of a generator whose function holds `body` from its second line on.
fn stops(body: &str, limits: &str, code: &str, line: usize, says: &[&str]) {
    let script = format!("fn generate(rng, index, args) {{\n{body}\n}}\n");
    // How far a script comes in a time is another thing on every machine.
    let limits = if limits.is_empty() { "limits.script.milliseconds = 60000" } else { limits };
    let keys = format!("generate = {{ script = 'bad.rhai', count = 1000 }}\n{limits}");
    let place = format!("bad.rhai:{line}:");
    is_errored(&[("bad.rhai", script.as_bytes())], &keys, code, &place, says);
}

const LIMIT: &str = "script::limit";
const FAILED: &str = "script::failed";
const THROWN: &str = "script::thrown";
const SHAPE: &str = "script::wrong-shape";
const SYNTAX: &str = "script::syntax";
const IMPORT: &str = "script::import";

#[test]
fn what_goes_on_is_stopped() {
    let steps = ["`generate` takes too many steps", "`limits.script.operations` is 2000000"];
    for body in [
        "loop { }",
        "while true { rng.below(6); }",
        "for i in range(0, 9223372036854775807) { }",
        "loop { try { loop { } } catch { } }",
        "let i = 0; while i < 1000000 { print(i); i += 1; }",
        "let f = || 0; loop { let g = f; f = || g.call(); }",
    ] {
        stops(body, "", LIMIT, 2, &steps);
    }
    stops("for i in 0..100 { }\n\nlet i = 0;\nloop {\n  i += 1;\n}", "", LIMIT, 6, &steps);
    stops(
        "help(rng) }\n\nfn help(rng) {\n  while rng.below(6) < 6 { }",
        "",
        LIMIT,
        5,
        &["`help` takes too many"],
    );
    let deep = ["`deep` calls too deep", "`limits.script.calls` is 32"];
    stops("deep(1) }\nfn deep(n) { deep(n + 1)", "", LIMIT, 3, &deep);
    stops("deep() }\nfn deep() { try { deep() } catch { deep() }", "", LIMIT, 3, &deep);
    // Each level holds as much of the stack as it can, and there are as many as there can be.
    let most = ["`deep` calls too deep", "`limits.script.calls` is 1000"];
    let nested = format!("deep(1) }}\nfn deep(n) {{ {}deep(n){}", "deep(".repeat(10), ")".repeat(10));
    stops(&nested, "", LIMIT, 3, &deep);
    stops(&nested, "limits.script.calls = 1000", LIMIT, 3, &most);
    let too_many = ["`limits.script.calls` is 1001", "expected 1 to 1000"];
    let keys = "generate = { script = 'bad.rhai', count = 1000 }\nlimits.script.calls = 1001";
    is_errored(&[("bad.rhai", b"")], keys, "script::setting", "a.toml:6:23", &too_many);
    let late = ["`generate` takes too long", "`limits.script.milliseconds` is 50"];
    let short = "limits.script.milliseconds = 50";
    for body in [
        "let b = board(500, 500, 0); loop { b.fill_random(rng, 6); }",
        "let b = board(500, 500, 0); loop { b.has_line(3); }",
        "let b = board(500, 500, 0); loop { rng.shuffle(b); }",
        "let a = []; a.pad(9000, 0); loop { a.sort(|x, y| 1); }",
    ] {
        stops(body, short, LIMIT, 1, &late);
    }
}

#[test]
fn what_grows_is_stopped() {
    let text = ["`generate` makes too long a text", "`limits.script.string` is 100000"];
    for body in [
        "let s = 'x'; s = \"x\"; loop { s += s; }",
        "let s = \"x\"; loop { s = `${s}${s}`; }",
        "let s = \"\"; s.pad(1000000000, \"x\");",
        "let s = \"\"; s.pad(100000, \"x\"); s.replace(\"x\", s);",
        "let s = \"\"; s.pad(100000, \"x\"); s.replace('x', s);",
    ] {
        stops(body, "", LIMIT, 2, &text);
    }
    let array = ["`generate` makes too large an array", "`limits.script.array` is 10000"];
    for body in [
        "let a = []; loop { a.push(1); }",
        "let a = [1]; loop { a += a; }",
        "let a = []; loop { a.insert(0, 1); }",
        "let a = []; let i = 0; loop { a.pad(i + 1, 0); a[i] = i; i += 1; }",
        "let a = []; a.pad(1000000000, 0);",
        "let a = [1]; loop { a.push(a); }",
        "blob(1000000000)",
        "board(500, 500, 0).squares()",
        "let s = \"\"; s.pad(100000, \"x y\"); s.split(\" \")",
    ] {
        stops(body, "", LIMIT, 2, &array);
    }
    let map = ["`generate` makes too large a map", "`limits.script.map` is 2000"];
    stops("let m = #{}; let i = 0; loop { m.set(`k${i}`, i); i += 1; }", "", LIMIT, 2, &map);
    stops("let m = #{}; loop { m = #{ m: m }; }", "", LIMIT, 2, &map);
    let cells = ["`generate` makes a board of ", "`limits.script.cells` is 250000"];
    stops("board(100000, 100000, 0)", "", LIMIT, 2, &cells);
    stops("board(9223372036854775807, 9223372036854775807, 0)", "", LIMIT, 2, &cells);
    let long = "let s = \"\"; s.pad(100000, \"x\"); #{ board: board(500, 500, s) }";
    stops(long, "", THROWN, 2, &["a cell has at most 256 bytes, not 100000"]);
    let many = (0..900).fold(String::new(), |text, i| text + format!("let v{i} = [{i}];\n").as_str());
    stops(&many, "", LIMIT, 63, &["has too many variables", "`limits.script.variables` is 64"]);
}

/// Ways to grow a value, by the limit that it meets: a script's `generate`, which holds nothing else that is too large.
const WAYS: &[(&str, &[&str])] = &[
    (
        "too large a map",
        &[
            "let m = #{}; for i in 0..9000 { m[`k${i}`] = i; } m",
            "let m = #{}; for i in 0..9000 { m[`k${i}`] = i; } #{ target: 7, digits: 2 }",
            "let m = #{}; for i in 0..2001 { m[`k${i}`] = i; } #{ target: 7, digits: 2 }",
            "let m = #{ a: #{} }; for i in 0..9000 { m.a[`k${i}`] = i; } ()",
            "let m = #{ a: #{} }; for i in 0..9000 { m[\"a\"][`k${i}`] = i; } ()",
            "let a = [#{}]; for i in 0..9000 { a[0][`k${i}`] = i; } ()",
            "let a = []; a.pad(3000, 0); for i in 0..3000 { a[i] = #{ k: 1 }; } ()",
            "let m = #{}; let n = #{ a: 0, b: 0 }; loop { n[\"a\"] = m; n[\"b\"] = m; m = n; }",
            "let m = #{}; loop { let n = #{}; n.a = m; n.b = m; m = n; }",
            "let m = #{}; loop { m = #{ a: m, b: m }; }",
            "let m = #{}; for i in 0..9000 { m.set(`k${i}`, i); } ()",
            "let m = #{}; for i in 0..9000 { let n = #{}; n[`k${i}`] = i; m.mixin(n); } ()",
            "let m = #{}; for i in 0..9000 { let n = #{}; n[`k${i}`] = i; m += n; } ()",
            "let m = #{}; for i in 0..9000 { let n = #{}; n[`k${i}`] = i; m = m + n; } ()",
            "let m = #{}; for i in 0..9000 { let n = #{}; n[`k${i}`] = i; m.fill_with(n); } ()",
            "let a = [1, 2]; for n in 0..20 { a = a.map(|x| #{ a: x, b: x }); a = [a, a]; } ()",
            "let s = \"\\\"z\\\": 1\"; for i in 0..1500 { s += `, \"k${i}\": 1`; } parse_json(`{\"a\": {${s}}, \"b\": {${s}}}`); ()",
            "let m = #{}; m.grow(); ()\n}\nfn grow() { for i in 0..9000 { this[`k${i}`] = i; }",
        ],
    ),
    (
        "too large an array",
        &[
            "let b = []; b.pad(9000, 0); let a = [0, 0]; a[0] = b; a[1] = b; a",
            "let b = []; b.pad(9000, 0); let a = [0, 0]; a[0] = b; a[1] = b; ()",
            "let b = []; b.pad(9000, 0); let a = [0, 0]; for i in 0..2 { a[i] = b; } #{ target: 7 }",
            "let b = []; b.pad(9000, 0); let m = #{}; m[\"a\"] = b; m[\"b\"] = b; ()",
            "let b = []; b.pad(9000, 0); let m = #{}; m.a = b; m.b = b; ()",
            "let a = []; a.pad(100, 0); for i in 0..100 { a[i] = []; for j in 0..200 { a[i].push(j); } } ()",
            "let a = [[1], [1]]; loop { a[0] += a[1]; a[1] += a[0]; }",
            "let a = [[1]]; loop { a[0] = [a[0], a[0]]; }",
            "let a = [1]; loop { a = [a, a]; }",
            "let a = []; a.pad(9990, 0); loop { a.push(1); }",
            "let a = [1]; loop { a += a; }",
            "let a = [1]; loop { a = a + a; }",
            "let a = []; a.pad(9990, 0); loop { a += 1; }",
            "let a = [1]; loop { a.append(a); }",
            "let a = []; a.pad(9990, 0); loop { a.insert(0, 1); }",
            "let a = [1]; loop { a.splice(0, 0, a); }",
            "let a = []; a.pad(10001, 0); ()",
            "let a = []; a.pad(9000, [1]); ()",
            "let a = []; a.pad(6000, 0); a.map(|x| [x]); ()",
            "let a = []; a.pad(9000, 0); [a, a]; ()",
            "let a = []; a.pad(9000, 0); #{ a: a, b: a }; ()",
            "let a = []; a.pad(4000, 0); a.zip(a, |x, y| [x, y]); ()",
            "let s = \"\"; s.pad(99999, \"x \"); s.split(); ()",
            "let s = \"\"; s.pad(99999, \"x,\"); s.split(\",\"); ()",
            "let s = \"\"; s.pad(99999, \"x,\"); s.split(','); ()",
            "let s = \"\"; s.pad(99999, \"x,\"); s.split_rev(','); ()",
            "let s = \"\"; s.pad(99999, \"x,\"); s.to_chars(); ()",
            "let s = \"\"; s.pad(99999, \"x,\"); s.to_blob(); ()",
            "let s = \"0\"; s.pad(15001, \",0\"); parse_json(`[[${s}], [${s}]]`); ()",
            "blob(10001); ()",
            "blob(10001, 7); ()",
            "let b = blob(); b.pad(10001, 0); ()",
            "let b = blob(9990); loop { b.push(1); }",
            "let b = blob(1); loop { b += b; }",
            "let b = blob(1); loop { b = b + b; }",
            "let b = blob(1); loop { b.append(b); }",
            "let b = blob(9990); loop { b.insert(0, 1); }",
            "let b = blob(1); loop { b.splice(0, 0, b); }",
            "let b = blob(); let s = \"\"; s.pad(9000, \"x\"); loop { b.append(s); }",
            "let a = [0, 0]; a[0] = blob(9000); a[1] = blob(9000); ()",
            "board(500, 500, 0).squares(); ()",
            "board(500, 500, 0).find(0); ()",
            "board(1, 20000, 0).row(1); ()",
            "board(20000, 1, 0).col(1); ()",
            "let b = board(500, 500, 0); b.without_lines(rng, 3); match3::legal_swaps(b); ()",
        ],
    ),
    (
        "too long a text",
        &[
            "let s = \"x\"; loop { s += s; }",
            "let s = \"x\"; loop { s = s + s; }",
            "let s = \"\"; s.pad(99990, 'x'); loop { s += 'x'; }",
            "let s = \"x\"; loop { s = `${s}${s}`; }",
            "let s = \"x\"; loop { s.append(s); }",
            "let s = \"\"; s.pad(100001, \"x\"); ()",
            "let s = \"\"; s.pad(100001, 'x'); ()",
            "let s = \"\"; s.pad(90000, \"x\"); s.replace(\"x\", \"xx\"); ()",
            "let s = \"\"; s.pad(90000, \"x\"); s.replace('x', \"xx\"); ()",
            "let s = \"\"; s.pad(90000, \"x\"); s.replace('x', '\u{1f600}'); ()",
            "let s = \"\"; s.pad(90000, \"x\"); s.replace(\"x\", '\u{1f600}'); ()",
            "let s = \"\"; s.pad(99000, \"x\"); for i in 0..99000 { s[i] = '\u{1f600}'; } ()",
            "let s = \"\"; s.pad(99000, \"x\"); for i in 0..99000 { s.set(i, '\u{1f600}'); } ()",
            "let s = \"\"; s.pad(90000, \"x\"); let a = [0, 0]; a[0] = s; a[1] = s; ()",
            "let s = \"\"; s.pad(90000, \"x\"); let m = #{}; m[\"a\"] = s; m[\"b\"] = s; ()",
            "let s = \"\"; s.pad(90000, \"x\"); let m = #{}; m.a = s; m.b = s; ()",
            "let s = \"\"; s.pad(90000, \"x\"); [s, s]; ()",
            "let a = [\"\"]; loop { a[0] += \"xxxxxxxxxxxxxxxxxxxxxxxx\"; }",
            "let a = []; a.pad(9000, 1234567890123); a.to_string(); ()",
            "let a = []; a.pad(9000, 1234567890123); `${a}`; ()",
            "let a = []; a.pad(9000, 1234567890123); a.to_debug(); ()",
            "let s = \"\"; s.pad(90000, \"\u{149}\"); s.to_upper(); ()",
            "let s = \"\"; s.pad(60000, \"\\n\"); #{ a: s }.to_json(); ()",
            "board(500, 500, 1).to_string(); ()",
            "board(500, 500, 1).to_debug(); ()",
            "let b = board(500, 500, 1); let s = `${b}`; s",
            "let s = \"\"; s.pad(256, \"x\"); board(500, 500, s).to_string(); ()",
        ],
    ),
    (
        "a board of ",
        &["board(501, 500, 0); ()", "board(1, 250001, 0); ()", "board(9223372036854775807, 2, 0); ()"],
    ),
];

#[test]
fn every_way_to_grow_a_value_meets_its_limit() {
    let mut files =
        vec![("a.toml".to_owned(), "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\n".to_owned())];
    let mut expected = Vec::new();
    for (says, bodies) in WAYS {
        for body in *bodies {
            let name = format!("way-{}", expected.len());
            files.push((format!("{name}.rhai"), format!("fn generate(rng, index, args) {{\n{body}\n}}\n")));
            let _ = write!(
                files[0].1,
                "\n[[scenario]]\nname = '{name}'\ngenerate = {{ script = '{name}.rhai' }}\n\
                 limits.script.milliseconds = 600000\nexpect.solvable = true\n"
            );
            expected.push((format!("ERROR a.toml::{name}#0\n"), *says, *body));
        }
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let folder = folder(&files);
    for jobs in ["1", "4"] {
        let said = run(folder.path(), &["a.toml", "--jobs", jobs, "--draw", "1000"], 3);
        let mut wrong = Vec::new();
        for (head, says, body) in &expected {
            let title =
                said.split_once(head).and_then(|(_, fault)| fault.lines().next()).unwrap_or("nothing");
            if !(title.starts_with("error[script::limit]: ") && title.contains(&format!(" makes {says}"))) {
                wrong.push(format!("{body}\n  says {title}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn what_a_call_is_handed_may_be_larger_than_what_it_makes() {
    let script = b"fn generate(rng, index, args) {\n  let n = 0;\n  for x in args.list { n += x; }\n  for i in 0..9000 { n += i % 2; }\n  #{ target: 7, digits: 2 }\n}\n";
    let list = vec!["1"; 300].join(", ");
    let keys = format!(
        "generate = {{ script = 'make.rhai', args = {{ list = [{list}] }} }}\nlimits.script.array = 100\n"
    );
    let text = with_neighbour(&keys);
    let folder = folder(&[("make.rhai", script), ("a.toml", text.as_bytes())]);
    assert!(run(folder.path(), &["a.toml"], 0).starts_with("2 passed in "));
}

#[test]
fn the_memory_of_a_call_is_its_own() {
    let mut text = String::from("engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\n");
    for (name, copies) in
        [("fits", 3), ("fits too", 3), ("is too much", 5), ("fits as well", 3), ("fits again", 3)]
    {
        let _ = write!(
            text,
            "\n[[scenario]]\nname = '{name}'\nexpect.solutions = 3\n\
             generate = {{ script = 'hold.rhai', count = 2, args = {{ copies = {copies} }} }}\n\
             limits.script = {{ memory = 20, array = 1_000_000, milliseconds = 600_000 }}\n"
        );
    }
    // A copy has 4.8 MB, and all are held for a while.
    let script =
        b"fn generate(rng, index, args) {\n  let a = []; a.pad(300_000, 0);\n  hold(a, args.copies - 1);\n\
                  #{ target: 7, digits: 2 }\n}\n\
                  fn hold(a, more) {\n  if more > 1 { hold(a, more - 1); }\n  for i in 0..20_000 { }\n}\n";
    let folder = folder(&[("a.toml", text.as_bytes()), ("hold.rhai", script)]);
    let all: Vec<_> = ["1", "2", "4", "8"]
        .iter()
        .map(|jobs| run(folder.path(), &["a.toml", "--jobs", jobs], 3))
        .map(|said| said.rsplit_once(" in ").expect("a time").0.to_owned())
        .collect();
    assert_eq!(all[0].matches("ERROR a.toml::is too much#0\n").count(), 1, "{}", all[0]);
    assert!(all[0].contains("error[script::limit]: `generate` takes too much memory"), "{}", all[0]);
    assert!(all[0].ends_with("1 errored, 8 passed"), "{}", all[0]);
    for said in &all[1..] {
        assert_eq!(*said, all[0]);
    }
}

/// Limits that an author raised without an end.
const RAISED: &str = "array = 4294967295, string = 4294967295, cells = 4294967295, map = 4294967295";

/// Scripts of one function that would take gigabytes if the limits of sizes were all that there is.
const GREEDY: &[&str] = &[
    "let a = []; a.pad(1_000_000_000, 0); ()",
    "let a = []; a.pad(1_000_000, [[1], [2], [3], [4]]); ()",
    "let s = \"\"; s.pad(4_000_000_000, \"x\"); ()",
    "let s = \"\"; s.pad(4_000_000_000, 'x'); ()",
    "let s = \"\"; s.pad(4_000_000, \"x\"); s.replace(\"x\", s); ()",
    "blob(4_000_000_000); ()",
    "blob(4_000_000_000, 1); ()",
    "let b = blob(); b.pad(4_000_000_000, 0); ()",
    "board(60_000, 60_000, 0); ()",
    "board(2_000, 2_000, 0).squares(); ()",
    "board(2_000, 2_000, 0).find(0); ()",
    "let s = \"\"; s.pad(250, \"x\"); board(2_000, 2_000, s).to_string(); ()",
    "let s = \"\"; s.pad(250, \"x\"); #{ target: 7, digits: 2, board: board(2_000, 2_000, s) }",
];

#[test]
fn raised_limits_leave_those_of_memory_and_time() {
    scale::alone("scripts::raised_limits_leave_those_of_memory_and_time", || {
        for body in GREEDY {
            for memory in ["", ", memory = 4294967295"] {
                let keys = format!(
                    "generate = {{ script = 'bad.rhai', count = 1000 }}\nlimits.script = {{ {RAISED}{memory} }}"
                );
                let text = with_neighbour(&keys);
                let script = format!("fn generate(rng, index, args) {{\n{body}\n}}\n");
                let folder = folder(&[("a.toml", text.as_bytes()), ("bad.rhai", script.as_bytes())]);
                let path = folder.path().join("a.toml");
                let run = move || reports::hear(&path, 1, |_| {});
                let (summary, peak) = std::thread::Builder::new()
                    .stack_size(script::STACK)
                    .spawn(move || alloc::peak(run))
                    .expect("a thread")
                    .join()
                    .expect("no panic");
                assert_eq!((summary.errored, summary.passed), (1, 1), "{body}");
                // A question to the system for a gigabyte to spare is no use of it.
                let most = if memory.is_empty() { 512 << 20 } else { 2 << 30 };
                assert!(peak < most, "{body}: {peak} bytes");
            }
        }
    });
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_the_system_does_not_have_is_an_error_of_the_case() {
    let hoards = "let m = #{}; let i = 0; loop { let a = []; a.pad(9000, 0); m[`${i}`] = [a]; i += 1; if i == 9 { keep(m); } }";
    let keeps = "fn keep(m) { let b = board(500, 500, 0); let a = []; loop { a.push(b.mirror()); } }";
    let script = format!("fn generate(rng, index, args) {{\n{hoards}\n}}\n{keeps}\n");
    let keys = "generate = { script = 'bad.rhai' }\n\
                limits.script = { array = 1_000_000, memory = 4294967295, milliseconds = 600_000 }";
    let text = with_neighbour(keys);
    let folder = folder(&[("a.toml", text.as_bytes()), ("bad.rhai", script.as_bytes())]);
    let limited = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", "ulimit -v 800000; exec \"$0\" run a.toml --jobs 1"])
        .arg(env!("CARGO_BIN_EXE_rulebook"))
        .output()
        .expect("a run");
    let said = String::from_utf8_lossy(&limited.stdout);
    assert_eq!(limited.status.code(), Some(3), "{said}");
    assert!(
        said.contains("error[script::limit]: `generate` takes more memory than the system has"),
        "{said}"
    );
    assert!(said.contains("\n1 errored, 1 passed in "), "{said}");
}

#[test]
fn a_game_without_an_end_is_given_up_within_a_script() {
    // Lanes as long as prime numbers: all pieces are where they began after some 400 million turns.
    let lanes = [2, 3, 5, 7, 11, 13, 17, 19, 23];
    let row = |lane: Option<&usize>| {
        let open = lane.map_or(25, |lane| lane + 1);
        ["0 ".repeat(open), "2 ".repeat(25 - open)].concat()
    };
    let board: Vec<_> = (0..25).map(|number| row(lanes.get(number))).collect();
    let pieces: Vec<_> =
        (1..=lanes.len()).map(|row| format!("#{{ at: [{row}, 1], facing: \"right\" }}")).collect();
    let (board, pieces) = (board.join("\\n"), pieces.join(", "));
    let script = format!(
        "fn generate(rng, index, args) {{\n  let game = #{{ engine: \"stacking\", limits: \"none\", \
         board: \"{board}\", pieces: [{pieces}], rules: #{{ turn_limit: 1_000_000_000 }} }};\n  \
         let first = facts(game, [\"turn\"]).turn == ();\n  game.rules.budget = 9_000_000_000_000_000_000;\n  \
         throw [first, facts(game, [\"turn\"]).turn == ()];\n}}\n"
    );
    let text = with_neighbour("generate = { script = 'bad.rhai' }\nlimits.script.milliseconds = 600_000");
    let folder = folder(&[("bad.rhai", script.as_bytes()), ("a.toml", text.as_bytes())]);
    let said = run(folder.path(), &["a.toml"], 3);
    assert!(said.contains("error[script::thrown]: `generate` says: [true, true]"), "{said}");
}

#[test]
fn scripts_that_take_long_to_compile_are_refused() {
    let arms = |count| (0..count).fold(String::new(), |text, i| text + format!("{i} => {i}, ").as_str());
    let long = ["syntax error: Length of script exceeds the maximum limit (131072)"];
    stops(&format!("switch index {{ {} }}", arms(100_000)), "", SYNTAX, 1, &long);
    let lines = "let a = 1;\n".repeat(20_000);
    stops(&lines, "limits.script.string = 100_000_000", SYNTAX, 1, &long);
    let many = ["syntax error: Number of arguments exceeds the maximum limit (64)"];
    for call in ["f", "args.f", "index.len"] {
        stops(&format!("try {{ {call}({}1) }} catch {{ }}", "1, ".repeat(20_000)), "", SYNTAX, 2, &many);
    }
}

#[test]
fn what_fills_the_memory_is_stopped() {
    let small = "limits.script = { memory = 20, milliseconds = 20000 }";
    for body in [
        "let b = board(500, 500, 0); let a = []; loop { a.push(b.mirror()); }",
        "let b = board(500, 500, 0); let a = []; loop { let c = b; c.set(1, 1, 3); a.push(c); }",
        "let b = board(500, 500, 0); let m = #{}; let i = 0; loop { m[`${i}`] = b.rotate(); i += 1; }",
    ] {
        stops(body, small, LIMIT, 1, &["`generate` takes too much memory", "`limits.script.memory` is 20"]);
    }
    // Arrays in arrays as deep as they go: made, copied, compared and dropped without an end of the stack.
    let deep = "let a = []; for i in 0..5000 { let b = []; b.push(a); a = b; }\nlet b = a; if a == b { throw \"deep\" }";
    let long = "limits.script.milliseconds = 60000";
    stops(deep, long, THROWN, 3, &["`generate` says: deep"]);
}

#[test]
fn nesting_in_a_script_is_bounded() {
    let deep = ["syntax error: Expression exceeds maximum complexity"];
    let pairs = [("(", ")"), ("[", "]"), ("{", "}"), ("if true { ", "}"), ("`${", "}`"), ("1 + ", "")];
    for (open, close) in pairs {
        stops(&format!("{}1{}", open.repeat(2000), close.repeat(2000)), "", SYNTAX, 2, &deep);
    }
    let chain = format!("if index == 9 {{ 1 }} {}", "else if index == 9 { 1 } ".repeat(4_000));
    stops(&chain, "", SYNTAX, 2, &deep);
    let functions = (0..600).fold(String::new(), |text, i| text + format!("fn f{i}() {{ {i} }}\n").as_str());
    stops(&format!("}}\n{functions}fn g() {{"), "", SYNTAX, 502, &["functions"]);
}

#[test]
fn scripts_reach_nothing_outside() {
    stops("eval(\"40 + 2\")", "", SYNTAX, 2, &["'eval' is disabled"]);
    stops("let f = Fn(\"eval\"); f.call(\"40\")", "", SYNTAX, 2, &["'eval' is a reserved keyword"]);
    stops("let f = Fn(\"x\"); loop { f = f.curry(f); }", "", SYNTAX, 2, &[]);
    stops("sleep(100)", "", THROWN, 2, &["`sleep` is not for scripts"]);
    stops("timestamp()", "", FAILED, 2, &["there is no function `timestamp ()`"]);
    let place = "takes `name.rhai` from the directory of the script";
    for name in ["/etc/passwd", "../x", "sub/x", "", ".", "..", "bad.rhai"] {
        let says = [&*format!("cannot import `{name}`: not a bare name"), place];
        stops(&format!("import \"{name}\" as p;"), "", IMPORT, 2, &says);
    }
    let says = ["cannot import `none`: `none.rhai` is missing", place];
    stops("import \"none\" as p;", "", IMPORT, 2, &says);
    let says = ["cannot import `folder`: `folder.rhai` is not a regular file of this directory", place];
    stops("import \"folder\" as p;", "", IMPORT, 2, &says);
    let says = ["unknown module `quent`", "did you mean `quento`?", "`import \"name\" as quent;`"];
    stops("quent::paths(2)", "", IMPORT, 2, &says);
}

#[test]
#[cfg(unix)]
fn a_link_to_elsewhere_is_not_imported() {
    let outside = folder(&[("there.rhai", b"fn x() { 1 }")]);
    let script = b"fn generate(rng, index, args) {\nimport \"here\" as p;\np::x()\n}\n";
    let text = with_neighbour("generate = { script = 'bad.rhai', count = 1000 }");
    let folder = folder(&[("bad.rhai", script), ("a.toml", text.as_bytes())]);
    let link = folder.path().join("here.rhai");
    std::os::unix::fs::symlink(outside.path().join("there.rhai"), &link).expect("a link");
    let said = run(folder.path(), &["a.toml"], 3);
    assert!(
        said.contains("error[script::import]: cannot import `here`: `here.rhai` is not a regular file"),
        "{said}"
    );
    assert!(said.contains("bad.rhai:2:8"), "{said}");
    assert!(said.contains("1 errored, 1 passed in "), "{said}");
}

#[test]
fn imports_have_faults_of_their_own() {
    let generate = "generate = { script = 'bad.rhai', count = 1000 }\nlimits.script.milliseconds = 60000";
    let main = b"import \"other\" as o;\nfn generate(rng, index, args) { o::make() }\n";
    let circle = "cannot import `bad`: circular import";
    let cases: [(&str, &str, &str, &str); 8] = [
        ("import \"bad\" as b;\nfn make() { 1 }", IMPORT, "other.rhai:1:8", circle),
        (
            "\nimport \"bad\" as b;",
            IMPORT,
            "other.rhai:2:8",
            "`bad.rhai` imports `other.rhai` imports `bad.rhai`",
        ),
        ("fn make() { import \"other\" as o; o::make() }", LIMIT, "other.rhai:1:", "`make` calls too deep"),
        (
            "import \"other\" as o;",
            IMPORT,
            "other.rhai:1:8",
            "cannot import `other`: a script cannot import itself",
        ),
        ("fn make( {", SYNTAX, "other.rhai:1:", "syntax error"),
        ("fn make() {\n  throw \"no luck\";\n}", THROWN, "other.rhai:2:3", "`make` says: no luck"),
        ("fn make() {\n  [1][3]\n}", FAILED, "other.rhai:2:", "`make` fails: Array index 3 out of bounds"),
        ("\nloop { }", LIMIT, "other.rhai:2:", "takes too many steps"),
    ];
    for (other, code, place, says) in cases {
        is_errored(&[("bad.rhai", main), ("other.rhai", other.as_bytes())], generate, code, place, &[says]);
    }
    let latin: [(&str, &[u8]); 2] = [("bad.rhai", main), ("other.rhai", b"\xff")];
    is_errored(
        &latin,
        generate,
        IMPORT,
        "bad.rhai:1:8",
        &["cannot import `other`: cannot read `other.rhai`", "UTF-8"],
    );
    // A row of scripts, each importing the next: so many at most.
    let names: Vec<_> = (0..20).map(|at| format!("s{at}.rhai")).collect();
    let texts: Vec<_> = (1..=20).map(|at| format!("import \"s{at}\" as s;\n")).collect();
    let row = names.iter().zip(&texts).map(|(name, text)| (&**name, text.as_bytes()));
    let first = b"import \"s0\" as s;\nfn generate(rng, index, args) { #{ target: 7, digits: 2 } }\n";
    let files: Vec<_> = row.chain([("bad.rhai", &first[..])]).collect();
    let deep = "cannot import `s16`: the maximum import depth is 16";
    is_errored(&files, generate, IMPORT, "s15.rhai:1:8", &[deep]);
}

#[test]
fn wrong_shapes_are_refused() {
    let shapes = [
        ("42", "`generate` returns a whole number"),
        ("", "`generate` returns nothing"),
        ("exit()", "`generate` returns nothing"),
        ("[1]", "`generate` returns an array"),
        ("board(1, 1, 0)", "`generate` returns a board"),
        ("rng", "`generate` returns a generator of chance"),
        ("#{ a: || 1 }", "`generate` returns a function as `a`"),
        ("#{ a: #{ b: [1, |x| x] } }", "`generate` returns a function as `a.b[1]`"),
        ("#{ a: () }", "`generate` returns nothing as `a`"),
        (
            "let a = 1; for i in 0..50 { a = [a]; } #{ a: a }",
            "`generate` returns something too deep as `a[0]",
        ),
    ];
    for (body, says) in shapes {
        stops(body, "", SHAPE, 1, &[says]);
    }
}

#[test]
fn failures_are_shown_where_they_happen() {
    let failures = [
        ("let a = [1];\na[5]", 3, "`generate` fails: Array index 5 out of bounds"),
        ("let a = 9223372036854775807;\na + 1", 3, "`generate` fails: Addition overflow"),
        ("let a = 2;\n\na ** 100", 4, "overflow"),
        ("let a = 0;\n1 / a", 3, "`generate` fails: Division by zero"),
        ("help(1) }\nfn help(n) {\n  [][n]", 4, "`help` fails: Array index 1 out of bounds"),
        ("board(2, 2, 0).gte(1, 1)", 2, "there is no function `gte"),
        ("let k = 1; [1].map(|x| x + k)", 2, "a function without a name fails: Variable not found: k"),
    ];
    for (body, line, says) in failures {
        stops(body, "", FAILED, line, &[says]);
    }
    let thrown = [
        ("throw \"no luck\";", 2, "`generate` says: no luck"),
        ("\nthrow;", 3, "`generate` threw"),
        ("board(2, 2, 0).get(3, 1)", 2, "row 3, column 1 is off the board"),
        ("\nstacking::turns(1, 2)", 3, "`1` is no board"),
        ("let s = \"\"; s.pad(90000, \"x\"); throw s;", 2, "xxx …"),
    ];
    for (body, line, says) in thrown {
        stops(body, "", THROWN, line, &[says]);
    }
}

#[test]
fn a_script_that_is_none_is_an_error_of_its_scenario() {
    let opened = |name: &str, code: &str, place: &str, says: &str| {
        let files: [(&str, &[u8]); 2] = [
            ("latin.rhai", b"fn x() { \"\xff\" }"),
            ("syntax.rhai", b"fn generate(rng, index, args) {\n  let = 3;\n}"),
        ];
        let keys = format!("generate = {{ script = '{name}.rhai', count = 1000 }}");
        is_errored(&files, &keys, code, place, &[says]);
    };
    opened("folder", "script::unreadable", "a.toml:6:23", "it is not a regular file");
    opened("missing", "script::unreadable", "a.toml:6:23", "no such file or directory");
    opened("latin", "script::unreadable", "a.toml:6:23", "UTF-8");
    opened("syntax", SYNTAX, "syntax.rhai:2:", "syntax error");
    let keys = "generate = { script = 'bad.rhai', count = 1000 }";
    is_errored(&[("bad.rhai", b"fn x() { }")], keys, "script::no-function", "a.toml:6:23", &["`generate`"]);
    let few: (&str, &[u8]) = ("bad.rhai", b"fn generate(rng) { }");
    is_errored(&[few], keys, "script::no-function", "a.toml:6:23", &["takes 1 parameter"]);
}

#[test]
fn policies_and_checkers_are_bounded_too() {
    let make: (&str, &[u8]) = ("make.rhai", b"fn generate(rng, index, args) { #{ target: 7, digits: 2 } }");
    let keys = "generate = { script = 'make.rhai', count = 1000 }\nlimits.script.milliseconds = 60000\n";
    let policies = [
        ("loop { }", LIMIT, 2, "`choose` takes too many steps"),
        ("#{ a: 1 }", SHAPE, 1, "`choose` returns a map"),
        ("\"up\"", "script::illegal-move", 1, "`choose` makes \"up\" its move 1"),
        ("[99, 99]", "script::illegal-move", 1, "`choose` makes [99, 99] its move 1"),
        ("\nstate.nothing", THROWN, 3, "a state has no `nothing`"),
    ];
    for (body, code, line, says) in policies {
        let script = format!("fn choose(state, rng, args) {{\n{body}\n}}\n");
        let place = format!("bad.rhai:{line}:");
        let keys = format!("{keys}play = {{ script = 'bad.rhai', moves = 5 }}");
        is_errored(&[make, ("bad.rhai", script.as_bytes())], &keys, code, &place, &[says]);
    }
    let checkers = [
        ("check(scenario, facts, args) {\nloop { }", LIMIT, 2, "`check` takes too many steps"),
        ("check_step(state, event, args) {\nloop { }", LIMIT, 2, "`check_step` takes too many steps"),
        ("check(scenario, facts, args) {\n42", SHAPE, 1, "`check` returns a whole number"),
        ("check(scenario, facts, args) {\nfacts.solutions + \"a\" - 1", FAILED, 2, "there is no function `-"),
        (
            "check(scenario, facts, args) {\nfacts.solution == 1",
            THROWN,
            2,
            "there is no fact `solution`: did you mean `solutions`?",
        ),
        ("check(scenario, facts, args) {\nfacts[\"xyzzy\"] == 1", THROWN, 2, "there is no fact `xyzzy`"),
        (
            "check(scenario, facts, args) {\nif \"solvable\" in facts && facts.keys().len() > 2 { throw \"right\" }",
            THROWN,
            2,
            "`check` says: right",
        ),
    ];
    for (body, code, line, says) in checkers {
        let script = format!("fn {body}\n}}\n");
        let place = format!("bad.rhai:{line}:");
        let keys = format!("{keys}check = {{ script = 'bad.rhai' }}");
        is_errored(&[make, ("bad.rhai", script.as_bytes())], &keys, code, &place, &[says]);
    }
}

/// Two hundred starts that fail, each with facts of its own.
fn failing() -> TempDir {
    let script = fs::read(root().join("scripts/stacking-random.rhai")).expect("the script");
    let text = "engine = 'stacking'\n\n[[scenario]]\nname = 'made'\ngenerate = { script = 'make.rhai', count = 200, \
                seed = 3 }\nexpect.turn = -7\nexpect.stacks = '.'\nexpect.signature = 'xxh3:0'\n";
    folder(&[("a.toml", text.as_bytes()), ("make.rhai", &script)])
}

/// What is said of each case, without the time at the end.
fn cases(said: &str) -> Vec<String> {
    let said = said.rsplit_once("\n\n").map_or(said, |(cases, _)| cases);
    said.split("FAILED ").skip(1).map(|case| case.trim().to_owned()).collect()
}

#[test]
fn cases_are_the_same_for_any_number_of_workers_and_alone() {
    let folder = failing();
    let one = cases(&run(folder.path(), &["a.toml", "--draw", "300", "--jobs", "1"], 1));
    assert_eq!(one.len(), 201, "and the signature");
    assert_eq!(one, cases(&run(folder.path(), &["a.toml", "--draw", "300", "--jobs", "2"], 1)));
    for index in [0, 1, 17, 199] {
        let alone = run(folder.path(), &["a.toml::made", "--index", &index.to_string()], 1);
        assert_eq!(cases(&alone), one[index..=index]);
    }
    let expand = |args: &[&str]| {
        stdout(&rulebook().current_dir(folder.path()).arg("expand").args(args).assert().success())
    };
    let all = expand(&["a.toml"]);
    assert_eq!(all, expand(&["a.toml"]));
    assert_eq!(all.matches("[[scenario]]").count(), 200);
    assert!(all.contains(&expand(&["a.toml", "--index", "17"])));
    assert!(all.contains(&expand(&["a.toml", "--range", "20..60"])));
}

#[test]
fn neighbouring_seeds_and_indices_are_unrelated() {
    const SIDE: usize = 20;
    const PAIRS: i64 = 50;
    let board = |seed: i64, index: i64, colors: usize| {
        let text = format!(
            "let b = board({SIDE}, {SIDE}, 0); b.fill_random(rng({seed}, {index}), {colors}); b.to_string()"
        );
        script::evaluate(&text).expect("a board")
    };
    for colors in [2, 5] {
        for (seed, index) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            let equal = |pair: i64| {
                let (a, b) = (board(pair, 100, colors), board(pair + seed, 100 + index, colors));
                a.split_whitespace().zip(b.split_whitespace()).filter(|(a, b)| a == b).count()
            };
            let equal: usize = (0..PAIRS).map(equal).sum();
            let all = (SIDE * SIDE) as f64 * PAIRS as f64;
            let share = 1.0 / colors as f64;
            let deviation = (all * share * (1.0 - share)).sqrt();
            let off = (equal as f64 - all * share).abs() / deviation;
            assert!(off < 4.0, "{equal} of {all} cells are equal: {off} deviations");
        }
    }
}

#[test]
fn expanded_cases_come_to_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let suite = folder.path().join("scenarios/scripted");
    copy_folder(&root().join("scripts"), &folder.path().join("scripts"));
    fs::create_dir(folder.path().join("scenarios")).expect("a folder");
    copy_folder(&root().join("scenarios/scripted"), &suite);
    for (file, names) in
        [("stacking", ["random starts", "no piece is lost"]), ("match3", ["random swaps", "a greedy player"])]
    {
        for name in names {
            let scenario = format!("scenarios/scripted/{file}.toml::{name}");
            let mut expanded = String::new();
            for index in ["0", "1", "7", "19"] {
                assert!(run(folder.path(), &[&scenario, "--index", index], 0).contains("1 passed in "));
                let expand =
                    rulebook().current_dir(folder.path()).args(["expand", &scenario, "--index", index]);
                expanded += &stdout(&expand.assert().success());
            }
            assert!(!expanded.contains("generate") && !expanded.contains("play ="), "{expanded}");
            fs::write(suite.join("expanded.toml"), &expanded).expect("a file");
            // Cases that only a signature was held against expect nothing by themselves.
            let bless = ["run", "scenarios/scripted/expanded.toml", "--bless"];
            rulebook().current_dir(folder.path()).env_remove("CI").args(bless).assert().success();
            let said = run(folder.path(), &["scenarios/scripted/expanded.toml"], 0);
            assert!(said.contains("4 passed in "), "{said}");
        }
    }
}

#[test]
fn expand_prints_plain_scenarios_that_can_be_blessed() {
    let quento = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\n";
    let made = "generate = { script = 's.rhai', count = 3 }\n";
    let several = format!(
        "[[scenario]]\n{made}\n[[scenario]]\n{made}expect.solvable = true\n[[scenario]]\nname = 'p'\ntarget = 7\n"
    );
    for text in [
        format!("{quento}target = 7\n"),
        format!("{quento}{made}"),
        format!("{quento}name = 'g'\n{made}expect.solutions = 1\n"),
        format!("{quento}name = 'g'\n{made}expect.signature = 'xxh3:0'\n"),
        format!("{quento}{several}"),
        format!("{quento}name = 'g'\n{made}check = {{ script = 's.rhai' }}\n"),
        "engine = 'match3'\nboard = ['1121', '3413']\nname = 'm'\nplay = { script = 's.rhai', swaps = 1 }\n"
            .to_owned(),
    ] {
        let script = "fn generate(rng, index, args) { #{ target: 7 + index } }\n\
                      fn check(scenario, facts, args) { facts.solutions >= 0 }\n\
                      fn choose(state, rng, args) { state.legal[0] }\n";
        let folder = folder(&[("a.toml", text.as_bytes()), ("s.rhai", script.as_bytes())]);
        let call = |args: &[&str]| rulebook().current_dir(folder.path()).env_remove("CI").args(args).assert();
        let expanded = stdout(&call(&["expand", "a.toml"]).success());
        let keys = ["summary", "generate", "play", "signature", "limits", "rules", "tags"];
        assert!(keys.iter().all(|key| !expanded.contains(key)), "{expanded}");
        let path = folder.path().join("expanded.toml");
        fs::write(&path, &expanded).expect("a file");
        let names: Vec<_> = expanded.lines().filter(|line| line.starts_with("name = ")).collect();
        assert!(
            names.iter().all(|name| names.iter().filter(|other| *other == name).count() == 1),
            "{expanded}"
        );
        call(&["run", "expanded.toml", "--bless"]).success();
        let cases = expanded.matches("[[scenario]]").count();
        let said = stdout(&call(&["run", "expanded.toml"]).success());
        assert!(cases > 0 && said.starts_with(&format!("{cases} passed in ")), "{said}");
        // Nothing but expectations was written.
        let blessed = fs::read_to_string(&path).expect("the file");
        let plain = |text: &str| {
            text.lines()
                .filter(|line| !line.contains("expect") && !line.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (before, after) = (plain(&expanded), plain(&blessed));
        assert!(before.iter().all(|line| after.contains(line)), "{expanded}\n{blessed}");
    }
}

#[test]
fn a_signature_is_that_of_all_cases() {
    let text = fs::read_to_string(failing().path().join("a.toml")).expect("the file");
    let text = text.replace("expect.turn = -7\nexpect.stacks = '.'\n", "");
    let folder = failing();
    let file = folder.path().join("a.toml");
    fs::write(&file, &text).expect("a file");
    let mut said = Vec::new();
    for jobs in ["1", "2"] {
        let wrong = run(folder.path(), &["a.toml", "--jobs", jobs], 1);
        assert_eq!(wrong.matches("error[verdict::signature]").count(), 1, "{wrong}");
        assert!(wrong.contains("\n1 failed, 200 passed in "), "{wrong}");
        let right = wrong.split('`').find(|word| word.starts_with("xxh3:")).expect("a signature");
        said.push(right.to_owned());
    }
    assert_eq!(said[0], said[1]);
    assert!(run(folder.path(), &["a.toml", "--index", "5"], 0).contains("1 passed in "));
    fs::write(&file, text.replace("xxh3:0", &said[0])).expect("a file");
    assert!(run(folder.path(), &["a.toml"], 0).starts_with("200 passed in "));
    fs::write(&file, text.replace("xxh3:0", &said[0]).replace("seed = 3", "seed = 4")).expect("a file");
    assert!(run(folder.path(), &["a.toml"], 1).contains("\n1 failed, 200 passed in "));
}

#[test]
fn a_failing_case_says_how_to_replay_it_and_what_was_printed() {
    let script = b"fn generate(rng, index, args) {\n  print(`this is ${index}`);\n  #{ target: if index == 3 { 45 } else { 7 }, digits: 2 }\n}\n";
    let text = with_neighbour("generate = { script = 'make.rhai', count = 6 }");
    let folder = folder(&[("make.rhai", script), ("a.toml", text.as_bytes())]);
    let said = run(folder.path(), &["a.toml"], 1);
    assert!(said.contains("FAILED a.toml::hostile#3\n"), "{said}");
    assert!(said.contains("`rulebook run 'a.toml::hostile' --index 3` runs this case alone"), "{said}");
    assert!(said.contains("1 failed, 6 passed in "), "{said}");
    assert_eq!(said.matches("this is ").count(), 1, "{said}");
    assert!(said.contains("this is 3"), "{said}");
    let alone = run(folder.path(), &["a.toml::hostile", "--index", "3"], 1);
    assert!(alone.contains("FAILED a.toml::hostile#3\n") && alone.contains("\n1 failed in "), "{alone}");
    let quiet = run(folder.path(), &["a.toml::hostile", "--index", "2"], 0);
    assert!(quiet.starts_with("1 passed in "), "{quiet}");
    let all = run(folder.path(), &["a.toml", "--verbose"], 1);
    for index in 0..6 {
        assert!(all.contains(&format!("this is {index}")), "{index} in\n{all}");
    }
}

#[test]
fn what_is_printed_is_bounded() {
    let script = b"fn generate(rng, index, args) {\n  for i in 0..9000 { print(`line ${i}`); }\n  #{ target: 45, digits: 2 }\n}\n";
    let text = with_neighbour("generate = { script = 'make.rhai' }");
    let folder = folder(&[("make.rhai", script), ("a.toml", text.as_bytes())]);
    let said = run(folder.path(), &["a.toml"], 1);
    assert!(said.contains("line 0") && said.contains("the rest of what was printed is left out"), "{said}");
    assert!(said.len() < 40_000, "{} bytes", said.len());
}

#[test]
fn faults_of_scripts_pass_every_selection() {
    let script = b"fn generate(rng, index, args) { throw `no luck` }";
    let text = "engine = 'quento'\ntags = ['t']\n[[scenario]]\nname = 'made'\nexpect.solvable = true\n\
                generate = { script = 'bad.rhai', count = 500 }\n";
    let folder = folder(&[("bad.rhai", script), ("a.toml", text.as_bytes())]);
    for selection in [&["--tag", "t"][..], &["--engine", "quento"], &["--name", "made"], &["--index", "499"]]
    {
        let said = run(folder.path(), &[&["a.toml"], selection].concat(), 3);
        assert!(said.contains("`generate` says: no luck") && said.contains("\n1 errored in "), "{said}");
    }
    let expand = rulebook().current_dir(folder.path()).args(["expand", "a.toml"]).assert().code(3);
    let said = String::from_utf8_lossy(&expand.get_output().stderr).into_owned();
    assert_eq!(said.matches("no luck").count(), 2, "once, and in the script that is drawn: {said}");
}

#[test]
fn what_is_wrong_with_the_scenario_is_said_once() {
    let script = b"fn generate(rng, index, args) { #{ board: '4+3\\n-5-\\n9-2', target: 7, digits: 2 } }";
    let script = String::from_utf8_lossy(script).replace('\'', "\"");
    for (keys, code) in [
        ("expect.solvabel = true", "expect::unknown-fact"),
        ("expect.solvable = true\nrules.oder = 'any'", "scenario::unknown-key"),
        ("expect.solvable = true\nlimits.script.operations = 0", "script::setting"),
        ("", "verdict::expects-nothing"),
    ] {
        let text = format!(
            "engine = 'quento'\n[[scenario]]\nname = 'made'\n\
             generate = {{ script = 'make.rhai', count = 3000 }}\n{keys}\n"
        );
        let folder = folder(&[("make.rhai", script.as_bytes()), ("a.toml", text.as_bytes())]);
        for jobs in ["1", "2"] {
            let said = run(folder.path(), &["a.toml", "--jobs", jobs], 3);
            assert_eq!(said.matches("error[").count(), 1, "{keys}: {said}");
            assert!(said.contains(&format!("error[{code}]")), "{said}");
        }
    }
}

#[test]
fn cases_are_found_by_the_names_and_indices_that_are_shown() {
    let script = "fn generate(rng, index, args) {\n\
                  #{ name: `case ${index}`, board: \"4+3\\n-5-\\n9-2\", target: 7 + index % 2, digits: 2 }\n}";
    let text = "engine = 'quento'\ngenerate = { script = 'make.rhai', count = 9_000_000_000_000 }\n\
                expect.solutions = 3\n";
    let folder = folder(&[("make.rhai", script.as_bytes()), ("a.toml", text.as_bytes())]);
    // The file is one scenario, without a name.
    assert!(
        run(folder.path(), &["a.toml::line 1", "--index", "8000000000002"], 0).starts_with("1 passed in ")
    );
    let said = run(folder.path(), &["a.toml::line 1", "--index", "8000000000001"], 1);
    assert!(
        said.contains("`rulebook run 'a.toml::line 1' --index 8000000000001` runs this case alone"),
        "{said}"
    );
    let list = rulebook().current_dir(folder.path()).args(["list", "a.toml"]).assert().success();
    assert_eq!(stdout(&list), "a.toml::line 1\n");
}

/// The plans of the shipped scenarios of a game, with its engine.
fn games(file: &str, each: &mut dyn FnMut(&str, &dyn AnyEngine, &Plan)) {
    let path = root().join("scenarios/scripted").join(file);
    for piece in Pieces::new(suite::files(&[path]), Some(0..20)) {
        let chunk = piece.content.expect("a sound file");
        let _ = load(&chunk, &piece.file, &Select::default(), &mut |case| {
            let plan = case.plan.expect("a sound scenario");
            each(&case.name.text(), case.engine.as_deref().expect("a game"), &plan);
            ControlFlow::Continue(())
        });
    }
}

#[test]
fn games_in_rhai_keep_the_contract_of_engines() {
    let mut seen = 0;
    for file in ["lights-out.toml", "tic-tac-toe.toml"] {
        games(file, &mut |name, engine, plan| {
            let Ok(game) = &plan.game else { return };
            seen += 1;
            let all: Vec<_> = (0..engine.facts().len()).collect();
            let ask = |moments| game.play(&Questions { facts: all.clone(), moments, output: false });
            let answers = ask(Vec::new());
            let facts: Vec<_> = answers.facts.iter().map(|fact| fact.clone().expect("an answer")).collect();
            for (spec, fact) in engine.facts().iter().zip(&facts) {
                assert!(fact.is(spec.kind), "{name}: `{}` is {fact}", spec.name);
            }
            // Observed, the same; the last moment is the end; a frame for the start and for every step.
            let steps = answers.steps;
            let observed = ask(vec![(steps, all.clone()), (steps + 1, all.clone())]);
            assert_eq!(observed.facts, answers.facts, "{name}");
            assert_eq!(
                observed.moments,
                [(steps > 0 || !facts.is_empty()).then(|| facts.clone()), None],
                "{name}"
            );
            let mut frames = Vec::new();
            game.replay(0..=u64::MAX, &mut |frame| {
                frames.push(frame);
                ControlFlow::Continue(())
            });
            let numbers: Vec<_> = frames.iter().map(|frame| frame.step).collect();
            assert_eq!(numbers, (0..=steps).collect::<Vec<_>>(), "{name}");
            let mut followed = Vec::new();
            game.follow(&mut |moment| {
                followed.push(moment.frame());
                ControlFlow::Continue(())
            });
            assert_eq!(followed, frames, "{name}");
            // What is written is the same start and the same moves.
            let source = Source::new("written", game.doc());
            let doc = tree::parse(source.text()).expect("TOML");
            let place = Place { source: &source, size_limits: true, thorough: true };
            let keys = Keys { doc, range: 0..source.text().len(), rules: None };
            let again = engine.bind(keys, &place).expect("a legal game");
            let questions = Questions { facts: all.clone(), ..Questions::default() };
            assert_eq!(again.play(&questions).facts, answers.facts, "{name}");
        });
    }
    assert!(seen > 40, "only {seen} games");
}

#[test]
fn a_game_played_move_by_move_is_the_game_of_these_moves() {
    let scripts = Scripts::default();
    let path = root().join("scripts/games/tic-tac-toe.rhai");
    let engine = scripts.game(&path, &Limits::default()).expect("a game");
    let source = Source::new("start", "");
    let place = Place { source: &source, size_limits: true, thorough: true };
    for seed in 0..30 {
        let mut rng = Rng::new(seed, 0);
        let mut session = engine.session(Keys::default(), &place).expect("a start").expect("a session");
        while !session.is_over() {
            let legal = session.legal();
            let choice = &legal[rng.below(legal.len() as u64) as usize];
            assert!(session.branch().make(&Value::ints([9, 9])).is_err());
            session.make(choice).expect("a legal move");
        }
        let written = Source::new("moves", format!("moves = {}\n", Value::List(session.moves())));
        let doc = tree::parse(written.text()).expect("TOML");
        let keys = Keys { doc, range: 0..0, rules: None };
        let game = engine.bind(keys, &Place { source: &written, ..place }).expect("a game");
        let all = Questions { facts: (0..engine.facts().len()).collect(), ..Questions::default() };
        for (spec, fact) in engine.facts().iter().zip(game.play(&all).facts) {
            assert_eq!(session.see(&spec.name), fact.ok(), "{}", spec.name);
        }
    }
}

#[test]
fn more_cases_take_no_more_memory() {
    scale::alone("scripts::more_cases_take_no_more_memory", || {
        let script = fs::read(root().join("scripts/stacking-random.rhai")).expect("the script");
        let peak = |count: u64, jobs| {
            let mut text = String::from("engine = 'stacking'\n\n[[scenario]]\nname = 'made'\n");
            let _ = writeln!(text, "generate = {{ script = 'make.rhai', count = {count}, seed = 3 }}");
            text += "expect.turn = { at_least = -1 }\nsummary = ['turn']\nrules.turn_limit = 20\n";
            let folder = folder(&[("a.toml", text.as_bytes()), ("make.rhai", &script)]);
            let (summary, peak) = alloc::peak(|| reports::hear(&folder.path().join("a.toml"), jobs, |_| {}));
            assert_eq!(summary.cases(), count);
            peak
        };
        // How far two workers get ahead of one another is another thing every time.
        for (jobs, percent) in [(1, 115), (2, 400)] {
            let (few, many) = (peak(2_000, jobs), peak(20_000, jobs));
            assert!(many < few * percent / 100, "{jobs} workers: {few} bytes, then {many}");
        }
    });
}

#[test]
fn the_worst_of_scripts_stays_near_its_memory() {
    scale::alone("scripts::the_worst_of_scripts_stays_near_its_memory", || {
        for body in [
            "loop { }",
            "let s = \"x\"; let a = []; loop { s.pad(99999, \"x\"); a.push(s + a.len()); }",
            "let a = []; loop { a.push(1); }",
            "let a = []; a.pad(9000, 0); let all = []; loop { let b = a; b.push(all.len()); all.push([b]); }",
            "let a = []; a.pad(9000, 0); let m = #{}; let i = 0; loop { m[`${i}`] = a; i += 1; }",
            "let b = board(500, 500, 0); let a = []; loop { let c = b; c.set(1, 1, 3); a.push(c); }",
            "let i = 0; loop { print(`${i} ${i} ${i} ${i} ${i} ${i} ${i}`); i += 1; }",
            "deep(0) } fn deep(n) { let b = board(500, 500, n); deep(n + 1)",
            "#{ board: board(500, 500, \"x\") }",
        ] {
            let text = with_neighbour("generate = { script = 'bad.rhai', count = 1000 }");
            let script = format!("fn generate(rng, index, args) {{\n{body}\n}}\n");
            let folder = folder(&[("a.toml", text.as_bytes()), ("bad.rhai", script.as_bytes())]);
            for jobs in [1, 2] {
                let path = folder.path().join("a.toml");
                let run = move || reports::hear(&path, jobs, |_| {});
                let (summary, peak) = std::thread::Builder::new()
                    .stack_size(script::STACK)
                    .spawn(move || alloc::peak(run))
                    .expect("a thread")
                    .join()
                    .expect("no panic");
                assert_eq!((summary.errored, summary.passed), (1, 1), "{body}");
                // 256 MiB for each call under way, and some for all that is no call.
                assert!(peak < (jobs * 256 + 128) << 20, "{body}: {peak} bytes");
            }
        }
    });
}

#[test]
fn the_examples_of_functions_are_true() {
    let functions = script::functions();
    let with_example: Vec<_> = functions.iter().filter(|function| !function.example.is_empty()).collect();
    assert!(with_example.len() > 20);
    for function in with_example {
        assert_eq!(script::evaluate(function.example).as_deref(), Ok("true"), "{}", function.example);
    }
}

#[test]
fn functions_of_an_engine_are_refused_under_house_rules_that_they_do_not_follow() {
    let calls = [
        ("legal_swaps(b)", &["line"][..]),
        ("would_match(b, [1, 3, 2, 3])", &["line"]),
        ("has_line(b)", &["line"]),
        ("apply(b, [1, 3, 2, 3])", &["line"]),
        ("points(b, [1, 3, 2, 3])", &["line", "blocks_join", "points"]),
    ];
    let rules = [
        ("line", "line = 3"),
        ("blocks_join", "blocks_join = 'corners'"),
        ("points", "points.chain = 1"),
        ("hands", "hands = 'sliding'"),
    ];
    let mut refused = 0;
    for (call, follows) in calls {
        let call = format!("match3::{call}");
        let script = format!(
            "fn generate(rng, index, args) {{ let b = board(\"1 1 2 1\\n3 4 1 3\"); {call}; #{{ swaps: [[1, 3, 2, 3]] }} }}\n\
             fn choose(state, rng, args) {{ let b = state.board; {call}; state.legal[0] }}\n\
             fn check(scenario, facts, args) {{ let b = board(\"1 1 2 1\\n3 4 1 3\"); {call}; true }}\n"
        );
        for (rule, set) in rules {
            let with = |role: &str| {
                format!(
                    "[[scenario]]\nname = '{role}'\nrules.{set}\n{}\n",
                    match role {
                        "generate" => "generate = { script = 's.rhai' }\nexpect.valid_swaps = 1",
                        "play" => "play = { script = 's.rhai', swaps = 1 }\nexpect.valid_swaps = 1",
                        _ => "swaps = [[1, 3, 2, 3]]\ncheck = { script = 's.rhai' }",
                    }
                )
            };
            let text = format!(
                "engine = 'match3'\nboard = ['1121', '3413']\n{}{}{}",
                with("generate"),
                with("play"),
                with("check"),
            );
            let folder = folder(&[("a.toml", text.as_bytes()), ("s.rhai", script.as_bytes())]);
            let said = stdout(&rulebook().current_dir(folder.path()).args(["run", "a.toml"]).assert());
            let named = said.matches(&format!("the house rule `{rule}`")).count();
            if follows.contains(&rule) {
                assert_eq!(named, 3, "{call} under {set}: {said}");
                refused += 1;
            } else {
                assert!(said.contains("3 passed"), "{call} under {set}: {said}");
            }
        }
    }
    assert_eq!(refused, 7);
}

/// The house rules that leave the answer of a function as it is; under every other one it is refused.
fn is_without_effect(function: &str, rule: &str) -> bool {
    match function {
        "turns" | "step" => rule == "budget",
        "points" => ["small_square", "large_square", "hands", "hand_choice"].contains(&rule),
        "legal_swaps" | "would_match" | "apply" | "has_line" => rule != "line",
        "paths" | "evaluate" | "solutions" => ["order", "budget"].contains(&rule),
        other => panic!("which house rules change what `{other}` answers?"),
    }
}

#[test]
fn every_house_rule_that_changes_an_answer_refuses_the_function() {
    let mut pairs = 0;
    for engine in &Engines::builtin() {
        let schema = engine.rules_schema();
        for native in engine.natives() {
            let function = native.signature.split('(').next().expect("a name");
            for rule in keys::properties(schema.as_value(), &schema).expect("rules").keys() {
                pairs += 1;
                let refused = native.rules.contains(&rule.as_str());
                assert_ne!(refused, is_without_effect(function, rule), "`{function}` under `{rule}`");
            }
        }
    }
    assert!(pairs > 50, "{pairs}");
}

#[test]
fn a_function_that_is_not_of_the_rules_is_refused_in_every_role() {
    let call = "stacking::turns(board(\". .\\n. .\"), [[1, 1, \"right\"]])";
    let script = format!(
        "fn generate(rng, index, args) {{ {call}; #{{}} }}\nfn check(scenario, facts, args) {{ {call}; true }}\n"
    );
    for (rule, passes) in [("turn_limit = 50", false), ("ends = 'after-turn'", false), ("budget = 500", true)]
    {
        let scenario = |role: &str| {
            let pieces =
                (1..=4).map(|row| format!("{{ at = [{row}, 1], facing = 'right' }}")).collect::<Vec<_>>();
            format!(
                "[[scenario]]\nboard = ['. . . .', '. . . .', '. . . .', '. . . .']\nrules.{rule}\n\
                 pieces = [{}]\n{role} = {{ script = 's.rhai' }}\nexpect.turn = -1\n",
                pieces.join(", ")
            )
        };
        let text = format!("engine = 'stacking'\n{}{}", scenario("generate"), scenario("check"));
        let folder = folder(&[("a.toml", text.as_bytes()), ("s.rhai", script.as_bytes())]);
        let said = stdout(&rulebook().current_dir(folder.path()).args(["run", "a.toml"]).assert());
        let name = rule.split(' ').next().expect("a name");
        let named = said.matches(&format!("the house rule `{name}`")).count();
        assert_eq!(
            (named, said.contains("2 passed")),
            (if passes { 0 } else { 2 }, passes),
            "{rule}: {said}"
        );
    }
}

#[test]
fn errored_cases_are_left_out_of_a_spread_and_counted() {
    let scenario = |name: &str, rest: &str| format!("[[scenario]]\nname = '{name}'\n{rest}\n");
    let text = format!(
        "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\n{}{}{}{}",
        scenario("a", "target = 7\nexpect.solutions = 3"),
        scenario("b", "target = 7\nexpect.solutions = 99"),
        scenario("c", "target = 0\nexpect.solutions = 1"),
        scenario("d", "target = 7\nexpect.solution = 1"),
    );
    let folder = folder(&[("a.toml", text.as_bytes())]);
    let run =
        |args: &[&str]| stdout(&rulebook().current_dir(folder.path()).arg("run").args(args).assert().code(3));
    let said = run(&["a.toml", "--summary", "solutions", "--summary-json", "a.json"]);
    assert!(said.contains("a.toml: 2 cases, 2 errored and left out\n"), "{said}");
    let json = fs::read_to_string(folder.path().join("a.json")).expect("a file");
    assert!(json.contains("\"cases\":2,\"errored\":2,"), "{json}");
    // Only facts of the engines that were run are suggested.
    let call = rulebook()
        .current_dir(folder.path())
        .args(["run", "a.toml::a", "--summary", "scor"])
        .assert()
        .code(2);
    assert!(stderr(&call).contains("choose from `solutions` and `solvable`"), "{}", stderr(&call));
}

/// Wherever cases error, each is counted where the spread would be: `all` of them, and none came to an end.
#[test]
fn a_spread_of_errored_cases_alone_is_counted() {
    let game = "fn game() { #{ about: 'g', step: 'move', moves: 'moves', keys: #{ moves: #{ kind: '[int]', about: 'm' } }, \
                facts: #{ sum: #{ kind: 'int', about: 's' } } } }\n\
                fn setup(doc) { if doc.moves == [9] { throw 'no'; } #{ sum: 0 } }\nfn legal(state) { [1, 2] }\n\
                fn step(state, move) { #{ sum: state.sum + move } }\nfn facts(state) { #{ sum: state.sum } }\n\
                fn generate(rng, index, args) { if args.bad { throw 'broken'; } #{ moves: [9] } }\n";
    let game = game.replace('\'', "\"");
    let start = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\n";
    let cases = [
        ("keys", format!("{start}target = 0\n"), "solutions", 1),
        ("misspelt", format!("{start}target = 7\nexpect.solution = 1\n"), "solutions", 1),
        ("several", format!("{start}[[scenario]]\ntarget = 0\n[[scenario]]\ntarget = 0\n"), "solutions", 2),
        ("game", "engine = 'g.rhai'\nmoves = [7]\nexpect.sum = 7\n".to_owned(), "sum", 1),
        ("refused", "engine = 'g.rhai'\nmoves = [9]\nexpect.sum = 7\n".to_owned(), "sum", 1),
        ("made", format!("{start}generate = {{ script = 't.rhai', count = 3 }}\n"), "solutions", 3),
        (
            "broken",
            "engine = 'g.rhai'\ngenerate = { script = 'g.rhai', count = 3, args = { bad = true } }\n"
                .to_owned(),
            "sum",
            1,
        ),
        ("own", "engine = 'g.rhai'\nsummary = ['sum']\nmoves = [9]\nexpect.sum = 1\n".to_owned(), "", 1),
    ];
    for (name, text, fact, errored) in cases {
        let target = b"fn generate(rng, index, args) { #{ target: 0 } }";
        let folder = folder(&[("a.toml", text.as_bytes()), ("g.rhai", game.as_bytes()), ("t.rhai", target)]);
        let args: &[&str] = if fact.is_empty() { &[] } else { &["--summary", fact] };
        let call = rulebook().current_dir(folder.path()).args(["run", "a.toml"]).args(args).assert().code(3);
        let said = stdout(&call);
        let counted = format!(": 0 cases, {errored} errored and left out\n");
        assert!(said.contains(&counted), "{name}: {said}{}", stderr(&call));
    }
    // A misspelt fact of a game in rhai is suggested as one of an engine is.
    let text = "engine = 'g.rhai'\nmoves = [1]\nexpect.sum = 1\n";
    let folder = folder(&[("a.toml", text.as_bytes()), ("g.rhai", game.as_bytes())]);
    let call =
        rulebook().current_dir(folder.path()).args(["run", "a.toml", "--summary", "sun"]).assert().code(2);
    assert!(stderr(&call).contains("did you mean `sum`?"), "{}", stderr(&call));
}

#[test]
fn what_rhai_lacks_or_hides_is_hinted_at() {
    for (body, hint) in [
        ("let x = 1.5; #{}", "scripts have no floats"),
        ("#{ target: 0.5 }", "scripts have no floats"),
        ("let x = 1e5; #{}", "scripts have no floats"),
        ("let x = 1E-5; #{}", "scripts have no floats"),
        ("let x = 1.; #{}", "scripts have no floats"),
        ("let x = .5; #{}", "scripts have no floats"),
        ("helper() } fn helper() { #{ target: MOST }", "a constant of the script is `global::MOST`"),
        ("let f = |x| x + MOST; #{ target: f.call(1) }", "a constant of the script is `global::MOST`"),
        ("#{ target: [1].len..5 }", ""),
    ] {
        let script = format!("const MOST = 7;\nfn generate(rng, index, args) {{ {body} }}\n");
        let text = "engine = 'quento'\nboard = ['4+3', '-5-', '9-2']\ndigits = 2\nexpect.solutions = 1\n\
                    generate = { script = 's.rhai' }\n";
        let folder = folder(&[("a.toml", text.as_bytes()), ("s.rhai", script.as_bytes())]);
        let said = run(folder.path(), &["a.toml"], 3);
        assert!(said.contains(hint), "{body}: {said}");
        assert!(!hint.is_empty() || !said.contains("floats"), "{body}: {said}");
    }
}

/// Returns the fault of a board that a run reports: its code, its title, its place and the lines that it draws.
fn board_fault(said: &str) -> String {
    let start = said.find("error[board::").unwrap_or_else(|| panic!("no fault of a board: {said}"));
    let lines =
        said[start..].lines().take_while(|line| !line.is_empty() && !line.trim_start().starts_with("= "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn boards_of_games_have_the_faults_of_boards_everywhere() {
    let game = b"fn game() { #{ about: \"Tiles\", step: \"move\", moves: \"moves\",\n\
        keys: #{ board: #{ kind: \"board\", about: \"tiles\" }, moves: #{ kind: \"[int]\", about: \"moves\" } },\n\
        facts: #{ cells: #{ kind: \"int\", about: \"how many\" } } } }\n\
        fn setup(doc) { #{ board: doc.board } }\nfn legal(state) { [] }\nfn step(state, move) { state }\n\
        fn facts(state) { #{ cells: 1 } }\n";
    let boards = [
        ("board::ragged", "['1 2', '1']"),
        ("board::ragged", "[\n  '1 2', # two\n  '1 2 3',\n]"),
        ("board::ragged", "\"\"\"\n12\n\n12\n\"\"\""),
        ("board::ragged", "'''\r\n1,2,1\r\n  12\r\n1 2 1\r\n'''"),
        ("board::ragged", "\"1 2\\n1\""),
        ("board::empty", "''"),
        ("board::empty", "[]"),
        ("board::empty", "\"\"\"\n \t\n\"\"\""),
    ];
    for (code, board) in boards {
        let said = |engine: &str, more: &str| {
            let text = format!("engine = '{engine}'\nboard = {board}\n{more}");
            let folder = folder(&[("a.toml", text.as_bytes()), ("tiles.rhai", game)]);
            board_fault(&run(folder.path(), &["a.toml"], 3))
        };
        let own = said("tiles.rhai", "expect.cells = 1\n");
        assert!(own.starts_with(&format!("error[{code}]: ")) && own.contains("a.toml:"), "{board}\n{own}");
        assert_eq!(own, said("match3", "swaps = [[1, 1, 1, 2]]\nexpect.combo = 0\n"), "{board}");
        // A start that must be refused for it is.
        let text = format!("engine = 'tiles.rhai'\nboard = {board}\nexpect.error = '{code}'\n");
        let folder = folder(&[("a.toml", text.as_bytes()), ("tiles.rhai", game)]);
        run(folder.path(), &["a.toml"], 0);
    }
}

#[test]
fn a_game_without_an_example_says_so_where_one_is_asked_for() {
    let game = |example: &str| {
        format!(
            "fn game() {{ #{{ about: \"Heap\", step: \"take\", moves: \"takes\", {example}\n\
             keys: #{{ heap: #{{ kind: \"int\", about: \"how many\" }}, takes: #{{ kind: \"[int]\", about: \"t\" }} }},\n\
             facts: #{{ left: #{{ kind: \"int\", about: \"left\" }} }} }} }}\n\
             fn setup(doc) {{ #{{ left: if \"heap\" in doc {{ doc.heap }} else {{ 0 }} }} }}\n\
             fn legal(state) {{ [] }}\nfn step(state, take) {{ state }}\nfn facts(state) {{ state }}\n"
        )
    };
    let note = "# `game()` of the script has no `example`";
    for (example, says) in [("", true), ("example: #{ heap: 3 },", false)] {
        let folder = folder(&[("heap.rhai", game(example).as_bytes())]);
        let assert = rulebook().current_dir(folder.path()).args(["new", "heap.rhai"]).assert().success();
        let text = stdout(&assert);
        assert_eq!(text.contains(note), says, "{text}");
        fs::write(folder.path().join("made.toml"), &text).expect("a scenario");
        run(folder.path(), &["made.toml"], 0);
    }
}

#[test]
fn a_game_is_gone_with_the_scripts_of_its_run() {
    let path = root().join("scripts/games/lights-out.rhai");
    let games: Vec<_> = (0..3)
        .map(|_| {
            let scripts = Scripts::default();
            let game = scripts.game(&path, &Limits::default()).expect("a game");
            let again = scripts.game(&path, &Limits::default()).expect("a game");
            assert!(Arc::ptr_eq(&game, &again), "one run declares it once");
            Arc::downgrade(&game)
        })
        .collect();
    assert!(
        games.iter().all(|game| game.upgrade().is_none()),
        "nothing holds the game of a run that is over"
    );
}
