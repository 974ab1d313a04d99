//! The rules of New Game 2 with every house rule, for boards and numbers of pieces of any size.
//!
//! A [`State`] is changed by whole turns alone and costs as much per move as pieces are moved, whatever the board.
//! Pieces count from 0 here and in events, in the order in which they move; people see them from 1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Observer;
use crate::grid::{Dir, Grid, Pos};

/// The color of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// Those who arrive are put on top.
    White,
    /// Those who arrive are put on top in reversed order.
    Red,
    /// Nobody arrives; who wants to turns round.
    Blue,
}

/// A piece at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its square.
    pub at: Pos,
    /// Where it wants to go.
    pub facing: Dir,
}

/// Who moves when it is a piece's move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Movers {
    /// The piece and all that stand on it; those below stay.
    #[default]
    FromPiece,
    /// The whole stack if the piece is its lowest, else nobody: the older New Game.
    Lowest,
}

/// What becomes of a piece that can move neither forwards nor, turned round, backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Blocked {
    /// It stays turned round.
    #[default]
    KeepsTurned,
    /// It faces as before.
    TurnsBack,
}

/// When the height of the stacks is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// After every move.
    #[default]
    AtOnce,
    /// When all pieces have had their move.
    AfterTurn,
}

/// Who is reversed on red.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Red {
    /// Those who arrive.
    #[default]
    Moved,
    /// All who then stand on the square.
    WholeStack,
}

/// The house rules of a stacking scenario; what is not typed is the statement's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The number of pieces on one square that ends the game, at least 2; 4 in the statement.
    #[schemars(range(min = 2))]
    pub height_limit: u64,
    /// The last turn in which the game may end, 1 to 10^15; 1000 in the statement.
    #[schemars(range(min = 1, max = MAX_TURNS))]
    pub turn_limit: u64,
    /// Who moves when it is a piece's move: `from-piece` (the statement: the piece and all on it) or `lowest` (the
    /// whole stack if the piece is its lowest, else nobody).
    pub moves: Movers,
    /// What becomes of a piece that can move neither way: `keeps-turned` (the statement: it stays turned round) or
    /// `turns-back` (it faces as before).
    pub blocked: Blocked,
    /// When the height of the stacks is looked at: `at-once` (the statement: after every move) or `after-turn`.
    pub ends: Ends,
    /// Who is reversed on red: `moved` (the statement: those who arrive) or `whole-stack` (all who then stand there).
    pub red: Red,
    /// How many moves of pieces are played before the game is given up without an answer, at least 1: one for each piece
    /// in each turn, blocked or not, in whole turns alone. Only games with many pieces and a high turn limit need so
    /// many. Default: 200000000, some seconds.
    #[schemars(range(min = 1))]
    pub budget: u64,
}

/// The highest turn limit: up to here every number of moves fits into an `i64`.
pub const MAX_TURNS: u64 = 1_000_000_000_000_000;

impl Default for Rules {
    fn default() -> Self {
        Self {
            height_limit: 4,
            turn_limit: 1000,
            moves: Movers::default(),
            blocked: Blocked::default(),
            ends: Ends::default(),
            red: Red::default(),
            budget: 200_000_000,
        }
    }
}

/// A legal start: a square board, and pieces on squares of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    pub(super) board: Grid<Color>,
    pub(super) pieces: Vec<Piece>,
    pub(super) rules: Rules,
}

impl Setup {
    /// The colors.
    pub fn board(&self) -> &Grid<Color> {
        &self.board
    }

