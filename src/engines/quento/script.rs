//! What scripts need: a path that somebody walks square by square, and what the rules say of paths and boards.

use std::sync::Arc;

use crate::diagnostic::count;
use crate::engine::{Answer, Native, Session, StateField};
use crate::engines::arguments;
use crate::grid::Pos;
use crate::spanned::Spanned;
use crate::value::Value;

use super::facts::{STATE, square, squares};
use super::paths::Paths;
use super::rules::{Board, Rules, Setup, is_digit_square};
use super::{legal, view};

/// A path whose next square somebody chooses.
#[derive(Clone, Debug)]
pub(super) struct QuentoSession {
    pub(super) setup: Arc<Setup>,
    pub(super) path: Vec<Pos>,
    pub(super) value: i64,
}

impl QuentoSession {
    /// Before the first square.
    pub(super) fn new(setup: &Setup) -> Self {
        Self { setup: Arc::new(setup.clone()), path: Vec::new(), value: 0 }
    }

    /// Digits still to be taken.
    pub(super) fn left(&self) -> usize {
        self.setup.digits - self.path.len().div_ceil(2)
    }
}

impl Session for QuentoSession {
    fn key(&self) -> &'static str {
        "expect.any_path"
    }

    fn see(&self, name: &str) -> Option<Value> {
        StateField::see(&STATE, self, name)
    }

    fn seen(&self) -> Vec<&str> {
        STATE.iter().map(|field| field.spec().name.as_ref()).collect()
    }

    fn legal(&self) -> Vec<Value> {
        let squares = self.setup.board.squares();
        let next: Vec<_> = match self.path.last() {
            None => squares.iter().map(|(at, _)| at).filter(|&at| is_digit_square(at)).collect(),
            Some(_) if self.left() == 0 => Vec::new(),
            Some(&last) => squares.neighbours(last).filter(|next| !self.path.contains(next)).collect(),
        };
        next.into_iter().map(|at| square(at).value()).collect()
    }

    fn make(&mut self, choice: &Value) -> Result<(), String> {
        if self.left() == 0 {
            let digits = count(self.setup.digits as u64, "digit");
            return Err(format!("the path is over: it has its {digits}"));
        }
        let board = &self.setup.board;
        let next = step(board, &self.path, choice)?;
        self.value += match self.path.last() {
            _ if !is_digit_square(next) => 0,
            Some(&symbol) => board.term(board.number(symbol), board.number(next)),
            None => board.digit(board.number(next)),
        };
        self.path.push(next);
        Ok(())
    }

    fn moves(&self) -> Vec<Value> {
        self.path.iter().copied().map(|at| square(at).value()).collect()
    }

    fn branch(&self) -> Box<dyn Session> {
        Box::new(self.clone())
    }
}

/// The square `choice`, if a path over `walked` may go on to it.
fn step(board: &Board, walked: &[Pos], choice: &Value) -> Result<Pos, String> {
    let [row, col] = arguments::ints(choice)
        .ok_or_else(|| format!("`{choice}` is no square: expected two whole numbers, `[row, column]`"))?;
    let square = format!("the square in row {row}, column {col}");
    let place = usize::try_from(row).ok().zip(usize::try_from(col).ok()).map(|(row, col)| Pos::new(row, col));
    let next = place.filter(|&at| board.squares().contains(at));
    let next = next.ok_or_else(|| format!("{square} is off the board: rows and columns count from 0"))?;
    let beside = |last: Pos| board.squares().neighbours(last).any(|at| at == next);
    match walked.last() {
        None if !is_digit_square(next) => {
            Err(format!("{square} holds `{}`: a path starts on a digit", board.squares()[next].char()))
        }
        Some(_) if walked.contains(&next) => Err(format!("{square} is on the path already")),
        Some(&last) if !beside(last) => {
            Err(format!("{square} is not next to the one before, in row {}, column {}", last.row, last.col))
        }
        _ => Ok(next),
    }
}

/// The functions for scripts.
pub(super) const NATIVES: &[Native] = &[
    Native {
        signature: "paths(digits)",
        about: "every path of `digits` digits, 1 to 5, on the board of 3 rows and columns, in lexicographic order; \
                each a list of squares `[row, column]` from 0, symbols included",
        example: "quento::paths(2).len() == 24 && quento::paths(2)[0] == [[0, 0], [0, 1], [0, 2]]",
        rules: &[],
        call: paths,
    },
    Native {
        signature: "evaluate(board, path)",
        about: "the value of what stands along a path, a list of squares `[row, column]` from 0",
        example: r#"quento::evaluate(board("4+3\n-5-\n9-2"), [[0, 0], [0, 1], [0, 2]]) == 7"#,
        rules: &[],
        call: evaluate,
    },
    Native {
        signature: "solutions(board, target, digits)",
        about: "how many paths of `digits` digits build the target",
        example: r#"quento::solutions(board("4+3\n-5-\n9-2"), 7, 2) == 3"#,
        rules: &[],
        call: solutions,
    },
];

