//! Points: what is worth how much, the totals of a game, and the hands.
//!
//! No sum can leave an `i64`: a start whose house points could is not legal, by `Points::most`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rules::{HandChoice, Rules};

/// Most points that a house rule may give.
const MAX_POINTS: i64 = 1_000_000_000;

/// What everything is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Points {
    /// Times the square of a swap's rounds after the first. Default: 80.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub chain: i64,
    /// Times the square of a block's pieces above the length of a line. Default: 50.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub combo: i64,
    /// Five different colors; the highest color number comes on top. Default: 50.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub high_card: i64,
    /// Two of one color; twice its number comes on top. Default: 100.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub one_pair: i64,
    /// Two and two; twice the higher color's number and once the lower one's come on top. Default: 200.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub two_pairs: i64,
    /// Three of one color; three times its number comes on top. Default: 300.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub three: i64,
    /// Three and two; three times the former's number and once the latter's come on top. Default: 500.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub full_house: i64,
    /// Four of one color; five times its number comes on top. Default: 750.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub four: i64,
    /// Five of one color; ten times its number comes on top. Default: 1000.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub five: i64,
    /// Every swap was valid. Default: 1000.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub all_valid: i64,
    /// The board is empty at the end. Default: 10000.
    #[schemars(range(min = 0, max = MAX_POINTS))]
    pub cleared: i64,
}

impl Default for Points {
    fn default() -> Self {
        Self {
            chain: 80,
            combo: 50,
            high_card: 50,
            one_pair: 100,
            two_pairs: 200,
            three: 300,
            full_house: 500,
            four: 750,
            five: 1000,
            all_valid: 1000,
            cleared: 10_000,
        }
    }
}

impl Points {
    /// Returns what no game on `cells` cells with lines of `line` pieces can exceed.
    ///
    /// Pieces only vanish: all blocks together have no more than the board, and a round, and so a valid swap, takes a
    /// line at least.
    pub(super) fn most(&self, cells: usize, line: usize) -> i128 {
        let [cells, rounds] = [cells, cells / line].map(|number| number as i128);
        let color = i128::from(u8::MAX);
        let elimination = rounds * color * cells;
        let hand =
            i128::from(HandKind::ALL.iter().map(|&kind| self.of_hand(kind)).max().unwrap_or(0)) + 10 * color;
        let endgame = i128::from(self.all_valid) + i128::from(self.cleared);
        let squares = i128::from(self.chain) * rounds * rounds + i128::from(self.combo) * cells * cells;
        elimination + squares + hand * rounds + endgame
    }

    /// Returns a hand's fixed points.
    fn of_hand(&self, kind: HandKind) -> i64 {
        match kind {
            HandKind::HighCard => self.high_card,
            HandKind::OnePair => self.one_pair,
            HandKind::TwoPairs => self.two_pairs,
            HandKind::ThreeOfAKind => self.three,
            HandKind::FullHouse => self.full_house,
            HandKind::FourOfAKind => self.four,
            HandKind::FiveOfAKind => self.five,
        }
    }

    /// The chain points of a swap of `rounds` rounds, at least one.
    pub(super) fn of_chain(&self, rounds: u64) -> i64 {
        times_square(self.chain, rounds - 1)
    }

    /// The combo points of a block of `size` pieces, not fewer than a `line`.
    pub(super) fn of_block(&self, size: u64, line: usize) -> i64 {
        times_square(self.combo, size - line as u64)
    }
}

fn times_square(points: i64, number: u64) -> i64 {
    points * (number * number) as i64
}

/// The points and counts of a game so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Elimination points.
    pub elimination: i64,
    /// Chain points.
    pub chain: i64,
    /// Combo points.
    pub combo: i64,
    /// Points of all hands.
    pub hands: i64,
    /// Endgame points.
    pub endgame: i64,
    /// Valid swaps.
    pub valid_swaps: u64,
    /// Rounds of elimination.
    pub rounds: u64,
}

impl Tally {
    /// Elimination, chain and combo points.
    pub fn running(&self) -> i64 {
        self.elimination + self.chain + self.combo
    }

    /// All points.
    pub fn score(&self) -> i64 {
        self.running() + self.hands + self.endgame
    }
}

/// The kinds of hands, from the lowest up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HandKind {
    /// Five different colors.
    HighCard,
    /// Two of one color.
    OnePair,
    /// Two of one color and two of another.
    TwoPairs,
    /// Three of one color.
    ThreeOfAKind,
    /// Three of one color and two of another.
    FullHouse,
    /// Four of one color.
    FourOfAKind,
    /// Five of one color.
    FiveOfAKind,
}

