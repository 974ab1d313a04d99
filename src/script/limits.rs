//! What a script may spend.

use schemars::JsonSchema;
use serde::Deserialize;

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
    /// By how many MiB the process may grow during a call, where the system tells; 256.
    pub memory: u32,
}

impl Limits {
    /// Deeper calls would not fit on a stack of [`STACK`](super::STACK) bytes, which each may take some 30 KiB of.
    pub const MOST_CALLS: u16 = 1000;

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
