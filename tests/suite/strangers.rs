//! Settings and suites of strangers: what they may make the program read, write and wait for.

use std::fs;
use std::path::Path;
use std::time::Duration;

use snapbox::cmd::OutputAssert;
use tempfile::TempDir;

use crate::command::{copy_folder, root, rulebook, stderr, stdout};

/// Scenarios as strangers write them: no comment, no blank line, one that fails.
const SUITE: &str = "[[scenario]]\nname='t'\nengine='quento'\nboard='''\n4+3\n-5-\n9-2'''\ntarget=7\ndigits=2\nexpect.solutions=2\nsummary=['solutions']";

/// Returns a directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        write(&directory.path().join(name), text);
    }
    directory
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, text).expect("a file");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

/// Calls the program in `directory`; who waits for a pipe is ended.
fn call(directory: &Path, args: &[&str]) -> OutputAssert {
    rulebook().current_dir(directory).timeout(Duration::from_mins(2)).args(args).assert()
}

/// The flags that write to a file, each with what is put before its path.
const OUTPUTS: &[(&str, &str)] = &[
    ("--report", "jsonl="),
    ("--report", "junit="),
    ("--report", "tap="),
    ("--report", "github="),
    ("--report", "html="),
    ("--report", "markdown="),
    ("--summary-json", ""),
];

#[test]
fn an_output_replaces_its_like_and_nothing_else() {
    let directory = directory(&[("a.toml", SUITE), ("other.tap", "TAP version 14\nok 1 - kept\n1..1\n")]);
    let here = directory.path();
    let args = |(flag, format): &(&'static str, &str), file: &str| {
        [*flag, &format!("{format}{file}")].map(str::to_owned)
    };
    let run = |output: &(&'static str, &str), file: &str, more: &[&str]| {
        let typed = args(output, file);
        let typed: Vec<_> = ["run", "a.toml"].into_iter().chain(typed.iter().map(String::as_str)).collect();
        call(here, &[&typed, more].concat())
    };
    for (number, output) in OUTPUTS.iter().enumerate() {
        let file = format!("new/{number}/out");
        // Directories are made, and a former output is replaced.
        run(output, &file, &[]).code(1);
        let first = read(&here.join(&file));
        assert!(!first.is_empty(), "{output:?}");
        run(output, &file, &["--name", "t"]).code(1);
        fs::write(here.join(&file), "").expect("an empty file");
        run(output, &file, &[]).code(1);
        assert!(!read(&here.join(&file)).is_empty(), "{output:?}");
    }
    let mut others: Vec<_> = [
        "export PATH=/bin\n",
        "{",
        "[",
        "[1, 2]",
        "\n",
        "<!DOCTYPE html>\n<html>\n",
        "TAP version 13\n1..0\n",
        "# Notes\n",
        "::warning file=a::b\n",
        "\u{feff}# Rulebook: 1 passed\n",
    ]
    .map(str::to_owned)
    .to_vec();
    others.extend((0..OUTPUTS.len()).map(|number| read(&here.join(format!("new/{number}/out")))));
    for (number, output) in OUTPUTS.iter().enumerate() {
        for (other, text) in others.iter().enumerate() {
            if other == others.len() - OUTPUTS.len() + number {
                continue;
            }
            fs::write(here.join("profile"), text).expect("a file");
            let kept = read(&here.join("other.tap"));
            let refused = run(output, "profile", &["--report", "tap=other.tap"]).code(2);
            let said = "error[usage::not-a-report]: `profile` is not a former output of this kind\n";
            assert!(stderr(&refused).starts_with(said), "{output:?} over {text:?}: {}", stderr(&refused));
            assert_eq!(stdout(&refused), "");
            assert_eq!(&read(&here.join("profile")), text, "{output:?}");
            assert_eq!(read(&here.join("other.tap")), kept, "nothing is emptied before all are looked at");
        }
        run(output, "profile", &["--force"]).code(1);
        assert!(!others[..10].contains(&read(&here.join("profile"))), "{output:?}");
    }
    let state = call(here, &["run", "a.toml", "--state", "other.tap", "--force"]).code(2);
    assert!(stderr(&state).contains("`other.tap` is not a rulebook state file"), "{}", stderr(&state));
    let resumed = call(here, &["run", "a.toml", "--resume", "other.tap", "--force"]).code(3);
    assert!(stderr(&resumed).contains("`other.tap`"), "{}", stderr(&resumed));
    assert!(read(&here.join("other.tap")).starts_with("TAP version 14\n"));
}