fn paths(values: &[Value]) -> Result<Value, String> {
    let [digits] = arguments::all(values)?;
    let digits = arguments::int(digits, "digits")?;
    let paths = usize::try_from(digits).ok().and_then(|digits| Paths::new(3, 3, digits));
    let paths = paths.ok_or_else(|| format!("the number of digits is {digits}: expected 1 to 5"))?;
    Ok(Value::List(paths.map(|path| squares(&path).value()).collect()))
}

fn evaluate(values: &[Value]) -> Result<Value, String> {
    let [board, path] = arguments::all(values)?;
    let board = read(board)?;
    let mut places = Vec::new();
    for square in arguments::list(path, "squares, each `[row, column]`")? {
        places.push(step(&board, &places, square)?);
    }
    match board.path(&places) {
        Some(path) => Ok(Value::Int(board.value(&path))),
        None => Err(match places.last() {
            Some(last) => format!(
                "the path ends in row {}, column {} on `{}`: a path ends on a digit",
                last.row,
                last.col,
                board.squares()[*last].char()
            ),
            None => "the path has no squares: expected at least one".to_owned(),
        }),
    }
}

fn solutions(values: &[Value]) -> Result<Value, String> {
    let [board, target, digits] = arguments::all(values)?;
    let board = read(board)?;
    let number = |value, name| Ok::<_, String>(Spanned { value: arguments::int(value, name)?, range: 0..0 });
    let (target, digits) = (number(target, "target")?, number(digits, "digits")?);
    let setup = arguments::bound(|binder| {
        legal::legal(Some(target), Some(digits), Some(board), Rules::default(), binder)
    })?;
    let solutions = setup.count().map_err(|_| view::gave_up(&setup).why)?;
    Ok(Value::Int(solutions as i64))
}

fn read(board: &Value) -> Result<Board, String> {
    let cells = arguments::tokens(arguments::board(board)?);
    arguments::bound(|binder| legal::board(&cells, 0..0, binder))
}

#[cfg(test)]
mod tests {
    use super::super::Quento;
    use super::super::rules::Square;
    use super::*;
    use crate::engine::Engine;
    use crate::grid::Grid;
    use crate::rng::Rng;

    fn random(rng: &mut Rng, rows: usize, cols: usize) -> Board {
        let square = |at| {
            let (digit, symbol) = (rng.below(9) as u8, rng.below(2) as usize);
            if is_digit_square(at) { char::from(b'1' + digit) } else { ['+', '-'][symbol] }
        };
        Board::new(Grid::from_fn(rows, cols, square).map(|&typed| Square::new(typed).unwrap())).unwrap()
    }

    fn board(lines: &str) -> Value {
        Value::board(Board::read(lines).unwrap().squares(), |square| square.char().to_string())
    }

    fn list(squares: &[[i64; 2]]) -> Value {
        Value::List(squares.iter().map(|&square| Value::ints(square)).collect())
    }

    /// Every path that can be walked from here on, with its value.
    fn walks(session: &dyn Session) -> Vec<(Value, Value)> {
        let mut found = Vec::new();
        if session.see("left") == Some(Value::Int(0)) {
            assert!(session.legal().is_empty());
            found.push((session.see("path").unwrap(), session.see("value").unwrap()));
        }
        for square in session.legal() {
            let mut next = session.branch();
            next.make(&square).unwrap();
            found.extend(walks(&*next));
        }
        found
    }

