//! The statement's own input: numbers, separated by blanks and line ends.

use std::fmt::{Display, Write as _};

use super::legal::{COUNT, Placed, SIDE, Size, pieces};
use super::rules::{Color, Rules, Setup};
use crate::engine::Binder;
use crate::grid::{Dir, Grid};
use crate::input::Input;
use crate::spanned::Spanned;

/// An input that is read to its end, gathering faults on the way.
struct Reader<'i, 'b, 's> {
    input: &'i mut Input,
    binder: &'b mut Binder<'s>,
    ended: bool,
}

impl Reader<'_, '_, '_> {
    fn number(&mut self, what: impl Display) -> Option<Spanned<i64>> {
        if self.ended {
            return None;
        }
        let number = self.input.number(what);
        self.ended = number.as_ref().is_err_and(|fault| fault.code == "input::ends-early");
        self.binder.ok(number)
    }

    /// A size, if it is allowed.
    fn size(&mut self, size: &Size, what: &str) -> Option<usize> {
        let number = self.number(what)?;
        size.allows(self.binder, number.value, number.range).then_some(number.value as usize)
    }

    fn color(&mut self) -> Option<Color> {
        let number = self.number("a color: 0, 1 or 2")?;
        match number.value {
            0 => Some(Color::White),
            1 => Some(Color::Red),
            2 => Some(Color::Blue),
            other => {
                let title = format!("{other} is no color");
                let label = "expected 0 (white), 1 (red) or 2 (blue)";
                self.binder.fault("stacking::color", title, number.range, label);
                None
            }
        }
    }

    fn piece(&mut self, piece: usize) -> Placed {
        let row = self.number(format_args!("the row of piece {piece}"));
        let col = self.number(format_args!("the column of piece {piece}"));
        let at = row.zip(col).map(|(row, col)| Spanned {
            value: [row.value, col.value],
            range: row.range.start..col.range.end,
        });
        let facing = self.number(format_args!("the direction of piece {piece}: 1 to 4")).and_then(|number| {
            let index = usize::try_from(number.value).ok().and_then(|number| number.checked_sub(1));
            let dir = index.and_then(|index| Dir::ALL.get(index)).copied();
            if dir.is_none() {
                let title = format!("{} is no direction", number.value);
                let label = "expected 1 (right), 2 (left), 3 (up) or 4 (down)";
                self.binder.fault("stacking::facing", title, number.range, label);
            }
            dir
        });
        Placed { at, facing }
    }
}

pub(super) fn read(input: &mut Input, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    let mut reader = Reader { input, binder, ended: false };
    let side = reader.size(&SIDE, "the size of the board");
    let count = reader.size(&COUNT, "the number of pieces");
    // What comes behind a wrong size cannot be told apart.
    let (side, count) = side.zip(count)?;
    let cells: Vec<_> = (0..side * side).map(|_| reader.color()).collect();
    let placed: Vec<_> = (1..=count).map(|piece| reader.piece(piece)).collect();
    let complete = !reader.ended;
    let end = reader.input.end();
    let at_end = complete && reader.binder.ok(end).is_some();
    let pieces = pieces(binder, Some(side), placed);
    let cells: Option<Vec<_>> = cells.into_iter().collect();
    let board = Grid::from_cells(side, cells?)?;
    let pieces = pieces?;
    at_end.then_some(Setup { board, pieces, rules })
}

pub(super) fn write(setup: &Setup) -> String {
    let mut text = format!("{} {}\n", setup.board.cols(), setup.pieces.len());
    for row in setup.board.iter_rows() {
        for (i, &color) in row.iter().enumerate() {
            text.push_str(if i == 0 { "" } else { " " });
            text.push(digit(color));
        }
        text.push('\n');
    }
    for piece in &setup.pieces {
        let direction = piece.facing as usize + 1;
        let _ = writeln!(text, "{} {} {direction}", piece.at.row + 1, piece.at.col + 1);
    }
    text
}

/// The statement's number of a color.
pub(super) fn digit(color: Color) -> char {
    match color {
        Color::White => '0',
        Color::Red => '1',
        Color::Blue => '2',
    }
}
