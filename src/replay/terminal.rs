//! Frames as people read them in a terminal: what happened, then the boards side by side.

use anstyle::Style;

use crate::columns;
use crate::trace::{Cell, Frame, Picture};
use crate::visible::{visible, visible_lines};

/// Blanks between two boards.
const GAP: &str = "    ";

/// A frame as lines, a blank line at the end; marked cells in brackets, and bold with `color`.
pub fn frame(frame: &Frame, step: &str, color: bool) -> String {
    let bold = if color { Style::new().bold() } else { Style::new() };
    let dim = if color { Style::new().dimmed() } else { Style::new() };
    let head = if frame.step == 0 { "start".to_owned() } else { format!("{step} {}", frame.step) };
    let mut text = format!(
        "{bold}{head}{bold:#}: {} {dim}[{}]{dim:#}\n",
        visible_lines(&frame.text),
        visible(&frame.rule)
    );
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
    let shown = |row: &Vec<Cell>| row.iter().map(|cell| (visible(&cell.text), cell.marked)).collect();
    let rows: Vec<Vec<_>> = board.rows.iter().map(shown).collect();
    let width = rows.iter().flatten().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    if !board.title.is_empty() {
        let title = visible(&board.title);
        let width = title.chars().count();
        lines.push((title, width));
    }
    for row in &rows {
        let mut line = String::new();
        for (text, marked) in row {
            line += &if *marked {
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
