//! Workflow commands of GitHub Actions: every fault is an annotation at the author's line.

use std::io::{self, Write};
use std::path::{Component, Path};

use super::record::{Record, Shown, shown};
use super::text::visible_lines;
use super::{End, Format};

/// Beginning of every report in this format.
const OPENING: &str = "::error file=";

/// Writes an `::error` for each fault.
#[derive(Debug, Default)]
pub struct Github {
    /// The folder that paths are taken from, as seen from the root of the repository.
    folder: String,
}

impl Github {
    /// Paths of files are taken from `folder`, which is given as seen from the root of the repository.
    pub fn new(folder: impl Into<String>) -> Self {
        Self { folder: folder.into() }
    }

    /// The path of a file, as seen from the root of the repository.
    fn path(&self, file: &str) -> String {
        let path = Path::new(&self.folder).join(file);
        let mut parts: Vec<String> = Vec::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if parts.last().is_some_and(|last| last != "..") => drop(parts.pop()),
                part => parts.push(part.as_os_str().to_string_lossy().into_owned()),
            }
        }
        let path = parts.join("/");
        path.strip_prefix("//").map(|rest| format!("/{rest}")).unwrap_or(path)
    }
}

impl Format for Github {
    fn opening(&self) -> &'static str {
        OPENING
    }

    fn case(&mut self, record: &Record<'_>, out: &mut dyn Write) -> io::Result<()> {
        for shown in shown(&record.faults) {
            let mut place = format!("{},line={}", property(&self.path(&record.file)), record.line);
            let (title, text) = match shown {
                Shown::Fault(fault) => {
                    if let Some(mark) = fault.labels.first() {
                        let file = property(&self.path(&mark.file));
                        place = format!(
                            "{file},line={},col={},endLine={}",
                            mark.line, mark.column, mark.end_line
                        );
                    }
                    (format!("{} [{}]", record.id(), fault.code), &fault.drawing)
                }
                Shown::More(ref more) => (record.id(), more),
            };
            writeln!(out, "{OPENING}{place},title={}::{}", property(&title), message(text))?;
        }
        Ok(())
    }

    fn end(&mut self, _: &End, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The text of an annotation.
fn message(text: &str) -> String {
    visible_lines(text.trim_end()).replace('%', "%25").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_is_escaped() {
        assert_eq!(property("50%, a: b\n"), "50%25%2C a%3A b");
        assert_eq!(message("50%:\r\nx"), "50%25:\\r%0Ax");
    }

    #[test]
    fn paths_are_seen_from_the_root() {
        let path = |folder: &str, file| Github::new(folder).path(file);
        assert_eq!(path("", "./a/b.toml"), "a/b.toml");
        assert_eq!(path("games", "../a.toml"), "a.toml");
        assert_eq!(path("games", "x/../a.toml"), "games/a.toml");
        assert_eq!(path("games", "/srv/a.toml"), "/srv/a.toml");
    }
}
