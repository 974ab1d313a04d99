//! The splitter of large files against the lexer of the TOML parser itself.

use std::io::{self, Read};
use std::ops::Range;
use std::time::{Duration, Instant};

use rulebook::rng::Rng;
use rulebook::scenario::split::{Chunk, LIMIT, SplitError, Splitter, scenarios};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// Gives its bytes in reads of random size up to `most`.
struct Drip<'a> {
    bytes: &'a [u8],
    most: u64,
    rng: Rng,
}

impl<'a> Drip<'a> {
    fn new(bytes: &'a [u8], most: u64, seed: u64) -> Self {
        Self { bytes, most, rng: Rng::new(seed, most) }
    }
}

impl Read for Drip<'_> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        if self.rng.percent(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = 1 + self.rng.below(self.most) as usize;
        let block_len = block.len();
        self.bytes.read(&mut block[..count.min(block_len)])
    }
}

/// The chunks, and the error that ends them.
fn split_with(reader: impl Read, limit: usize) -> (Vec<Chunk>, Option<SplitError>) {
    let mut splitter = Splitter::with_limit(reader, limit);
    let mut chunks = Vec::new();
    let mut fault = None;
    for item in splitter.by_ref() {
        assert!(fault.is_none(), "something follows an error");
        match item {
            Ok(chunk) => chunks.push(chunk),
            Err(error) => fault = Some(error),
        }
    }
    assert!(splitter.next().is_none(), "something follows the end");
    (chunks, fault)
}

fn split(text: &str) -> Vec<Chunk> {
    let (chunks, fault) = split_with(text.as_bytes(), LIMIT);
    assert!(fault.is_none(), "{fault:?} in {text:?}");
    chunks
}

/// Where the file's scenarios start, by the chunks and the scenarios in them.
fn starts(chunks: &[Chunk], mark: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut above = mark + chunks.first().map_or(0, |chunk| chunk.defaults.len());
    for chunk in chunks {
        let ranges: Vec<Range<usize>> = scenarios(&chunk.text).collect();
        assert_eq!(ranges.first().map_or(0, |range| range.start), 0);
        assert_eq!(ranges.last().map_or(0, |range| range.end), chunk.text.len());
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        starts.extend(ranges.iter().map(|range| above + range.start));
        above += chunk.text.len();
    }
    starts
}

/// Checks all that holds for the chunks of any `text`, up to the first fault; returns how many scenarios they hold.
fn check(text: &str, chunks: &[Chunk]) -> usize {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - bare.len();
    let mut read = chunks.first().map_or(String::new(), |chunk| chunk.defaults.to_string());
    let mut handed = 0_usize;
    for (index, chunk) in chunks.iter().enumerate() {
        assert!(std::sync::Arc::ptr_eq(&chunk.defaults, &chunks[0].defaults));
        assert_eq!(chunk.lines_above, read.matches('\n').count(), "{text:?}");
        assert_eq!(chunk.bytes_above, (mark + read.len()) as u64, "{text:?}");
        let count = scenarios(&chunk.text).count();
        let wanted = (handed / 16).clamp(1, 128);
        let last = index + 1 == chunks.len();
        assert!(count == wanted || count < wanted && (last || chunk.text.len() >= 256 << 10), "{text:?}");
        read += &chunk.text;
        handed += count;
    }
    assert!(bare.starts_with(&read), "{text:?}");
    let starts = starts(chunks, mark);
    let oracle = oracle(text);
    assert_eq!(starts, oracle[..starts.len()], "{text:?}");
    starts.len()
}