#[test]
fn merged_reports_replace_their_like_and_nothing_else() {
    let directory = directory(&[("a.toml", SUITE), ("profile", "export PATH=/bin\n")]);
    let here = directory.path();
    call(here, &["run", "a.toml", "--report", "jsonl=run.jsonl"]).code(1);
    let merge = |more: &[&str]| {
        call(here, &[&["report", "merge", "run.jsonl", "--report", "tap=profile"], more].concat())
    };
    assert!(stderr(&merge(&[]).code(2)).contains("error[usage::not-a-report]: `profile`"));
    assert_eq!(read(&here.join("profile")), "export PATH=/bin\n");
    merge(&["--force"]).code(1);
    merge(&[]).code(1);
    assert!(read(&here.join("profile")).starts_with("TAP version 14\n"));
}

#[cfg(unix)]
#[test]
fn a_link_hides_no_file_from_that() {
    use std::os::unix::fs::symlink;
    let directory = directory(&[("a.toml", SUITE), ("profile", "export PATH=/bin\n")]);
    let here = directory.path();
    symlink("profile", here.join("link")).expect("a link");
    symlink("link", here.join("links")).expect("a link");
    fs::hard_link(here.join("profile"), here.join("hard")).expect("a hard link");
    for name in ["link", "links", "hard", "./profile"] {
        let refused = call(here, &["run", "a.toml", "--report", &format!("tap={name}")]).code(2);
        assert!(stderr(&refused).contains("usage::not-a-report"), "{name}: {}", stderr(&refused));
        assert_eq!(read(&here.join("profile")), "export PATH=/bin\n", "{name}");
    }
}

/// The keys of a settings file that name outputs, as they name `path`.
fn keys(path: &str) -> [String; 4] {
    [
        format!("report=['tap={path}']\n"),
        format!("report=['jsonl','html={path}']\n"),
        format!("summary_json='{path}'\n"),
        format!("state='{path}'\n"),
    ]
}

/// All that is in a directory, links as such, but for the settings.
fn listed(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            found.push(path.display().to_string());
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(unix)]
#[test]
fn outputs_of_a_settings_file_stay_below_its_directory() {
    use std::os::unix::fs::symlink;
    let directory =
        directory(&[("suite/deep/a.toml", SUITE), ("away/profile", ""), ("suite/rulebook.toml", "")]);
    let here = directory.path().canonicalize().expect("its path");
    let suite = here.join("suite");
    symlink("../away", suite.join("out")).expect("a link");
    symlink("../away/new", suite.join("nowhere")).expect("a link");
    symlink("../away/profile", suite.join("file")).expect("a link");
    symlink("deep", suite.join("within")).expect("a link");
    write(&suite.join(".git/HEAD"), "");
    symlink(".git", suite.join("checkout")).expect("a link");
    let before = listed(&here);
    let scenarios = suite.join("deep/a.toml").display().to_string();
    let absolute = here.join("away/profile").display().to_string();
    let outside = [
        absolute.as_str(),
        "../away/profile",
        "../away/new",
        "../suite-2/new",
        "deep/../../away/new",
        "missing/../../away/new",
        "within/../../away/new",
        "out/new",
        "out/profile",
        "out/../away/new",
        "nowhere",
        "file",
        ".",
        "deep/..",
        ".git/hooks/post-checkout",
        "deep/../.git/new",
        "checkout/new",
    ];
    for path in outside {
        for key in keys(path) {
            fs::write(suite.join("rulebook.toml"), &key).expect("a file");
            for (place, more) in
                [("deep", &[][..]), ("", &["--force"]), ("../away", &["--config", "../suite/rulebook.toml"])]
            {
                let args = [&["run", &*scenarios], more].concat();
                let refused = call(&suite.join(place), &args).code(2);
                let said = stderr(&refused);
                assert!(
                    said.contains("error[config::outside]") || said.contains("usage::unwritable"),
                    "{key}: {said}"
                );
                assert_eq!(stdout(&refused), "");
                assert_eq!(listed(&here), before, "{key}");
                assert_eq!(read(&here.join("away/profile")), "", "{key}");
            }
        }
    }
    for path in ["new/out", "./deep/../new/out", "within/out", "missing/../new/out"] {
        for key in keys(path) {
            fs::write(suite.join("rulebook.toml"), &key).expect("a file");
            call(&suite.join("deep"), &["run", "a.toml"]).code(1);
            let real = if path.starts_with("within") { "deep/out" } else { "new/out" };
            assert!(!read(&suite.join(real)).is_empty(), "{key}");
            fs::remove_file(suite.join(real)).expect("the output");
        }
    }
    // The command line may name any path, also where the file names one.
    fs::write(suite.join("rulebook.toml"), "report=['tap=../x']").expect("a file");
    call(&suite.join("deep"), &["run", "a.toml", "--report", "tap=../../x"]).code(1);
    assert!(read(&here.join("x")).starts_with("TAP"));
}

