//! A game as an author types it in a scenario.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

use crate::board::{self, BoardText, Token};
use crate::engine::Binder;
use crate::grid::Grid;
use crate::spanned::Spanned;
use crate::value::board_lines;

use super::legal::{self, Typed};
use super::rules::{HandChoice, Hands, Join, Rules, Setup, Swap};
use super::score::Points;

/// The keys of a game of Texas Match-3.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// The number of colours, 1 to 100: no cell may be above it. Default: the highest colour on the board.
    colors: Option<Spanned<i64>>,
    /// The pieces at the start, from the top row down: colour numbers from 1, or letters `a` to `z` for 1 to 26.
    /// Every cell has a piece, and no line stands on the board. 1 to 50 rows and columns.
    board: Option<Spanned<BoardText>>,
    /// The special effects of the pieces, a board of the same shape: 1 = row, 2 = column, 3 = row and column,
    /// 4 = small square, 5 = large square, 6 = every piece of its own colour, `0` or `.` = none. Default: none at all.
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

/// The house rules of Texas Match-3.
#[derive(Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesDoc {
    /// How many equal pieces in a row or column are a line, at least 2. Default: 3.
    line: Option<Spanned<i64>>,
    /// How many cells special 4 reaches in every direction. Default: 1, a square of 3 x 3.
    small_square: Option<Spanned<i64>>,
    /// How many cells special 5 reaches in every direction. Default: 2, a square of 5 x 5.
    large_square: Option<Spanned<i64>>,
    /// What joins matched pieces of one colour to a block for the combo points: `edges`, or `corners` too.
    /// Default: `edges`.
    blocks_join: Option<JoinDoc>,
    /// Which valid swaps make a hand: `fives` (1 to 5, 6 to 10, ...) or `sliding` (from the fifth on, after each one
    /// the last five). Default: `fives`.
    hands: Option<HandsDoc>,
    /// Which colour counts of a swap with two primary colours: `most-points` (the choice for all five swaps together
    /// that is worth most) or `first-color` (the one that the swap brought to its first cell). With one primary
    /// colour there is no choice. Default: `most-points`.
    hand_choice: Option<HandChoiceDoc>,
    /// What everything is worth, each from 0 to 1000000000.
    points: Option<PointsDoc>,
}

#[derive(Clone, Copy, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum JoinDoc {
    Edges,
    Corners,
}

#[derive(Clone, Copy, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum HandsDoc {
    Fives,
    Sliding,
}

#[derive(Clone, Copy, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum HandChoiceDoc {
    MostPoints,
    FirstColor,
}

/// What everything is worth.
#[derive(Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PointsDoc {
    /// Times the square of a swap's rounds after the first. Default: 80.
    chain: Option<Spanned<i64>>,
    /// Times the square of a block's pieces above the length of a line. Default: 50.
    combo: Option<Spanned<i64>>,
    /// Five different colours; the highest colour number comes on top. Default: 50.
    high_card: Option<Spanned<i64>>,
    /// Two of one colour; twice its number comes on top. Default: 100.
    one_pair: Option<Spanned<i64>>,
    /// Two and two; twice the higher colour's number and once the lower one's come on top. Default: 200.
    two_pairs: Option<Spanned<i64>>,
    /// Three of one colour; three times its number comes on top. Default: 300.
    three: Option<Spanned<i64>>,
    /// Three and two; three times the former's number and once the latter's come on top. Default: 500.
    full_house: Option<Spanned<i64>>,
    /// Four of one colour; five times its number comes on top. Default: 750.
    four: Option<Spanned<i64>>,
    /// Five of one colour; ten times its number comes on top. Default: 1000.
    five: Option<Spanned<i64>>,
    /// Every swap was valid. Default: 1000.
    all_valid: Option<Spanned<i64>>,
    /// The board is empty at the end. Default: 10000.
    cleared: Option<Spanned<i64>>,
}

/// The keys of the hands' points, in the order of their kinds.
const HANDS: [&str; 7] = ["high_card", "one_pair", "two_pairs", "three", "full_house", "four", "five"];

