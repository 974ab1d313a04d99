//! TOML as scenario files mostly spell it, several times as fast as any TOML.
//!
//! Bare and dotted keys, strings without escapes, plain whole numbers, arrays, tables on one line, and headers of
//! `scenario` and what is right below it. At anything else, wrong or merely unusual, the whole text is left to the
//! toml crate: what is read here is read as it would be there, places included.

use std::borrow::Cow;
use std::ops::Range;

use super::{Key, Node, Table, Tree};
use crate::spanned::Spanned;

/// The key below which scenarios stand.
const SCENARIO: &str = "scenario";
/// The line that begins one.
const HEADER: &str = "[[scenario]]";
/// How deep values may stand in one another.
const DEEPEST: usize = 16;
/// How many keys a table may have: each is compared with all others.
const MOST_KEYS: usize = 64;
/// A scenario mostly has no more keys than this.
const COMMON_KEYS: usize = 8;
/// So many digits are surely a whole number.
const MOST_DIGITS: usize = 18;

/// What a byte may be part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Bare keys, and all else.
    Bare,
    /// Neither comments nor, unescaped, strings of one line.
    Control,
    Other,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        if c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-') {
            kinds[byte] = Kind::Bare;
        } else if c.is_ascii_control() && c != b'\t' {
            kinds[byte] = Kind::Control;
        }
        byte += 1;
    }
    kinds
};

/// What `text` says, if its spelling is usual throughout.
pub(super) fn parse(text: &str) -> Option<Table<'_>> {
    parse_behind(text, 0)
}

/// What `text` says from the byte `start` on, if its spelling is usual from there.
pub(super) fn parse_behind(text: &str, start: usize) -> Option<Table<'_>> {
    let mut usual = Usual(Cursor { text, at: start });
    let mut root = usual.root()?;
    let mut scenarios = Vec::new();
    while !usual.is_over() {
        scenarios.push(usual.scenario()?);
    }
    if let Some(first) = scenarios.first() {
        let header = first.range.clone();
        let range = header.start + 2..header.end - 2;
        let key = Spanned { value: Cow::Borrowed(SCENARIO), range };
        add(&mut root, key, Spanned { range: header, value: Tree::Array(scenarios) })?;
    }
    Some(root)
}

/// A text of usual spelling, read scenario by scenario: a scenario is forgotten before the next is read.
#[derive(Clone, Copy, Debug)]
pub struct Usual<'t>(Cursor<'t>);

impl<'t> Usual<'t> {
    /// The start of `text`.
    pub fn new(text: &'t str) -> Self {
        Self(Cursor { text, at: 0 })
    }

    /// What stands above all scenarios, unless it is unusual.
    pub fn root(&mut self) -> Option<Table<'t>> {
        self.0.body(Table::default(), false)
    }

    /// The next scenario, unless it is unusual; it goes up to [`Self::at`].
    pub fn scenario(&mut self) -> Option<Node<'t>> {
        let start = self.0.at;
        self.0.eat(HEADER)?;
        let range = start..self.0.at;
        self.0.end_line()?;
        let table = self.0.body(Table(Vec::with_capacity(COMMON_KEYS)), true)?;
        Some(Spanned { value: Tree::Table(table), range })
    }

    /// Where the next scenario begins, or the text ends.
    pub fn at(&self) -> usize {
        self.0.at
    }

    /// Whether there is no further scenario.
    pub fn is_over(&self) -> bool {
        self.0.peek().is_none()
    }
}

/// A table under a header of its own.
struct Section<'t> {
    key: Key<'t>,
    header: Range<usize>,
    /// The header has two brackets.
    one_of_many: bool,
    table: Table<'t>,
}

