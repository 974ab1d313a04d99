//! The one source of chance: ChaCha with 8 rounds, seeded with a number and a stream.
//!
//! The same seed and stream give the same draws on every machine, in every build and release: the generator
//! is a published definition, and the mapping of its words to a range is written here.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};

/// A seeded ChaCha8 generator. Neighbouring seeds and streams are unrelated.
#[derive(Clone, Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// The generator of `seed`, on its stream `stream` (a case's index, say).
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to `bound` - 1, each equally likely.
    ///
    /// # Panics
    /// When `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a draw needs at least one outcome");
        // Multiply and shift, rejecting the few low products that would favour some outcomes.
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            if wide as u64 >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A number from `low` to `high`, both included.
    ///
    /// # Panics
    /// When `low` is above `high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "a range runs upwards");
        let width = (high as u64).wrapping_sub(low as u64);
        let offset = if width == u64::MAX { self.bits() } else { self.below(width + 1) };
        (low as u64).wrapping_add(offset) as i64
    }

    /// True in `percent` of 100 draws.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Puts `items` into a random order, each equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_pinned() {
        let mut rng = Rng::new(7, 0);
        let draws: Vec<_> = (0..5).map(|_| rng.below(100)).collect();
        assert_eq!(draws, [15, 16, 70, 72, 60]);
    }

    #[test]
    fn seeds_and_streams_differ() {
        let first = |seed, stream| Rng::new(seed, stream).bits();
        assert_ne!(first(1, 0), first(2, 0));
        assert_ne!(first(1, 0), first(1, 1));
    }
}
