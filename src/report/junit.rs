//! JUnit's XML, as most servers for continuous integration read it: a test suite a scenario file.
//!
//! The numbers of a suite stand before its cases, so the text of all cases is kept until the end.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::record::Record;
use super::text::{visible, visible_lines};
use super::{ByFile, End, Format};
use crate::identity::Name;
use crate::verdict::{Summary, Word};

/// Beginning of every report in this format.
const OPENING: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rulebook\" ";

/// Writes JUnit's XML at the end.
#[derive(Debug, Default)]
pub struct Junit {
    files: ByFile,
    /// Of each file its name as it is written, and its cases.
    suites: Vec<(String, Vec<u8>)>,
}

impl Format for Junit {
    fn opening(&self) -> &'static str {
        OPENING
    }

    fn case(&mut self, record: &Record<'_>, _: &mut dyn Write) -> io::Result<()> {
        let place = self.files.add(record);
        if place == self.suites.len() {
            self.suites.push((visible(&record.file), Vec::new()));
        }
        let (file, cases) = &mut self.suites[place];
        write_case(record, file, cases)
    }

    fn end(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let mut xml = Writer::new(out);
        xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let root = numbers(BytesStart::new("testsuites"), "rulebook", &end.summary, end.seconds);
        line(&mut xml, Event::Start(root))?;
        let mut signature = end.signature.as_deref();
        for ((_, summary, seconds), (file, cases)) in self.files.files.iter().zip(&self.suites) {
            let suite = numbers(BytesStart::new("testsuite"), file, summary, *seconds);
            line(&mut xml, Event::Start(suite))?;
            if let Some(signature) = signature.take() {
                property(&mut xml, "signature", signature)?;
            }
            xml.get_mut().write_all(cases)?;
            line(&mut xml, Event::End(BytesEnd::new("testsuite")))?;
        }
        line(&mut xml, Event::End(BytesEnd::new("testsuites")))?;
        xml.get_mut().write_all(b"\n")
    }
}

/// An element on a line of its own.
fn line<W: Write>(xml: &mut Writer<W>, event: Event<'_>) -> io::Result<()> {
    xml.get_mut().write_all(b"\n")?;
    xml.write_event(event)
}

fn numbers<'t>(tag: BytesStart<'t>, name: &str, summary: &Summary, seconds: f64) -> BytesStart<'t> {
    tag.with_attributes([
        ("name", name),
        ("tests", &summary.cases().to_string()),
        ("skipped", &summary.skipped.to_string()),
        ("failures", &summary.failed.to_string()),
        ("errors", &summary.errored.to_string()),
        ("time", &time(seconds)),
    ])
}

fn property<W: Write>(xml: &mut Writer<W>, name: &str, value: &str) -> io::Result<()> {
    line(xml, Event::Start(BytesStart::new("properties")))?;
    let property = BytesStart::new("property").with_attributes([("name", name), ("value", value)]);
    xml.write_event(Event::Empty(property))?;
    xml.write_event(Event::End(BytesEnd::new("properties")))
}

fn write_case(record: &Record<'_>, file: &str, cases: &mut Vec<u8>) -> io::Result<()> {
    let name = match (record.name(), record.index) {
        // What a file itself is at fault for needs a name all the same.
        (Name::File, _) => file.to_owned(),
        (name, None) => visible(&name.to_string()),
        (name, Some(index)) => visible(&format!("{name}#{index}")),
    };
    let tag = BytesStart::new("testcase").with_attributes([
        ("name", &*name),
        ("classname", file),
        ("time", &time(record.seconds)),
        ("file", file),
        ("line", &record.line.to_string()),
    ]);
    let mut xml = Writer::new(cases);
    let more = record.verdict != Word::Passed || record.known_failure || !record.printed.is_empty();
    if !more {
        return line(&mut xml, Event::Empty(tag));
    }
    line(&mut xml, Event::Start(tag))?;
    if record.known_failure {
        property(&mut xml, "known-failure", "true")?;
    }
    match record.verdict {
        Word::Passed => {}
        Word::Skipped => {
            let reason = visible(record.reason.as_deref().unwrap_or_default());
            let skipped = BytesStart::new("skipped").with_attributes([("message", &*reason)]);
            line(&mut xml, Event::Empty(skipped))?;
        }
        Word::Failed => write_faults(record, "failure", &mut xml)?,
        Word::Errored => write_faults(record, "error", &mut xml)?,
    }
    if !record.printed.is_empty() {
        write_text(BytesStart::new("system-out"), &record.printed, &mut xml)?;
    }
    line(&mut xml, Event::End(BytesEnd::new("testcase")))
}

/// The first fault in the attributes, the drawings of all as the text.
fn write_faults<W: Write>(record: &Record<'_>, kind: &'static str, xml: &mut Writer<W>) -> io::Result<()> {
    let mut tag = BytesStart::new(kind);
    if let Some(first) = record.faults.first() {
        tag.push_attribute(("message", &*visible(&first.title)));
        tag.push_attribute(("type", &*visible(&first.code)));
    }
    write_text(tag, &record.drawing(), xml)
}

fn write_text<W: Write>(tag: BytesStart<'_>, text: &str, xml: &mut Writer<W>) -> io::Result<()> {
    let end = tag.to_end().into_owned();
    line(xml, Event::Start(tag))?;
    xml.write_event(Event::Text(BytesText::new(&visible_lines(text))))?;
    xml.write_event(Event::End(end))
}

/// Seconds, to the microsecond.
fn time(seconds: f64) -> String {
    format!("{seconds:.6}")
}