/// Where scenarios start, by the parser's own lexer: at a line that opens a statement with `[[`, the key, `]]`.
fn oracle(text: &str) -> Vec<usize> {
    let tokens = Source::new(text).lex().into_vec();
    let words: Vec<(TokenKind, &str)> =
        tokens.iter().map(|token| (token.kind(), &text[token.span().start()..token.span().end()])).collect();
    let blanks =
        |from: usize| from + words[from..].iter().take_while(|word| word.0 == TokenKind::Whitespace).count();
    let is = |at: usize, kind| words.get(at).is_some_and(|word| word.0 == kind);
    let (mut cuts, mut depth, mut heading, mut opens) = (Vec::new(), 0_usize, false, true);
    for (at, &(kind, word)) in words.iter().enumerate() {
        if opens {
            let first = blanks(at);
            heading = is(first, TokenKind::LeftSquareBracket);
            let key = blanks((first + 2).min(words.len()));
            let close = blanks((key + 1).min(words.len()));
            if heading
                && is(first + 1, TokenKind::LeftSquareBracket)
                && matches!(words.get(key), Some((_, "scenario" | "'scenario'" | "\"scenario\"")))
                && is(close, TokenKind::RightSquareBracket)
                && is(close + 1, TokenKind::RightSquareBracket)
            {
                cuts.push(tokens[at].span().start());
            }
        }
        opens = false;
        match kind {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => depth += 1,
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => depth = depth.saturating_sub(1),
            TokenKind::Newline if word.ends_with('\n') => {
                if heading {
                    (depth, heading) = (0, false);
                }
                opens = depth == 0;
            }
            _ => {}
        }
    }
    cuts
}

