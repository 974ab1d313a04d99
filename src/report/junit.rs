//! JUnit's XML, as most servers for continuous integration read it: a test suite a scenario file.
//!
//! The numbers of a suite stand before its cases, so all are kept until the end.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::record::Record;
use super::text::{visible, visible_lines};
use super::{End, Format};
use crate::verdict::Word;

/// Writes JUnit's XML at the end.
#[derive(Debug, Default)]
pub struct Junit {
    suites: Vec<(TestSuite, f64)>,
    places: HashMap<String, usize>,
}

impl Format for Junit {
    fn case(&mut self, record: &Record<'_>, _: &mut dyn Write) -> io::Result<()> {
        let place = self.places.get(&*record.file).copied().unwrap_or_else(|| {
            self.suites.push((TestSuite::new(visible(&record.file)), 0.0));
            self.places.insert(record.file.to_string(), self.suites.len() - 1);
            self.suites.len() - 1
        });
        let (suite, seconds) = &mut self.suites[place];
        *seconds += record.seconds;
        suite.add_test_case(case(record));
        Ok(())
    }

    fn end(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let mut report = quick_junit::Report::new("rulebook");
        report.set_time(duration(end.seconds));
        if let Some(signature) = &end.signature
            && let Some((first, _)) = self.suites.first_mut()
        {
            first.add_property(Property::new("signature", signature));
        }
        for (mut suite, seconds) in self.suites.drain(..) {
            suite.set_time(duration(seconds));
            report.add_test_suite(suite);
        }
        report.serialize(out).map_err(io::Error::other)
    }
}

fn case(record: &Record<'_>) -> TestCase {
    let status = match record.verdict {
        Word::Passed => TestCaseStatus::success(),
        Word::Skipped => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(visible(record.reason.as_deref().unwrap_or_default()));
            status
        }
        Word::Failed => wrong(record, NonSuccessKind::Failure),
        Word::Errored => wrong(record, NonSuccessKind::Error),
    };
    let name = match record.index {
        Some(index) => format!("{}#{index}", record.name),
        // What a file itself is at fault for needs a name all the same.
        None if record.name.is_empty() => record.file.to_string(),
        None => record.name.to_string(),
    };
    let mut case = TestCase::new(visible(&name), status);
    case.set_classname(visible(&record.file)).set_time(duration(record.seconds));
    case.extra.insert("file".into(), visible(&record.file).into());
    case.extra.insert("line".into(), record.line.to_string().into());
    if record.known_failure {
        case.add_property(Property::new("known-failure", "true"));
    }
    if !record.printed.is_empty() {
        case.set_system_out(visible_lines(&record.printed));
    }
    case
}

fn wrong(record: &Record<'_>, kind: NonSuccessKind) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    if let Some(first) = record.faults.first() {
        status.set_message(visible(&first.title)).set_type(visible(&first.code));
    }
    status.set_description(visible_lines(&record.drawing()));
    status
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
