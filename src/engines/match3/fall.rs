//! The fall: lost pieces vanish and those above close the gaps.

use super::columns::{Columns, WORD};
use super::losses::Losses;

/// Removes the lost pieces, lets all others fall, and cleans the bitmap.
pub(super) fn fall(board: &mut Columns, losses: &mut Losses, with_specials: bool) {
    for &col in &losses.touched.cols {
        let col = usize::from(col);
        let words = col * board.words()..(col + 1) * board.words();
        let lost = &mut losses.bits[words];
        let run = board.at(col, 0)..board.at(col + 1, 0);
        let (low, old) = (losses.touched.low(col), usize::from(board.heights[col]));
        let height = close_gaps(&mut board.colors[run.clone()], lost, low, old);
        if with_specials {
            close_gaps(&mut board.specials[run], lost, low, old);
        }
        board.heights[col] = height as u16;
        lost.fill(0);
    }
}

/// Moves the kept bytes below `height` down over the lost ones, of which the lowest is `low`; the new height.
fn close_gaps(column: &mut [u8], lost: &[u64], low: usize, height: usize) -> usize {
    let mut write = low;
    let mut read = low;
    while read < height {
        let start = next(lost, read, false).min(height);
        let end = next(lost, start, true).min(height);
        column.copy_within(start..end, write);
        write += end - start;
        read = end;
    }
    column[write..height].fill(0);
    write
}

/// The first row at or above `from` whose bit is `lost`.
fn next(bits: &[u64], from: usize, lost: bool) -> usize {
    let sought = |word: &u64| if lost { *word } else { !*word };
    let mut word = from / WORD;
    let mut rest = bits.get(word).map_or(0, |word| sought(word) & (u64::MAX << (from % WORD)));
    while rest == 0 {
        word += 1;
        match bits.get(word) {
            Some(word) => rest = sought(word),
            None => return word * WORD,
        }
    }
    word * WORD + rest.trailing_zeros() as usize
}