/// How many scenarios TOML sees in a valid text.
fn count(text: &str) -> usize {
    let table: toml::Table = toml::from_str(text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
    table.get("scenario").map_or(0, |scenario| scenario.as_array().unwrap().len())
}

/// The scenarios that are found in a valid text: as many as TOML sees, in every chunk too.
pub(crate) fn found(text: &str) -> usize {
    let chunks = split(text);
    let found = check(text, &chunks);
    assert_eq!(found, count(text), "{text:?}");
    for chunk in &chunks {
        let piece = [&chunk.defaults, chunk.text.as_str()].concat();
        assert_eq!(count(&piece), scenarios(&chunk.text).count(), "{piece:?}");
    }
    found
}

#[test]
fn a_header_in_a_string_is_text() {
    for string in [
        "\"\"\"\n[[scenario]]\n\"\"\"",
        "'''\n[[scenario]]\n'''",
        "\"\"\"\\\"\"\"\\\"\n[[scenario]]\n\"\"\"",
        "\"\"\"\\\\\"\"\"",
        "\"\"\"\n[[scenario]]\n\"\"\"\"",
        "\"\"\"\n[[scenario]]\n\"\"\"\"\"",
        "'''\n[[scenario]]\n''''",
        "'''\n[[scenario]]\n'''''",
        "'''\\'''",
        "'\\'",
        "\"\\\\\"",
        "\"\\\"'''\"",
        "'\"\"\"'",
        "\"\"",
        "''",
        "\"\"\"\"\"\"",
        "''''''",
        "\"\"\" '''\n[[scenario]]\n''' \"\"\"",
    ] {
        assert_eq!(found(&format!("[[scenario]]\na = {string}\n[[scenario]]\n")), 2, "{string}");
        assert_eq!(found(&format!("a = {string}\n[[scenario]]\n")), 1, "{string}");
    }
}

#[test]
fn a_quote_in_a_comment_opens_nothing() {
    assert_eq!(found("# don't \"\"\" ''' [ {\n[[scenario]]\na = 1 # it's \"[\n[[scenario]] # '''\n"), 2);
}

#[test]
fn a_header_may_be_spelled_in_many_ways() {
    for header in [
        "[[scenario]]",
        "[[ scenario ]]",
        " \t[[\tscenario\t]]\t",
        "[[scenario]]# [[",
        "  [[scenario]] # '",
        "[[\"scenario\"]]",
        "[[ 'scenario' ]]",
    ] {
        for end in ["", "\n", "\r\n", "\n\n"] {
            assert_eq!(found(&format!("[[scenario]]\n{header}{end}")), 2, "{header}");
            assert_eq!(found(&format!("{header}{end}")), 1, "{header}");
        }
    }
}

#[test]
fn an_unusual_header_only_makes_a_chunk_bigger() {
    let blanks = " ".repeat(99);
    for header in
        ["[[\"\\u0073cenario\"]]", &format!("[[{blanks}scenario]]"), &format!("{blanks}[[scenario]]")]
    {
        let text = format!("[[scenario]]\n{header}\n[[scenario]]\n");
        let texts: Vec<_> = split(&text).into_iter().map(|chunk| chunk.text).collect();
        assert_eq!(count(&text), 3);
        assert_eq!(texts, [format!("[[scenario]]\n{header}\n"), "[[scenario]]\n".into()]);
    }
}

#[test]
fn tables_below_a_scenario_belong_to_it() {
    let text =
        "[[scenario]]\n[[scenario.checkpoint]]\n[scenario.expect]\n[[scenarios]]\n[[scenario]]\n[meta]\n";
    assert_eq!(split(text)[0].text, &text[..text.rfind("[[").unwrap()]);
    assert_eq!(found(text), 2);
}

#[test]
fn a_file_without_headers_is_one_chunk() {
    for text in
        ["", "\n", "a = 1", "scenario = [\n{ a = 1 },\n{ a = 2 },\n]\n", "[[scenario.x]]\n", "\u{feff}"]
    {
        let chunks = split(text);
        assert_eq!(chunks.len(), 1);
        assert_eq!((&*chunks[0].defaults, &*chunks[0].text), (text.trim_start_matches('\u{feff}'), ""));
    }
}

#[test]
fn defaults_and_what_stands_between_scenarios_stay_whole() {
    let chunks = split("a = 1\n[meta]\nb = 2\n\n[[scenario]]\n# of the first\n[[scenario]]\n");
    let texts: Vec<_> = chunks.iter().map(|chunk| (&*chunk.text, chunk.lines_above)).collect();
    assert_eq!(&*chunks[0].defaults, "a = 1\n[meta]\nb = 2\n\n");
    assert_eq!(texts, [("[[scenario]]\n# of the first\n", 4), ("[[scenario]]\n", 6)]);
}

#[test]
fn brackets_hold_a_header_unless_they_are_a_header() {
    assert_eq!(check("x = [\n[[scenario]]\n]\n", &split("x = [\n[[scenario]]\n]\n")), 0);
    assert_eq!(found("[[scenario]]\nx = [ # ]\n[[1]], ']', \"]\",\n]\n[[scenario]]\nx = { a = [\n] }\n"), 2);
    for typo in
        ["[[scenario]\n", "[scenario\n", "[[[\n", "]\n", "x = ]\n", "x = 'no end\n", "x = \"no end\\\n"]
    {
        let text = format!("[[scenario]]\n{typo}[[scenario]]\n");
        assert_eq!(check(&text, &split(&text)), 2, "{typo:?}");
    }
}

#[test]
fn chunks_grow_to_128_scenarios_or_256_kib() {
    let sizes = |scenario: &str, times| -> Vec<usize> {
        let chunks = split(&scenario.repeat(times));
        chunks.iter().map(|chunk| scenarios(&chunk.text).count()).collect()
    };
    let many = sizes("[[scenario]]\n", 4000);
    assert_eq!(many[..34], [[1; 32].as_slice(), &[2, 2]].concat());
    assert_eq!(many.iter().max(), Some(&128));
    let long = format!("[[scenario]]\n#{}\n", "x".repeat(100_000));
    assert_eq!(sizes(&long, 100).iter().max(), Some(&3));
}

/// Everything that can go wrong at once.
const NASTY: &str = concat!(
    "\u{feff}# don't cut [[scenario]] here: \"\"\"\r\n",
    "title = 'a \"\"\" # [['\r\n",
    "text = '''\r\n[[scenario]]\r\n'''''\r\n",
    "grid = [ # [\r\n  [ 1, 2 ], # ]\r\n  [ '[[scenario]]', \"\"\"\r\n[[scenario]]\r\n\\\"\"\"\"\"\"]\r\n]\r\n",
    "\t[[ scenario ]] # it's the first\r\n",
    "board = \"\"\"\\\r\n  [[scenario]]\\\\\"\"\"\r\n",
    "\"[[scenario]]\" = \"\\\"\\\\\"\r\n",
    "[scenario.expect]\r\nmoves = { a = [ ']' ], b = '}' }\r\n",
    "[[scenario.checkpoint]]\r\n'a b'.'[[' = 1 # äöü ' \u{1f3b2}\r\n\r\n",
    "  [['scenario']]\r\nempty = \"\"\r\nempties = ['', '''''', \"\"\"\"\"\"]\r\n",
    "[[scenario]]",
);

#[test]
fn a_nasty_file_at_every_block_size() {
    assert_eq!(found(NASTY), 3);
    for size in 1..200 {
        let (chunks, fault) = split_with(Drip::new(NASTY.as_bytes(), size, 1), LIMIT);
        assert!(fault.is_none());
        assert_eq!(check(NASTY, &chunks), 3);
    }
}

#[test]
fn bytes_that_are_not_utf8_end_the_file_behind_the_whole_scenarios() {
    let bytes = b"\xef\xbb\xbfa = 1\n[[scenario]]\n[[scenario]]\nb = '\xc3\xa4\xff'\n[[scenario]]\n";
    let (chunks, fault) = split_with(&bytes[..], LIMIT);
    assert_eq!(chunks.len(), 1);
    let fault = fault.unwrap();
    assert!(matches!(fault, SplitError::Utf8 { line: 4, column: 7, offset: 42 }), "{fault:?}");
    assert_eq!(fault.to_string(), "line 4, column 7 is not UTF-8 (byte 42 of the file)");
    let (chunks, fault) = split_with(&b"a = '\xe2\x82"[..], LIMIT);
    assert!(chunks.is_empty() && matches!(fault, Some(SplitError::Utf8 { line: 1, column: 6, offset: 5 })));
}

#[test]
fn a_failing_reader_ends_the_file_behind_the_whole_scenarios() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let (chunks, fault) = split_with((&b"[[scenario]]\n[[scenario]]\n[[sce"[..]).chain(Broken), LIMIT);
    assert_eq!(chunks.len(), 1);
    assert_eq!(fault.unwrap().to_string(), "reading failed: the disk is gone");
}

