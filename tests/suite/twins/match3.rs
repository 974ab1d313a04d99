//! Texas Match-3 once more, straight from the statement: whole boards are looked at, nothing is clever.

use std::collections::{BTreeSet, VecDeque};

/// A game: rows from the top, 0 = empty; `line` to `cleared` are the house rules.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub board: Vec<Vec<u8>>,
    pub specials: Vec<Vec<u8>>,
    pub swaps: Vec<[i32; 4]>,
    pub house: House,
}

#[derive(Clone, Debug)]
pub(crate) struct House {
    pub line: usize,
    pub small_square: usize,
    pub large_square: usize,
    pub corners_join: bool,
    pub sliding_hands: bool,
    pub first_color: bool,
    pub chain: i128,
    pub combo: i128,
    pub hands: [i128; 7],
    pub all_valid: i128,
    pub cleared: i128,
}

impl Default for House {
    fn default() -> Self {
        Self {
            line: 3,
            small_square: 1,
            large_square: 2,
            corners_join: false,
            sliding_hands: false,
            first_color: false,
            chain: 80,
            combo: 50,
            hands: [50, 100, 200, 300, 500, 750, 1000],
            all_valid: 1000,
            cleared: 10_000,
        }
    }
}

/// How the game went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    pub elimination: i128,
    pub chain: i128,
    pub combo: i128,
    pub hands: i128,
    pub endgame: i128,
    pub rounds: usize,
    pub valid: usize,
    pub cleared: bool,
    pub running: Vec<i128>,
    pub skipped: Vec<&'static str>,
    pub primary: Vec<Vec<u8>>,
    pub kinds: Vec<usize>,
    pub board: Vec<Vec<u8>>,
    pub specials: Vec<Vec<u8>>,
}

type Cells = BTreeSet<(usize, usize)>;

/// What a swap came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    /// Empty if it was valid.
    pub skipped: &'static str,
    /// The colors that count for hands, the first cell's first.
    pub primary: Vec<u8>,
    pub rounds: usize,
    pub elimination: i128,
    pub combo: i128,
}

/// Plays the game.
pub(crate) fn play(game: &Game) -> Played {
    let house = &game.house;
    let mut played =
        Played { board: game.board.clone(), specials: game.specials.clone(), ..Played::default() };
    for &swap in &game.swaps {
        let turn = turn(&mut played.board, &mut played.specials, swap, house);
        played.skipped.push(turn.skipped);
        if turn.skipped.is_empty() {
            played.valid += 1;
            played.rounds += turn.rounds;
            played.elimination += turn.elimination;
            played.combo += turn.combo;
            played.chain += house.chain * (turn.rounds as i128 - 1).pow(2);
            played.primary.push(turn.primary);
            let complete =
                if house.sliding_hands { played.valid >= 5 } else { played.valid.is_multiple_of(5) };
            if complete {
                let (points, kind) = best_hand(&played.primary[played.valid - 5..], house);
                played.hands += points;
                played.kinds.push(kind);
            }
        }
        played.running.push(played.elimination + played.chain + played.combo);
    }
    played.cleared = played.board.iter().flatten().all(|&color| color == 0);
    if played.valid == game.swaps.len() {
        played.endgame += house.all_valid;
    }
    if played.cleared {
        played.endgame += house.cleared;
    }
    played
}

/// Makes one swap and plays all its rounds.
pub(crate) fn turn(board: &mut [Vec<u8>], specials: &mut [Vec<u8>], swap: [i32; 4], house: &House) -> Turn {
    let mut turn = Turn { skipped: exchange(board, specials, swap, house), ..Turn::default() };
    if !turn.skipped.is_empty() {
        return turn;
    }
    let mut matched = lines(board, house.line);
    let primary = cells(swap).into_iter().filter(|cell| matched.contains(cell));
    turn.primary = primary.map(|(r, c)| board[r][c]).collect();
    while !matched.is_empty() {
        turn.rounds += 1;
        turn.combo += combo(board, &matched, house);
        let lost = explode(board, specials, &matched, house);
        let sum: i128 = lost.iter().map(|&(r, c)| i128::from(board[r][c])).sum();
        turn.elimination += turn.rounds as i128 * sum;
        fall(board, specials, &lost);
        matched = lines(board, house.line);
    }
    turn
}

fn cells([row1, col1, row2, col2]: [i32; 4]) -> [(usize, usize); 2] {
    [(row1 as usize - 1, col1 as usize - 1), (row2 as usize - 1, col2 as usize - 1)]
}

/// Makes the swap if it is valid, else says why it is not.
fn exchange(board: &mut [Vec<u8>], specials: &mut [Vec<u8>], swap: [i32; 4], house: &House) -> &'static str {
    let (height, width) = (board.len() as i32, board[0].len() as i32);
    let [row1, col1, row2, col2] = swap;
    if row1 < 1
        || row2 < 1
        || col1 < 1
        || col2 < 1
        || row1 > height
        || row2 > height
        || col1 > width
        || col2 > width
    {
        return "off-board";
    }
    if (row1, col1) == (row2, col2) {
        return "same-cell";
    }
    if (row1 - row2).abs() + (col1 - col2).abs() != 1 {
        return "not-adjacent";
    }
    let [(r1, c1), (r2, c2)] = cells(swap);
    if board[r1][c1] == 0 || board[r2][c2] == 0 {
        return "empty-cell";
    }
    let (a, b) = (board[r1][c1], board[r2][c2]);
    (board[r1][c1], board[r2][c2]) = (b, a);
    if lines(board, house.line).is_empty() {
        (board[r1][c1], board[r2][c2]) = (a, b);
        return "no-match";
    }
    let (a, b) = (specials[r1][c1], specials[r2][c2]);
    (specials[r1][c1], specials[r2][c2]) = (b, a);
    ""
}

