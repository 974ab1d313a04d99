//! What a start must be like to be played, whatever text it comes from.

use std::collections::BTreeMap;
use std::ops::Range;

use super::rules::Piece;
use crate::diagnostic::{Label, count};
use crate::engine::Binder;
use crate::grid::{Dir, Pos};
use crate::spanned::Spanned;

/// A number of the start that has limits: the statement's, and one that always holds.
pub(super) struct Size {
    code: &'static str,
    whole: &'static str,
    noun: &'static str,
    statement: (i64, i64),
    most: i64,
}

/// The number of rows and of columns.
pub(super) const SIDE: Size =
    Size { code: "stacking::board-size", whole: "board", noun: "row", statement: (4, 12), most: 1024 };

/// The number of pieces.
pub(super) const COUNT: Size =
    Size { code: "stacking::piece-count", whole: "game", noun: "piece", statement: (4, 10), most: 4096 };

impl Size {
    /// Whether there may be `number`; pushes the fault if not.
    pub(super) fn allows(&self, binder: &mut Binder<'_>, number: i64, range: Range<usize>) -> bool {
        let (least, most) = if binder.size_limits() { self.statement } else { (1, self.most) };
        let allowed = (least..=most).contains(&number);
        if !allowed {
            let label = format!("expected {least} to {most} {}s", self.noun);
            let sign = if number < 0 { "-" } else { "" };
            let title = format!("the {} has {sign}{}", self.whole, count(number.unsigned_abs(), self.noun));
            let fault = binder.fault(self.code, title, range, label);
            if self.playable(number) {
                fault.help.push("`limits = \"none\"` lifts the statement's limits of size".to_owned());
            }
        }
        allowed
    }

    /// Whether `number` is in the limits that always hold.
    pub(super) fn playable(&self, number: i64) -> bool {
        (1..=self.most).contains(&number)
    }
}

/// A piece as far as its text could be read.
pub(super) struct Placed {
    /// Row and column, from 1.
    pub(super) at: Option<Spanned<[i64; 2]>>,
    pub(super) facing: Option<Dir>,
}

/// The pieces on a board of `side` rows and columns (any, if that is not known). Pushes a fault for every piece
/// off the board or on another's square.
pub(super) fn pieces(
    binder: &mut Binder<'_>,
    side: Option<usize>,
    placed: Vec<Placed>,
) -> Option<Vec<Piece>> {
    let mut squares = BTreeMap::new();
    let mut pieces = Vec::with_capacity(placed.len());
    let mut all = true;
    for (number, Placed { at, facing }) in (1..).zip(placed) {
        let at = at.and_then(|at| on_board(binder, side, number, at));
        let own = at.as_ref().is_none_or(|at| alone(binder, &mut squares, number, at));
        match (at, facing) {
            (Some(at), Some(facing)) if own => pieces.push(Piece { at: at.value, facing }),
            _ => all = false,
        }
    }
    all.then_some(pieces)
}

fn on_board(
    binder: &mut Binder<'_>,
    side: Option<usize>,
    number: usize,
    at: Spanned<[i64; 2]>,
) -> Option<Spanned<Pos>> {
    let side = side.unwrap_or(usize::MAX);
    let index = |typed: i64| usize::try_from(typed).ok()?.checked_sub(1).filter(|&index| index < side);
    let [row, col] = at.value;
    if let (Some(row), Some(col)) = (index(row), index(col)) {
        return Some(Spanned { value: Pos::new(row, col), range: at.range });
    }
    let label = match side {
        usize::MAX => "rows and columns count from 1".to_owned(),
        _ => format!("expected rows and columns from 1 to {side}"),
    };
    let title = format!("piece {number} is off the board, in row {row} and column {col}");
    binder.fault("stacking::off-board", title, at.range, label);
    None
}

/// Whether nobody stands on the square yet.
fn alone(
    binder: &mut Binder<'_>,
    squares: &mut BTreeMap<Pos, (usize, Range<usize>)>,
    number: usize,
    at: &Spanned<Pos>,
) -> bool {
    let Some((other, range)) = squares.get(&at.value) else {
        squares.insert(at.value, (number, at.range.clone()));
        return true;
    };
    let title = format!("pieces {other} and {number} start on the same square");
    let first = Label { span: binder.span(range.clone()), text: format!("piece {other} stands here") };
    let label = format!("piece {number} stands here, too");
    binder.fault("stacking::shared-square", title, at.range.clone(), label).labels.push(first);
    false
}
