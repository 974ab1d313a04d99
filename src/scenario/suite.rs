//! The files of a suite, and their pieces one after the other.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use ignore::WalkBuilder;
use toml::de::DeTable;

use super::File;
use super::split::{Chunk, SplitError, Splitter};
use crate::diagnostic::{CodeSpec, Diagnostic};

/// The faults of files and folders.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "suite::unreadable", about: "a file or folder cannot be read" },
    CodeSpec { code: "suite::not-utf8", about: "a scenario file is not UTF-8 text" },
    CodeSpec { code: "suite::too-long", about: "a single scenario is longer than can be read" },
];

/// A piece of work: some scenarios of a file, or why there are none.
#[derive(Debug)]
pub struct Piece {
    /// The file.
    pub file: Arc<File>,
    /// Its scenarios, or the fault that hides them.
    pub content: Result<Chunk, Diagnostic>,
}

/// The scenario files that `paths` name: files as they are, folders with every `.toml` below them, by name.
pub fn files(paths: &[PathBuf]) -> Vec<Result<PathBuf, Piece>> {
    paths.iter().flat_map(|path| below(path)).collect()
}

fn below(path: &Path) -> Vec<Result<PathBuf, Piece>> {
    let entries = WalkBuilder::new(path)
        .standard_filters(false)
        .hidden(true)
        .follow_links(true)
        .sort_by_file_name(OsStr::cmp)
        .build();
    let mut files = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
            Ok(entry) if entry.depth() == 0 || entry.path().extension() == Some(OsStr::new("toml")) => {
                files.push(Ok(entry.into_path()));
            }
            Ok(_) => {}
            Err(error) => files.push(Err(unreadable(path, &error))),
        }
    }
    files
}

/// All pieces of `files`, read as they are asked for.
#[derive(Debug)]
pub struct Pieces {
    files: vec::IntoIter<Result<PathBuf, Piece>>,
    open: Option<(Arc<File>, Splitter<std::fs::File>)>,
    sound: bool,
}

impl Pieces {
    /// The pieces of `files`, in that order.
    pub fn new(files: Vec<Result<PathBuf, Piece>>) -> Self {
        Self { files: files.into_iter(), open: None, sound: true }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            if let Some((file, splitter)) = &mut self.open {
                let file = Arc::clone(file);
                match splitter.next() {
                    Some(Ok(mut chunk)) => {
                        // Faulty defaults would be every scenario's fault: say it once, and leave the file.
                        if !self.sound {
                            self.open = None;
                        } else if chunk.lines_above > 0 && !chunk.text.is_empty() {
                            self.sound = DeTable::parse(&chunk.defaults).is_ok();
                            if !self.sound {
                                chunk.text.clear();
                                return Some(Piece { file, content: Ok(chunk) });
                            }
                        }
                        return Some(Piece { file, content: Ok(chunk) });
                    }
                    Some(Err(error)) => {
                        self.open = None;
                        let content = Err(split_fault(&file, &error));
                        return Some(Piece { file, content });
                    }
                    None => self.open = None,
                }
            }
            match self.files.next()? {
                Err(piece) => return Some(piece),
                Ok(path) => {
                    let file = Arc::new(File::new(&path));
                    match std::fs::File::open(&path) {
                        Ok(reader) => {
                            self.open = Some((file, Splitter::new(reader)));
                            self.sound = true;
                        }
                        Err(error) => return Some(unreadable(&path, &error)),
                    }
                }
            }
        }
    }
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Piece {
    let file = File::new(path);
    let fault = Diagnostic::new("suite::unreadable", format!("`{}` cannot be read", file.name));
    Piece { file: Arc::new(file), content: Err(fault.note(reason.to_string())) }
}

fn split_fault(file: &File, error: &SplitError) -> Diagnostic {
    let code = match error {
        SplitError::Io { .. } => "suite::unreadable",
        SplitError::Utf8 { .. } => "suite::not-utf8",
        SplitError::TooLong { .. } => "suite::too-long",
    };
    Diagnostic::new(code, format!("`{}` cannot be read on", file.name)).note(error.to_string())
}
