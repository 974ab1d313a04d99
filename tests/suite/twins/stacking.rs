//! New Game 2 once more, as plainly as can be: every move looks for its piece on the whole board.

/// The house rules.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "four rules with two choices each")]
pub(crate) struct House {
    pub(crate) height_limit: usize,
    pub(crate) turn_limit: u64,
    pub(crate) lowest: bool,
    pub(crate) turns_back: bool,
    pub(crate) after_turn: bool,
    pub(crate) whole_stack: bool,
}

impl House {
    pub(crate) const STATEMENT: Self = Self {
        height_limit: 4,
        turn_limit: 1000,
        lowest: false,
        turns_back: false,
        after_turn: false,
        whole_stack: false,
    };
}

/// The game after its last turn.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) turn: i64,
    pub(crate) moves: i64,
    /// By row and column, the numbers of the pieces from bottom to top.
    pub(crate) stacks: Vec<Vec<Vec<usize>>>,
    /// By piece; 1, 2, 3, 4 = right, left, up, down.
    pub(crate) facings: Vec<i64>,
}

/// Plays the game that `input` describes in the statement's format.
pub(crate) fn play(input: &str, house: House) -> Game {
    let mut numbers = input.split_whitespace().map(|word| word.parse::<i64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let (n, k) = (next(), next());
    let board: Vec<Vec<i64>> = (0..n).map(|_| (0..n).map(|_| next()).collect()).collect();
    let mut stacks = vec![vec![vec![]; n as usize]; n as usize];
    let mut facings = Vec::new();
    for piece in 1..=k as usize {
        let (row, col) = (next() - 1, next() - 1);
        stacks[row as usize][col as usize].push(piece);
        facings.push(next());
    }
    let color = |row: i64, col: i64| {
        if row < 0 || col < 0 || row >= n || col >= n { 2 } else { board[row as usize][col as usize] }
    };
    let mut game = Game { turn: -1, moves: 0, stacks, facings };
    for turn in 1..=house.turn_limit {
        for piece in 1..=k as usize {
            game.advance(piece, house, &color);
            if !house.after_turn && game.highest() >= house.height_limit {
                game.turn = turn as i64;
                return game;
            }
        }
        if game.highest() >= house.height_limit {
            game.turn = turn as i64;
            return game;
        }
    }
    game
}

impl Game {
    fn advance(&mut self, piece: usize, house: House, color: &impl Fn(i64, i64) -> i64) {
        let (row, col, depth) = self.find(piece);
        if house.lowest && depth > 0 {
            return;
        }
        let ahead = |facing| match facing {
            1 => (row as i64, col as i64 + 1),
            2 => (row as i64, col as i64 - 1),
            3 => (row as i64 - 1, col as i64),
            _ => (row as i64 + 1, col as i64),
        };
        let facing = self.facings[piece - 1];
        let mut to = ahead(facing);
        if color(to.0, to.1) == 2 {
            let back = match facing {
                1 => 2,
                2 => 1,
                3 => 4,
                _ => 3,
            };
            to = ahead(back);
            if color(to.0, to.1) == 2 {
                if !house.turns_back {
                    self.facings[piece - 1] = back;
                }
                return;
            }
            self.facings[piece - 1] = back;
        }
        let mut moving = self.stacks[row][col].split_off(depth);
        let target = &mut self.stacks[to.0 as usize][to.1 as usize];
        let red = color(to.0, to.1) == 1;
        if red && !house.whole_stack {
            moving.reverse();
        }
        target.extend(moving);
        if red && house.whole_stack {
            target.reverse();
        }
        self.moves += 1;
    }

    /// Row, column and the number of pieces below.
    pub(crate) fn find(&self, piece: usize) -> (usize, usize, usize) {
        for (row, line) in self.stacks.iter().enumerate() {
            for (col, stack) in line.iter().enumerate() {
                if let Some(depth) = stack.iter().position(|&other| other == piece) {
                    return (row, col, depth);
                }
            }
        }
        panic!("piece {piece} is on the board")
    }

    pub(crate) fn highest(&self) -> usize {
        self.stacks.iter().flatten().map(Vec::len).max().unwrap()
    }
}
