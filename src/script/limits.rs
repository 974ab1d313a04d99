//! What a script may spend.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::board::MOST_CELLS;

/// The bounds of one call of a script's function. A script that meets one is stopped, and the case is errored.
///
/// Values and calls are bounded each by itself, and what they come to together by `memory`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// How many steps the interpreter takes; 2 million, which is about half a second.
    pub operations: u32,
    /// How deep functions call one another; 32, and at most 1000.
    pub calls: u16,
    /// How many variables there are in a function; 64.
    pub variables: u16,
    /// How many elements an array has, those of arrays in it counted too; 10000.
    pub array: u32,
    /// How many keys a map has, those of maps in it counted too; 2000.
    pub map: u32,
    /// How many bytes a text has; 100000.
    pub string: u32,
    /// How many cells a board has; 250000.
    pub cells: u32,
    /// How many bytes are printed; the rest is left out. 10000.
    pub print: u32,
    /// How many milliseconds a call takes; 1500. It is a net below `operations`: how far a script comes in that time
    /// differs from machine to machine.
    pub milliseconds: u32,
    /// How many MiB a call holds at a time; 256. A single value has a part of it, whatever its own limit says.
    ///
    /// It is counted where the program's allocator is an [`alloc_metrics::MetricAlloc`], as that of `rulebook` is.
    pub memory: u32,
}

/// Bytes that an element, a character of a text or a cell takes at the most while a function goes through them.
const PART: usize = 64;
/// Most elements, bytes or cells of a value, so that a function of rhai's goes through it in a moment.
const MOST: usize = 1 << 24;

impl Limits {
    /// Deeper calls would not fit on a stack of [`STACK`](super::STACK) bytes, which each may take some 30 KiB of.
    pub const MOST_CALLS: u16 = 1000;

    /// Bytes that a call holds at a time.
    pub(super) fn bytes(&self) -> usize {
        (self.memory as usize).saturating_mul(1 << 20)
    }

    /// Bytes that a function takes at a time, at the most.
    pub(super) fn spare(&self) -> usize {
        [self.most_elements(), self.most_text(), self.most_cells()].into_iter().max().unwrap_or(0) * PART
    }

    /// Most elements of an array: a quarter of the memory holds them.
    pub(super) fn most_elements(&self) -> usize {
        self.fitting(self.array, PART)
    }

    /// Most keys of a map: a quarter of the memory holds them and their values.
    pub(super) fn most_keys(&self) -> usize {
        self.fitting(self.map, 8 * PART)
    }

    /// Most bytes of a text: the memory holds it split into its characters.
    pub(super) fn most_text(&self) -> usize {
        self.fitting(self.string, PART)
    }

    /// Most cells of a board: half of the memory holds them.
    pub(super) fn most_cells(&self) -> usize {
        self.fitting(self.cells, PART).min(MOST_CELLS)
    }

    /// `limit`, or as many things of `size` bytes as the memory holds.
    fn fitting(&self, limit: u32, size: usize) -> usize {
        (limit as usize).min(self.bytes() / size).min(MOST)
    }

    /// The first limit that is none, as key, value and what it may be at most: nothing can be done within 0, and calls
    /// need a stack.
    pub fn fault(&self) -> Option<(&'static str, u32, u32)> {
        let limits = [
            ("operations", self.operations, u32::MAX),
            ("calls", self.calls.into(), Self::MOST_CALLS.into()),
            ("variables", self.variables.into(), u16::MAX.into()),
            ("array", self.array, u32::MAX),
            ("map", self.map, u32::MAX),
            ("string", self.string, u32::MAX),
            ("cells", self.cells, u32::MAX),
            ("milliseconds", self.milliseconds, u32::MAX),
            ("memory", self.memory, u32::MAX),
        ];
        limits.into_iter().find(|&(_, typed, most)| typed == 0 || typed > most)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            operations: 2_000_000,
            calls: 32,
            variables: 64,
            array: 10_000,
            map: 2_000,
            string: 100_000,
            cells: 250_000,
            print: 10_000,
            milliseconds: 1_500,
            memory: 256,
        }
    }
}
