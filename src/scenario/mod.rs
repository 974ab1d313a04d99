//! Scenario files: from text to cases.
//!
//! The stages in order: [`suite`] finds the files, [`split`] cuts them into pieces of whole scenarios, [`load()`]
//! turns a piece into [`Case`]s: TOML with spans, the file's defaults, the header, the engine's binding, the
//! expectations. [`bless`] writes what a run came to back
//! into the files.

pub mod bless;
pub mod expect;
pub mod filter;
pub mod format;
pub mod header;
pub mod matcher;
pub mod schema;
pub mod split;
pub mod suite;
pub mod syntax;

mod case;
mod headers;
mod late;
mod lines;
mod load;
mod misplaced;
mod needs;
mod pattern;
mod plan;
mod scripted;
mod select;
mod shard;
mod target;

pub use self::case::{Case, ExpectedError, Made, Plan, Signature};
pub use self::load::{CODES, File, STDIN, load};
pub use self::needs::Needs;
pub use self::pattern::Pattern;
pub use self::scripted::Batch;
pub use self::select::{Candidate, Cases, Known, Select};
pub use self::shard::Shard;
pub use self::target::{Targets, Which, Word};