    /// The pieces in the order in which they move.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The house rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

/// Where a piece's move leads.
pub(super) struct Aim {
    /// Where it faces then: turned round if the square ahead is blue or off the board.
    pub(super) facing: Dir,
    /// The square that it enters; `None` if the one behind it is closed, too.
    pub(super) to: Option<Pos>,
}

/// Where a piece on `from` that faces `facing` goes. Looks at colors alone, never at pieces.
pub(super) fn aim(board: &Grid<Color>, from: Pos, facing: Dir) -> Aim {
    let open = |dir| from.step(dir).filter(|&to| board.get(to).is_some_and(|&color| color != Color::Blue));
    match open(facing) {
        Some(to) => Aim { facing, to: Some(to) },
        None => Aim { facing: facing.opposite(), to: open(facing.opposite()) },
    }
}

/// What happened, and in which turn; turn 0 is the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The turn.
    pub turn: u64,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The pieces stand where they start.
    Start,
    /// A piece changed squares.
    Moved {
        /// The piece whose move it was.
        piece: usize,
        /// Those it took along, from low to high as they stood before.
        carried: Vec<usize>,
        /// The square left.
        from: Pos,
        /// The square entered.
        to: Pos,
        /// Whether it turned round before.
        turned: bool,
    },
    /// A piece could move neither way.
    Blocked {
        /// The piece.
        piece: usize,
    },
    /// A piece did nothing because it is not the lowest of its stack.
    NotLowest {
        /// The piece.
        piece: usize,
    },
    /// A stack is tall enough: the game and its last turn are over.
    TallStack {
        /// Its square.
        at: Pos,
        /// The number of its pieces.
        height: usize,
    },
    /// All pieces had their move, and the game goes on.
    TurnOver,
    /// The position is the one after turn `first`: the game never ends.
    Cycle {
        /// The earlier turn.
        first: u64,
        /// The turn after which the position was there again.
        again: u64,
    },
    /// The last turn that counts is over.
    TurnLimit {
        /// An earlier turn after which the position was the same, in a game that never ends.
        like: Option<u64>,
    },
    /// Too many turns were played without a position coming back.
    Undecided,
}

/// A game under way.
#[derive(Clone, Debug)]
pub struct State {
    size: usize,
    pieces: Vec<Standing>,
    /// By square in reading order, the pieces from bottom to top.
    stacks: Vec<Vec<u32>>,
    /// Those who moved last, from low to high as they stood before.
    moving: Vec<u32>,
    turn: u64,
    moves: u64,
    /// The number of stacks that are tall enough to end the game.
    tall: usize,
}

/// Where a piece stands: all pieces' standings together are the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    square: u32,
    /// The number of pieces below it.
    depth: u32,
    facing: Dir,
}

/// What a piece did on its move.
#[derive(Clone, Copy)]
enum Did {
    Moved { from: Pos, to: Pos, turned: bool },
    Blocked,
    NotLowest,
}

impl State {
    /// The position at the start.
    pub(super) fn new(setup: &Setup) -> Self {
        let size = setup.board.cols();
        let mut stacks = vec![Vec::new(); size * size];
        let mut pieces = Vec::with_capacity(setup.pieces.len());
        for (piece, &Piece { at, facing }) in setup.pieces.iter().enumerate() {
            let square = at.row * size + at.col;
            stacks[square].push(piece as u32);
            pieces.push(Standing { square: square as u32, depth: 0, facing });
        }
        Self { size, pieces, stacks, moving: Vec::new(), turn: 0, moves: 0, tall: 0 }
    }

    /// Plays a turn; whether the game is over.
    pub(super) fn play<O: Observer<Self, Event>>(&mut self, setup: &Setup, observer: &mut O) -> bool {
        self.turn += 1;
        let turn = self.turn;
        for piece in 0..self.pieces.len() {
            let did = self.advance(setup, piece);
            let state = &*self;
            observer.on(state, || Event { turn, what: state.what(piece, did) });
            if state.tall > 0 && setup.rules.ends == Ends::AtOnce {
                break;
            }
        }
        let state = &*self;
        let over = state.tall > 0;
        observer.on(state, || {
            let (at, height) = state.tallest();
            Event { turn, what: if over { What::TallStack { at, height } } else { What::TurnOver } }
        });
        over
    }

