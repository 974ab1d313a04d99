//! What scripts need: how a game goes from a board and pieces, by the statement's rules.

use crate::engine::Native;
use crate::engines::arguments;
use crate::grid::{Dir, Grid, Pos};
use crate::spanned::Spanned;
use crate::value::Value;

use super::legal::{COUNT, Placed, pieces};
use super::rules::{Color, Rules, Setup, State};
use super::{cycle, doc, view};

/// The functions for scripts.
pub(super) const NATIVES: &[Native] = &[
    Native {
        signature: "turns(board, pieces)",
        about: "the turn in which the game ends, -1 if not within 1000; `pieces` lists \
                `[row, column, \"right\"]` from 1 (or `left`, `up`, `down`) in the order in which they move",
        example: r#"stacking::turns(board(". . . .\n. . . .\n. . . .\n. . . ."),
    [[1, 1, "right"], [1, 2, "right"], [1, 3, "right"], [1, 4, "left"]]) == 1"#,
        rules: &["height_limit", "turn_limit", "moves", "blocked", "ends", "red"],
        call: turns,
    },
    Native {
        signature: "step(board, pieces, turns)",
        about: "the pieces on each square after so many turns, 0 to 1000, or at the end of the game if that comes \
                first: from bottom to top, joined by `-`, `.` where nobody stands; `pieces` as in `turns`",
        example: r#"stacking::step(board(". .\n. r"), [[1, 1, "right"], [2, 1, "right"]], 1) == board(". 1\n. 2")"#,
        rules: &["height_limit", "turn_limit", "moves", "blocked", "ends", "red"],
        call: step,
    },
];

fn turns(values: &[Value]) -> Result<Value, String> {
    let [board, pieces] = arguments::all(values)?;
    let outcome = cycle::play(&start(board, pieces)?, &mut ());
    super::turn(&outcome).map(Value::Int).map_err(|unanswered| unanswered.why)
}

fn step(values: &[Value]) -> Result<Value, String> {
    let [board, pieces, turns] = arguments::all(values)?;
    let setup = start(board, pieces)?;
    let (turns, most) = (arguments::int(turns, "turns")?, setup.rules.turn_limit);
    let turns = u64::try_from(turns)
        .ok()
        .filter(|&turns| turns <= most)
        .ok_or_else(|| format!("the number of turns is {turns}: expected 0 to {most}"))?;
    let mut state = State::new(&setup);
    while state.turn() < turns && !state.play(&setup, &mut ()) {}
    Ok(Value::Board(view::stacks(&state)))
}

/// The start on a board with pieces, of any size that the engine plays.
fn start(board: &Value, typed: &Value) -> Result<Setup, String> {
    let board = colors(arguments::board(board)?)?;
    let typed = arguments::list(typed, "pieces, each `[row, column, \"right\"]`")?;
    let placed =
        (1..).zip(typed).map(|(number, piece)| read(number, piece)).collect::<Result<Vec<_>, _>>()?;
    arguments::bound(|binder| {
        let fits = COUNT.allows(binder, placed.len() as i64, 0..0);
        let pieces = pieces(binder, Some(board.cols()), placed).filter(|_| fits);
        Some(Setup { board, pieces: pieces?, rules: Rules::default() })
    })
}

fn colors(board: &Grid<String>) -> Result<Grid<Color>, String> {
    let size = (board.rows(), board.cols());
    arguments::bound(|binder| doc::fits(binder, size, 0..0))?;
    let color = |(at, cell): (Pos, &String)| {
        let place = || format!("in row {}, column {}", at.row + 1, at.col + 1);
        let wrong = || format!("the cell `{cell}` {} is no color: expected {}", place(), doc::COLORS);
        doc::meant(cell).ok_or_else(wrong)
    };
    let cells = board.iter().map(color).collect::<Result<Vec<_>, _>>()?;
    Ok(Grid::from_fn(size.0, size.1, |at| cells[at.row * size.1 + at.col]))
}

/// The piece `number`, counted from 1.
fn read(number: usize, piece: &Value) -> Result<Placed, String> {
    let parts = match piece {
        Value::List(parts) => parts.as_slice(),
        _ => &[],
    };
    let [Value::Int(row), Value::Int(col), Value::Text(facing)] = parts else {
        return Err(format!("piece {number} is `{piece}`: expected `[row, column, \"right\"]`"));
    };
    let facing = Dir::ALL.into_iter().find(|dir| dir.name() == facing).ok_or_else(|| {
        format!("piece {number} faces `{facing}`: expected `right`, `left`, `up` or `down`")
    })?;
    Ok(Placed { at: Some(Spanned { value: [*row, *col], range: 0..0 }), facing: Some(facing) })
}

