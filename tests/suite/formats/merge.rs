use std::fs;
use std::path::Path;

use snapbox::cmd::OutputAssert;

use super::{folder, report, timeless};
use crate::command::{rulebook, stderr, stdout};

fn merge(folder: &Path, args: &[&str]) -> OutputAssert {
    rulebook().current_dir(folder).args(["report", "merge"]).args(args).assert()
}

/// The folder of all, and in it the reports `1` to `3` of the shards of its run; the report of a whole run.
fn three() -> (tempfile::TempDir, String) {
    let folder = folder();
    let whole = report(folder.path(), "jsonl", &["--signature"]);
    for shard in 1..=3 {
        let part = report(folder.path(), "jsonl", &["--signature", "--shard", &format!("{shard}/3")]);
        assert!((4..whole.lines().count() - 4).contains(&part.lines().count()), "{part}");
        fs::write(folder.path().join(shard.to_string()), part).expect("a report");
    }
    (folder, whole)
}

#[test]
fn the_shards_together_are_the_whole_run() {
    let (folder, whole) = three();
    for order in [["1", "2", "3"], ["3", "1", "2"]] {
        for format in ["jsonl", "junit", "tap", "github", "markdown"] {
            let merged = merge(folder.path(), &[&order[..], &["--report", format]].concat()).code(3);
            assert!(!stderr(&merged).contains("[report::"), "{}", stderr(&merged));
            let run = report(folder.path(), format, &["--signature"]);
            assert_eq!(timeless(&stdout(&merged)), timeless(&run), "{format}");
        }
    }
    let signature =
        whole.rsplit_once("\"signature\":\"").and_then(|(_, rest)| rest.split_once('"')).expect("one").0;
    let people = merge(folder.path(), &["1", "2", "3", "--signature", "--slowest", "1"]).code(3);
    let text = stdout(&people);
    assert!(text.starts_with("FAILED ./a.toml::bad\nerror[verdict::mismatch]: `solutions` is 3\n"), "{text}");
    assert!(text.contains(&format!("\nsignature {signature}\n")), "{text}");
    assert!(text.contains("\n32 failed, 2 errored, 23 passed, 1 skipped (1 known failure) in "), "{text}");
}

#[test]
fn some_of_many_failures_are_drawn() {
    let (folder, _) = three();
    let drawn = |args: &[&str]| {
        let said = stdout(&merge(folder.path(), &[&["1", "2", "3", "--quiet"], args].concat()).code(3));
        let cases =
            said.lines().filter(|line| line.starts_with("FAILED ") || line.starts_with("ERROR ")).count();
        (cases, said.lines().last().unwrap_or_default().to_owned())
    };
    assert_eq!(drawn(&[]).0, 34);
    let (cases, last) = drawn(&["--draw", "33"]);
    assert_eq!(cases, 33);
    assert!(last.starts_with("1 case more did not pass and is not drawn: `--draw N`"), "{last}");
    let (cases, last) = drawn(&["--draw", "0"]);
    assert_eq!(cases, 0);
    assert!(last.starts_with("34 cases more did not pass and are not drawn"), "{last}");
}

#[test]
fn html_of_shards_is_that_of_the_run() {
    let (folder, _) = three();
    let merged = merge(folder.path(), &["1", "2", "3", "--report", "html=all.html"]).code(3);
    assert!(stdout(&merged).contains("32 failed, 2 errored"));
    let strip = |page: &str| timeless(page).split("<h2>Slowest</h2>").next().map(str::to_owned);
    let page = fs::read_to_string(folder.path().join("all.html")).expect("the page");
    assert_eq!(strip(&page), strip(&report(folder.path(), "html", &["--signature"])));
}

