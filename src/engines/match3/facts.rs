//! The facts of a game, each a row: name, meaning and answer.

use std::sync::LazyLock;

use crate::engine::{self, Engine};
use crate::grid::Grid;

use super::Match3;
use super::event::Event;
use super::rules::Swap;
use super::script::Match3Session;
use super::view;

type Fact = engine::Fact<Match3>;
type MomentFact = engine::MomentFact<Match3>;
type StateField = engine::StateField<Match3Session>;

/// The facts of a run.
pub(super) static FACTS: LazyLock<Vec<Fact>> = LazyLock::new(|| {
    vec![
        Fact::new("score", "all points together", |run| run.outcome.tally().score()).asked_first(),
        Fact::new("elimination", "elimination points of the game", |run| run.outcome.tally().elimination),
        Fact::new("chain", "chain points of the game", |run| run.outcome.tally().chain),
        Fact::new("combo", "combo points of the game", |run| run.outcome.tally().combo),
        Fact::new("hands", "points of all hands", |run| run.outcome.tally().hands),
        Fact::new("endgame", "endgame points", |run| run.outcome.tally().endgame),
        Fact::new("valid_swaps", "number of swaps that were not skipped", |run| {
            run.outcome.tally().valid_swaps
        }),
        Fact::new("rounds", "number of rounds of elimination in the game", |run| run.outcome.tally().rounds),
        Fact::new("cleared", "whether the board is empty at the end", |run| run.outcome.is_cleared()),
        Fact::new("board", "the colors at the end, `.` where a cell is empty", |run| {
            cells(&run.outcome.board())
        }),
        Fact::of_course(
            "running",
            "after each swap, skipped or not: elimination, chain and combo points so far",
            |now| Match3::step(now.event).map(|_| now.state.tally().running()),
        ),
        Fact::of_course(
            "primary",
            "of each valid swap: its one or two primary colors, the lower first",
            |now| match now.event {
                Event::SwapScored { .. } => Some(ascending(now.state.step().primary)),
                _ => None,
            },
        ),
        Fact::of_course(
            "hand_kinds",
            "of each hand, its kind: `high-card`, `one-pair`, `two-pairs`, `three-of-a-kind`, `full-house`, \
             `four-of-a-kind` or `five-of-a-kind`",
            |now| match now.event {
                Event::Hand { hand } => Some(hand.kind.name()),
                _ => None,
            },
        ),
        Fact::of_course(
            "skipped",
            "of each swap: empty if it was valid, else why it was skipped: `off-board`, `same-cell`, \
             `not-adjacent`, `empty-cell` or `no-match`",
            |now| match now.event {
                Event::Skipped { reason, .. } => Some(reason.name()),
                Event::SwapScored { .. } => Some(""),
                _ => None,
            },
        ),
    ]
});

/// The facts after a swap.
pub(super) static MOMENTS: LazyLock<Vec<MomentFact>> = LazyLock::new(|| {
    vec![
        MomentFact::new("board", "the colors after the swap, `.` where a cell is empty", |now| {
            cells(&now.state.board())
        }),
        MomentFact::new("specials", "the special effects after the swap, `.` for none", |now| {
            cells(&now.state.specials())
        }),
        MomentFact::new("score", "elimination, chain, combo and hand points so far", |now| {
            now.state.tally().score()
        }),
        MomentFact::new("running", "elimination, chain and combo points so far", |now| {
            now.state.tally().running()
        }),
        MomentFact::new("rounds", "rounds of this swap, 0 if it was skipped", |now| now.state.step().rounds),
        MomentFact::new("primary", "the swap's primary colors, the lower first", |now| {
            ascending(now.state.step().primary)
        }),
        MomentFact::new(
            "skipped",
            "empty if the swap was valid, else why it was skipped: `off-board`, `same-cell`, `not-adjacent`, \
             `empty-cell` or `no-match`",
            |now| now.state.step().skipped.map_or("", |reason| reason.name()),
        ),
    ]
});

/// The state that a policy sees.
pub(super) static STATE: LazyLock<Vec<StateField>> = LazyLock::new(|| {
    vec![
        StateField::new("board", "the colors, `.` where a cell is empty", |game| cells(&game.state.board())),
        StateField::new("specials", "the special effects, `.` for none", |game| {
            cells(&game.state.specials())
        }),
        StateField::new("score", "elimination, chain, combo and hand points so far", |game| {
            game.state.tally().score()
        }),
        StateField::new("swap", "number of swaps made, skipped ones included", |game| {
            game.state.step().number
        }),
        StateField::new("rounds", "rounds of the last swap, 0 if it was skipped", |game| {
            game.state.step().rounds
        }),
        StateField::new("colors", "the number of colors: no cell is above it", |game| i64::from(game.colors)),
        StateField::new(
            "history",
            "the swaps made, each `[row1, col1, row2, col2]`, counted from 1",
            |game| game.swaps.iter().copied().map(Swap::numbers).collect::<Vec<_>>(),
        ),
        StateField::new("cleared", "whether the board is empty", |game| game.state.is_cleared()),
    ]
});

fn cells(grid: &Grid<u8>) -> Grid<String> {
    grid.map(|&number| view::cell(number))
}

fn ascending(primary: [u8; 2]) -> Vec<i64> {
    let mut colors: Vec<_> = primary.into_iter().filter(|&color| color != 0).map(i64::from).collect();
    colors.sort_unstable();
    colors
}