    /// Goes on by turns that lead back to this position.
    pub(super) fn skip(&mut self, turns: u64, moves: u64) {
        self.turn += turns;
        self.moves += moves;
    }

    /// One piece's move.
    fn advance(&mut self, setup: &Setup, piece: usize) -> Did {
        let standing = self.pieces[piece];
        if standing.depth > 0 && setup.rules.moves == Movers::Lowest {
            return Did::NotLowest;
        }
        let from = self.pos(standing.square);
        let aim = aim(&setup.board, from, standing.facing);
        let Some(to) = aim.to else {
            if setup.rules.blocked == Blocked::KeepsTurned {
                self.pieces[piece].facing = aim.facing;
            }
            return Did::Blocked;
        };
        self.pieces[piece].facing = aim.facing;
        self.carry(setup, standing, to);
        Did::Moved { from, to, turned: aim.facing != standing.facing }
    }

    /// Moves the piece at `standing` and all that stand on it to `to`.
    fn carry(&mut self, setup: &Setup, standing: Standing, to: Pos) {
        let (from, square) = (standing.square as usize, to.row * self.size + to.col);
        let limit = setup.rules.height_limit;
        let was_tall = |state: &Self, square: usize| usize::from(state.stacks[square].len() as u64 >= limit);
        self.tall -= was_tall(self, from) + was_tall(self, square);
        self.moving.clear();
        self.moving.extend(self.stacks[from].drain(standing.depth as usize..));
        let mut renewed = self.stacks[square].len();
        match (setup.board[to], setup.rules.red) {
            (Color::Red, Red::Moved) => self.stacks[square].extend(self.moving.iter().rev()),
            (Color::Red, Red::WholeStack) => {
                self.stacks[square].extend(&self.moving);
                self.stacks[square].reverse();
                renewed = 0;
            }
            _ => self.stacks[square].extend(&self.moving),
        }
        for (depth, &piece) in self.stacks[square].iter().enumerate().skip(renewed) {
            let moved = &mut self.pieces[piece as usize];
            (moved.square, moved.depth) = (square as u32, depth as u32);
        }
        self.moves += 1;
        self.tall += was_tall(self, from) + was_tall(self, square);
    }

    fn what(&self, piece: usize, did: Did) -> What {
        match did {
            Did::Blocked => What::Blocked { piece },
            Did::NotLowest => What::NotLowest { piece },
            Did::Moved { from, to, turned } => {
                let carried = self.moving[1..].iter().map(|&carried| carried as usize).collect();
                What::Moved { piece, carried, from, to, turned }
            }
        }
    }

    fn pos(&self, square: u32) -> Pos {
        Pos::new(square as usize / self.size, square as usize % self.size)
    }

    /// The number of rows and of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The pieces on a square, from bottom to top.
    pub fn stack(&self, at: Pos) -> impl ExactSizeIterator<Item = usize> {
        self.stacks[at.row * self.size + at.col].iter().map(|&piece| piece as usize)
    }

    /// Where a piece stands.
    pub fn place(&self, piece: usize) -> Pos {
        self.pos(self.pieces[piece].square)
    }

    /// Where each piece faces.
    pub fn facings(&self) -> impl ExactSizeIterator<Item = Dir> {
        self.pieces.iter().map(|piece| piece.facing)
    }

    /// The turn under way, or the last one played; 0 at the start.
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// How often a piece, with those it carried counted once, changed squares.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// The highest stack, the first in the order of the pieces if there are several, and its height.
    pub fn tallest(&self) -> (Pos, usize) {
        let mut tallest = (Pos::new(0, 0), 0);
        for piece in &self.pieces {
            let height = self.stacks[piece.square as usize].len();
            if height > tallest.1 {
                tallest = (self.pos(piece.square), height);
            }
        }
        tallest
    }

    pub(super) fn standings(&self) -> &[Standing] {
        &self.pieces
    }
}
