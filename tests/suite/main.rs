//! The only integration test binary: one module a subject.

mod alloc;
mod apart;
mod bless;
mod boards;
mod command;
mod commands;
mod contract;
mod diagnostics;
mod documents;
mod ends;
mod floors;
mod format;
mod formats;
mod loading;
mod pipes;
mod reports;
mod scale;
mod scaling;
mod schema;
mod scripts;
mod select;
mod settings;
mod split;
mod twins;
mod watch;
mod writing;
