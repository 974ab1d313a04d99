//! What scripts need: a game whose swaps somebody chooses, and what the rules say of a board and a swap.

use crate::engine::{Answer, Native, Session, StateField};
use crate::engines::arguments;
use crate::grid::Grid;
use crate::value::Value;

use super::cascade::State;
use super::columns::Columns;
use super::facts::STATE;
use super::rules::{Rules, Setup, Swap};
use super::{doc, legal, view};

/// A game whose next swap somebody chooses.
#[derive(Clone, Debug)]
pub(super) struct Match3Session {
    pub(super) rules: Rules,
    /// The bound on colors.
    pub(super) colors: u8,
    pub(super) state: State,
    pub(super) swaps: Vec<Swap>,
}

impl Match3Session {
    /// The start, whatever swaps it has.
    pub(super) fn new(setup: &Setup) -> Self {
        let state = State::new(setup);
        Self { rules: setup.rules.clone(), colors: setup.colors, state, swaps: Vec::new() }
    }
}

impl Session for Match3Session {
    fn key(&self) -> &'static str {
        "swaps"
    }

    fn see(&self, name: &str) -> Option<Value> {
        StateField::see(&STATE, self, name)
    }

    fn seen(&self) -> Vec<&str> {
        STATE.iter().map(|field| field.spec().name.as_ref()).collect()
    }

    /// A swap can be made as long as there is a piece, if only to be skipped.
    fn is_over(&self) -> bool {
        self.state.is_cleared()
    }

    fn legal(&self) -> Vec<Value> {
        self.state.matching(&self.rules).into_iter().map(numbers).collect()
    }

    fn make(&mut self, choice: &Value) -> Result<(), String> {
        let swap = swap(choice)?;
        self.state.make(swap, &self.rules);
        self.swaps.push(swap);
        Ok(())
    }

    fn moves(&self) -> Vec<Value> {
        self.swaps.iter().copied().map(numbers).collect()
    }

    fn branch(&self) -> Box<dyn Session> {
        Box::new(self.clone())
    }
}

/// The functions for scripts.
pub(super) const NATIVES: &[Native] = &[
    Native {
        signature: "legal_swaps(board)",
        about: "the swaps that make a line of three, each `[row1, col1, row2, col2]` from 1: of a cell and its \
                right or lower neighbor, in reading order of the cell, right before down",
        example: r#"match3::legal_swaps(board("1 2 1\n2 1 2")) == [[1, 2, 2, 2]]"#,
        rules: &["line"],
        call: legal_swaps,
    },
    Native {
        signature: "would_match(board, swap)",
        about: "whether the swap `[row1, col1, row2, col2]`, counted from 1, makes a line of three, so that it is not \
                skipped",
        example: r#"match3::would_match(board("1 2 1\n2 1 2"), [1, 2, 2, 2])"#,
        rules: &["line"],
        call: would_match,
    },
    Native {
        signature: "apply(board, swap)",
        about: "the board after the swap and all its rounds; the same board if the swap is skipped",
        example: r#"match3::apply(board("1 2 1\n2 1 3"), [1, 2, 2, 2]) == board(". . .\n2 2 3")"#,
        rules: &["line"],
        call: apply,
    },
    Native {
        signature: "points(board, swap)",
        about: "the swap's elimination, chain and combo points; 0 if it is skipped",
        example: r#"match3::points(board("1 2 1\n2 1 3"), [1, 2, 2, 2]) == 3"#,
        rules: &["line", "blocks_join", "points"],
        call: points,
    },
    Native {
        signature: "has_line(board)",
        about: "whether a line of three or more equal pieces stands on the board",
        example: r#"match3::has_line(board("1 1 1\n2 1 2"))"#,
        rules: &["line"],
        call: has_line,
    },
];

fn legal_swaps(values: &[Value]) -> Result<Value, String> {
    let [board] = arguments::all(values)?;
    let swaps = start(board)?.matching(&Rules::default());
    Ok(Value::List(swaps.into_iter().map(numbers).collect()))
}

fn would_match(values: &[Value]) -> Result<Value, String> {
    played(values).map(|state| Value::Bool(state.step().skipped.is_none()))
}

fn apply(values: &[Value]) -> Result<Value, String> {
    played(values).map(|state| colors(&state.board()))
}

fn points(values: &[Value]) -> Result<Value, String> {
    played(values).map(|state| Value::Int(state.tally().running()))
}

fn has_line(values: &[Value]) -> Result<Value, String> {
    let [board] = arguments::all(values)?;
    Ok(Value::Bool(legal::standing(&read(board)?, Rules::default().line).next().is_some()))
}

/// The game after one swap on a board.
fn played(values: &[Value]) -> Result<State, String> {
    let [board, choice] = arguments::all(values)?;
    let (mut state, swap) = (start(board)?, swap(choice)?);
    state.make(swap, &Rules::default());
    Ok(state)
}