#[cfg(test)]
mod tests {
    use super::super::Stacking;
    use super::super::rules::Piece;
    use super::*;
    use crate::engine::Engine;
    use crate::rng::Rng;

    fn board(lines: &str) -> Value {
        let rows: Vec<Vec<_>> = lines.lines().map(|line| line.split(' ').collect()).collect();
        Value::Board(Grid::from_fn(rows.len(), rows[0].len(), |at| rows[at.row][at.col].to_owned()))
    }

    fn piece(row: i64, col: i64, facing: &str) -> Value {
        Value::List(vec![Value::Int(row), Value::Int(col), Value::Text(facing.to_owned())])
    }

    #[test]
    fn what_the_examples_say_is_so() {
        let pieces = [(1, "right"), (2, "right"), (3, "right"), (4, "left")];
        let pieces = pieces.into_iter().map(|(col, facing)| piece(1, col, facing)).collect();
        let values = [board(". . . .\n. . . .\n. . . .\n. . . ."), Value::List(pieces)];
        assert_eq!(turns(&values), Ok(Value::Int(1)));
        let pieces = Value::List(vec![piece(1, 1, "right"), piece(2, 1, "right")]);
        let values = [board(". .\n. r"), pieces, Value::Int(1)];
        assert_eq!(step(&values), Ok(board(". 1\n. 2")));
    }

    #[test]
    fn turns_and_stacks_are_those_of_a_run() {
        for game in 0..100 {
            let mut rng = Rng::new(5, game);
            let side = 3 + rng.below(6) as usize;
            let letters = [(Color::White, "."), (Color::Red, "r"), (Color::Blue, "b")];
            let drawn = Grid::from_fn(side, side, |_| letters[rng.below(3) as usize]);
            let mut places: Vec<_> = drawn.iter().map(|(at, _)| at).collect();
            rng.shuffle(&mut places);
            places.truncate(4 + rng.below(5) as usize);
            let pieces: Vec<_> =
                places.into_iter().map(|at| Piece { at, facing: Dir::ALL[rng.below(4) as usize] }).collect();
            let typed = |p: &Piece| piece(p.at.row as i64 + 1, p.at.col as i64 + 1, p.facing.name());
            let values = [
                Value::board(&drawn, |(_, letter)| (*letter).to_owned()),
                Value::List(pieces.iter().map(typed).collect()),
            ];
            let setup = Setup { board: drawn.map(|&(color, _)| color), pieces, rules: Rules::default() };
            let fact = |setup: &Setup, name| {
                Stacking::answer(setup, &Stacking::run(setup, &mut ()), name).unwrap().unwrap()
            };
            assert_eq!(turns(&values), Ok(fact(&setup, "turn")));
            let [board, pieces] = values;
            for turns in [1, 2, 7, 1000] {
                let short = Rules { turn_limit: turns, ..Rules::default() };
                let stacks = fact(&Setup { rules: short, ..setup.clone() }, "stacks");
                let values = [board.clone(), pieces.clone(), Value::Int(turns as i64)];
                assert_eq!(step(&values), Ok(stacks));
            }
            let start = step(&[board, pieces, Value::Int(0)]);
            assert_eq!(start, Ok(Value::Board(view::stacks(&State::new(&setup)))));
        }
    }

    #[test]
    fn faults_are_told_in_one_line() {
        let one = || vec![piece(1, 1, "up")];
        let cases = [
            (board("."), vec![], "the game has 0 pieces: expected 1 to 4096 pieces"),
            (board(". ."), one(), "the board is 1 by 2: expected as many rows as columns"),
            (
                board(". x\n. ."),
                one(),
                "the cell `x` in row 1, column 2 is no color: expected `0`, `w` or `.` (white), `1` or `r` (red), \
                 `2` or `b` (blue)",
            ),
            (
                board("."),
                vec![piece(1, 2, "up")],
                "piece 1 is off the board, in row 1 and column 2: expected rows and columns from 1 to 1",
            ),
            (
                board("."),
                [one(), one()].concat(),
                "pieces 1 and 2 start on the same square: piece 2 stands here, too",
            ),
            (
                board("."),
                vec![piece(1, 1, "north")],
                "piece 1 faces `north`: expected `right`, `left`, `up` or `down`",
            ),
            (
                board("."),
                vec![Value::ints([1, 1])],
                "piece 1 is `[1, 1]`: expected `[row, column, \"right\"]`",
            ),
        ];
        for (board, pieces, fault) in cases {
            assert_eq!(turns(&[board, Value::List(pieces)]), Err(fault.to_owned()));
        }
        let many = step(&[board("."), Value::List(one()), Value::Int(1001)]);
        assert_eq!(many, Err("the number of turns is 1001: expected 0 to 1000".to_owned()));
    }
}
