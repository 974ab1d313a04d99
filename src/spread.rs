//! How a fact spreads over many cases, in bounded memory; the same for any order of the cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use crate::diagnostic::count;
use crate::value::Value;

/// So many different numbers are counted each; beyond, numbers that agree in their first ten bits are counted as one.
const MOST: usize = 4096;
const BITS: u32 = 10;
/// The most lines of a histogram.
const BINS: usize = 10;
/// The length of its longest bar.
const BAR: u64 = 40;
/// The quantiles that are shown, in percent.
const QUANTILES: [u64; 5] = [5, 25, 50, 75, 95];

/// The spread of one fact over cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    numbers: Numbers,
    yes: u64,
    no: u64,
    unanswered: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Numbers {
    count: u64,
    sum: i128,
    /// `None` where it grew too large to be known.
    squares: Option<u128>,
    least: i64,
    most: i64,
    counts: BTreeMap<i64, u64>,
    coarse: bool,
}

impl Spread {
    /// Counts the answer of one more case; `None` where the engine gave up.
    pub fn add(&mut self, value: Option<&Value>) {
        match value {
            Some(Value::Int(number)) => self.numbers.add(*number),
            Some(Value::Bool(true)) => self.yes += 1,
            Some(Value::Bool(false)) => self.no += 1,
            _ => self.unanswered += 1,
        }
    }

    /// The lines that show it, below the fact's name.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.numbers.count > 0 {
            lines.extend(self.numbers.lines());
        }
        let said = self.yes + self.no;
        if said > 0 {
            let (share, low, high) = share(self.yes, said);
            lines.push(format!(
                "true in {:.2}% of {} (95% interval: {:.2}% to {:.2}%)",
                share * 100.0,
                count(said, "case"),
                low * 100.0,
                high * 100.0
            ));
        }
        if self.unanswered > 0 {
            lines.push(format!("no answer in {}", count(self.unanswered, "case")));
        }
        lines
    }
}

