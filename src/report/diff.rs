//! What changes in a text, line by line, as people read it in a terminal.

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};

use crate::visible::visible_lines;

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// So many lines above and below a change are shown.
const CONTEXT: usize = 2;

/// The lines that differ and some around them, each with its number in the file; the texts begin on line `line`.
pub fn diff(before: &str, after: &str, line: usize, color: bool) -> String {
    let lines = TextDiff::from_lines(before, after);
    let groups = lines.grouped_ops(CONTEXT);
    let width = (line + before.lines().count().max(after.lines().count())).to_string().len();
    let mut text = String::new();
    for (i, group) in groups.iter().enumerate() {
        if i > 0 {
            text += &format!("{:>width$} …\n", "");
        }
        for change in group.iter().flat_map(|op| lines.iter_changes(op)) {
            let (sign, style, index) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED, change.old_index()),
                ChangeTag::Insert => ('+', ADDED, change.new_index()),
                ChangeTag::Equal => (' ', DIM, change.new_index()),
            };
            let number = line + index.unwrap_or(0);
            let said = visible_lines(change.value().trim_end_matches(['\r', '\n']));
            let drawn = format!("{number:>width$} | {sign} {said}");
            let drawn = drawn.trim_end();
            text += &if color { format!("{style}{drawn}{style:#}\n") } else { format!("{drawn}\n") };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_numbers_of_their_file() {
        let (before, after) = ("a\nb\nc\nd\ne\nf\r\n\n", "a\nb\nc\nd\ne\ng\r\n\n");
        assert_eq!(diff(before, after, 95, false), " 98 |   d\n 99 |   e\n100 | - f\n100 | + g\n101 |\n");
        assert_eq!(diff(before, before, 1, false), "");
    }
}
