//! The only integration test binary: one module a subject.

mod alloc;
mod twins;
