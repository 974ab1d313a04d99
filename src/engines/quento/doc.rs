//! A task as an author types it in a scenario.

use std::fmt::Write as _;

use schemars::JsonSchema;

use crate::board::BoardText;
use crate::engine::Binder;
use crate::spanned::Spanned;

use super::legal;
use super::rules::{Order, Rules, Setup};

/// The keys of a task of Quento.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// The number to build, 1 to 45; without limits of size -1000000 to 1000000.
    target: Option<Spanned<i64>>,
    /// How many digits to use, 2 to 5; without limits of size 1 to all digits of the board.
    digits: Option<Spanned<i64>>,
    /// The squares, from the top row down: digits from 1 to 9 where row and column, counted from 0, add up to an
    /// even number, else `+` or `-`. 3 rows and columns; without limits of size odd numbers of them, up to 9.
    board: Option<Spanned<BoardText>>,
}

/// The house rules of Quento.
#[derive(Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesDoc {
    /// Which of several paths is the answer: `lexicographic` (the one with the smallest coordinates) or `any` (each
    /// one is right). Default: `lexicographic`.
    order: Option<OrderDoc>,
    /// How many digits the search may enter before it gives up, at least 1. Only boards larger than the statement's
    /// need any. Default: 20000000: some seconds, on crowded boards up to a minute.
    budget: Option<Spanned<i64>>,
}

#[derive(Clone, Copy, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum OrderDoc {
    Lexicographic,
    Any,
}

/// The house rules that `doc` describes.
pub(super) fn rules(doc: RulesDoc, binder: &mut Binder<'_>) -> Option<Rules> {
    let default = Rules::default();
    let order = match doc.order {
        None => default.order,
        Some(OrderDoc::Lexicographic) => Order::Lexicographic,
        Some(OrderDoc::Any) => Order::Any,
    };
    let Some(budget) = doc.budget else { return Some(Rules { order, ..default }) };
    if let Ok(budget @ 1..) = u64::try_from(budget.value) {
        return Some(Rules { order, budget });
    }
    let title = format!("`budget` is {}", budget.value);
    binder.fault("quento::no-budget", title, budget.range, "expected at least 1");
    None
}

/// The legal start that `doc` describes.
pub(super) fn bind(doc: Doc, rules: Rules, binder: &mut Binder<'_>) -> Option<Setup> {
    if doc.target.is_none() {
        binder.missing("target", "say which number to build, such as `target = 7`");
    }
    if doc.digits.is_none() {
        binder.missing("digits", "say how many digits to use, such as `digits = 2`");
    }
    if doc.board.is_none() {
        binder.missing("board", "draw the squares, such as `board = [\"4+3\", \"-5-\", \"9-2\"]`");
    }
    let board = doc.board.and_then(|board| {
        let cells = binder.board(&board)?;
        legal::board(&cells, board.range.clone(), binder)
    });
    legal::legal(doc.target, doc.digits, board, rules, binder)
}

/// The start as the keys of a scenario.
pub(super) fn write(setup: &Setup) -> String {
    let mut text = format!("target = {}\ndigits = {}\nboard = \"\"\"\n", setup.target, setup.digits);
    for row in setup.board.squares().iter_rows() {
        text.extend(row.iter().map(|square| square.char()));
        text.push('\n');
    }
    text.push_str("\"\"\"\n");
    let default = Rules::default();
    let mut rules = Vec::new();
    if setup.rules.order == Order::Any {
        rules.push("order = \"any\"".to_owned());
    }
    if setup.rules.budget != default.budget {
        rules.push(format!("budget = {}", setup.rules.budget));
    }
    if !rules.is_empty() {
        let _ = writeln!(text, "rules = {{ {} }}", rules.join(", "));
    }
    text
}
