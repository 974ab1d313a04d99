//! The facts of a run, each a row: name, meaning and answer.
//!
//! Solutions beyond the first are searched for only when a fact needs them.

use std::sync::LazyLock;

use crate::engine::{self, Choice, Now, Run, Unanswered};
use crate::grid::Pos;

use super::Quento;
use super::paths::{Path, place};
use super::rules::{Event, Order};
use super::script::QuentoSession;
use super::view;

type Fact = engine::Fact<Quento>;
type MomentFact = engine::MomentFact<Quento>;
type StateField = engine::StateField<QuentoSession>;

/// The facts of a run.
pub(super) static FACTS: LazyLock<Vec<Fact>> = LazyLock::new(|| {
    vec![
        Fact::fallible("solvable", "whether a path builds the target", |run| {
            Ok(run.outcome.path(run.setup)?.is_some())
        })
        .asked_first(),
        Fact::fallible(
            "path",
            "the squares of the answer, each [row, column] from 0, symbols included; empty without one",
            |run| of_answer(run, squares),
        )
        .asked_first(),
        Fact::fallible("any_path", "the squares of any solution, written like `path`", |run| {
            Ok(Choice::AnyOf(match run.outcome.path(run.setup)? {
                None => vec![Vec::new()],
                Some(_) => run.outcome.solutions(run.setup)?.iter().map(squares).collect(),
            }))
        }),
        Fact::fallible("expression", "what stands along the answer, such as 4+3; empty without one", |run| {
            of_answer(run, |path| run.setup.board.expression(path))
        }),
        Fact::fallible("solutions", "how many paths build the target", |run| {
            match run.outcome.path(run.setup)? {
                None => Ok(0),
                Some(_) => run.outcome.count(run.setup).map_err(|_| view::gave_up(run.setup)),
            }
        }),
        Fact::fallible(
            "expressions",
            "what stands along every solution, in the lexicographic order of their paths",
            |run| {
                if run.outcome.path(run.setup)?.is_none() {
                    return Ok(Vec::new());
                }
                let solutions = run.outcome.solutions(run.setup)?.iter();
                Ok(solutions.map(|path| run.setup.board.expression(path)).collect())
            },
        ),
    ]
});

/// The facts after a square.
pub(super) static MOMENTS: LazyLock<Vec<MomentFact>> = LazyLock::new(|| {
    vec![
        MomentFact::new("value", "the value of the expression so far", |now| {
            let so_far = |path: &Path, walked: usize| {
                let cols = now.setup.board.squares().cols();
                let digits = walked.div_ceil(2) * 2 - 1;
                now.setup.board.value(&Path::new(cols, path.squares()[..digits].to_vec()))
            };
            walked(now, so_far).unwrap_or(Choice::One(now.state.value))
        }),
        MomentFact::new("square", "the square that was walked to, [row, column] from 0", |now| {
            let cols = now.setup.board.squares().cols();
            let last = |path: &Path, walked: usize| square(place(cols, path.squares()[walked - 1]));
            walked(now, last).unwrap_or(Choice::One(Vec::new()))
        }),
        MomentFact::new("expression", "the expression so far", |now| {
            let so_far = |path: &Path, walked: usize| {
                let squares = path.squares()[..walked].iter();
                squares.map(|&square| now.setup.board.square(square).char()).collect()
            };
            walked(now, so_far).unwrap_or_else(|| Choice::One(view::expression(now.setup, now.state)))
        }),
    ]
});

/// The state that a policy sees.
pub(super) static STATE: LazyLock<Vec<StateField>> = LazyLock::new(|| {
    vec![
        StateField::new("board", "the squares: digits and symbols", |game| {
            game.setup.board.squares().map(|square| square.char().to_string())
        }),
        StateField::new("target", "the number to build", |game| game.setup.target),
        StateField::new("digits", "the number of digits of a path", |game| game.setup.digits),
        StateField::new("left", "number of digits still to be taken", QuentoSession::left),
        StateField::new("value", "the value of the expression so far, 0 before the first digit", |game| {
            game.value
        }),
        StateField::new("expression", "what stands along the squares walked so far, such as 4+", |game| {
            game.path.iter().map(|&at| game.setup.board.squares()[at].char()).collect::<String>()
        }),
        StateField::new("path", "the squares walked so far, each [row, column] from 0", |game| {
            game.path.iter().copied().map(square).collect::<Vec<_>>()
        }),
    ]
});

/// Returns `of` the answer; where any path is right, of each solution.
fn of_answer<T: Default>(run: &Run<'_, Quento>, of: impl Fn(&Path) -> T) -> Result<Choice<T>, Unanswered> {
    Ok(match run.outcome.path(run.setup)? {
        None => Choice::One(T::default()),
        Some(_) if run.setup.rules.order == Order::Any => {
            Choice::AnyOf(run.outcome.solutions(run.setup)?.iter().map(of).collect())
        }
        Some(path) => Choice::One(of(path)),
    })
}

/// Returns `of` the path and the number of its squares that are walked, at least one; where any path is right, of each
/// of the solutions that are listed, in the order of the facts. `None` where the event is not a step of a path.
fn walked<T>(now: &Now<'_, Quento>, of: impl Fn(&Path, usize) -> T) -> Option<Choice<T>> {
    let Now { setup, state, event: Event::Walk { .. } } = now else { return None };
    let path = state.path.as_ref()?;
    Some(if setup.rules.order == Order::Any {
        let rivals = state.rivals.get_or_init(|| view::listed(setup).0);
        Choice::AnyOf(rivals.iter().map(|path| of(path, state.walked)).collect())
    } else {
        Choice::One(of(path, state.walked))
    })
}

/// `[row, col]`.
pub(super) fn square(pos: Pos) -> Vec<i64> {
    vec![pos.row as i64, pos.col as i64]
}

/// The squares of a path.
pub(super) fn squares(path: &Path) -> Vec<Vec<i64>> {
    path.places().map(square).collect()
}
