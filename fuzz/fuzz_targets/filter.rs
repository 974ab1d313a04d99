//! Parses any text as a filter: it takes a scenario exactly when its negation does not.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebook::identity::Name;
use rulebook::scenario::Candidate;
use rulebook::scenario::filter::Filter;

fuzz_target!(|text: &str| match Filter::parse(text, "filter") {
    Err(fault) => assert!(!fault.draw(false).is_empty()),
    Ok(filter) => {
        // One level deeper may be too deep.
        let Ok(negation) = Filter::parse(&format!("not ({text}\n)"), "negation") else { return };
        for (name, engine) in [("a.b c", Some("quento")), ("", Some("")), ("line 7", None)] {
            let name = Name::parse(name);
            let tags = ["slow".to_owned()];
            let scenario = Candidate { file: "a/b.toml", name: &name, line: 7, engine, tags: &tags };
            assert_ne!(filter.takes(&scenario), negation.takes(&scenario));
        }
    }
});
