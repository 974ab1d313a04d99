//! Chance for scripts: the project's own generator, shared by all who hold it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rhai::{Array, Dynamic, Map};

use super::board::Board;
use super::functions::{Functions, Trouble};
use crate::rng::Rng;

/// A generator in a script. Copies draw from the same stream: a function that it is handed to goes on with it.
#[derive(Clone, Debug)]
pub(super) struct Chance(Arc<Mutex<Rng>>);

impl Chance {
    /// The generator of the case `index`.
    pub(super) fn new(seed: u64, index: u64) -> Self {
        Self(Arc::new(Mutex::new(Rng::new(seed, index))))
    }

    /// A generator of its own, which draws what this one would draw next.
    pub(super) fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(self.with(|rng| rng.clone()))))
    }

    pub(super) fn with<R>(&self, draw: impl FnOnce(&mut Rng) -> R) -> R {
        draw(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns a copy of `value` whose generators are its own: a generator is all that copies of a value share. Those that
/// hold one generator within `value` hold one within the copy.
pub(super) fn copy(value: &Dynamic) -> Dynamic {
    copy_with(value, &mut HashMap::new())
}

/// Copies `value`; `copied` has the generators that were copied, by where the originals are.
fn copy_with(value: &Dynamic, copied: &mut HashMap<*const Mutex<Rng>, Chance>) -> Dynamic {
    if let Ok(items) = value.as_array_ref() {
        return items.iter().map(|item| copy_with(item, copied)).collect::<Array>().into();
    }
    if let Ok(map) = value.as_map_ref() {
        return map.iter().map(|(key, item)| (key.clone(), copy_with(item, copied))).collect::<Map>().into();
    }
    match value.read_lock::<Chance>() {
        Some(rng) => Dynamic::from(copied.entry(Arc::as_ptr(&rng.0)).or_insert_with(|| rng.copy()).clone()),
        None => value.clone(),
    }
}

pub(super) fn register(functions: &mut Functions<'_>) {
    functions.engine().register_type_with_name::<Chance>("Rng");
    functions.add(
        "rng.below(n)",
        "a number from 0 to n - 1, each equally likely",
        "rng(1, 0).below(6) < 6",
        |rng: &mut Chance, bound: i64| {
            let bound = positive(bound, "a draw needs at least one outcome")?;
            Ok::<_, Trouble>(rng.with(|rng| rng.below(bound)) as i64)
        },
    );
    functions.add(
        "rng.range(low, high)",
        "a number from low to high, both included",
        "rng(1, 0).range(2, 2) == 2",
        |rng: &mut Chance, low: i64, high: i64| {
            if low > high {
                return Err(trouble(format!("a range runs upwards, and {low} is above {high}")));
            }
            Ok(rng.with(|rng| rng.range(low, high)))
        },
    );
    functions.add(
        "rng.chance(percent)",
        "true in so many of 100 draws",
        "rng(1, 0).chance(100) && !rng(1, 0).chance(0)",
        |rng: &mut Chance, percent: i64| {
            if !(0..=100).contains(&percent) {
                return Err(trouble(format!("a chance is 0 to 100 percent, not {percent}")));
            }
            Ok(rng.with(|rng| rng.percent(percent as u64)))
        },
    );
    functions.add(
        "rng.pick(array)",
        "one of an array's elements, each equally likely",
        "rng(1, 0).pick([7, 7]) == 7",
        |rng: &mut Chance, array: Array| {
            let bound = positive(array.len() as i64, "there is nothing to pick from")?;
            Ok::<_, Trouble>(array[rng.with(|rng| rng.below(bound)) as usize].clone())
        },
    );
    functions.add(
        "rng.weighted(weights)",
        "an index into an array of weights, each as likely as its weight says",
        "rng(1, 0).weighted([0, 3, 0]) == 1",
        |rng: &mut Chance, weights: Array| {
            let weight =
                |weight: &Dynamic| weight.as_int().ok().and_then(|weight| u32::try_from(weight).ok());
            let weights: Option<Vec<_>> = weights.iter().map(weight).collect();
            let weights =
                weights.ok_or_else(|| trouble("weights are whole numbers from 0 to 2^32 - 1".to_owned()))?;
            let sum: u64 = weights.iter().copied().map(u64::from).sum();
            let sum = positive(sum as i64, "a draw needs a weight above 0")?;
            let mut left = rng.with(|rng| rng.below(sum));
            let drawn = weights.iter().position(|&weight| {
                let here = left < u64::from(weight);
                left = left.saturating_sub(weight.into());
                here
            });
            Ok::<_, Trouble>(drawn.unwrap_or(0) as i64)
        },
    );
    functions.add(
        "rng.shuffle(array)",
        "the elements of an array in a random order, each order equally likely",
        "rng(1, 0).shuffle([5, 5]) == [5, 5]",
        |rng: &mut Chance, mut array: Array| {
            rng.with(|rng| rng.shuffle(&mut array));
            array
        },
    );
    functions.add(
        "rng.shuffle(board)",
        "a board with the same cells in a random order",
        r#"rng(1, 0).shuffle(board("1 2")).count(2) == 1"#,
        |rng: &mut Chance, board: Board| board.shuffled(rng),
    );
    functions.add(
        "rng(seed, index)",
        "a generator of one's own: ChaCha with 8 rounds, of that seed, on the stream of that number",
        "rng(7, 3).below(1000) == rng(7, 3).below(1000)",
        |seed: i64, index: i64| Chance::new(seed as u64, index as u64),
    );
}

fn positive(number: i64, otherwise: &str) -> Result<u64, Trouble> {
    u64::try_from(number).ok().filter(|&number| number > 0).ok_or_else(|| trouble(otherwise.to_owned()))
}

/// A seed for another purpose than `seed` itself: a generator and a policy of the same seed draw differently.
pub(super) fn stream(seed: i64, purpose: &str) -> u64 {
    purpose.bytes().fold(seed as u64, |seed, byte| seed.rotate_left(9) ^ u64::from(byte))
}

pub(super) fn trouble(text: String) -> Trouble {
    text.into()
}
