use std::fs;
use std::path::Path;
use std::process::Command;

use super::{folder, has, report};

#[test]
fn nothing_in_it_is_markup_but_our_own() {
    let folder = folder();
    let text = report(folder.path(), "html", &["--signature"]);
    assert!(text.starts_with("<!DOCTYPE html>\n") && text.ends_with("</html>\n"));
    assert!(
        text.contains(
            "<h1 class=\"failed\">32 failed, 2 errored, 23 passed, 1 skipped (1 known failure) in "
        )
    );
    assert!(text.contains(
        "<summary><b>failed</b> ./a.toml::bad</summary>\n<pre>error[verdict::mismatch]: `solutions` is 3\n"
    ));
    assert_eq!(text.matches("<script>").count(), 1);
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &lt;!-- --&gt;"));
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    for outside in ["src=", "href=", "url(", "@import", "fetch("] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert_eq!(text.matches("<details").count(), 34);
}

/// The page as a browser has it after its scripts have run.
fn dom(browser: &str, page: &Path) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("a browser");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_browser_opens_it_and_filters() {
    let Some(browser) =
        ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| has(name, "--version"))
    else {
        return;
    };
    let folder = folder();
    let text = report(folder.path(), "html", &[]);
    let page = folder.path().join("report.html");
    fs::write(&page, &text).expect("a page");
    let opened = dom(browser, &page);
    assert!(opened.contains("<title>Rulebook: 32 failed"), "{opened}");
    assert_eq!(opened.matches("<details").count(), 34);
    assert_eq!(opened.matches("hidden=\"\"").count(), 0);
    // Somebody types into the box.
    let typed =
        "<script>box.value = 'FAILED made#3'; box.dispatchEvent(new Event('input'));</script>\n</body>";
    fs::write(&page, text.replace("</body>", typed)).expect("a page");
    let filtered = dom(browser, &page);
    let shown: Vec<_> =
        filtered.lines().filter(|line| line.contains("<details") && !line.contains("hidden=")).collect();
    // made#3, and made#31, made#33, made#35, made#37, made#39.
    assert_eq!(shown.len(), 6, "{shown:?}");
}
