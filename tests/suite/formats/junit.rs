use std::fs;
use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{HARD_NAMES, folder, has, report};
use crate::command::root;

#[test]
fn the_schema_accepts_it() {
    let folder = folder();
    let text = report(folder.path(), "junit", &["--signature"]);
    if !has("xmllint", "--version") {
        return;
    }
    let schema = root().join("tests/suite/formats/junit.xsd");
    let accepts = |text: &str| {
        let path = folder.path().join("report.xml");
        fs::write(&path, text).expect("a file");
        let lint = Command::new("xmllint").args(["--noout", "--schema"]).arg(&schema).arg(&path).output();
        let lint = lint.expect("xmllint");
        (lint.status.success(), String::from_utf8_lossy(&lint.stderr).into_owned())
    };
    let (good, said) = accepts(&text);
    assert!(good, "{said}");
    for (from, to) in [("<failure", "<flop"), (" line=", " row="), ("tests=", "test=")] {
        assert!(!accepts(&text.replace(from, to)).0, "`{to}` is accepted");
    }
}

#[test]
fn another_crate_reads_it() {
    let folder = folder();
    let text = report(folder.path(), "junit", &[]);
    let read = quick_junit::Report::deserialize_from_str(&text).expect("a report");
    assert_eq!((read.tests, read.failures, read.errors, read.skipped), (6 + HARD_NAMES + 41, 32, 2, 1));
    let suite = &read.test_suites[0];
    assert_eq!((suite.name.as_str(), suite.tests), ("./a.toml", 6));
    let bad = suite.test_cases.iter().find(|case| case.name.as_str() == "bad").expect("the case");
    let quick_junit::TestCaseStatus::NonSuccess { kind, message, ty, description, .. } = &bad.status else {
        panic!("{bad:?}");
    };
    assert_eq!(*kind, quick_junit::NonSuccessKind::Failure);
    assert_eq!(message.as_deref(), Some("`solutions` is 3"));
    assert_eq!(ty.as_deref(), Some("verdict::mismatch"));
    assert!(description.as_ref().is_some_and(|text| text.contains("^ expected 2")));
}

/// An element of a report.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn get(&self, key: &str) -> &str {
        self.attributes.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }
}

/// Every element, in the order of their beginnings.
fn elements(text: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(text);
    let mut all: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        match reader.read_event().expect("XML") {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let (tag, childless) = match event {
                    Event::Empty(tag) => (tag, true),
                    Event::Start(tag) => (tag, false),
                    _ => unreachable!("an element begins"),
                };
                let attribute = |attribute: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
                    let attribute = attribute.expect("an attribute");
                    let value = quick_xml::escape::unescape(&attribute.value).expect("a value").into_owned();
                    (attribute.key.as_ref().to_owned(), value)
                };
                all.push(Element {
                    name: tag.name().as_ref().to_owned(),
                    attributes: tag.attributes().map(attribute).collect(),
                    text: String::new(),
                });
                if !childless {
                    open.push(all.len() - 1);
                }
            }
            Event::End(_) => drop(open.pop()),
            Event::Text(text) => {
                if let Some(&last) = open.last() {
                    all[last].text += &text;
                }
            }
            Event::GeneralRef(entity) => {
                let entity = format!("&{};", &*entity);
                if let Some(&last) = open.last() {
                    all[last].text += &quick_xml::escape::unescape(&entity).expect("an entity");
                }
            }
            Event::Eof => return all,
            _ => {}
        }
    }
}

#[test]
fn it_holds_every_case_with_its_place() {
    let folder = folder();
    let text = report(folder.path(), "junit", &[]);
    let fit = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(fit), "XML 1.0 cannot hold a character");
    let elements = elements(&text);
    let named = |name: &'static str| elements.iter().filter(move |element| element.name == name);
    let suites: Vec<_> = named("testsuite").map(|suite| suite.get("name")).collect();
    assert_eq!(suites, ["./a.toml", "./hard.toml", "./latin.toml", "./made.toml"]);
    let cases: Vec<_> = named("testcase").collect();
    assert_eq!(cases.len(), 6 + HARD_NAMES + 1 + 40);
    let case = |name: &str| cases.iter().find(|case| case.get("name") == name).expect("the case");
    assert_eq!((case("bad").get("file"), case("bad").get("line")), ("./a.toml", "11"));
    assert_eq!(case("made#3").get("classname"), "./made.toml");
    assert!(
        cases.iter().any(|case| case.get("name").contains("]]> <script>alert(1)</script> &amp; <!-- -->"))
    );
    assert!(cases.iter().any(|case| case.get("name").len() == 5 * 2048));
    let failures: Vec<_> = named("failure").collect();
    assert_eq!(failures.len(), 1 + HARD_NAMES + 20);
    assert_eq!(
        (failures[0].get("message"), failures[0].get("type")),
        ("`solutions` is 3", "verdict::mismatch")
    );
    assert!(failures[0].text.contains("--> ./a.toml:13:20\n"), "{}", failures[0].text);
    let errors: Vec<_> = named("error").map(|error| error.get("type")).collect();
    assert_eq!(errors, ["scenario::unknown-key", "suite::not-utf8"]);
    assert_eq!(named("skipped").map(|skipped| skipped.get("message")).collect::<Vec<_>>(), ["not yet"]);
    let printed: Vec<_> = named("system-out").map(|out| out.text.as_str()).collect();
    assert_eq!(printed, ["first ]]> <b> & \\u{1b}[31m\nsecond ``` ````\n"]);
    let all = named("testsuites").next().expect("the root");
    assert_eq!(all.get("tests"), cases.len().to_string());
    assert_eq!((all.get("failures"), all.get("errors"), all.get("skipped")), ("32", "2", "1"));
}