#[test]
fn what_is_wrong_with_reports_is_drawn() {
    let (folder, whole) = three();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("half", &whole[..whole.len() * 2 / 3]);
    let lines: Vec<_> = whole.lines().collect();
    write("cut", &format!("{}\n", lines[..5].join("\n")));
    write("newer", &whole.replacen("\"format\":1", "\"format\":2", 1));
    write("other", &whole.replacen("\"shard\":null", "\"shard\":[1,4]", 1));
    write("odd", &whole.replacen("\"verdict\":\"failed\"", "\"verdict\":\"lost\"", 1));
    write("twice", &format!("{whole}{whole}"));
    write("plain", &report(folder.path(), "jsonl", &[]));
    write("empty", "");
    let says = |args: &[&str]| stderr(&merge(folder.path(), args).code(3));
    let faults = |args: &[&str]| {
        let text = says(args);
        let codes = text.lines().filter_map(|line| line.strip_prefix("error[")?.split_once("]: "));
        codes.map(|(code, title)| (code.to_owned(), title.to_owned())).collect::<Vec<_>>()
    };
    let one = |args: &[&str], code: &str, title: &str| {
        assert_eq!(faults(args), [(format!("report::{code}"), title.to_owned())], "{args:?}");
    };
    one(&["1", "3"], "missing-shard", "1 shard of 3 is missing");
    assert!(says(&["1", "3"]).contains("no report is of `2/3`"));
    one(&["2"], "missing-shard", "2 shards of 3 are missing");
    one(&["half"], "cut-off", "`half` ends in the middle of a line");
    one(&["cut"], "cut-off", "`cut` ends without a summary");
    assert!(says(&["cut"]).contains(" --> cut:5:1\n"), "{}", says(&["cut"]));
    one(&["newer"], "newer-format", "`newer` is of format 2");
    one(&["odd"], "bad-line", "`odd` has a line that is not one of a report");
    assert!(says(&["odd"]).contains(" --> odd:3:1\n"), "{}", says(&["odd"]));
    one(&["twice"], "bad-line", "`twice` goes on behind its summary");
    one(&["a.toml"], "no-report", "`a.toml` is no report in JSON Lines");
    one(&["empty"], "no-report", "`empty` is empty");
    one(&["nowhere"], "unreadable", "`nowhere` cannot be read");
    assert!(
        faults(&["1", "2", "3", "1"])
            .contains(&("report::same-shard".into(), "shard 1/3 is there twice".into()))
    );
    let twice: Vec<_> =
        faults(&["1", "2", "3", "1"]).into_iter().filter(|(code, _)| code == "report::same-case").collect();
    assert_eq!(twice.len(), 6);
    assert!(twice[0].1.ends_with("` is in two reports"), "{twice:?}");
    assert!(twice[5].1.ends_with(" more cases are in two reports"), "{twice:?}");
    assert!(
        faults(&["1", "2", "3", "other"])
            .contains(&("report::other-shards".into(), "`other` is of one of 4 shards".into()))
    );
    one(&["plain", "--signature"], "no-signature", "the reports have no hashes to make a signature of");
    write("huge", &whole.replacen("\"index\":0", "\"index\":18446744073709551615", 1));
    assert_eq!(faults(&["huge", "--signature"]), []);
    // What can be read is told all the same.
    let cut = stdout(&merge(folder.path(), &["cut", "--report", "tap"]).code(3));
    assert!(cut.ends_with("\n1..5\n") && cut.contains("\nnot ok 5 - merged reports\n"), "{cut}");
    let html = stdout(&merge(folder.path(), &["1", "3", "--report", "html"]).code(3));
    assert!(html.contains("1 shard of 3 is missing"), "the page alone says what is wrong");
    let less: Vec<_> = whole.lines().filter(|line| !line.contains("\"verdict\":\"errored\"")).collect();
    write("less", &format!("{}\n", less.join("\n")));
    one(&["less"], "bad-line", "the cases of `less` do not add up to its summary");
    let same = merge(folder.path(), &["1", "2", "3", "--report", "jsonl=2"]).code(2);
    assert!(stderr(&same).contains("error[usage::one-output]: `2` is both an input and an output\n"));
    assert_eq!(stderr(&merge(folder.path(), &["1", "2", "3"]).code(3)), "", "`2` is as it was");
}

#[test]
fn no_report_is_written_over_that_is_read() {
    let (folder, _) = three();
    let second = folder.path().join("2");
    let text = fs::read_to_string(&second).expect("a report");
    fs::create_dir(folder.path().join("inner")).expect("a folder");
    let mut others = vec!["./2".to_owned(), "inner/../2".to_owned(), second.display().to_string()];
    fs::hard_link(&second, folder.path().join("hard")).expect("a link");
    others.push("hard".to_owned());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("2", folder.path().join("soft")).expect("a link");
        others.push("soft".to_owned());
    }
    for other in others {
        for (read, written) in [("2", &*other), (&other, "2")] {
            let said =
                merge(folder.path(), &["1", read, "3", "--report", &format!("jsonl={written}")]).code(2);
            let title = format!("error[usage::one-output]: `{written}` is both an input and an output\n");
            assert!(stderr(&said).contains(&title), "{}", stderr(&said));
        }
    }
    let redirected = std::process::Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(folder.path())
        .args(["report", "merge", "1", "-", "3", "--report", "jsonl=2"])
        .stdin(fs::File::open(&second).expect("a report"))
        .output()
        .expect("the binary");
    assert_eq!(redirected.status.code(), Some(2), "{redirected:?}");
    let fault = rulebook()
        .current_dir(folder.path())
        .args(["report", "merge", "1", "2", "3", "--report", "tap=a", "--report", "jsonl=./a"])
        .assert()
        .code(2);
    assert!(stderr(&fault).contains("two reports go to `./a`"), "{}", stderr(&fault));
    assert_eq!(fs::read_to_string(&second).expect("a report"), text);
}

#[test]
fn the_standing_reports_are_those_of_runs() {
    let (folder, _) = three();
    fs::write(folder.path().join("rulebook.toml"), "report = [\"tap=all.tap\"]\nquiet = true\n")
        .expect("a file");
    assert!(!stdout(&merge(folder.path(), &["1", "2", "3"]).code(3)).contains("32 failed"));
    assert!(!folder.path().join("all.tap").exists());
    rulebook().current_dir(folder.path()).args(["run", "a.toml"]).assert().code(3);
    assert!(folder.path().join("all.tap").exists());
}

#[test]
fn a_merged_report_ends_as_its_run_does() {
    let folder = folder();
    let code = |args: &[&str], code| {
        let run =
            rulebook().current_dir(folder.path()).args(["run", "a.toml", "--report", "jsonl=r"]).args(args);
        run.assert().code(code);
        merge(folder.path(), &["r", "--quiet"]).code(code)
    };
    assert_eq!(stdout(&code(&["--name", "good"], 0)), "");
    code(&["--name", "bad"], 1);
    code(&["--name", "broken"], 3);
    code(&["--name", "nothing"], 4);
}
