//! Boards in scripts: cells that are whole numbers or texts, and work on all of them at once.

use std::sync::Arc;

use rhai::{Array, Dynamic, EvalAltResult, ImmutableString, Position};

use super::call::{self, Met};
use super::chance::{Chance, trouble};
use super::functions::{Function, Functions, Trouble};
use crate::board::{self as drawn, BoardText, Token};
use crate::grid::{Grid, Pos};
use crate::source::Source;
use crate::spanned::Spanned;
use crate::value::line_end;

/// So many bytes a cell has at most that a script puts somewhere: whole boards of them must not fill the memory.
const LONGEST: usize = 256;

/// What is thrown instead of a board with so many cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge(pub(super) usize);

/// A rectangle of cells; copies share them until one is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board(Arc<Grid<Cell>>);

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// A whole number.
    Int(i64),
    /// Anything else.
    Text(ImmutableString),
}

impl Cell {
    /// What `typed` stands for: a number if it is one as it would be written.
    fn read(typed: &str) -> Self {
        let number = typed.parse::<i64>().ok().filter(|number| number.to_string() == typed);
        number.map_or_else(|| Self::Text(typed.into()), Self::Int)
    }

    fn of(value: &Dynamic) -> Result<Self, Trouble> {
        if let Ok(number) = value.as_int() {
            return Ok(Self::Int(number));
        }
        let text = match value.as_char() {
            Ok(c) => c.to_string().into(),
            Err(_) => value.clone().into_immutable_string().unwrap_or_default(),
        };
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c == ',') {
            let kind = value.type_name();
            return Err(trouble(format!("a cell is a whole number or a text without blanks, not {kind}")));
        }
        if text.len() > LONGEST {
            return Err(trouble(format!("a cell has at most {LONGEST} bytes, not {}", text.len())));
        }
        Ok(Self::read(&text))
    }

    /// The number of characters.
    fn length(&self) -> usize {
        match self {
            Self::Int(0..=9) => 1,
            Self::Int(number) => number.to_string().len(),
            Self::Text(text) => text.chars().count(),
        }
    }

    fn value(&self) -> Dynamic {
        match self {
            Self::Int(number) => (*number).into(),
            Self::Text(text) => text.clone().into(),
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Board {
    fn new(cols: usize, cells: Vec<Cell>) -> Result<Self, Trouble> {
        Grid::from_cells(cols, cells)
            .map(|grid| Self(Arc::new(grid)))
            .ok_or_else(|| trouble("a board is a rectangle with at least one cell".to_owned()))
    }

    /// The board that is drawn in `text`.
    pub(super) fn read(text: &str) -> Result<Self, Trouble> {
        let typed = Spanned { value: BoardText::Lines(text.to_owned()), range: 0..0 };
        let source = Source::new("", "");
        Self::drawn(&drawn::read(&typed, &source, None).map_err(|fault| trouble(fault.title))?)
    }

    /// Returns the board of cells that an author typed, if the limits allow so many.
    pub(super) fn drawn(tokens: &Grid<Token<'_>>) -> Result<Self, Trouble> {
        let cells: Vec<_> = tokens.cells().iter().map(|token| Cell::read(&token.text)).collect();
        fits(cells.len())?;
        Self::new(tokens.cols(), cells)
    }

    /// The board of an engine's facts.
    pub(super) fn of(grid: &Grid<String>) -> Self {
        call::touch(grid.cells().len());
        Self(Arc::new(grid.map(|cell| Cell::read(cell))))
    }

    /// Its cells as an engine writes them.
    pub(super) fn cells(&self) -> Grid<String> {
        self.0.map(Cell::to_string)
    }

    /// Returns the lines as a scenario can say them, a blank between cells, each line ended, if they have at most `most`
    /// bytes.
    pub(super) fn text(&self, most: usize) -> Option<String> {
        let mut text = String::with_capacity((self.0.cells().len() * 2).min(most));
        let end = line_end(self.0.cols(), self.0.cells().iter().map(Cell::length));
        for row in self.all().iter_rows() {
            for (col, cell) in row.iter().enumerate() {
                if col > 0 {
                    text.push(' ');
                }
                match cell {
                    Cell::Int(digit @ 0..=9) => text.push(char::from(b'0' + *digit as u8)),
                    cell => text += &cell.to_string(),
                }
                if text.len() >= most {
                    return None;
                }
            }
            text.push_str(end);
            text.push('\n');
        }
        Some(text)
    }

    /// Returns the lines as a text of a script.
    fn lines(&mut self) -> Result<String, Trouble> {
        self.text(call::most_text()).ok_or_else(|| call::stopped(Met::Text))
    }

    pub(super) fn shuffled(mut self, rng: &Chance) -> Self {
        let grid = self.all_mut();
        rng.with(|rng| rng.shuffle(grid.cells_mut()));
        self
    }

    /// The cells, to go through all of them.
    fn all(&self) -> &Grid<Cell> {
        call::touch(self.0.cells().len());
        &self.0
    }

    /// [`all`](Self::all), to be changed.
    fn all_mut(&mut self) -> &mut Grid<Cell> {
        call::touch(self.0.cells().len());
        Arc::make_mut(&mut self.0)
    }

    /// The cells, to change some of them.
    fn some_mut(&mut self) -> &mut Grid<Cell> {
        if Arc::get_mut(&mut self.0).is_none() {
            call::touch(self.0.cells().len());
        }
        Arc::make_mut(&mut self.0)
    }

    /// The square of the row and the column, both from 1.
    fn pos(&self, row: i64, col: i64) -> Result<Pos, Trouble> {
        let index = |number: i64, count: usize| {
            usize::try_from(number).ok()?.checked_sub(1).filter(|&index| index < count)
        };
        match (index(row, self.0.rows()), index(col, self.0.cols())) {
            (Some(row), Some(col)) => Ok(Pos::new(row, col)),
            _ => Err(trouble(format!(
                "row {row}, column {col} is off the board: it has rows 1 to {} and columns 1 to {}",
                self.0.rows(),
                self.0.cols()
            ))),
        }
    }

    fn change(&mut self, change: impl FnMut(&mut Cell)) {
        self.all_mut().cells_mut().iter_mut().for_each(change);
    }

    fn rearranged(&self, rows: usize, cols: usize, from: impl Fn(Pos) -> Pos) -> Self {
        let all = self.all();
        Self(Arc::new(Grid::from_fn(rows, cols, |pos| all[from(pos)].clone())))
    }

    /// Whether `length` equal cells stand side by side in a row or column, empty ones (`0`, `.`) left aside.
    fn has_line(&self, length: usize) -> bool {
        let (rows, cols) = (self.all().rows(), self.0.cols());
        (0..rows).any(|row| self.has_run(length, (0..cols).map(|col| Pos::new(row, col))))
            || (0..cols).any(|col| self.has_run(length, (0..rows).map(|row| Pos::new(row, col))))
    }

    /// Whether so many equal cells follow one another in `squares`.
    fn has_run(&self, length: usize, squares: impl Iterator<Item = Pos>) -> bool {
        let mut last = None;
        let mut run = 0;
        for cell in squares.map(|pos| &self.0[pos]) {
            run = match last {
                _ if is_empty(cell) => 0,
                Some(last) if last == cell => run + 1,
                _ => 1,
            };
            last = Some(cell);
            if run > 0 && run >= length {
                return true;
            }
        }
        false
    }
}

fn is_empty(cell: &Cell) -> bool {
    match cell {
        Cell::Int(number) => *number == 0,
        Cell::Text(text) => text == ".",
    }
}

/// Refuses an array of so many elements, those of arrays in it counted too, before it is made.
fn listed(elements: usize) -> Result<(), Trouble> {
    call::touch(elements);
    if elements > call::most_elements() {
        let what = "Size of array/BLOB".to_owned();
        return Err(EvalAltResult::ErrorDataTooLarge(what, Position::NONE).into());
    }
    Ok(())
}

fn fits(cells: usize) -> Result<(), Trouble> {
    call::touch(cells);
    if cells > call::most_cells() {
        let thrown = Dynamic::from(TooLarge(cells));
        return Err(EvalAltResult::ErrorRuntime(thrown, Position::NONE).into());
    }
    Ok(())
}

/// A board of so many rows and columns, all cells `cell`.
fn filled(rows: i64, cols: i64, cell: &Dynamic) -> Result<Board, Trouble> {
    let side = |number: i64| {
        usize::try_from(number)
            .ok()
            .filter(|&number| number > 0)
            .ok_or_else(|| trouble(format!("a board has at least one row and column, not {number}")))
    };
    let (rows, cols) = (side(rows)?, side(cols)?);
    let count = rows.saturating_mul(cols);
    fits(count)?;
    Board::new(cols, vec![Cell::of(cell)?; count])
}

fn colors(most: i64) -> Result<u64, Trouble> {
    u64::try_from(most)
        .ok()
        .filter(|&most| most > 0)
        .ok_or_else(|| trouble(format!("there is at least one color, not {most}")))
}

pub(super) fn register(functions: &mut Functions<'_>) {
    functions
        .engine()
        .register_type_with_name::<Board>("Board")
        .register_get("rows", |board: &mut Board| board.0.rows() as i64);
    functions.engine().register_get("cols", |board: &mut Board| board.0.cols() as i64);
    functions.engine().register_fn("==", |a: Board, b: Board| a.all() == b.all());
    functions.engine().register_fn("!=", |a: Board, b: Board| a.all() != b.all());
    functions.engine().register_fn("to_string", Board::lines);
    functions.engine().register_fn("to_debug", Board::lines);
    making(functions);
    cells(functions);
    whole(functions);
    turned(functions);
    looking(functions);
}

fn making(functions: &mut Functions<'_>) {
    functions.add(
        "board(text)",
        "the board that is drawn: lines of cells, with blanks between them or every character a cell",
        r#"board("1 2\n3 4").get(2, 1) == 3"#,
        |text: ImmutableString| Board::read(&text),
    );
    functions.add(
        "board(rows, cols, cell)",
        "a board with the same cell everywhere",
        "board(2, 3, 0).count(0) == 6",
        |rows: i64, cols: i64, cell: Dynamic| filled(rows, cols, &cell),
    );
    functions.add(
        "from_rows(array)",
        "the board of an array of rows, each an array of cells",
        r#"from_rows([[1, 2], ["a", "."]]).get(2, 1) == "a""#,
        |rows: Array| {
            let mut cells = Vec::new();
            let mut cols = None;
            for row in &rows {
                let row =
                    row.as_array_ref().map_err(|kind| trouble(format!("a row is an array, not {kind}")))?;
                let cols = *cols.get_or_insert(row.len());
                if cols != row.len() {
                    return Err(trouble(format!("rows have different lengths: {cols} and {}", row.len())));
                }
                for cell in row.iter() {
                    cells.push(Cell::of(cell)?);
                }
                fits(cells.len())?;
            }
            Board::new(cols.unwrap_or(0), cells)
        },
    );
}

fn cells(functions: &mut Functions<'_>) {
    functions.add(
        "board.get(row, col)",
        "the cell in a row and column, both from 1: a number or a text",
        r#"board("1 a").get(1, 2) == "a""#,
        |board: &mut Board, row: i64, col: i64| Ok::<_, Trouble>(board.0[board.pos(row, col)?].value()),
    );
    functions.add(
        "board.set(row, col, cell)",
        "puts a cell into a row and column, both from 1",
        "let b = board(1, 2, 0); b.set(1, 2, 7); b.get(1, 2) == 7",
        |board: &mut Board, row: i64, col: i64, cell: Dynamic| {
            let pos = board.pos(row, col)?;
            board.some_mut()[pos] = Cell::of(&cell)?;
            Ok::<_, Trouble>(())
        },
    );
    functions.add(
        "board.swap(row, col, row2, col2)",
        "exchanges two cells",
        r#"let b = board("1 2"); b.swap(1, 1, 1, 2); b == board("2 1")"#,
        |board: &mut Board, row: i64, col: i64, row2: i64, col2: i64| {
            let (a, b) = (board.pos(row, col)?, board.pos(row2, col2)?);
            let grid = board.some_mut();
            let first = grid[a].clone();
            grid[a] = std::mem::replace(&mut grid[b], first);
            Ok::<_, Trouble>(())
        },
    );
    functions.add(
        "board.neighbours(row, col)",
        "the squares that share an edge with one, each [row, col], in reading order",
        "board(2, 2, 0).neighbours(1, 1) == [[1, 2], [2, 1]]",
        |board: &mut Board, row: i64, col: i64| {
            let mut around: Vec<_> = board.0.neighbours(board.pos(row, col)?).collect();
            around.sort_unstable();
            Ok::<_, Trouble>(around.into_iter().map(square).collect::<Array>())
        },
    );
    functions.add(
        "board.squares()",
        "all squares, each [row, col] from 1, in reading order",
        "board(1, 2, 0).squares() == [[1, 1], [1, 2]]",
        |board: &mut Board| {
            listed(board.0.cells().len().saturating_mul(3))?;
            Ok::<_, Trouble>(board.0.iter().map(|(pos, _)| square(pos)).collect::<Array>())
        },
    );
}

/// `[row, col]`, both from 1.
fn square(pos: Pos) -> Dynamic {
    vec![Dynamic::from(pos.row as i64 + 1), Dynamic::from(pos.col as i64 + 1)].into()
}

fn whole(functions: &mut Functions<'_>) {
    functions.add(
        "board.fill(cell)",
        "puts the same cell everywhere",
        r#"let b = board("1 2"); b.fill("x"); b == board("x x")"#,
        |board: &mut Board, cell: Dynamic| {
            let cell = Cell::of(&cell)?;
            board.change(|old| *old = cell.clone());
            Ok::<_, Trouble>(())
        },
    );
    functions.add(
        "board.fill_random(rng, k)",
        "puts a number from 1 to k into every cell, each equally likely",
        "let b = board(4, 4, 0); b.fill_random(rng(1, 0), 1); b.count(1) == 16",
        |board: &mut Board, rng: Chance, most: i64| {
            let most = colors(most)?;
            rng.with(|rng| board.change(|cell| *cell = Cell::Int(rng.below(most) as i64 + 1)));
            Ok::<_, Trouble>(())
        },
    );
    functions.add(
        "board.fill_random(rng, cells)",
        "puts one of an array of cells into every cell, each equally likely",
        r#"let b = board(2, 2, 0); b.fill_random(rng(1, 0), ["w", "w"]); b.count("w") == 4"#,
        |board: &mut Board, rng: Chance, cells: Array| {
            let cells = cells.iter().map(Cell::of).collect::<Result<Vec<_>, _>>()?;
            let count = cells.len() as u64;
            if count == 0 {
                return Err(trouble("there is no cell to fill with".to_owned()));
            }
            rng.with(|rng| board.change(|cell| cell.clone_from(&cells[rng.below(count) as usize])));
            Ok(())
        },
    );
    functions.add(
        "board.without_lines(rng, k)",
        "fills the board with numbers from 1 to k so that no three equal ones stand side by side; k is at least 3",
        "let b = board(9, 9, 0); b.without_lines(rng(1, 0), 3); !b.has_line(3)",
        |board: &mut Board, rng: Chance, most: i64| {
            if most < 3 {
                return Err(trouble(format!("`k` is {most}: boards without lines take at least 3 colors")));
            }
            let grid = board.all_mut();
            rng.with(|rng| {
                for row in 0..grid.rows() {
                    for col in 0..grid.cols() {
                        let twice = |a: Option<Pos>, b: Option<Pos>| {
                            let (a, b) = (a?, b?);
                            match (&grid[a], &grid[b]) {
                                (Cell::Int(one), Cell::Int(other)) if one == other => Some(*one),
                                _ => None,
                            }
                        };
                        let left = |by: usize| Some(Pos::new(row, col.checked_sub(by)?));
                        let above = |by: usize| Some(Pos::new(row.checked_sub(by)?, col));
                        let mut forbidden = [twice(left(1), left(2)), twice(above(1), above(2))];
                        if forbidden[0] == forbidden[1] {
                            forbidden[1] = None;
                        }
                        forbidden.sort_unstable();
                        let taken = forbidden.iter().flatten().count() as u64;
                        let mut color = rng.below(most as u64 - taken) as i64 + 1;
                        for other in forbidden.into_iter().flatten() {
                            color += i64::from(color >= other);
                        }
                        grid[Pos::new(row, col)] = Cell::Int(color);
                    }
                }
            });
            Ok(())
        },
    );
}

fn turned(functions: &mut Functions<'_>) {
    functions.add(
        "board.replace(old, new)",
        "puts the cell `new` wherever `old` stands",
        r#"let b = board("1 2 1"); b.replace(1, 3); b == board("3 2 3")"#,
        |board: &mut Board, old: Dynamic, new: Dynamic| {
            let (old, new) = (Cell::of(&old)?, Cell::of(&new)?);
            board.change(|cell| {
                if *cell == old {
                    cell.clone_from(&new);
                }
            });
            Ok::<_, Trouble>(())
        },
    );
    functions.add(
        "board.mirror()",
        "the board with left and right exchanged",
        r#"board("1 2\n3 4").mirror() == board("2 1\n4 3")"#,
        |board: &mut Board| {
            let (rows, cols) = (board.0.rows(), board.0.cols());
            board.rearranged(rows, cols, |pos| Pos::new(pos.row, cols - 1 - pos.col))
        },
    );
    functions.add(
        "board.rotate()",
        "the board turned by a quarter, clockwise",
        r#"board("1 2\n3 4").rotate() == board("3 1\n4 2")"#,
        |board: &mut Board| {
            let (rows, cols) = (board.0.rows(), board.0.cols());
            board.rearranged(cols, rows, |pos| Pos::new(rows - 1 - pos.col, pos.row))
        },
    );
    functions.add(
        "board.transpose()",
        "the board with rows and columns exchanged",
        r#"board("1 2\n3 4").transpose() == board("1 3\n2 4")"#,
        |board: &mut Board| {
            let (rows, cols) = (board.0.rows(), board.0.cols());
            board.rearranged(cols, rows, |pos| Pos::new(pos.col, pos.row))
        },
    );
}

fn looking(functions: &mut Functions<'_>) {
    functions.add(
        "board.count(cell)",
        "in how many cells `cell` stands",
        r#"board("1 2 1").count(1) == 2"#,
        |board: &mut Board, cell: Dynamic| {
            let cell = Cell::of(&cell)?;
            Ok::<_, Trouble>(board.all().cells().iter().filter(|other| **other == cell).count() as i64)
        },
    );
    functions.add(
        "board.find(cell)",
        "the squares where `cell` stands, each [row, col] from 1, in reading order",
        r#"board("1 2\n2 1").find(2) == [[1, 2], [2, 1]]"#,
        |board: &mut Board, cell: Dynamic| {
            let cell = Cell::of(&cell)?;
            let found = || board.0.iter().filter(|(_, other)| **other == cell);
            listed(board.all().cells().iter().filter(|other| **other == cell).count().saturating_mul(3))?;
            Ok::<_, Trouble>(found().map(|(pos, _)| square(pos)).collect::<Array>())
        },
    );
    functions.add(
        "board.row(row)",
        "the cells of a row, from the left",
        r#"board("1 2\n3 4").row(2) == [3, 4]"#,
        |board: &mut Board, row: i64| {
            let pos = board.pos(row, 1)?;
            listed(board.0.cols())?;
            let cells = (0..board.0.cols()).map(|col| board.0[Pos::new(pos.row, col)].value());
            Ok::<_, Trouble>(cells.collect::<Array>())
        },
    );
    functions.add(
        "board.col(col)",
        "the cells of a column, from the top",
        r#"board("1 2\n3 4").col(2) == [2, 4]"#,
        |board: &mut Board, col: i64| {
            let pos = board.pos(1, col)?;
            listed(board.0.rows())?;
            let cells = (0..board.0.rows()).map(|row| board.0[Pos::new(row, pos.col)].value());
            Ok::<_, Trouble>(cells.collect::<Array>())
        },
    );
    functions.add(
        "board.has_line(length)",
        "whether so many equal cells stand side by side in a row or column; `0` and `.` are empty and make none",
        r#"board("1 1 1\n2 3 2").has_line(3) && !board("0 0 0").has_line(3)"#,
        |board: &mut Board, length: i64| board.has_line(usize::try_from(length).unwrap_or(0)),
    );
    functions.add(
        "board.to_string()",
        "the board as it is drawn in scenarios, every line ended",
        r#"board("12\n34").to_string() == "1 2\n3 4\n""#,
        Board::lines,
    );
    functions.note(Function {
        signature: "board.rows, board.cols".into(),
        about: "the numbers of rows and columns",
        example: "board(2, 3, 0).rows == 2 && board(2, 3, 0).cols == 3",
    });
}