impl<'t> Section<'t> {
    fn end(self, owner: &mut Table<'t>) -> Option<()> {
        let item = Spanned { value: Tree::Table(self.table), range: self.header.clone() };
        match owner.get_mut(&self.key.value) {
            // Headers go on with an array only if headers made it: then its place is its first item's.
            Some(Spanned { value: Tree::Array(items), range })
                if self.one_of_many && items.first().is_some_and(|first| first.range == *range) =>
            {
                items.push(item);
                Some(())
            }
            _ if self.one_of_many => {
                add(owner, self.key, Spanned { value: Tree::Array(vec![item]), range: self.header })
            }
            _ => add(owner, self.key, item),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes behind `token` if the text goes on with it.
    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest().starts_with(token.as_bytes()).then(|| self.at += token.len())
    }

    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Goes behind the line's end, where nothing but a comment may stand before it.
    fn end_line(&mut self) -> Option<()> {
        self.skip_blanks();
        if self.peek() == Some(b'#') {
            self.find(b'\n')?;
        }
        if self.peek().is_some() { self.eat("\n") } else { Some(()) }
    }

    /// Goes to the next `end`, or the text's end, and over nothing that TOML forbids on the way.
    fn find(&mut self, end: u8) -> Option<()> {
        let rest = self.rest();
        let stop = rest.iter().position(|&byte| byte == end || KINDS[usize::from(byte)] == Kind::Control);
        self.at += stop.unwrap_or(rest.len());
        stop.is_none_or(|stop| rest[stop] == end).then_some(())
    }

    /// The lines up to the next scenario: those of the `owner`, then tables below it that have headers.
    fn body(&mut self, mut owner: Table<'t>, in_scenario: bool) -> Option<Table<'t>> {
        let mut section: Option<Section<'t>> = None;
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'[') if !self.rest().starts_with(HEADER.as_bytes()) => {
                    section.take().map_or(Some(()), |section| section.end(&mut owner))?;
                    section = Some(self.section(in_scenario)?);
                }
                None | Some(b'[') => {
                    section.map_or(Some(()), |section| section.end(&mut owner))?;
                    return Some(owner);
                }
                Some(b'\n' | b'#') => {}
                Some(_) => {
                    let table = section.as_mut().map_or(&mut owner, |section| &mut section.table);
                    self.entry(table, DEEPEST)?;
                }
            }
            self.end_line()?;
        }
    }

    /// The header of a table right below the scenario, or else of one that stands above all scenarios.
    fn section(&mut self, in_scenario: bool) -> Option<Section<'t>> {
        let start = self.at;
        let one_of_many = self.rest().starts_with(b"[[");
        self.eat(if one_of_many { "[[" } else { "[" })?;
        let mut key = self.key()?;
        if (key.value == SCENARIO) != in_scenario {
            return None;
        }
        if in_scenario {
            self.eat(".")?;
            key = self.key()?;
        }
        self.eat(if one_of_many { "]]" } else { "]" })?;
        Some(Section { key, header: start..self.at, one_of_many, table: Table::default() })
    }

    /// A bare key.
    fn key(&mut self) -> Option<Key<'t>> {
        let rest = self.rest();
        let stop = rest.iter().position(|&byte| KINDS[usize::from(byte)] != Kind::Bare);
        let length = stop.unwrap_or(rest.len());
        let range = self.at..self.at + length;
        self.at = range.end;
        (length > 0).then(|| Spanned { value: Cow::Borrowed(&self.text[range.clone()]), range })
    }

    /// `key = value`, or with a dotted key, into `table`.
    fn entry(&mut self, table: &mut Table<'t>, levels: usize) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        let key = self.key()?;
        if self.eat(".").is_some() {
            return match table.get_mut(&key.value) {
                None => {
                    let mut inner = Table::default();
                    self.entry(&mut inner, levels)?;
                    let range = key.range.clone();
                    add(table, key, Spanned { value: Tree::Table(inner), range })
                }
                // Dotted keys go on with a table only if dotted keys made it.
                Some(Spanned { value: Tree::Table(inner), range })
                    if self.text[range.clone()] == *key.value =>
                {
                    self.entry(inner, levels)
                }
                Some(_) => None,
            };
        }
        self.skip_blanks();
        self.eat("=")?;
        self.skip_blanks();
        let value = self.value(levels)?;
        add(table, key, value)
    }

    fn value(&mut self, levels: usize) -> Option<Node<'t>> {
        let start = self.at;
        let value = match self.peek()? {
            b'"' if self.eat("\"\"\"").is_some() => self.long_text("\"\"\"")?,
            b'\'' if self.eat("'''").is_some() => self.long_text("'''")?,
            quote @ (b'"' | b'\'') => self.text(quote)?,
            b'[' => self.array(levels)?,
            b'{' => self.table(levels)?,
            b't' => self.eat("true").map(|()| Tree::Bool(true))?,
            b'f' => self.eat("false").map(|()| Tree::Bool(false))?,
            _ => self.number()?,
        };
        Some(Spanned { value, range: start..self.at })
    }

    fn text(&mut self, quote: u8) -> Option<Tree<'t>> {
        self.at += 1;
        let start = self.at;
        self.find(quote)?;
        let text = &self.text[start..self.at];
        self.peek()?;
        self.at += 1;
        (quote == b'\'' || !text.contains('\\')).then_some(Tree::Text(Cow::Borrowed(text)))
    }

    fn long_text(&mut self, quotes: &str) -> Option<Tree<'t>> {
        // A line's end right behind the quotes is not part of the text.
        let _ = self.eat("\n");
        let start = self.at;
        let quote = quotes.as_bytes()[0];
        loop {
            let stop = self.rest().iter().position(|&byte| {
                byte == quote || byte == b'\\' || KINDS[usize::from(byte)] == Kind::Control
            })?;
            self.at += stop;
            match self.peek()? {
                b'\n' => self.at += 1,
                b'\\' if quote == b'\'' => self.at += 1,
                byte if byte != quote => return None,
                _ if self.eat(quotes).is_some() => break,
                _ => self.at += 1,
            }
        }
        let text = &self.text[start..self.at - quotes.len()];
        (self.peek() != Some(quote)).then_some(Tree::Text(Cow::Borrowed(text)))
    }

    fn number(&mut self) -> Option<Tree<'t>> {
        let minus = self.eat("-").is_some();
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest().split_at(digits);
        let plain = (1..=MOST_DIGITS).contains(&digits) && (digits == 1 || number[0] != b'0');
        let ends = matches!(rest.first(), None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'#'));
        if !(plain && ends) {
            return None;
        }
        self.at += digits;
        let number = number.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
        Some(Tree::Int(if minus { -number } else { number }))
    }

    fn array(&mut self, levels: usize) -> Option<Tree<'t>> {
        let levels = levels.checked_sub(1)?;
        self.eat("[")?;
        let mut items = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat("]").is_some() {
                return Some(Tree::Array(items));
            }
            items.push(self.value(levels)?);
            self.skip_lines()?;
            if self.peek()? != b']' {
                self.eat(",")?;
            }
        }
    }

    /// Skips what may stand between the items of an array.
    fn skip_lines(&mut self) -> Option<()> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n' | b'#') => self.end_line()?,
                _ => return Some(()),
            }
        }
    }

    fn table(&mut self, levels: usize) -> Option<Tree<'t>> {
        self.eat("{")?;
        let mut table = Table::default();
        loop {
            self.skip_blanks();
            if self.eat("}").is_some() {
                return table.is_empty().then_some(Tree::Table(table));
            }
            self.entry(&mut table, levels)?;
            self.skip_blanks();
            if self.eat("}").is_some() {
                return Some(Tree::Table(table));
            }
            self.eat(",")?;
            self.skip_blanks();
            if self.peek() == Some(b'}') {
                return None;
            }
        }
    }
}