#[test]
fn a_scenario_may_be_as_long_as_the_limit() {
    let text = "[[scenario]]\n[[scenario]]\n# 34567\n[[scenario]]\n[[scenario]]\nx = '''\n";
    for size in [1, 2, 100] {
        let split = |limit| split_with(Drip::new(text.as_bytes(), size, 2), limit);
        assert!(split(21).1.is_none());
        let (chunks, fault) = split(20);
        let fault = fault.unwrap();
        assert!(matches!(fault, SplitError::TooLong { line: 2, limit: 20 }), "{fault:?}");
        assert_eq!(fault.to_string(), "no `[[scenario]]` follows within 20 bytes from line 2 on");
        assert_eq!(check(text, &chunks), 1);
    }
    assert!(split_with(&b"# defaults"[..], 10).1.is_none());
    assert!(matches!(split_with(&b"# defaults\n"[..], 10).1, Some(SplitError::TooLong { line: 1, .. })));
}

#[test]
fn long_lines_and_strings_are_read_once() {
    let ten_megabytes = 10 << 20;
    let start = Instant::now();
    for (open, filling, close) in [
        ("x = '''\n", "[[scenario]]\n", "'''\n"),
        ("x = \"\"\"", "\\\"\"\"", "\"\"\"\n"),
        ("x = \"", "[[scenario]]", "\"\n"),
        ("x = [", "[[scenario]],", "]\n"),
        ("#", " '[[scenario]]", "\n"),
        ("[[scenario]]", " ", "\n"),
        ("", " ", "[[scenario]]\n"),
        ("", "\n", "[[scenario]]\n"),
    ] {
        let text = [open, &filling.repeat(ten_megabytes / filling.len()), close, "[[scenario]]\n"].concat();
        let (chunks, fault) = split_with(Drip::new(text.as_bytes(), 2048, 3), LIMIT);
        assert!(fault.is_none());
        assert!((1..=2).contains(&starts(&chunks, 0).len()));
        assert_eq!(
            chunks[0].defaults.len() + chunks.iter().map(|chunk| chunk.text.len()).sum::<usize>(),
            text.len()
        );
    }
    // Each takes a fraction of a second; looking again at every block would take minutes.
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

fn cases() -> u64 {
    if std::env::var_os("RULEBOOK_LONG_TESTS").is_some() { 1_000_000 } else { 20_000 }
}

const FRAGMENTS: &[&str] = &[
    "[[scenario]]\n",
    "[[scenario]]\n",
    "\n[[scenario]]",
    "[[scenario]]",
    "\r\n[[ scenario ]] # '\r\n",
    "\n\t[[scenario\t]]\n",
    "[[\"scenario\"]]\n",
    "[['scenario']]\n",
    "[[\"scenario']]\n",
    "[ [scenario]]\n",
    "[[scenario] ]\n",
    "[[scenario\n]]\n",
    "[[scenario.checkpoint]]\n",
    "[scenario.expect]\n",
    "[scenario]\n",
    "[[scenarios]]\n",
    "[[scenario]]]\n",
    "[[[scenario]]\n",
    "[[scenario]\n",
    "[[",
    "]]",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\"",
    "'",
    "'",
    "\"\"",
    "''",
    "\"\"\"",
    "\"\"\"",
    "'''",
    "'''",
    "\"\"\"\"",
    "\"\"\"\"\"",
    "''''",
    "'''''",
    "\\",
    "\\\"",
    "\\\\",
    "\\'",
    "\\\n",
    "\\\"\"\"",
    "#",
    "# don't\n",
    "# \"\"\"\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "  ",
    "x",
    "scenario",
    "x = ",
    "= ",
    "y = \"a\"\n",
    "z = 'b'\n",
    ", ",
    ".",
    "1",
    "x = [\n",
    "x = {\n",
    "x = \"\"\"\n",
    "x = '''\n",
    "ä",
    "日本",
    "\u{1f3b2}",
    "\u{feff}",
    "\0",
    "x = 5\"",
    "x = \"a\"b\"",
];

/// A fragment, most often a header or one of the few that the case keeps to.
fn fragment(rng: &mut Rng, case: u64) -> &'static str {
    let own = Rng::new(14, case).bits() as usize;
    match rng.below(10) {
        0..3 => FRAGMENTS[rng.below(8) as usize],
        few @ 3..9 => FRAGMENTS[(own >> (8 * (few - 3)) & 255) % FRAGMENTS.len()],
        _ => FRAGMENTS[rng.below(FRAGMENTS.len() as u64) as usize],
    }
}