impl HandKind {
    const ALL: [Self; 7] = [
        Self::HighCard,
        Self::OnePair,
        Self::TwoPairs,
        Self::ThreeOfAKind,
        Self::FullHouse,
        Self::FourOfAKind,
        Self::FiveOfAKind,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HighCard => "high-card",
            Self::OnePair => "one-pair",
            Self::TwoPairs => "two-pairs",
            Self::ThreeOfAKind => "three-of-a-kind",
            Self::FullHouse => "full-house",
            Self::FourOfAKind => "four-of-a-kind",
            Self::FiveOfAKind => "five-of-a-kind",
        }
    }
}

/// A hand that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hand {
    /// Its kind.
    pub kind: HandKind,
    /// Its points.
    pub points: i64,
    /// Its colors, in the order of the swaps.
    pub colors: [u8; 5],
}

/// The primary colors of a valid swap: that brought to its first cell before the other; 0 for no second one.
pub(super) type Primary = [u8; 2];

/// The hand of five swaps, oldest first.
pub(super) fn hand(swaps: [Primary; 5], rules: &Rules) -> Hand {
    let mut best = rate(swaps.map(|[first, _]| first), &rules.points);
    if rules.hand_choice == HandChoice::FirstColor {
        return best;
    }
    let double = (0..5).fold(0u32, |set, i| set | u32::from(swaps[i][1] != 0) << i);
    let mut second = 0u32;
    // Subtracting walks through all subsets of `double` but the empty one.
    loop {
        second = second.wrapping_sub(double) & double;
        if second == 0 {
            return best;
        }
        let chosen = std::array::from_fn(|i| swaps[i][(second >> i & 1) as usize]);
        let hand = rate(chosen, &rules.points);
        if (hand.points, hand.kind) > (best.points, best.kind) {
            best = hand;
        }
    }
}

/// The best kind that five colors fit, and its points.
fn rate(colors: [u8; 5], points: &Points) -> Hand {
    let mut sorted = colors;
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    // Groups of one color, the largest first; among equal ones the higher color first.
    let mut groups = [(0u8, 0u8); 5];
    let mut last = 0;
    for color in sorted {
        if groups[last].0 > 0 && groups[last].1 != color {
            last += 1;
        }
        groups[last] = (groups[last].0 + 1, color);
    }
    groups.sort_unstable_by(|a, b| b.cmp(a));
    let [(most, first), (next, second), ..] = groups;
    let (first, second) = (i64::from(first), i64::from(second));
    let (kind, bonus) = match (most, next) {
        (5, _) => (HandKind::FiveOfAKind, first * 10),
        (4, _) => (HandKind::FourOfAKind, first * 5),
        (3, 2) => (HandKind::FullHouse, first * 3 + second),
        (3, _) => (HandKind::ThreeOfAKind, first * 3),
        (2, 2) => (HandKind::TwoPairs, first * 2 + second),
        (2, _) => (HandKind::OnePair, first * 2),
        _ => (HandKind::HighCard, first),
    };
    Hand { kind, points: points.of_hand(kind) + bonus, colors }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_points() {
        let rated = |colors| {
            let hand = rate(colors, &Points::default());
            (hand.kind, hand.points)
        };
        assert_eq!(rated([1, 9, 3, 5, 7]), (HandKind::HighCard, 59));
        assert_eq!(rated([4, 9, 3, 4, 7]), (HandKind::OnePair, 108));
        assert_eq!(rated([4, 2, 1, 2, 4]), (HandKind::TwoPairs, 210));
        assert_eq!(rated([2, 9, 2, 1, 2]), (HandKind::ThreeOfAKind, 306));
        assert_eq!(rated([2, 9, 2, 9, 2]), (HandKind::FullHouse, 515));
        assert_eq!(rated([9, 9, 2, 9, 9]), (HandKind::FourOfAKind, 795));
        assert_eq!(rated([3; 5]), (HandKind::FiveOfAKind, 1030));
    }

    #[test]
    fn the_choice_worth_most_counts_whatever_its_kind() {
        let swaps = [[1, 100], [1, 100], [1, 100], [1, 100], [1, 0]];
        let best = hand(swaps, &Rules::default());
        assert_eq!((best.kind, best.points), (HandKind::FourOfAKind, 1250));
        assert_eq!(best.colors, [100, 100, 100, 100, 1]);
        let first = hand(swaps, &Rules { hand_choice: HandChoice::FirstColor, ..Rules::default() });
        assert_eq!((first.kind, first.points), (HandKind::FiveOfAKind, 1010));
    }
}