/// The cells of all lines.
fn lines(board: &[Vec<u8>], line: usize) -> Cells {
    let (rows, cols) = (board.len(), board[0].len());
    let mut matched = Cells::new();
    for r in 0..rows {
        for c in 0..cols {
            let color = board[r][c];
            if color == 0 {
                continue;
            }
            if c + line <= cols && (c..c + line).all(|c| board[r][c] == color) {
                matched.extend((c..c + line).map(|c| (r, c)));
            }
            if r + line <= rows && (r..r + line).all(|r| board[r][c] == color) {
                matched.extend((r..r + line).map(|r| (r, c)));
            }
        }
    }
    matched
}

/// The combo points of a round: matched cells of one color that are joined are a block.
fn combo(board: &[Vec<u8>], matched: &Cells, house: &House) -> i128 {
    let mut points = 0;
    let mut rest = matched.clone();
    while let Some(start) = rest.pop_first() {
        let (mut size, mut queue) = (0, VecDeque::from([start]));
        while let Some((r, c)) = queue.pop_front() {
            size += 1;
            let joined = |&(r2, c2): &(usize, usize)| {
                let (down, right) = (r2.abs_diff(r), c2.abs_diff(c));
                let near = if house.corners_join { down.max(right) == 1 } else { down + right == 1 };
                near && board[r2][c2] == board[r][c]
            };
            let next: Vec<_> =
                rest.range((r.saturating_sub(1), 0)..(r + 2, 0)).copied().filter(joined).collect();
            for cell in next {
                rest.remove(&cell);
                queue.push_back(cell);
            }
        }
        points += house.combo * (size - house.line as i128).pow(2);
    }
    points
}

/// All cells that the matched ones and the specials among them take.
fn explode(board: &[Vec<u8>], specials: &[Vec<u8>], matched: &Cells, house: &House) -> Cells {
    let mut lost = Cells::new();
    let mut queue: VecDeque<_> = matched.iter().copied().collect();
    while let Some((r, c)) = queue.pop_front() {
        if board[r][c] == 0 || !lost.insert((r, c)) {
            continue;
        }
        let effect = specials[r][c];
        if effect == 0 {
            continue;
        }
        for (r2, row) in board.iter().enumerate() {
            for (c2, &color) in row.iter().enumerate() {
                let distance = r2.abs_diff(r).max(c2.abs_diff(c));
                let hit = match effect {
                    1 => r2 == r,
                    2 => c2 == c,
                    3 => r2 == r || c2 == c,
                    4 => distance <= house.small_square,
                    5 => distance <= house.large_square,
                    _ => color == board[r][c],
                };
                if hit {
                    queue.push_back((r2, c2));
                }
            }
        }
    }
    lost
}

/// Removes the lost pieces and lets the others fall, each with its special.
fn fall(board: &mut [Vec<u8>], specials: &mut [Vec<u8>], lost: &Cells) {
    for c in 0..board[0].len() {
        let kept = |&r: &usize| board[r][c] != 0 && !lost.contains(&(r, c));
        let pieces: Vec<_> =
            (0..board.len()).rev().filter(kept).map(|r| (board[r][c], specials[r][c])).collect();
        for (i, r) in (0..board.len()).rev().enumerate() {
            (board[r][c], specials[r][c]) = pieces.get(i).copied().unwrap_or((0, 0));
        }
    }
}

/// Points and kind of the best choice of one color for each of five swaps.
fn best_hand(swaps: &[Vec<u8>], house: &House) -> (i128, usize) {
    let mut choices = vec![Vec::new()];
    for swap in swaps {
        let colors = if house.first_color { &swap[..1] } else { &swap[..] };
        choices = choices
            .iter()
            .flat_map(|choice: &Vec<u8>| colors.iter().map(|&color| [choice.as_slice(), &[color]].concat()))
            .collect();
    }
    choices.iter().map(|choice| rate(choice, house)).max().unwrap()
}

/// Points and kind of five colors.
fn rate(colors: &[u8], house: &House) -> (i128, usize) {
    let mut counts = [0; 256];
    for &color in colors {
        counts[usize::from(color)] += 1;
    }
    // The colors that come up exactly `n` times, the highest first.
    let times =
        |n: usize| -> Vec<i128> { (1..256).rev().filter(|&color| counts[color as usize] == n).collect() };
    let (kind, bonus) = match (&times(5)[..], &times(4)[..], &times(3)[..], &times(2)[..]) {
        ([five], ..) => (6, five * 10),
        (_, [four], ..) => (5, four * 5),
        (_, _, [three], [pair]) => (4, three * 3 + pair),
        (_, _, [three], _) => (3, three * 3),
        (_, _, _, [high, low]) => (2, high * 2 + low),
        (_, _, _, [pair]) => (1, pair * 2),
        _ => (0, i128::from(*colors.iter().max().unwrap())),
    };
    (house.hands[kind] + bonus, kind)
}
