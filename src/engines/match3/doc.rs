//! A game as an author types it in a scenario.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

use crate::board::{self, BoardText, Token};
use crate::engine::Binder;
use crate::grid::Grid;
use crate::spanned::Spanned;
use crate::value::board_lines;

use super::legal::{self, Typed};
use super::rules::{Rules, Setup, Swap};

/// The keys of a game of Texas Match-3.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// The number of colors, 1 to 100: no cell may be above it. Default: the highest color on the board.
    colors: Option<Spanned<i64>>,
    /// The pieces at the start, from the top row down: color numbers from 1, or letters `a` to `z` for 1 to 26.
    /// Every cell has a piece, and no line stands on the board. 1 to 50 rows and columns.
    board: Option<Spanned<BoardText>>,
    /// The special effects of the pieces, a board of the same shape: 1 = row, 2 = column, 3 = row and column,
    /// 4 = small square, 5 = large square, 6 = every piece of its own color, `0` or `.` = none. Default: none at all.
    specials: Option<Spanned<BoardText>>,
    /// The swaps in their order, 1 to 1000 of them: each `[row1, col1, row2, col2]`, counted from 1 at the top left.
    /// One that is not valid is skipped.
    swaps: Option<Spanned<Vec<Spanned<SwapText>>>>,
}

/// A swap as typed: its first four numbers, and how many there are.
struct SwapText {
    numbers: [i64; 4],
    count: usize,
}

/// The legal start that `doc` describes; pushes every fault that it finds.
pub(super) fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    if doc.board.is_none() {
        binder.missing("board", "draw the pieces at the start: lines of colors");
    }
    if doc.swaps.is_none() && !binder.is_session() {
        binder.missing("swaps", "list the swaps: `swaps = [[row1, col1, row2, col2], ...]`");
    }
    let mut whole = true;
    let board = doc.board.and_then(|text| {
        let cells = binder.board(&text)?;
        let fits = legal::check_size(cells.rows() as i64, cells.cols() as i64, text.range.clone(), binder);
        let numbers;
        (numbers, whole) = read_cells(&cells, &COLORS, binder);
        fits.then_some(numbers)
    });
    let specials = match doc.specials {
        Some(text) => binder.board(&text).map(|cells| read_cells(&cells, &SPECIALS, binder).0),
        None => board.as_ref().map(|board| board.map(|_| Spanned { value: 0, range: 0..0 })),
    };
    let swaps = match doc.swaps {
        None => binder.is_session().then(Vec::new),
        Some(swaps) if swaps.value.is_empty() && binder.is_session() => Some(Vec::new()),
        Some(swaps) => {
            let fit = legal::check_swaps(swaps.value.len() as i128, swaps.range, binder);
            fit.then(|| read_swaps(&swaps.value, binder))
        }
    };
    legal::legal(Typed { colors: doc.colors, board, whole, specials, swaps }, rules, binder)
}

/// What the cells of a board may say.
struct Cells {
    number: fn(&str) -> Option<i64>,
    code: &'static str,
    expected: &'static str,
    /// What stands for a cell that cannot be read.
    blank: i64,
}

const COLORS: Cells = Cells {
    number: color,
    code: "match3::cell",
    expected: "expected a color: a number from 1, or a letter from `a` to `z`",
    blank: 1,
};

const SPECIALS: Cells = Cells {
    number: special,
    code: "match3::special",
    expected: "expected a special effect from 1 to 6, or `0` or `.` for none",
    blank: 0,
};

/// The numbers of all cells, and whether all could be read.
fn read_cells(cells: &Grid<Token<'_>>, sort: &Cells, binder: &mut Binder<'_>) -> (Grid<Spanned<i64>>, bool) {
    let mut whole = true;
    let numbers = cells.map(|Token { text, range }| {
        let value = (sort.number)(text).unwrap_or_else(|| {
            whole = false;
            let title = format!("`{text}` is not a color");
            let fault = binder.fault(sort.code, title, range.clone(), sort.expected);
            board::suggest(fault, text, |near| (sort.number)(near).is_some());
            sort.blank
        });
        Spanned { value, range: range.clone() }
    });
    (numbers, whole)
}

/// Returns the color that a cell says, or 0 where it says that there is no piece.
pub(super) fn color_or_empty(cell: &str) -> Option<i64> {
    if cell == "." { Some(0) } else { color(cell) }
}

/// Returns the color that a cell says: a number as it is, or a letter.
pub(super) fn color(cell: &str) -> Option<i64> {
    match cell.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(i64::from(letter - b'a') + 1),
        digits if digits.iter().all(u8::is_ascii_digit) => cell.parse().ok(),
        _ => None,
    }
}

/// Returns the special effect that a cell says, 0 for none.
pub(super) fn special(cell: &str) -> Option<i64> {
    match cell {
        "." => Some(0),
        _ => cell.bytes().all(|byte| byte.is_ascii_digit()).then(|| cell.parse().ok())?,
    }
}

/// The swaps, without those that are none.
fn read_swaps(typed: &[Spanned<SwapText>], binder: &mut Binder<'_>) -> Vec<Swap> {
    let mut swaps = Vec::with_capacity(typed.len());
    for Spanned { value: SwapText { numbers, count }, range } in typed {
        let (title, label) = match swap(*numbers) {
            _ if *count != 4 => {
                let numbers = crate::diagnostic::count(*count as u64, "number");
                (format!("a swap of {numbers}"), "expected four: `[row1, col1, row2, col2]`")
            }
            Some(swap) => {
                swaps.push(swap);
                continue;
            }
            None => ("swap coordinates out of range".to_owned(), "expected rows and columns"),
        };
        binder.fault("match3::swap", title, range.clone(), label);
    }
    swaps
}

/// The swap `[row1, col1, row2, col2]`, unless a cell is too far away to be numbered.
pub(super) fn swap(numbers: [i64; 4]) -> Option<Swap> {
    let [row1, col1, row2, col2] = numbers.map(|number| i32::try_from(number).ok());
    Some(Swap::new([row1?, col1?, row2?, col2?]))
}

impl<'de> Deserialize<'de> for SwapText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = SwapText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a swap: `[row1, col1, row2, col2]`")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<SwapText, A::Error> {
                let mut swap = SwapText { numbers: [0; 4], count: 0 };
                for number in &mut swap.numbers {
                    let Some(next) = seq.next_element()? else { return Ok(swap) };
                    *number = next;
                    swap.count += 1;
                }
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    swap.count += 1;
                }
                Ok(swap)
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

impl JsonSchema for SwapText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Swap".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A swap: `[row1, col1, row2, col2]`.",
            "type": "array", "items": { "type": "integer" }, "minItems": 4, "maxItems": 4
        })
    }
}

/// The start as typed.
#[derive(Serialize)]
pub(super) struct Written {
    colors: Option<u8>,
    board: String,
    specials: Option<String>,
    swaps: Vec<[i32; 4]>,
}

pub(super) fn write(setup: &Setup) -> Written {
    let text = |board: &Grid<u8>| {
        board_lines(&board.map(ToString::to_string))
            .into_iter()
            .flat_map(|line| [line, "\n".to_owned()])
            .collect()
    };
    let highest = setup.board.cells().iter().max();
    Written {
        colors: Some(setup.colors).filter(|colors| highest != Some(colors)),
        board: text(&setup.board),
        specials: setup.specials.cells().iter().any(|&special| special != 0).then(|| text(&setup.specials)),
        swaps: setup.swaps.iter().map(|swap| swap.numbers()).collect(),
    }
}
