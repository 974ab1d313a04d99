//! placeholder until the splitter lands
use std::ops::Range;
use std::sync::Arc;
/// A piece.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// d
    pub defaults: Arc<str>,
    /// t
    pub text: String,
    /// l
    pub lines_above: usize,
    /// b
    pub bytes_above: u64,
}
/// s
pub fn scenarios(_text: &str) -> impl Iterator<Item = Range<usize>> {
    std::iter::empty()
}
/// e
#[derive(Debug)]
pub enum SplitError {
    /// i
    Io {
        /// s
        source: std::io::Error,
    },
    /// u
    Utf8 {
        /// l
        line: usize,
    },
    /// t
    TooLong {
        /// l
        line: usize,
    },
}
impl std::fmt::Display for SplitError {
    fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
/// s
#[derive(Debug)]
pub struct Splitter<R> {
    r: Option<R>,
}
impl<R: std::io::Read> Splitter<R> {
    /// n
    pub fn new(r: R) -> Self {
        Self { r: Some(r) }
    }
}
impl<R: std::io::Read> Iterator for Splitter<R> {
    type Item = Result<Chunk, SplitError>;
    fn next(&mut self) -> Option<Self::Item> {
        let mut r = self.r.take()?;
        let mut s = String::new();
        r.read_to_string(&mut s).unwrap();
        let at = s.find("[[scenario]]").unwrap_or(s.len());
        let lines_above = s[..at].matches('\n').count();
        Some(Ok(Chunk {
            defaults: s[..at].into(),
            text: s[at..].into(),
            lines_above,
            bytes_above: at as u64,
        }))
    }
}