#[cfg(unix)]
#[test]
fn what_settings_name_is_not_waited_for() {
    let directory = directory(&[("a.toml", SUITE)]);
    let here = directory.path();
    pipe(&here.join("pipe"));
    for key in keys("pipe") {
        fs::write(here.join("rulebook.toml"), &key).expect("a file");
        let said = stderr(&call(here, &["run", "a.toml"]).code(2));
        assert!(
            said.contains("it is not a regular file") || said.contains("`pipe` cannot be written"),
            "{said}"
        );
    }
    fs::remove_file(here.join("rulebook.toml")).expect("the settings");
    pipe(&here.join("rulebook.toml"));
    let said = stderr(&call(here, &["run", "a.toml"]).code(2));
    assert!(said.contains("error[config::unreadable]: `rulebook.toml` cannot be read"), "{said}");
    assert!(said.contains("it is not a regular file"), "{said}");
    call(here, &["run", "a.toml", "--no-config"]).code(1);
}

#[cfg(unix)]
fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo");
    assert!(made.success());
}

/// Only root can give a file away; `root` holds the rule itself.
#[cfg(unix)]
#[test]
fn settings_that_are_found_belong_to_the_user() {
    use std::os::unix::fs::{MetadataExt as _, chown, lchown, symlink};
    let directory = directory(&[
        ("deep/a.toml", SUITE),
        ("rulebook.toml", "quiet=true"),
        ("own.toml", "quiet=true"),
        (".git/HEAD", ""),
    ]);
    let here = directory.path();
    if fs::metadata(here).expect("a directory").uid() != 0 {
        return crate::writing::skipped("only root can give a file away");
    }
    let deep = here.join("deep");
    let refused = |file: &str| {
        let said = stderr(&call(&deep, &["run", "a.toml"]).code(2));
        assert!(
            said.starts_with(&format!("error[config::foreign]: `{file}` belongs to another user\n")),
            "{said}"
        );
        assert!(said.contains(&format!("`--config {file}` takes settings from it")), "{said}");
        call(&deep, &["run", "a.toml", "--config", file]).code(1);
        call(&deep, &["run", "a.toml", "--no-config"]).code(1);
    };
    chown(here.join("rulebook.toml"), Some(12345), None).expect("root");
    refused("../rulebook.toml");
    // A stranger's link to what is the user's own.
    symlink("../own.toml", deep.join("rulebook.toml")).expect("a link");
    call(&deep, &["run", "a.toml"]).code(1);
    lchown(deep.join("rulebook.toml"), Some(12345), None).expect("root");
    refused("rulebook.toml");
    // The user's link to what is a stranger's.
    lchown(deep.join("rulebook.toml"), Some(0), None).expect("root");
    chown(here.join("own.toml"), Some(12345), None).expect("root");
    refused("rulebook.toml");
}

#[test]
fn an_output_is_no_input_of_the_same_run() {
    let generator =
        "fn generate(rng, index, args) { #{ board: [\"4+3\", \"-5-\", \"9-2\"], target: 7, digits: 2 } }";
    let directory = directory(&[
        ("in.txt", "7 2\n4+3\n-5-\n9-2\n"),
        ("makes.txt", generator),
        (
            "suite/a.toml",
            "[[scenario]]\nengine='quento'\ninput_file='../in.txt'\nexpect.solutions=3\n[[scenario]]\nname='g'\nengine='quento'\ngenerate={script='../makes.txt'}\nexpect.solutions=3",
        ),
        ("rulebook.toml", ""),
    ]);
    let here = directory.path();
    for (flag, format) in OUTPUTS {
        for input in ["in.txt", "makes.txt"] {
            let before = read(&here.join(input));
            let output = format!("{format}{input}");
            let run = |more: &[&str]| call(here, &[&["run", "suite", flag, &output], more].concat()).code(2);
            assert!(stderr(&run(&[])).contains("error[usage::not-a-report]"));
            let said = stderr(&run(&["--force"]));
            assert!(
                said.contains(&format!(
                    "error[usage::one-output]: `{input}` is both an input and an output\n"
                )),
                "{said}"
            );
            assert_eq!(read(&here.join(input)), before);
        }
    }
    let said = stderr(&call(here, &["run", "-", "--force"]).code(2));
    assert!(said.contains("`--force` is not for standard input"), "{said}");
}

