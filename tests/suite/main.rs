//! The only integration test binary: one module a subject.

mod alloc;
mod command;
mod commands;
mod diagnostics;
mod documents;
mod floors;
mod split;
mod twins;