/// Adds a key that `table` does not have yet.
fn add<'t>(table: &mut Table<'t>, key: Key<'t>, value: Node<'t>) -> Option<()> {
    let fits = table.get(&key.value).is_none() && table.len() < MOST_KEYS;
    fits.then(|| table.push(key, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::tree::parse::any;

    /// What texts are put together from: pieces that fit, and pieces that nearly do.
    const PIECES: &[&str] = &[
        "[[scenario]]",
        "[[ scenario ]]",
        "[scenario]",
        "[scenario.expect]",
        "[[scenario.checkpoint]]",
        "[scenario.rules.points]",
        "[rules]",
        "[[rules]]",
        "[\"scenario\"]",
        "\n",
        "\n",
        "\n",
        "\n",
        "\r\n",
        " ",
        "\t",
        "# it's\n",
        "#\u{1}\n",
        "name = \"é\"",
        "name = 'a\\b'",
        "name = \"a\\n\"",
        "expect.turn = 3",
        "expect.turn = { at_least = 1 }",
        "expect.a.b = 1",
        "expect = {}",
        "expect.moves",
        "rules",
        "rules.x = 1",
        " = ",
        "=",
        "1",
        "-0",
        "-17",
        "007",
        "1_000",
        "0x1f",
        "+4",
        "1.5",
        "1e3",
        "999999999999999999",
        "99999999999999999999",
        "true",
        "false",
        "truest",
        "1979-05-27",
        "{ a = 1, b = [1, 2] }",
        "{a.b=1,a.c=2}",
        "{ a = 1, }",
        "{\n}",
        "[",
        "]",
        "[1, # one\n 2,\n]",
        "[{at=[1,2],facing=\"up\"},\n]",
        ",",
        ".",
        "a",
        "b-c",
        "board = \"\"\"\n1 2\n3 4\n\"\"\"",
        "board = '''\na\\\n'''",
        "\"\"\"a\"\"\"\"",
        "'''",
        "\"\"\"",
        "\"",
        "'",
        "x = ''",
        "x = \"\"",
        "scenario = 1",
        "scenario.x = 1",
        "\u{feff}",
        "{",
        "}",
    ];

    fn same_or_left(text: &str) -> bool {
        let usual = parse(text);
        if let Some(table) = &usual {
            assert_eq!(any(text).as_ref(), Some(table), "in {text:?}");
        }
        usual.is_some()
    }

    #[test]
    fn what_is_read_is_what_the_toml_crate_reads() {
        let mut rng = Rng::new(1, 0);
        let mut read = 0;
        for _ in 0..60_000 {
            let count = 1 + rng.below(12);
            let mut text = String::new();
            for _ in 0..count {
                text += PIECES[rng.below(PIECES.len() as u64) as usize];
                if rng.below(3) > 0 {
                    text.push('\n');
                }
            }
            read += u32::from(same_or_left(&text));
        }
        assert!(read > 2_000, "only {read} texts were usual");
    }

    #[test]
    fn the_usual_spelling_is_read() {
        let text = "engine = \"x\" # one\ntags = ['a']\n[rules]\nlimit = 3\n\n[[scenario]]\nname = \"é\"\n\
                    board = \"\"\"\n1 2\n3 4\n\"\"\"\npieces = [\n  { at = [1, -2], facing = 'up' }, # first\n]\n\
                    expect.turn = 3\nexpect.moves = { at_least = 1, not = 4 }\n[[scenario.checkpoint]]\nafter = 1\n\
                    [[scenario.checkpoint]]\nafter = 2\n[[scenario]]\nskip = \"x\"\n[scenario.expect]\na = true\n";
        assert!(same_or_left(text));
        assert!(same_or_left(""));
        assert!(same_or_left("\n# nothing"));
    }

    #[test]
    fn mutilated_files_are_read_alike_or_left() {
        let text = "engine = \"x\"\n[[scenario]]\nname = \"n\"\nboard = '''\n1 2\n'''\npieces = [{at=[1,2],facing=\"up\"},]\n\
                    expect.turn = 3\nexpect.a.b = 4\n[[scenario.checkpoint]]\nafter = 1\n[scenario.rules]\na = true\n";
        let mut rng = Rng::new(2, 0);
        for _ in 0..40_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len() as u64) as usize;
                match rng.below(4) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes[at] = b"\"'[]{}=,.# \n\t\\\r1a-"[rng.below(18) as usize],
                    2 => bytes.insert(at, b"\"'[]{}=,.# \n\t\\\r1a-"[rng.below(18) as usize]),
                    _ => {
                        let end = (at + rng.below(30) as usize).min(bytes.len());
                        let copy = bytes[at..end].to_vec();
                        bytes.splice(at..at, copy);
                    }
                }
            }
            same_or_left(std::str::from_utf8(&bytes).expect("ASCII"));
        }
    }
}