/// A generator of the base case, the input of one, and a game that is none: each with a word that nobody is to read.
const SECRET: &str = "hunter2 7 2\n4+3\n-5-\n9-2\n";

const GENERATOR: &str =
    "fn generate(rng, index, args) { #{ board: [\"4+3\", \"-5-\", \"9-2\"], target: 7, digits: 2 } }";

const INPUT: &str = "7 2\n4+3\n-5-\n9-2\n";

#[test]
fn the_root_of_a_suite_is_where_users_expect_it() {
    // What is there beside the suite's files, where the program is called, the scenario file, what it names, and
    // whether that is within reach.
    let table: &[(&[&str], &str, &str, &str, bool)] = &[
        // The working directory.
        (&[], "p", "p/tests/a.toml", "../in.txt", true),
        (&[], "p", "p/tests/a.toml", "../sub/in.txt", true),
        (&[], "p", "p/tests/a.toml", "../../in.txt", false),
        (&[], "p/tests", "p/tests/a.toml", "../in.txt", false),
        (&[], "p/tests", "p/tests/a.toml", "in.txt", true),
        (&[], "p/tests", "p/tests/a.toml", "../tests/./sub/../in.txt", true),
        // Called from elsewhere: the file's own directory.
        (&[], "q", "p/tests/a.toml", "in.txt", true),
        (&[], "q", "p/tests/a.toml", "sub/in.txt", true),
        (&[], "q", "p/tests/a.toml", "../in.txt", false),
        // The directory that holds `scenarios`.
        (&[], "q", "p/scenarios/deep/a.toml", "../../in.txt", true),
        (&[], "p/scenarios/deep", "p/scenarios/deep/a.toml", "../../in.txt", true),
        (&[], "q", "p/scenarios/deep/a.toml", "../../../in.txt", false),
        (&[], "q", "p/scenarios.toml", "../in.txt", false),
        // A settings file: the one in force, and otherwise the nearest above.
        (&["p/rulebook.toml"], "p/tests", "p/tests/a.toml", "../in.txt", true),
        (&["p/rulebook.toml"], "q", "p/tests/a.toml", "../in.txt", true),
        (&["p/rulebook.toml"], "q", "p/tests/a.toml", "../../in.txt", false),
        (&["p/rulebook.toml", "p/tests/rulebook.toml"], "p", "p/tests/a.toml", "../in.txt", true),
        (&["p/rulebook.toml", "p/tests/rulebook.toml"], "q", "p/tests/a.toml", "../in.txt", false),
        (&["p/scenarios/rulebook.toml"], "p", "p/scenarios/a.toml", "../in.txt", false),
        // A checkout.
        (&["p/.git/HEAD"], "q", "p/deep/er/a.toml", "../../in.txt", true),
        (&["p/.git/HEAD"], "q", "p/deep/er/a.toml", "../../../in.txt", false),
        (&["p/.git/HEAD"], "p/deep/er", "p/deep/er/a.toml", "../../in.txt", true),
        (&["p/.git/HEAD", "p/deep/rulebook.toml"], "q", "p/deep/er/a.toml", "../../in.txt", false),
        // What is hidden.
        (&["p/.git/HEAD"], "p", "p/tests/a.toml", "../.git/in.txt", false),
        (&[], "p", "p/tests/a.toml", ".in.txt", false),
        (&[], "p", "p/tests/a.toml", "../.ssh/in.txt", false),
        (&[], ".p", ".p/tests/a.toml", "in.txt", true),
        (&[], "", ".p/tests/a.toml", "in.txt", true),
        (&[], "", ".p/tests/a.toml", "../in.txt", false),
    ];
    for (markers, called, file, named, expected) in table {
        let directory = directory(&[("q/x", ""), ("p/x", "")]);
        let here = directory.path().canonicalize().expect("its path");
        for marker in *markers {
            write(&here.join(marker), "");
        }
        let file = here.join(file);
        let above = file.parent().expect("a directory");
        write(&file, "");
        write(&above.join("sub/x"), "");
        // Directories of a path with `..` are there.
        write(&above.join(named), INPUT);
        let engine = "engine='quento'\n";
        fs::write(above.join("in.rhai"), "").expect("a file");
        let script = named.replace(".txt", ".rhai");
        write(&above.join(&script), GENERATOR);
        let texts = [
            format!("{engine}input_file='{named}'\nexpect.solutions=3"),
            format!("{engine}generate={{script='{script}'}}\nexpect.solutions=3"),
        ];
        for text in &texts {
            fs::write(&file, text).expect("a file");
            let code = if *expected { 0 } else { 3 };
            let path = file.display().to_string();
            let run = call(&here.join(called), &["run", &path]).code(code);
            let said = stdout(&run);
            assert_eq!(
                said.contains("error[scenario::outside]"),
                !expected,
                "{markers:?} {called} {text}: {said}"
            );
            call(&here.join(called), &["run", &path, "--allow-outside"]).code(0);
        }
    }
}

