//! Finds the lines of a TOML text that are `[[scenario]]` headers, and not merely look like one.

/// How far a decision may look ahead: the longest spelling of a header line that is noticed.
const LOOKAHEAD: usize = 64;

/// What the scanner stands in; where lines end it, a bit of [`STOPS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Plain = 1,
    Comment = 2,
    Basic = 4,
    Literal = 8,
    MultiBasic = 16,
    MultiLiteral = 32,
}

/// For each byte, the modes in which it can mean something. Multi-line strings may be long and are searched instead.
const STOPS: [u8; 256] = {
    let stops: [(Mode, &[u8]); 4] = [
        (Mode::Plain, b"\n#[]{}\"'"),
        (Mode::Comment, b"\r\n"),
        (Mode::Basic, b"\n\\\""),
        (Mode::Literal, b"\n'"),
    ];
    let mut table = [0; 256];
    let mut mode = 0;
    while mode < stops.len() {
        let mut byte = 0;
        while byte < stops[mode].1.len() {
            table[stops[mode].1[byte] as usize] |= stops[mode].0 as u8;
            byte += 1;
        }
        mode += 1;
    }
    table
};

/// Finds the `[[scenario]]` headers of a text that grows at its end, looking at each byte once.
#[derive(Debug)]
pub(super) struct Scanner {
    at: usize,
    mode: Mode,
    /// Brackets and braces that are open.
    depth: usize,
    line_starts: bool,
    /// The statement began with a bracket: it ends with its line, closed or not.
    heading: bool,
    /// Where the last string ended: a quote there opens another.
    string_end: usize,
}

impl Scanner {
    pub(super) fn new() -> Self {
        Self { at: 0, mode: Mode::Plain, depth: 0, line_starts: true, heading: false, string_end: 0 }
    }

    /// How far the text is looked at: up to here it has no further header.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The first `count` bytes of the text are removed.
    pub(super) fn forget(&mut self, count: usize) {
        self.at -= count;
        self.string_end = self.string_end.saturating_sub(count);
    }

    /// Where the next header's line starts, if the text has one; more text may follow unless it has `ended`.
    pub(super) fn next_header(&mut self, text: &[u8], ended: bool) -> Option<usize> {
        let end = if ended { text.len() } else { text.len().saturating_sub(LOOKAHEAD) };
        while self.at < end {
            if std::mem::take(&mut self.line_starts) && self.depth == 0 {
                let line = skip_blanks(&text[self.at..text.len().min(self.at + LOOKAHEAD)]);
                self.heading = line.first() == Some(&b'[');
                if self.heading && is_header(line) {
                    return Some(self.at);
                }
            }
            let (rest, mode) = (&text[self.at..end], self.mode as u8);
            let stop = match self.mode {
                Mode::MultiBasic => memchr::memchr2(b'"', b'\\', rest),
                Mode::MultiLiteral => memchr::memchr(b'\'', rest),
                _ => rest.iter().position(|&byte| STOPS[usize::from(byte)] & mode != 0),
            };
            self.at += stop.unwrap_or(end - self.at);
            if stop.is_some() {
                self.step(text);
            }
        }
        None
    }

    /// Acts on the byte that the scan stopped at.
    fn step(&mut self, text: &[u8]) {
        let byte = text[self.at];
        match (self.mode, byte) {
            // A line's end is looked at again, outside. It ends a string too, which then is a syntax error.
            (Mode::Comment, _) | (Mode::Basic | Mode::Literal, b'\n') => return self.mode = Mode::Plain,
            (Mode::Plain, b'\n') => {
                self.line_starts = true;
                if std::mem::take(&mut self.heading) {
                    self.depth = 0;
                }
            }
            (Mode::Plain, b'#') => self.mode = Mode::Comment,
            (Mode::Plain, b'[' | b'{') => self.depth += 1,
            (Mode::Plain, b']' | b'}') => self.depth = self.depth.saturating_sub(1),
            (Mode::Plain, quote) => return self.open(text, quote),
            (_, b'\\') => self.at += usize::from(matches!(text.get(self.at + 1), Some(b'\\' | b'"'))),
            (Mode::Basic | Mode::Literal, _) => self.close(),
            (Mode::MultiBasic | Mode::MultiLiteral, quote) => {
                let run = run(text, self.at, quote);
                self.at += run - 1;
                if run >= 3 {
                    self.close();
                }
            }
        }
        self.at += 1;
    }

    fn open(&mut self, text: &[u8], quote: u8) {
        // A quote within a bare word, which is a syntax error, opens nothing.
        let after_word = self.at > 0 && !b".=,[]{} \t\r\n".contains(&text[self.at - 1]);
        if after_word && self.at != self.string_end {
            self.at += 1;
        } else if run(text, self.at, quote) >= 3 {
            self.at += 3;
            self.mode = if quote == b'"' { Mode::MultiBasic } else { Mode::MultiLiteral };
        } else {
            self.at += 1;
            self.mode = if quote == b'"' { Mode::Basic } else { Mode::Literal };
        }
    }

    /// The string ends with the byte that the scan stands at.
    fn close(&mut self) {
        self.mode = Mode::Plain;
        self.string_end = self.at + 1;
    }
}

/// How often `quote` stands at `at`, up to the five that can end a multi-line string.
fn run(text: &[u8], at: usize, quote: u8) -> usize {
    text[at..].iter().take(5).take_while(|&&byte| byte == quote).count()
}

fn is_header(line: &[u8]) -> bool {
    let Some(inner) = line.strip_prefix(b"[[").map(skip_blanks) else { return false };
    [b"scenario".as_slice(), b"\"scenario\"", b"'scenario'"]
        .iter()
        .any(|key| inner.strip_prefix(*key).is_some_and(|behind| skip_blanks(behind).starts_with(b"]]")))
}

fn skip_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}
