use super::{folder, report};

#[test]
fn it_shows_the_files_and_the_failures_in_fences() {
    let folder = folder();
    let text = report(folder.path(), "markdown", &[]);
    assert!(
        text.starts_with("# Rulebook: 32 failed, 2 errored, 23 passed, 1 skipped (1 known failure)\n"),
        "{text}"
    );
    assert!(text.contains("| <code>./a.toml</code> | 3 | 1 | 1 | 1 |\n"), "{text}");
    assert!(
        text.contains("\n## Failed: <code>./a.toml&#58;&#58;bad</code>\n\n```text\nerror[verdict::mismatch]")
    );
    // Outside fences there is no markup but our own.
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = line.strip_suffix("text"),
            None => {
                let plain = line.replace("<code>", "").replace("</code>", "");
                assert!(!plain.contains(['<', '`', '*', '[', '~']), "{line}");
            }
        }
    }
    assert!(fence.is_none());
}

#[test]
fn it_fits_into_the_summary_of_a_job() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = super::QUENTO.to_owned();
    for i in 0..3000 {
        text += &format!("\n[[scenario]]\nname = 'case {i}'\nexpect.solutions = 2\n");
    }
    std::fs::write(folder.path().join("many.toml"), text).expect("a file");
    let call = |format: &str| {
        let run =
            crate::command::rulebook().current_dir(folder.path()).args(["run", ".", "--report", format]);
        crate::command::stdout(&run.assert().code(1))
    };
    let markdown = call("markdown");
    assert!(markdown.len() < 1 << 20, "{} bytes", markdown.len());
    let shown = markdown.matches("\n## Failed: ").count();
    assert!(shown > 500, "{shown}");
    assert!(markdown.ends_with(&format!("\n… and {} more failures that are left out here\n", 3000 - shown)));
    let html = call("html");
    assert_eq!(html.matches("<details").count(), 1000);
    assert!(html.contains("<p>… and 2000 more failures that this page leaves out.</p>"));
    assert!(html.contains("<td>./many.toml</td><td class=\"number\">0</td><td class=\"number\">3000</td>"));
}