/// A game on a board, which may have lost pieces already.
fn start(board: &Value) -> Result<State, String> {
    let colors = read(board)?;
    if let Some(line) = legal::standing(&colors, Rules::default().line).next() {
        let (color, row, col) = (colors[line[0]], line[0].row + 1, line[0].col + 1);
        return Err(format!(
            "a line of {} pieces of color {color} stands on the board, from row {row}, column {col} on",
            line.len()
        ));
    }
    Columns::fallen(&colors).map(State::on).ok_or_else(|| {
        "a piece has an empty cell below it: empty cells stand only at the top of a column".to_owned()
    })
}

/// The colors of a board, 0 where it is empty.
fn read(board: &Value) -> Result<Grid<u8>, String> {
    let board = arguments::board(board)?;
    let (rows, cols, most) = (board.rows(), board.cols(), legal::MOST_SIDE);
    if rows.max(cols) > most as usize {
        return Err(format!("the board has {rows} x {cols} cells: expected at most {most} rows and columns"));
    }
    let mut colors = board.map(|_| 0);
    for (pos, cell) in board.iter() {
        let place = || format!("in row {}, column {}", pos.row + 1, pos.col + 1);
        let number =
            doc::color_or_empty(cell).ok_or_else(|| format!("the cell `{cell}` {} is no color", place()))?;
        let above = |_| format!("the cell `{cell}` {} is above 255, the highest color", place());
        colors[pos] = u8::try_from(number).map_err(above)?;
    }
    Ok(colors)
}

/// The swap that `choice` lists.
fn swap(choice: &Value) -> Result<Swap, String> {
    let numbers = arguments::ints(choice).ok_or_else(|| {
        format!("`{choice}` is no swap: expected four whole numbers, `[row1, col1, row2, col2]`")
    })?;
    doc::swap(numbers).ok_or_else(|| format!("`{choice}` is swap coordinates out of range"))
}

/// `[row1, col1, row2, col2]`.
fn numbers(swap: Swap) -> Value {
    swap.numbers().value()
}

fn colors(board: &Grid<u8>) -> Value {
    Value::board(board, |&color| view::cell(color))
}

#[cfg(test)]
mod tests {
    use super::super::score::Points;
    use super::super::{Match3, cascade};
    use super::*;
    use crate::engine::Engine;
    use crate::rng::Rng;

    fn board(lines: &str) -> Value {
        let rows: Vec<_> = lines.lines().map(|line| line.split(' ')).collect();
        let cols = rows[0].clone().count();
        let cells = rows.into_iter().flatten().map(str::to_owned).collect();
        Value::Board(Grid::from_cells(cols, cells).unwrap())
    }

    fn list(swaps: &[[i64; 4]]) -> Value {
        Value::List(swaps.iter().map(|&swap| Value::ints(swap)).collect())
    }

    /// A random start without a line; with specials for some.
    fn random(rng: &mut Rng, rules: Rules) -> Setup {
        let (rows, cols) = (1 + rng.below(9) as usize, 1 + rng.below(9) as usize);
        let colors = 2 + rng.below(4);
        let board = loop {
            let board = Grid::from_fn(rows, cols, |_| 1 + rng.below(colors) as u8);
            let mut repaired = board.clone();
            for pos in board.iter().map(|(pos, _)| pos) {
                for _ in 0..20 {
                    if legal::standing(&repaired, rules.line).all(|cells| !cells.contains(&pos)) {
                        break;
                    }
                    repaired[pos] = 1 + rng.below(colors) as u8;
                }
            }
            if legal::standing(&repaired, rules.line).next().is_none() {
                break repaired;
            }
        };
        let special = |rng: &mut Rng| if rng.percent(15) { 1 + rng.below(6) as u8 } else { 0 };
        let specials = if rng.percent(50) { board.map(|_| special(rng)) } else { board.map(|_| 0) };
        Setup { rules, colors: 9, board, specials, swaps: Vec::new() }
    }

    fn rules(game: u64) -> Rules {
        match game % 3 {
            0 => Rules { line: 4, points: Points { chain: 7, ..Points::default() }, ..Rules::default() },
            _ => Rules::default(),
        }
    }

