//! One hash over the facts of all cases of a run.

use std::fmt;

use xxhash_rust::xxh3::Xxh3;

use super::record::Record;

/// The sum of a hash of each case: the same for any order of the cases, and for any way of sharing them out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signature(u128);

impl Signature {
    /// Adds a case by its file, name and index, its verdict and all its facts; what has no outcome, such as a file that
    /// cannot be read, adds nothing.
    pub fn add(&mut self, record: &Record<'_>) {
        let Some(outcome) = record.outcome else { return };
        let mut hash = Xxh3::new();
        for part in [&record.file, &record.name] {
            hash.update(part.as_bytes());
            hash.update(&[0]);
        }
        hash.update(&record.index.map_or([0; 8], |index| index.wrapping_add(1).to_le_bytes()));
        hash.update(&outcome.0.to_le_bytes());
        self.0 = self.0.wrapping_add(hash.digest128());
    }
}

/// `xxh3:` and 32 hexadecimal digits.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xxh3:{:032x}", self.0)
    }
}
