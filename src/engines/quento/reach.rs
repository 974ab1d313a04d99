//! Which sums a path can still add.

use super::steps::{Step, Steps};

/// The largest digit.
const MAX_DIGIT: i64 = 9;

/// For every entered digit and number of digits left, the sums that these can add along walks that do not turn
/// straight back. Such a walk may cross itself, so a sum may be held that no path adds, but none is missed.
///
/// A set of sums is `W` words of bits; the bit of 0 is in the middle.
#[derive(Debug)]
pub(super) struct Reach<const W: usize> {
    /// By the number of digits left, then by entry.
    sums: Vec<[u64; W]>,
    entries: usize,
}

impl<const W: usize> Reach<W> {
    const ZERO: i64 = 32 * W as i64;

    /// Whether sums of paths of `digits` digits fit.
    pub(super) fn holds(digits: usize) -> bool {
        MAX_DIGIT * (digits as i64 - 1) < Self::ZERO
    }

    /// The sums for paths of up to `digits` digits.
    pub(super) fn new(steps: &Steps, digits: usize) -> Self {
        let entries = steps.entries.len();
        let mut sums = Vec::with_capacity(entries * digits);
        let mut zero = [0; W];
        zero[W / 2] = 1;
        sums.resize(entries, zero);
        for left in 1..digits {
            for entry in &steps.entries {
                let mut reached = [0; W];
                for step in steps.from(entry.square).iter().filter(|step| step.symbol != entry.symbol) {
                    let then = &sums[(left - 1) * entries + usize::from(step.entry)];
                    add_shifted(&mut reached, then, step.term);
                }
                sums.push(reached);
            }
        }
        Self { sums, entries }
    }

    /// Whether `sum` can be added by the `left` digits behind `step`.
    #[inline]
    pub(super) fn holds_sum(&self, step: &Step, sum: i64, left: usize) -> bool {
        let Some(bit) = sum.checked_add(Self::ZERO).and_then(|bit| usize::try_from(bit).ok()) else {
            return false;
        };
        let sums = &self.sums[left * self.entries + usize::from(step.entry)];
        sums.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
}

/// Adds to `set` the sums of `other`, each `term` larger.
fn add_shifted<const W: usize>(set: &mut [u64; W], other: &[u64; W], term: i64) {
    let by = term.unsigned_abs() as u32;
    if term > 0 {
        set[0] |= other[0] << by;
        for i in 1..W {
            set[i] |= other[i] << by | other[i - 1] >> (64 - by);
        }
    } else {
        set[W - 1] |= other[W - 1] >> by;
        for i in 1..W {
            set[i - 1] |= other[i - 1] >> by | other[i] << (64 - by);
        }
    }
}
