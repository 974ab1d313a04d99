//! Frames as people read them in a terminal: what happened, then the boards side by side.

use anstyle::Style;

use crate::columns;
use crate::trace::{Frame, Picture};

/// Blanks between two boards.
const GAP: &str = "    ";

/// A frame as lines, a blank line at the end; marked cells in brackets, and bold with `colour`.
pub fn frame(frame: &Frame, step: &str, colour: bool) -> String {
    let bold = if colour { Style::new().bold() } else { Style::new() };
    let dim = if colour { Style::new().dimmed() } else { Style::new() };
    let head = if frame.step == 0 { "start".to_owned() } else { format!("{step} {}", frame.step) };
    let mut text = format!("{bold}{head}{bold:#}: {} {dim}[{}]{dim:#}\n", frame.text, frame.rule);
    let boards: Vec<_> = frame.boards.iter().map(|board| lines(board, bold)).collect();
    let height = boards.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    for row in 0..height {
        let mut line = String::new();
        let mut padding = 0;
        for (i, (width, lines)) in boards.iter().enumerate() {
            let empty = (String::new(), 0);
            let (drawn, columns) = lines.get(row).unwrap_or(&empty);
            line += &" ".repeat(padding);
            line += if i == 0 { "  " } else { GAP };
            line += drawn;
            padding = width - columns;
        }
        text += line.trim_end();
        text.push('\n');
    }
    text.push('\n');
    text
}

/// The width of a board and its lines, each with its own width.
fn lines(board: &Picture, bold: Style) -> (usize, Vec<(String, usize)>) {
    let cells = board.rows.iter().flatten();
    let width = cells.map(|cell| cell.text.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    if !board.title.is_empty() {
        lines.push((board.title.clone(), board.title.chars().count()));
    }
    for row in &board.rows {
        let mut line = String::new();
        for cell in row {
            let text = &cell.text;
            line += &if cell.marked {
                format!("{bold}[{}]{bold:#}", columns::right(text, width))
            } else {
                format!(" {} ", columns::right(text, width))
            };
        }
        lines.push((line, row.len() * (width + 2)));
    }
    (lines.iter().map(|(_, width)| *width).max().unwrap_or(0), lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Cell;

    #[test]
    fn boards_stand_side_by_side() {
        let cell = |text: &str, marked| Cell { text: text.into(), marked };
        let board = |title: &str, text: &str| Picture {
            title: title.into(),
            rows: vec![vec![cell(text, false), cell("2", true)]],
        };
        let boards = vec![board("a", "1"), board("b", "10")];
        let shown = Frame { step: 3, rule: "x::y".into(), text: "it moves".into(), boards };
        let expected = "turn 3: it moves [x::y]\n  a         b\n   1 [2]     10 [ 2]\n\n";
        assert_eq!(frame(&shown, "turn", false), expected);
    }
}
