//! The only integration test binary: one module a subject.

mod command;
mod diagnostics;
mod documents;
mod floors;
mod twins;