/// The house rules of `doc`; pushes every fault that it finds.
pub(super) fn rules(doc: RulesDoc, binder: &mut Binder<'_>) -> Option<Rules> {
    let mut rules = Rules::default();
    let lengths = [
        (doc.line, &mut rules.line, "line", 2),
        (doc.small_square, &mut rules.small_square, "small_square", 0),
        (doc.large_square, &mut rules.large_square, "large_square", 0),
    ];
    for (typed, value, key, least) in lengths {
        if let Some(number) = within(typed, key, least, 10_000, binder) {
            *value = number as usize;
        }
    }
    if let Some(join) = doc.blocks_join {
        rules.blocks_join = match join {
            JoinDoc::Edges => Join::Edges,
            JoinDoc::Corners => Join::Corners,
        };
    }
    if let Some(hands) = doc.hands {
        rules.hands = match hands {
            HandsDoc::Fives => Hands::Fives,
            HandsDoc::Sliding => Hands::Sliding,
        };
    }
    if let Some(choice) = doc.hand_choice {
        rules.hand_choice = match choice {
            HandChoiceDoc::MostPoints => HandChoice::MostPoints,
            HandChoiceDoc::FirstColor => HandChoice::FirstColor,
        };
    }
    let doc = doc.points.unwrap_or_default();
    let hands = [doc.high_card, doc.one_pair, doc.two_pairs, doc.three, doc.full_house, doc.four, doc.five];
    let Points { chain, combo, hands: hand_points, all_valid, cleared } = &mut rules.points;
    let others = [
        ("chain", doc.chain, chain),
        ("combo", doc.combo, combo),
        ("all_valid", doc.all_valid, all_valid),
        ("cleared", doc.cleared, cleared),
    ];
    let hands =
        HANDS.into_iter().zip(hands).zip(hand_points).map(|((key, typed), value)| (key, typed, value));
    for (key, typed, value) in others.into_iter().chain(hands) {
        if let Some(points) = within(typed, key, 0, 1_000_000_000, binder) {
            *value = points;
        }
    }
    binder.is_clean().then_some(rules)
}

/// The number, if there is one and it is in range.
fn within(
    typed: Option<Spanned<i64>>,
    key: &str,
    least: i64,
    most: i64,
    binder: &mut Binder<'_>,
) -> Option<i64> {
    let Spanned { value, range } = typed?;
    if (least..=most).contains(&value) {
        return Some(value);
    }
    let title = format!("`{key}` cannot be {value}");
    binder.fault("match3::rule", title, range, format!("expected {least} to {most}"));
    None
}

/// The legal start that `doc` describes; pushes every fault that it finds.
pub(super) fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    if doc.board.is_none() {
        binder.missing("board", "draw the pieces at the start: lines of colours");
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
            let title = format!("`{text}` cannot stand here");
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
            None => ("a swap of cells too far away".to_owned(), "expected rows and columns"),
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

/// The start as the keys of a scenario.
pub(super) fn write(setup: &Setup) -> String {
    let mut text = String::new();
    let board = setup.board.map(ToString::to_string);
    if setup.board.cells().iter().max() != Some(&setup.colors) {
        let _ = writeln!(text, "colors = {}", setup.colors);
    }
    write_board(&mut text, "board", &board);
    if setup.specials.cells().iter().any(|&special| special != 0) {
        write_board(&mut text, "specials", &setup.specials.map(ToString::to_string));
    }
    text.push_str("swaps = [\n");
    for swap in &setup.swaps {
        let _ = writeln!(text, "  {:?},", swap.numbers());
    }
    text.push_str("]\n");
    write_rules(&mut text, &setup.rules);
    text
}

fn write_board(text: &mut String, key: &str, board: &Grid<String>) {
    let _ = writeln!(text, "{key} = \"\"\"");
    for line in board_lines(board) {
        let _ = writeln!(text, "{line}");
    }
    text.push_str("\"\"\"\n");
}

fn write_rules(text: &mut String, rules: &Rules) {
    let usual = Rules::default();
    let mut keys = Vec::new();
    let lengths = [
        ("line", rules.line, usual.line),
        ("small_square", rules.small_square, usual.small_square),
        ("large_square", rules.large_square, usual.large_square),
    ];
    keys.extend(lengths.into_iter().filter(|(_, a, b)| a != b).map(|(key, a, _)| format!("{key} = {a}")));
    if rules.blocks_join == Join::Corners {
        keys.push("blocks_join = \"corners\"".to_owned());
    }
    if rules.hands == Hands::Sliding {
        keys.push("hands = \"sliding\"".to_owned());
    }
    if rules.hand_choice == HandChoice::FirstColor {
        keys.push("hand_choice = \"first-color\"".to_owned());
    }
    let (points, usual) = (&rules.points, &usual.points);
    let others = [
        ("chain", points.chain, usual.chain),
        ("combo", points.combo, usual.combo),
        ("all_valid", points.all_valid, usual.all_valid),
        ("cleared", points.cleared, usual.cleared),
    ];
    let hands = HANDS.into_iter().zip(points.hands).zip(usual.hands).map(|((key, a), b)| (key, a, b));
    let points: Vec<_> = others
        .into_iter()
        .chain(hands)
        .filter(|(_, a, b)| a != b)
        .map(|(key, a, _)| format!("{key} = {a}"))
        .collect();
    if !points.is_empty() {
        keys.push(format!("points = {{ {} }}", points.join(", ")));
    }
    if !keys.is_empty() {
        let _ = writeln!(text, "rules = {{ {} }}", keys.join(", "));
    }
}