    #[test]
    fn a_game_played_move_by_move_is_the_one_played_in_a_run() {
        for game in 0..200 {
            let mut rng = Rng::new(7, game);
            let mut setup = random(&mut rng, rules(game));
            let mut session = Match3::session(&setup).unwrap();
            for _ in 0..20 {
                let legal = session.legal();
                let choice = match legal.len() {
                    0 => Value::ints([1, 1, 2, 1]),
                    _ if rng.percent(10) => Value::ints([1, 1, 1, 9]),
                    swaps => legal[rng.below(swaps as u64) as usize].clone(),
                };
                let branch = session.branch();
                session.make(&choice).unwrap();
                assert_eq!(branch.moves().len() + 1, session.moves().len());
                setup.swaps.push(swap(&choice).unwrap());
            }
            let outcome = cascade::play(&setup, &mut ());
            let tally = outcome.tally();
            assert_eq!(session.see("board"), Some(colors(&outcome.board())));
            assert_eq!(session.see("score"), Some(Value::Int(tally.score() - tally.endgame)));
            assert_eq!(session.see("cleared"), Some(Value::Bool(outcome.is_cleared())));
            assert_eq!(session.see("swap"), Some(Value::Int(20)));
            assert_eq!(session.see("history"), Some(Value::List(session.moves())));
            assert!(session.seen().iter().all(|name| session.see(name).is_some()));
        }
    }

    #[test]
    fn the_legal_swaps_are_those_that_a_run_does_not_skip() {
        for game in 0..100 {
            let setup = random(&mut Rng::new(8, game), rules(game));
            let mut session = Match3Session::new(&setup);
            for _ in 0..6 {
                let (rows, cols) = (setup.board.rows() as i32, setup.board.cols() as i32);
                let cells = (1..=rows).flat_map(|row| (1..=cols).map(move |col| (row, col)));
                let swaps = cells.flat_map(|(row, col)| [[row, col, row, col + 1], [row, col, row + 1, col]]);
                let valid = swaps.map(Swap::new).filter(|&swap| {
                    let made = session.swaps.iter().copied().chain([swap]).collect();
                    let outcome = cascade::play(&Setup { swaps: made, ..setup.clone() }, &mut ());
                    outcome.tally().valid_swaps > session.state.tally().valid_swaps
                });
                let valid: Vec<_> = valid.map(numbers).collect();
                assert_eq!(session.legal(), valid);
                let Some(last) = valid.last() else { break };
                session.make(last).unwrap();
            }
        }
    }

    #[test]
    fn what_the_examples_say_is_so() {
        let small = board("1 2 1\n2 1 2");
        let expected = list(&[[1, 2, 2, 2]]);
        assert_eq!(legal_swaps(std::slice::from_ref(&small)), Ok(expected));
        let values = [board("1 2 1\n2 1 3"), Value::ints([1, 2, 2, 2])];
        assert_eq!(would_match(&values), Ok(Value::Bool(true)));
        assert_eq!(apply(&values), Ok(board(". . .\n2 2 3")));
        assert_eq!(points(&values), Ok(Value::Int(3)));
        assert_eq!(has_line(&[board("1 1 1\n2 1 2")]), Ok(Value::Bool(true)));
        assert_eq!(has_line(&[board(". . .\n. 1 1")]), Ok(Value::Bool(false)));
    }

    #[test]
    fn a_board_may_have_lost_pieces() {
        let values = [board(". . 0 .\na b c a\nb a a c"), Value::ints([2, 1, 3, 1])];
        assert_eq!(apply(&values), Ok(board(". . . .\n. . . 1\n2 2 3 3")));
        let skipped = [values[0].clone(), Value::ints([1, 1, 2, 1])];
        assert_eq!(would_match(&skipped), Ok(Value::Bool(false)));
        assert_eq!(apply(&skipped), Ok(board(". . . .\n1 2 3 1\n2 1 1 3")));
        assert_eq!(points(&skipped), Ok(Value::Int(0)));
        assert_eq!(legal_swaps(&[board(".")]), Ok(list(&[])));
    }

    #[test]
    fn faults_are_told_in_one_line() {
        let cases = [
            (board("1 x1"), "the cell `x1` in row 1, column 2 is no color"),
            (board("1\n256"), "the cell `256` in row 2, column 1 is above 255, the highest color"),
            (board("1 2 2 2"), "a line of 3 pieces of color 2 stands on the board, from row 1, column 2 on"),
            (
                board("1 2\n. 2"),
                "a piece has an empty cell below it: empty cells stand only at the top of a column",
            ),
            (Value::Int(1), "`1` is no board"),
        ];
        for (board, fault) in cases {
            assert_eq!(legal_swaps(&[board]), Err(fault.to_owned()));
        }
        assert_eq!(has_line(&[]), Err("there are 0 arguments: expected 1".to_owned()));
        let mut session = Match3Session::new(&random(&mut Rng::new(9, 0), Rules::default()));
        let fault = "`[1, 1]` is no swap: expected four whole numbers, `[row1, col1, row2, col2]`";
        assert_eq!(session.make(&Value::ints([1, 1])), Err(fault.to_owned()));
        assert!(session.make(&Value::ints([1, 1, 1, i64::MAX])).is_err() && session.moves().is_empty());
    }
}