#[test]
fn random_texts_are_cut_where_the_lexer_cuts() {
    let mut headers = 0;
    for case in 0..cases() {
        let mut rng = Rng::new(11, case);
        let text: String = (0..=rng.below(40)).map(|_| fragment(&mut rng, case)).collect();
        let most = [1, 3, 10, 40, 1000][rng.below(5) as usize];
        let (chunks, fault) = split_with(Drip::new(text.as_bytes(), most, case), LIMIT);
        assert!(fault.is_none());
        let found = check(&text, &chunks);
        assert_eq!(found, oracle(&text).len(), "{text:?}");
        headers += found;
    }
    assert!(headers as u64 > cases(), "only {headers} headers were seen");
}

#[test]
fn random_bytes_are_cut_up_to_their_first_fault() {
    for case in 0..cases() {
        let mut rng = Rng::new(12, case);
        let mut bytes = Vec::new();
        for _ in 0..=rng.below(30) {
            match rng.below(20) {
                0 => bytes.push(rng.below(256) as u8),
                1 => bytes
                    .extend([&b"\xe2\x82"[..], b"\xf0\x9f", b"\xc3", b"\xef\xbb\xbf"][rng.below(4) as usize]),
                _ => bytes.extend(fragment(&mut rng, case).bytes()),
            }
        }
        let limit = if rng.percent(50) { 1 + rng.below(80) as usize } else { LIMIT };
        let sizes = [1, 2, 5, 30, 5000];
        let runs = sizes.map(|size| split_with(Drip::new(&bytes, size, case), limit));
        let tell = |(chunks, fault): &(Vec<Chunk>, Option<SplitError>)| format!("{chunks:?} {fault:?}");
        assert!(runs.iter().all(|run| tell(run) == tell(&runs[0])), "{bytes:?}");

        let (chunks, fault) = &runs[0];
        let valid = match str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap(),
        };
        let found = check(valid, chunks);
        let cuts = oracle(valid);
        let mark = if valid.starts_with('\u{feff}') { 3 } else { 0 };
        let bounds = [&[mark], &cuts[..], &[valid.len()]].concat();
        if let Some(long) = bounds.windows(2).position(|pair| pair[1] - pair[0] > limit) {
            let expected = 1 + valid[..bounds[long]].matches('\n').count();
            assert!(
                matches!(fault, Some(SplitError::TooLong { line, .. }) if *line == expected),
                "{bytes:?}"
            );
            assert_eq!(found, long.saturating_sub(1), "{bytes:?}");
        } else if valid.len() < bytes.len() {
            let line_start = valid.rfind('\n').map_or(mark, |newline| newline + 1);
            let expected =
                (1 + valid.matches('\n').count(), 1 + valid[line_start..].chars().count(), valid.len());
            let Some(SplitError::Utf8 { line, column, offset }) = fault else {
                panic!("{fault:?}, {bytes:?}")
            };
            assert_eq!((*line, *column, *offset as usize), expected, "{bytes:?}");
            assert_eq!(found, cuts.len().saturating_sub(1), "{bytes:?}");
        } else {
            assert!(fault.is_none(), "{fault:?}, {bytes:?}");
            assert_eq!(found, cuts.len(), "{bytes:?}");
        }
    }
}

