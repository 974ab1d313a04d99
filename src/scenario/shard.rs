//! Parts of a suite that are run apart.

use std::fmt;
use std::num::NonZeroU32;

use xxhash_rust::xxh3::Xxh3;

/// The part `index` of `count`, from 1.
///
/// A case falls into a part by its file, its scenario's name and its index alone: it stays there when others are
/// added, and every case is in just one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: NonZeroU32,
}

impl Shard {
    /// The part `index` of `count`, if there is such a part.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        let count = NonZeroU32::new(count)?;
        (1..=count.get()).contains(&index).then_some(Self { index, count })
    }

    /// Which part it is, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// How many parts there are.
    pub fn count(self) -> u32 {
        self.count.get()
    }

    /// Whether a case is in this part: a case of a scenario of which a script makes more by its index, too.
    pub fn has(self, file: &str, name: &str, index: Option<u64>) -> bool {
        let mut hash = Xxh3::new();
        // Paths are told apart by `/` on every system.
        for part in file.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
            hash.update(part.as_bytes());
            hash.update(b"/");
        }
        hash.update(b"\0");
        hash.update(name.as_bytes());
        if let Some(index) = index {
            hash.update(b"\0");
            hash.update(&index.to_le_bytes());
        }
        // The upper bits of the product are the part: as even as the hash, without a remainder.
        let part = (u128::from(hash.digest()) * u128::from(self.count.get())) >> 64;
        part == u128::from(self.index - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_in_one_part() {
        for count in [1, 2, 3, 7, 100] {
            let shards: Vec<_> = (1..=count).filter_map(|index| Shard::new(index, count)).collect();
            assert_eq!(shards.len(), count as usize);
            let mut sizes = vec![0; count as usize];
            for case in 0..1000 {
                let index = (case % 2 == 0).then_some(case);
                let name = format!("case {}", case / 10);
                let holders: Vec<_> =
                    shards.iter().filter(|shard| shard.has("a.toml", &name, index)).collect();
                assert!(index.is_none() || holders.len() == 1);
                assert_eq!(holders.len(), 1);
                sizes[holders[0].index() as usize - 1] += 1;
            }
            assert!(count > 7 || sizes.iter().all(|&size| size > 1000 / count / 2), "{sizes:?}");
        }
    }

    #[test]
    fn parts_are_the_same_on_every_machine() {
        let parts = |file: &str| {
            let part =
                |case: u64| (1..=4).find(|&i| Shard::new(i, 4).is_some_and(|s| s.has(file, "a", Some(case))));
            (0..12).filter_map(part).collect::<Vec<_>>()
        };
        assert_eq!(parts("x/a.toml"), parts("./x\\a.toml"));
        assert_eq!(parts("x/a.toml"), [3, 3, 4, 2, 4, 3, 3, 2, 2, 3, 4, 3]);
    }

    #[test]
    fn there_is_no_part_beyond_the_last() {
        assert!(Shard::new(0, 3).is_none());
        assert!(Shard::new(4, 3).is_none());
        assert!(Shard::new(1, 0).is_none());
        assert_eq!(Shard::new(3, 3).map(|shard| shard.to_string()).as_deref(), Some("3/3"));
    }
}
