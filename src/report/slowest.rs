//! The cases that took longest.

use super::record::Record;

/// Keeps so many cases, the slowest first; of equally slow ones, those that came first.
#[derive(Clone, Debug, Default)]
pub struct Slowest {
    most: usize,
    cases: Vec<Slow>,
}

/// A slow case.
#[derive(Clone, Debug, PartialEq)]
pub struct Slow {
    /// `FILE::NAME#INDEX`.
    pub id: String,
    /// The seconds that it took.
    pub seconds: f64,
}

impl Slowest {
    /// Keeps the `most` slowest.
    pub fn new(most: usize) -> Self {
        Self { most, cases: Vec::new() }
    }

    /// Whether any are kept at all.
    pub fn listens(&self) -> bool {
        self.most > 0
    }

    /// Looks at one more case.
    pub fn add(&mut self, record: &Record<'_>) {
        if self.most == 0 {
            return;
        }
        let full = self.cases.len() >= self.most;
        if full && self.cases.last().is_none_or(|last| last.seconds >= record.seconds) {
            return;
        }
        let place = self.cases.partition_point(|slow| slow.seconds >= record.seconds);
        self.cases.insert(place, Slow { id: record.id(), seconds: record.seconds });
        self.cases.truncate(self.most);
    }

    /// The slowest, in order.
    pub fn cases(&self) -> &[Slow] {
        &self.cases
    }
}
