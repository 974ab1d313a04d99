//! How large a value of a script is: elements, keys and bytes, those of all values within it counted too.

use rhai::{Array, Blob, Dynamic, Engine, ImmutableString, Map};

use super::functions::Trouble;

/// The sizes of a value that limits speak of, counted as rhai counts them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    array: usize,
    map: usize,
    string: usize,
}

impl Sizes {
    /// The sizes of `value`.
    fn of(value: &Dynamic) -> Self {
        let mut sizes = Self::default();
        sizes.add(value);
        sizes
    }

    /// Adds those of another value.
    pub(super) fn add(&mut self, value: &Dynamic) {
        if value.is_int() || value.is_bool() {
            // Most values are these.
        } else if let Some(array) = value.read_lock::<Array>() {
            self.array += array.len();
            array.iter().for_each(|value| self.add(value));
        } else if let Some(map) = value.read_lock::<Map>() {
            self.map += map.len();
            map.values().for_each(|value| self.add(value));
        } else if let Some(text) = value.read_lock::<ImmutableString>() {
            self.string += text.len();
        } else if let Some(blob) = value.read_lock::<Blob>() {
            self.array += blob.len();
        }
    }

    /// Holds `value` against the limits of `engine`, if it is larger than all that its call was handed, and returns how
    /// many values were looked at.
    ///
    /// rhai measures what a function returns and what a method changes, but of an assignment through an index the value
    /// that is assigned, and not the one around it.
    ///
    /// # Errors
    /// When the value is too large.
    pub(super) fn hold(handed: Self, value: &Dynamic, engine: &Engine) -> Result<usize, Trouble> {
        let sizes = Self::of(value);
        if sizes.array > handed.array || sizes.map > handed.map || sizes.string > handed.string {
            engine.ensure_data_size_within_limits(value)?;
        }
        Ok(1 + sizes.array + sizes.map)
    }
}
