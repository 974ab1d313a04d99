//! Scenario files: text in, scenarios with their places out.

mod headers;
pub mod split;
