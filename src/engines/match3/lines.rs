//! Lines: whether a swap makes one, and which stand on the board after a swap or a fall.
//!
//! Between swaps no line stands on the board. So a swap's lines run through its two cells, and a later round's
//! through a column that fell, at or above the lowest row that it lost.

use super::columns::{Columns, WORD};
use super::losses::{Losses, Touched};
use super::work;

/// Whether a line of three runs through `cell`. Looks at the eight cells around it without a branch.
pub(super) fn makes_three(board: &Columns, cell: usize) -> bool {
    let colors = &board.colors;
    let color = colors[cell];
    work::add(8);
    let same = |at: usize| u8::from(colors[at] == color);
    let along = |step: usize| {
        let (before, after) = (same(cell - step), same(cell + step));
        before & (same(cell - 2 * step) | after) | after & same(cell + 2 * step)
    };
    along(1) | along(board.stride()) != 0
}

/// Whether a line of `line` pieces runs through `cell`.
pub(super) fn makes_line(board: &Columns, cell: usize, line: usize) -> bool {
    [1, board.stride()].into_iter().any(|step| {
        let (before, after) = run(board, cell, step);
        before + 1 + after >= line
    })
}

/// Takes the lines through a cell.
pub(super) fn take_through(board: &Columns, losses: &mut Losses, col: usize, row: usize, line: usize) {
    let cell = board.at(col, row);
    let (below, above) = run(board, cell, 1);
    if below + 1 + above >= line {
        losses.take_rows(board, col, row - below, row + above + 1);
    }
    let (left, right) = run(board, cell, board.stride());
    if left + 1 + right >= line {
        (col - left..=col + right).for_each(|col| losses.take_cell(board, col, row));
    }
}

/// How many cells before and behind `cell`, `step` apart, have its color without a gap.
fn run(board: &Columns, cell: usize, step: usize) -> (usize, usize) {
    let color = board.colors[cell];
    let mut before = 0;
    while board.colors[cell - (before + 1) * step] == color {
        before += 1;
    }
    let mut after = 0;
    while board.colors[cell + (after + 1) * step] == color {
        after += 1;
    }
    work::add(before as u64 + after as u64 + 2);
    (before, after)
}

/// Takes the lines of three that came about when the columns `fallen`, in ascending order, fell.
pub(super) fn take_threes(board: &Columns, losses: &mut Losses, fallen: &Touched) {
    let mut next = 0;
    for &col in &fallen.cols {
        let col = usize::from(col);
        take_upright(board, losses, col, fallen.low(col).saturating_sub(2));
        for left in next.max(col - 2)..=col {
            take_across(board, losses, left, fallen);
        }
        next = col + 1;
    }
}

/// Takes the upright threes of a column that begin in row `from` or above.
fn take_upright(board: &Columns, losses: &mut Losses, col: usize, from: usize) {
    let end = usize::from(board.heights[col]).saturating_sub(2);
    for word in from / WORD..end.div_ceil(WORD) {
        let at = board.at(col, word * WORD);
        let starts = u128::from(equal(&board.colors, at, at + 1, at + 2));
        if starts != 0 {
            let cells = starts | starts << 1 | starts << 2;
            losses.take(board, col, word, cells as u64);
            if cells >> WORD != 0 {
                losses.take(board, col, word + 1, (cells >> WORD) as u64);
            }
        }
    }
}

/// Takes the threes across the columns from `left` on that stand where one of them fell.
fn take_across(board: &Columns, losses: &mut Losses, left: usize, fallen: &Touched) {
    let cols = [left, left + 1, left + 2];
    let from = cols.map(|col| fallen.low(col)).into_iter().min().unwrap_or(0);
    let end = cols.map(|col| usize::from(board.heights[col])).into_iter().min().unwrap_or(0);
    for word in from / WORD..end.div_ceil(WORD) {
        let [a, b, c] = cols.map(|col| board.at(col, word * WORD));
        let rows = equal(&board.colors, a, b, c);
        if rows != 0 {
            for col in cols {
                losses.take(board, col, word, rows);
            }
        }
    }
}

/// One bit for each of the [`WORD`] cells from `a`, `b` and `c` on in which all three have the same piece.
///
/// Most often there is none, and the first loop, which compiles to vectors, is all. It gathers no bits: a compiler
/// that is asked for them takes its vectors apart byte by byte.
fn equal(colors: &[u8], a: usize, b: usize, c: usize) -> u64 {
    work::add(1);
    let cells = |at: usize| colors[at..].first_chunk::<WORD>().expect("two empty columns stand at the end");
    let (a, b, c) = (cells(a), cells(b), cells(c));
    let mut any = 0;
    for i in 0..WORD {
        let same = u8::from(a[i] == b[i]) & u8::from(b[i] == c[i]);
        any |= same & u8::from(a[i] != 0);
    }
    if any == 0 {
        return 0;
    }
    let eights = |cells: &[u8; WORD], i: usize| u64::from_le_bytes(cells.as_chunks().0[i]);
    (0..WORD / 8).fold(0, |bits, i| {
        let (a, b, c) = (eights(a, i), eights(b, i), eights(c, i));
        let same = high_bits(a) & !high_bits((a ^ b) | (b ^ c));
        bits | gather(same >> 7) << (8 * i)
    })
}

/// The high bit of every byte that is not 0, and no other bit.
fn high_bits(bytes: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    (((bytes & LOW) + LOW) | bytes) & !LOW
}

/// The lowest bits of eight bytes that are 0 or 1, side by side.
fn gather(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Takes the lines of `line` pieces that came about when the columns `fallen`, in ascending order, fell.
pub(super) fn take_lines(board: &Columns, losses: &mut Losses, fallen: &Touched, line: usize) {
    let mut cols = fallen.cols.iter().map(|&col| usize::from(col)).peekable();
    while let Some(first) = cols.next() {
        // A stretch of fallen columns with less than a line between them is looked at as a whole.
        let (mut last, mut low) = (first, fallen.low(first));
        while let Some(col) = cols.next_if(|&col| col - last < line) {
            (last, low) = (col, low.min(fallen.low(col)));
        }
        for col in first..=last {
            let from = fallen.low(col).saturating_sub(line - 1);
            let end = usize::from(board.heights[col]);
            for_runs(board, board.at(col, 0), 1, from..end, line, |start, end| {
                losses.take_rows(board, col, start, end);
            });
        }
        let stretch = board.range().start.max(first.saturating_sub(line - 1))
            ..board.range().end.min(last.saturating_add(line));
        for row in low..board.rows() {
            for_runs(board, board.at(0, row), board.stride(), stretch.clone(), line, |start, end| {
                (start..end).for_each(|col| losses.take_cell(board, col, row));
            });
        }
    }
}

/// Calls `found` with start and end of every run of at least `line` equal pieces among the places `range`, which
/// are `step` apart from `origin` on.
fn for_runs(
    board: &Columns,
    origin: usize,
    step: usize,
    range: std::ops::Range<usize>,
    line: usize,
    mut found: impl FnMut(usize, usize),
) {
    let color = |place: usize| board.colors[origin + place * step];
    let mut start = range.start;
    while start < range.end {
        work::add(1);
        let end = (start + 1..range.end).find(|&end| color(end) != color(start)).unwrap_or(range.end);
        if color(start) != 0 && end - start >= line {
            found(start, end);
        }
        start = end;
    }
}
