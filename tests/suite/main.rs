//! The only integration test binary: one module a subject.

mod split;
mod twins;