#[test]
fn the_shipped_suite_runs_from_everywhere_without_settings() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let here = directory.path().canonicalize().expect("its path");
    for part in ["scenarios", "scripts"] {
        copy_folder(&root().join(part), &here.join(part));
    }
    let path = |path: &str| here.join(path).display().to_string();
    for (called, named) in [
        ("", "scenarios".to_owned()),
        ("", path("scenarios")),
        ("scenarios", "scripted".to_owned()),
        ("scenarios", "..".to_owned()),
        ("scripts", "../scenarios/scripted/quento.toml".to_owned()),
        ("scenarios/scripted", "lights-out.toml".to_owned()),
        ("scenarios/scripted", ".".to_owned()),
        ("/", path("scenarios")),
        ("/", path("scenarios/scripted/lights-out.toml")),
        ("/", path("scenarios/*/quento.toml")),
    ] {
        call(&here.join(called), &["list", &named]).code(0);
    }
    // In a checkout so do the scenarios of the pages, which lie in no `scenarios`.
    copy_folder(&root().join("docs"), &here.join("docs"));
    fs::create_dir(here.join(".git")).expect("a directory");
    call(Path::new("/"), &["list", &path("docs/balance.toml")]).code(0);
    call(&here.join("docs"), &["list", "balance.toml"]).code(0);
}

/// Scenarios that name the file `PATH` in every way that there is.
const NAMES_IT: &str = "engine='quento'\n[[scenario]]\ninput_file='PATH'\n[[scenario]]\ngenerate={script='PATH'}\n[[scenario]]\nboard=['4+3','-5-','9-2']\ntarget=7\ndigits=2\ncheck={script='PATH'}\n[[scenario]]\nboard=['4+3','-5-','9-2']\ntarget=7\ndigits=2\nplay={script='PATH'}\n[[scenario]]\nengine='GAME'\nx=1\n[[scenario]]\ngenerate={script='names.rhai',args={path='PATH'}}\n[[scenario]]\ngenerate={script='imports.rhai'}\n";