    #[test]
    fn all_walks_are_all_paths_and_their_values_those_of_the_search() {
        for game in 0..40 {
            let mut rng = Rng::new(3, game);
            let (rows, cols) = [(3, 3), (1, 5), (5, 3)][game as usize % 3];
            let squares = random(&mut rng, rows, cols);
            let digits = 1 + rng.below(3) as usize;
            let setup = Setup::new(squares.clone(), rng.range(1, 20), digits, Rules::default()).unwrap();
            let walks = walks(&*Quento::session(&setup).unwrap());
            let expected: Vec<_> = squares
                .paths(digits)
                .map(|path| (super::squares(&path).value(), Value::Int(squares.value(&path))))
                .collect();
            assert_eq!(walks, expected);
            let drawn = Value::board(squares.squares(), |square| square.char().to_string());
            let mut solved = 0;
            for (path, value) in &walks {
                assert_eq!(evaluate(&[drawn.clone(), path.clone()]).as_ref(), Ok(value));
                solved += i64::from(*value == Value::Int(setup.target));
            }
            if (rows, cols) == (3, 3) {
                let all: Vec<_> = walks.into_iter().map(|(path, _)| path).collect();
                assert_eq!(paths(&[Value::Int(digits as i64)]), Ok(Value::List(all)));
            }
            let answer = Quento::run(&setup, &mut ());
            assert_eq!(Quento::answer(&setup, &answer, "solutions"), Some(Ok(Value::Int(solved))));
            let values = [drawn, Value::Int(setup.target), Value::Int(digits as i64)];
            assert_eq!(solutions(&values), Ok(Value::Int(solved)));
        }
    }

    #[test]
    fn what_the_examples_say_is_so() {
        let Ok(Value::List(two)) = paths(&[Value::Int(2)]) else { panic!("paths of two digits") };
        assert_eq!((two.len(), &two[0]), (24, &list(&[[0, 0], [0, 1], [0, 2]])));
        let drawn = board("4+3\n-5-\n9-2");
        assert_eq!(evaluate(&[drawn.clone(), two[0].clone()]), Ok(Value::Int(7)));
        assert_eq!(solutions(&[drawn, Value::Int(7), Value::Int(2)]), Ok(Value::Int(3)));
    }

    #[test]
    fn a_walk_says_what_is_seen_and_refuses_what_is_no_step() {
        let setup = Setup::new(Board::read("4+3\n-5-\n9-2").unwrap(), 7, 2, Rules::default()).unwrap();
        let mut session = QuentoSession::new(&setup);
        assert_eq!(session.legal().len(), 5);
        let refused = |session: &mut QuentoSession, square: &[i64], why: &str| {
            assert_eq!(session.make(&Value::ints(square.iter().copied())), Err(why.to_owned()));
        };
        refused(&mut session, &[0], "`[0]` is no square: expected two whole numbers, `[row, column]`");
        let off = "the square in row -1, column 0 is off the board: rows and columns count from 0";
        refused(&mut session, &[-1, 0], off);
        refused(&mut session, &[0, 1], "the square in row 0, column 1 holds `+`: a path starts on a digit");
        session.make(&Value::ints([1, 1])).unwrap();
        let far = "the square in row 0, column 0 is not next to the one before, in row 1, column 1";
        refused(&mut session, &[0, 0], far);
        session.make(&Value::ints([1, 2])).unwrap();
        refused(&mut session, &[1, 1], "the square in row 1, column 1 is on the path already");
        assert_eq!(session.see("expression"), Some(Value::Text("5-".into())));
        assert_eq!((session.see("value"), session.see("left")), (Some(Value::Int(5)), Some(Value::Int(1))));
        session.make(&Value::ints([0, 2])).unwrap();
        assert_eq!(session.see("value"), Some(Value::Int(2)));
        refused(&mut session, &[0, 1], "the path is over: it has its 2 digits");
        assert!(session.seen().iter().all(|name| session.see(name).is_some()));
    }

    #[test]
    fn faults_are_told_in_one_line() {
        let fault = |answer: Result<Value, String>| answer.unwrap_err();
        let drawn = board("4+3\n-5-\n9-2");
        assert_eq!(fault(paths(&[Value::Int(6)])), "the number of digits is 6: expected 1 to 5");
        assert_eq!(
            fault(evaluate(&[drawn.clone(), list(&[])])),
            "the path has no squares: expected at least one"
        );
        assert_eq!(
            fault(evaluate(&[drawn.clone(), list(&[[0, 0], [0, 1]])])),
            "the path ends in row 0, column 1 on `+`: a path ends on a digit"
        );
        let even = Value::Board(Grid::from_fn(2, 2, |_| "1".to_owned()));
        assert_eq!(
            fault(solutions(&[even, Value::Int(1), Value::Int(1)])),
            "a board of 2 rows and 2 columns: expected odd numbers of rows and columns, up to 9"
        );
        assert_eq!(
            fault(solutions(&[drawn, Value::Int(1), Value::Int(6)])),
            "the number of digits is 6: expected 1 to 5"
        );
    }
}