/// The share of `yes` among `all`, and its 95% interval by Wilson.
fn share(yes: u64, all: u64) -> (f64, f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let (n, p) = (all as f64, yes as f64 / all as f64);
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    (p, ((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0))
}

impl Numbers {
    fn add(&mut self, number: i64) {
        if self.count == 0 {
            (self.least, self.most, self.squares) = (number, number, Some(0));
        }
        self.count += 1;
        self.sum += i128::from(number);
        let square = u128::from(number.unsigned_abs()).pow(2);
        self.squares = self.squares.and_then(|squares| squares.checked_add(square));
        (self.least, self.most) = (self.least.min(number), self.most.max(number));
        *self.counts.entry(if self.coarse { coarse(number) } else { number }).or_default() += 1;
        if !self.coarse && self.counts.len() > MOST {
            self.coarse = true;
            for (number, count) in std::mem::take(&mut self.counts) {
                *self.counts.entry(coarse(number)).or_default() += count;
            }
        }
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }

    /// The standard deviation of the cases at hand.
    fn deviation(&self) -> Option<f64> {
        // Exact up to the last step: n * squares - sum^2 is a whole number.
        let n = u128::from(self.count);
        let product = self.squares?.checked_mul(n)?;
        let square = self.sum.unsigned_abs().checked_mul(self.sum.unsigned_abs())?;
        Some(((product - square) as f64).sqrt() / self.count as f64)
    }

    /// The least number that so many percent of the cases are at or below.
    fn quantile(&self, percent: u64) -> i64 {
        let rank = (u128::from(self.count) * u128::from(percent)).div_ceil(100).max(1);
        let mut below = 0;
        for (&number, &count) in &self.counts {
            below += u128::from(count);
            if below >= rank {
                return number.clamp(self.least, self.most);
            }
        }
        self.most
    }

    fn lines(&self) -> Vec<String> {
        let mut first = format!("mean {:.2}", self.mean());
        let _ = match self.deviation() {
            Some(deviation) => write!(first, ", standard deviation {deviation:.2}"),
            None => write!(first, ", standard deviation unknown: the numbers are too large"),
        };
        let _ = write!(first, ", from {} to {}, of {}", self.least, self.most, count(self.count, "case"));
        let about = if self.coarse { "about " } else { "" };
        let quantiles: Vec<_> = QUANTILES
            .iter()
            .map(|&percent| match percent {
                50 => format!("median {about}{}", self.quantile(50)),
                _ => format!("{percent}% {about}{}", self.quantile(percent)),
            })
            .collect();
        [first, quantiles.join(", ")].into_iter().chain(self.histogram()).collect()
    }

    fn bins(&self) -> Vec<(i64, i64, u64)> {
        let width = (i128::from(self.most) - i128::from(self.least)) / BINS as i128 + 1;
        let bin = |number: i64| ((i128::from(number) - i128::from(self.least)) / width) as usize;
        let mut counts = vec![0; bin(self.most) + 1];
        for (&number, &count) in &self.counts {
            counts[bin(number.clamp(self.least, self.most))] += count;
        }
        let edge = |index: usize| (i128::from(self.least) + index as i128 * width) as i64;
        let bins = counts.into_iter().enumerate();
        bins.map(|(index, count)| {
            let last = (i128::from(edge(index)) + width - 1).min(i128::from(self.most)) as i64;
            (edge(index), last, count)
        })
        .collect()
    }

    fn histogram(&self) -> Vec<String> {
        let bins = self.bins();
        let highest = bins.iter().map(|bin| bin.2).max().unwrap_or(1).max(1);
        let width = |number: i64| number.to_string().len();
        let (low, high) =
            bins.iter().fold((0, 0), |(low, high), bin| (low.max(width(bin.0)), high.max(width(bin.1))));
        let line = |&(first, last, count): &(i64, i64, u64)| {
            let bar =
                "#".repeat((u128::from(count) * u128::from(BAR)).div_ceil(u128::from(highest)) as usize);
            format!("{first:>low$} to {last:>high$}  {bar:<40}  {count}")
        };
        bins.iter().map(line).collect()
    }
}

/// The number with all but its first ten bits cleared.
fn coarse(number: i64) -> i64 {
    let size = number.unsigned_abs();
    let shift = (u64::BITS - size.leading_zeros()).saturating_sub(BITS);
    let cut = (size >> shift) << shift;
    if number < 0 { (cut as i64).wrapping_neg() } else { cut as i64 }
}

impl Serialize for Spread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let numbers = &self.numbers;
        if numbers.count > 0 {
            map.serialize_entry("count", &numbers.count)?;
            map.serialize_entry("min", &numbers.least)?;
            map.serialize_entry("max", &numbers.most)?;
            map.serialize_entry("mean", &numbers.mean())?;
            map.serialize_entry("deviation", &numbers.deviation())?;
            let quantiles: BTreeMap<_, _> = QUANTILES
                .iter()
                .map(|&percent| (format!("{percent:02}%"), numbers.quantile(percent)))
                .collect();
            map.serialize_entry("quantiles", &quantiles)?;
            map.serialize_entry("exact", &!numbers.coarse)?;
            map.serialize_entry("histogram", &numbers.bins())?;
        }
        let said = self.yes + self.no;
        if said > 0 {
            let (share, low, high) = share(self.yes, said);
            map.serialize_entry("count", &said)?;
            map.serialize_entry("true", &self.yes)?;
            map.serialize_entry("share", &share)?;
            map.serialize_entry("interval", &[low, high])?;
        }
        map.serialize_entry("unanswered", &self.unanswered)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn spread(numbers: impl IntoIterator<Item = i64>) -> Spread {
        let mut spread = Spread::default();
        numbers.into_iter().for_each(|number| spread.add(Some(&Value::Int(number))));
        spread
    }

    #[test]
    fn figures_are_those_of_the_numbers() {
        let lines = spread(1..=10).lines();
        assert_eq!(lines[0], "mean 5.50, standard deviation 2.87, from 1 to 10, of 10 cases");
        assert_eq!(lines[1], "5% 1, 25% 3, median 5, 75% 8, 95% 10");
        assert_eq!(lines.len(), 12);
        assert!(lines[11].ends_with("  1"), "{lines:?}");
    }

    #[test]
    fn a_single_number_and_extremes_are_no_trouble() {
        assert_eq!(spread([7]).lines().len(), 3);
        let far = spread([i64::MIN, i64::MAX, i64::MIN, i64::MAX]);
        let first = &far.lines()[0];
        assert!(first.contains("from -9223372036854775808 to 9223372036854775807"), "{first}");
        assert!(first.contains("standard deviation unknown: the numbers are too large"), "{first}");
    }

    #[test]
    fn order_means_nothing_and_memory_is_bounded() {
        let mut rng = Rng::new(5, 0);
        let mut numbers: Vec<_> = (0..50_000).map(|_| rng.range(-1_000_000_000, 1_000_000_000)).collect();
        let one = spread(numbers.iter().copied());
        rng.shuffle(&mut numbers);
        assert_eq!(one, spread(numbers.iter().copied()));
        assert!(one.numbers.counts.len() < 40_000);
        numbers.sort_unstable();
        let exact = numbers[numbers.len() / 4 - 1];
        assert!((one.numbers.quantile(25) - exact).abs() <= exact.abs() / 512 + 1);
    }

    #[test]
    fn booleans_are_shares() {
        let mut spread = Spread::default();
        (0..100).for_each(|i| spread.add(Some(&Value::Bool(i < 50))));
        spread.add(None);
        let lines = spread.lines();
        assert_eq!(lines[0], "true in 50.00% of 100 cases (95% interval: 40.38% to 59.62%)");
        assert_eq!(lines[1], "no answer in 1 case");
    }
}