#[cfg(unix)]
#[test]
fn what_a_suite_may_not_read_is_never_printed() {
    use std::os::unix::fs::symlink;
    let directory = directory(&[
        ("home/secret", SECRET),
        ("home/secret.rhai", SECRET),
        ("home/secret.toml", SECRET),
        ("home/.netrc", SECRET),
        ("home/suite/names.rhai", "fn generate(rng, index, args) { #{ input_file: args.path } }"),
        ("home/suite/imports.rhai", "import \"module\" as m; fn generate(rng, index, args) { #{} }"),
        ("home/suite/.env", SECRET),
        ("home/suite/.env.rhai", SECRET),
    ]);
    let home = directory.path().join("home").canonicalize().expect("its path");
    let suite = home.join("suite");
    symlink("../secret", suite.join("link")).expect("a link");
    symlink("../secret.rhai", suite.join("link.rhai")).expect("a link");
    symlink("../secret.rhai", suite.join("module.rhai")).expect("a link");
    symlink("link.rhai", suite.join("links.rhai")).expect("a link");
    symlink("..", suite.join("up")).expect("a link");
    symlink("/", suite.join("all")).expect("a link");
    let absolute = home.join("secret").display().to_string();
    let through = format!("all{absolute}");
    for path in ["../secret", "./../secret", "up/secret", "link", ".env", "up/.netrc", &absolute, &through] {
        for game in ["../secret.rhai", "link.rhai", "links.rhai", "up/secret.rhai", ".env.rhai"] {
            let text = NAMES_IT.replace("PATH", path).replace("GAME", game);
            fs::write(suite.join("a.toml"), &text).expect("a file");
            fs::write(suite.join("rulebook.toml"), "").expect("a file");
            let run = ["run", "a.toml", "--report", "jsonl=r.jsonl", "--report", "html=r.html", "--verbose"];
            let outcomes = [
                call(&suite, &run),
                call(&suite, &["check", "a.toml"]),
                call(&suite, &["list", "a.toml"]),
                call(&suite, &["expand", "a.toml"]),
                call(&suite, &["replay", "a.toml:2"]),
                call(&suite, &["export", "a.toml", "pairs"]),
                call(&suite, &["fmt", "a.toml"]),
            ];
            let mut said: Vec<_> =
                outcomes.iter().flat_map(|outcome| [stdout(outcome), stderr(outcome)]).collect();
            said.extend(["r.jsonl", "r.html"].map(|report| read(&suite.join(report))));
            let said = said.join("\n");
            assert!(said.contains("scenario::outside") && !said.contains("hunter2"), "{path} {game}: {said}");
            let refused = said.lines().filter(|line| line.starts_with("7 errored")).count();
            assert!(refused >= 2, "{path} {game}: {said}");
        }
    }
    fs::remove_file(suite.join("a.toml")).expect("the scenarios");
    // Nor is it by a link to it that is called like scenarios.
    symlink("../secret.toml", suite.join("b.toml")).expect("a link");
    write(&home.join("other/c.toml"), SECRET);
    symlink("../other", suite.join("other")).expect("a link");
    let said = stdout(&call(&suite, &["run", "."]).code(3));
    assert!(said.contains("error[suite::outside]: `./b.toml` is out of reach of the suite"), "{said}");
    assert!(said.contains("error[suite::outside]: `./other` is out of reach of the suite"), "{said}");
    assert!(said.contains("expected a file below `.`") && !said.contains("hunter2"), "{said}");
    write(&suite.join("pairs/1.out"), "1\n0 0\n0 1\n0 2\n");
    symlink("../../secret", suite.join("pairs/1.in")).expect("a link");
    let imported = call(&suite, &["import", "quento", "pairs"]).code(3);
    let said = stdout(&imported) + stderr(&imported).as_str();
    assert!(said.contains("suite::outside") && !said.contains("hunter2"), "{said}");
    // The user may name it, and allow it.
    assert!(stdout(&call(&suite, &["run", "b.toml"]).code(3)).contains("hunter2"));
    assert!(stdout(&call(&suite, &["run", "other"]).code(3)).contains("hunter2"));
    let allowed = stdout(&call(&suite, &["run", ".", "--allow-outside"]).code(3));
    assert_eq!(allowed.matches("hunter2 7 2").count(), 2, "{allowed}");
}

#[cfg(unix)]
#[test]
fn what_scenarios_name_is_not_waited_for() {
    let directory = directory(&[("a.toml", &NAMES_IT.replace("PATH", "pipe").replace("GAME", "pipe.rhai"))]);
    let here = directory.path();
    write(&here.join("names.rhai"), "fn generate(rng, index, args) { #{ input_file: args.path } }");
    write(&here.join("imports.rhai"), "import \"module\" as m; fn generate(rng, index, args) { #{} }");
    for name in ["pipe", "pipe.rhai", "module.rhai", "b.toml"] {
        pipe(&here.join(name));
    }
    let said = stdout(&call(here, &["run", "."]).code(3));
    assert!(said.contains("\n8 errored in "), "{said}");
    assert!(said.matches("it is not a regular file").count() >= 6, "{said}");
    for device in ["/dev/zero", "/dev/tty", "/dev"] {
        fs::write(here.join("a.toml"), format!("engine='quento'\ninput_file='{device}'")).expect("a file");
        let said = stdout(&call(here, &["run", "a.toml", "--allow-outside"]).code(3));
        assert!(said.contains("scenario::unreadable-input"), "{said}");
    }
    // What the user names on the command line is another matter.
    let text = format!("{SUITE}\n");
    let piped = rulebook()
        .current_dir(here)
        .args(["run", "/dev/stdin", "--summary", "solutions"])
        .stdin(text)
        .assert();
    assert!(stdout(&piped.code(1)).contains("1 failed"));
}