const VALUES: &[&str] = &[
    "1",
    "[]",
    "[[1, 2], [3]]",
    "[ # ]'\n[ '[[scenario]]' ],\n]",
    "{ a = '}', b = [\n] }",
    "\"\"",
    "''",
    "\"\\\"\"",
    "'\\'",
    "\"\\\\\" # \"",
    "'''\n[[scenario]]\n'''",
    "\"\"\"\n[[scenario]]\n\"\"\"\"\"",
    "'''a'''''",
    "\"\"\"\\\"\"\"\\\"\n[[scenario]]\"\"\"",
    "\"\"\"\\\n\n[[scenario]]\n\\\\\"\"\"",
    "\"\"\"'''\n[[scenario]]\"\"\"",
    "\"ä '''\"",
    "'\u{1f3b2} \"\"\"'",
    "[[\n[[[\n]]]\n]]",
];

#[test]
fn random_files_have_as_many_scenarios_as_toml_sees() {
    for case in 0..cases() {
        let mut rng = Rng::new(13, case);
        let mut text = String::from(if rng.percent(20) { "\u{feff}" } else { "" });
        let mut pick = |from: &[&'static str]| from[rng.below(from.len() as u64) as usize];
        let fill = |text: &mut String, pick: &mut dyn FnMut(&[&'static str]) -> &'static str| {
            for key in 0..pick(&["", "1", "22", "333"]).len() {
                let (name, dot) = (pick(&["k", "  k", "'[['.k", "\"]\\\"\".k"]), pick(&[" = ", "="]));
                let (value, end) = (pick(VALUES), pick(&["", " # don't", " # \"\"\" [[", "\n\n"]));
                text.extend([name, &key.to_string(), dot, value, end, "\n"]);
            }
        };
        fill(&mut text, &mut pick);
        for _ in 0..pick(&["", "1", "22", "333", "4444", "999999999"]).len() {
            text += pick(&[
                "[[scenario]]",
                "[[ scenario]]",
                " [[\tscenario ]]",
                "[['scenario']]",
                "[[\"scenario\"]]",
            ]);
            text += pick(&["\n", " # it's\n", "\t#[[scenario]]\n"]);
            fill(&mut text, &mut pick);
            if pick(&["", "x"]) == "x" {
                text += pick(&["[scenario.expect]\n", "[[scenario.checkpoint]]\n", "[ scenario . x ] # '\n"]);
                fill(&mut text, &mut pick);
            }
        }
        let text = if rng.percent(30) { text.replace('\n', "\r\n") } else { text };
        found(&text);
    }
}
