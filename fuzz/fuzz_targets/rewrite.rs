//! Formats and blesses any text: doing so twice is doing so once, and the games stay the same.

#![no_main]

use std::path::Path;
use std::sync::Arc;

use libfuzzer_sys::{Corpus, fuzz_target};
use rulebook::runner::Details;
use rulebook::scenario::{File, bless, format};
use rulebook::source::Source;
use rulebook::{CaseResult, Options};
use rulebook_fuzz::{PATH, run};

fn formatted(text: &str) -> Option<String> {
    format::formatted(&Source::new(PATH, text), &File::new(Path::new(PATH), &Arc::default())).ok()
}

/// Returns `text` with the values that its results call for, and the number of cases that stay wrong.
fn blessed(text: &str, results: &[CaseResult]) -> (String, usize) {
    let mut file = bless::File::default();
    results.iter().for_each(|result| file.add(result));
    let revised = file.revise(text);
    let parts = revised.revisions.iter().map(|revision| revision.part).collect();
    let left = revised.left.iter().filter(|left| !left.is_settled(&parts)).count();
    (revised.text(text, &parts).expect("TOML"), left)
}

fuzz_target!(|text: &str| -> Corpus {
    // A game without limits of size takes as long as its author likes.
    if text.contains("limits") {
        return Corpus::Reject;
    }
    let text = text.trim_start_matches('\u{feff}');
    let details = Details { facts: true, outcomes: true, blessing: true };
    let options = Options { jobs: 1, details, ..Options::default() };
    let before = run(text, &options);
    if let Some(once) = formatted(text).filter(|once| once != text) {
        assert_eq!(formatted(&once).as_ref(), Some(&once));
        let outcomes = |results: &[CaseResult]| {
            results.iter().map(|case| (case.line, case.verdict.word(), case.outcome)).collect::<Vec<_>>()
        };
        assert_eq!(outcomes(&run(&once, &options)), outcomes(&before));
    }
    let (once, left) = blessed(text, &before);
    if once != text {
        let after = run(&once, &options);
        assert_eq!(after.iter().filter(|case| case.verdict.word().is_bad()).count(), left);
        assert_eq!(blessed(&once, &after), (once, left));
    }
    Corpus::Keep
});