#[test]
fn a_suite_cannot_allow_itself_more() {
    let directory = directory(&[
        ("in.txt", INPUT),
        ("suite/a.toml", "engine='quento'\ninput_file='../in.txt'\nexpect.solutions=3"),
        ("suite/rulebook.toml", "allow_outside=true"),
        ("ci.toml", "allow_outside=true"),
    ]);
    let suite = directory.path().join("suite");
    let said = stderr(&call(&suite, &["run", "a.toml"]).code(2));
    assert!(
        said.contains("error[config::outside]: `allow_outside` is not for a settings file that is found"),
        "{said}"
    );
    call(&suite, &["run", "a.toml", "--config", "rulebook.toml"]).code(0);
    call(&suite, &["check", "a.toml", "--config", "../ci.toml"]).code(0);
    fs::write(suite.join("rulebook.toml"), "").expect("a file");
    call(&suite, &["run", "a.toml"]).code(3);
    call(&suite, &["run", "a.toml", "--allow-outside"]).code(0);
    call(&suite, &["replay", "a.toml", "--allow-outside"]).code(0);
    rulebook()
        .current_dir(&suite)
        .env("RULEBOOK_ALLOW_OUTSIDE", "1")
        .args(["run", "a.toml"])
        .assert()
        .code(0);
}

#[cfg(unix)]
#[test]
fn paths_of_a_settings_file_stay_below_its_directory() {
    use std::os::unix::fs::symlink;
    let directory = directory(&[("away/a.toml", SUITE), ("suite/b.toml", SUITE)]);
    let here = directory.path().canonicalize().expect("its path");
    let suite = here.join("suite");
    symlink("../away", suite.join("link")).expect("a link");
    pipe(&suite.join("pipe.toml"));
    let absolute = here.join("away").display().to_string();
    for path in
        ["../away", "../away/a.toml", "../away/*.toml", "../away/a.toml::t", "link", "link/a.toml", &absolute]
    {
        fs::write(suite.join("rulebook.toml"), format!("paths=['b.toml','{path}']")).expect("a file");
        for command in ["run", "check", "list", "fmt"] {
            let said = stderr(&call(&suite, &[command]).code(2));
            assert!(said.contains("error[config::outside]"), "{command} {path}: {said}");
        }
        call(&suite, &["run", "../away"]).code(1);
        call(&suite, &["run", "--allow-outside"]).code(1);
    }
    for path in ["pipe.toml", "-"] {
        fs::write(suite.join("rulebook.toml"), format!("paths=['{path}']")).expect("a file");
        let said = stderr(&call(&suite, &["run"]).code(2));
        assert!(said.contains("expected a regular file or a directory"), "{said}");
    }
}

/// A link that somebody else made leads the settings of a run to nothing that is its user's own business.
#[cfg(unix)]
#[test]
fn a_settings_file_that_links_elsewhere_is_refused_and_not_quoted() {
    use std::os::unix::fs::symlink;
    let targets = ["../home/notes", "../home/.netrc", ".secret", "sub/.env"];
    for target in targets {
        let directory = directory(&[
            ("repo/a.toml", SUITE),
            ("repo/.git/HEAD", ""),
            ("repo/sub/.env", "machine password hunter2\n"),
            ("repo/.secret", "machine password hunter2\n"),
            ("home/notes", "machine password hunter2\n"),
            ("home/.netrc", "machine password hunter2\n"),
        ]);
        let here = directory.path().join("repo");
        symlink(target, here.join("rulebook.toml")).expect("a link");
        let refused = call(&here, &["run", "a.toml"]).code(2);
        let said = stderr(&refused);
        assert!(said.contains("error[config::outside]: `rulebook.toml` links to"), "{target}: {said}");
        assert!(!said.contains("hunter2") && !said.contains("machine"), "{target}: {said}");
        call(&here, &["run", "a.toml", "--no-config"]).code(1);
    }
    let directory =
        directory(&[("repo/a.toml", SUITE), ("repo/.git/HEAD", ""), ("repo/sub/s.toml", "quiet = true\n")]);
    let here = directory.path().join("repo");
    symlink("sub/s.toml", here.join("rulebook.toml")).expect("a link");
    call(&here, &["run", "a.toml"]).code(1);
}
