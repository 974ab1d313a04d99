//! Values in the notation of their author: what must change in a typed value so that it says another.
//!
//! Only what differs is replaced. What has to be written anew is spelled like what stands beside it: the quotes, the
//! blanks behind commas, one item a line.

use std::ops::Range;
use std::sync::Arc;

use super::drawing::{self, Hand};
use crate::source::{Source, Span};
use crate::tree::{self, Node, Tree};
use crate::value::Value;
use crate::verdict::Edit;

/// A list on one line is broken up where the line would be longer, in characters.
const WIDEST: usize = 110;

/// Stands above a value to make it a document.
const KEY: &str = "v=";

/// A comment stands in what would have to go.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LosesComment;

/// Changes of a text that is at hand.
type Changes = Vec<(Range<usize>, String)>;

/// The changes that make the value at `span` say `actual`; `hand` knows how its author spells the cells of boards.
///
/// # Errors
/// When a comment would be lost.
pub(crate) fn rewrite(span: &Span, actual: &Value, hand: &Hand<'_>) -> Result<Vec<Edit>, LosesComment> {
    let actual = if let Value::AnyOf(answers) = actual { answers.first().unwrap_or(actual) } else { actual };
    let literal = span.text();
    let source = Source::new("", format!("{KEY}{literal}"));
    let mut pen = Pen::new(span, &source, hand);
    match tree::parse(source.text()).as_ref().and_then(|table| table.get("v")) {
        Some(node) => {
            pen.value(node, actual)?;
            pen.break_up(node, actual);
        }
        // What was read once is read again; whatever else it may be gives way as a whole.
        None => pen.put(KEY.len()..source.text().len(), pen.spelled(actual)),
    }
    let changes = pen.changes.into_iter().map(|(range, text)| {
        let at = |offset: usize| span.range.start + offset - KEY.len();
        Edit { span: Span::new(&span.source, at(range.start)..at(range.end)), text }
    });
    Ok(changes.collect())
}

/// `name = VALUE`, with boards and long lists on lines of their own; what stands above gives the line ends.
pub(crate) fn line(name: &str, value: &Value, hand: &Hand<'_>, indent: &str, eol: &str) -> String {
    let value = if let Value::AnyOf(answers) = value { answers.first().unwrap_or(value) } else { value };
    let source = Source::new("", "");
    let nowhere = Span::new(&source, 0..0);
    let pen = Pen { eol, indent, ..Pen::new(&nowhere, &source, hand) };
    if let Value::Board(grid) = value {
        let lines = drawing::fresh(grid, hand).join(&format!("{eol}{indent}"));
        return format!("{name} = \"\"\"{eol}{indent}{lines}{eol}{indent}\"\"\"");
    }
    let short = format!("{name} = {}", pen.spelled(value));
    match value {
        Value::List(items) if items.len() > 1 && indent.len() + short.chars().count() > WIDEST => {
            format!("{name} = {}", pen.one_a_line(items))
        }
        _ => short,
    }
}

/// The line end that a text has: the first.
pub(crate) fn line_end(text: &str) -> &'static str {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if at > 0 && text.as_bytes()[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

/// The blanks that the line begins with on which the byte `at` stands.
pub(crate) fn indent(text: &str, at: usize) -> &str {
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1);
    let blanks = text[start..].find(|c| c != ' ' && c != '\t').unwrap_or(0);
    &text[start..start + blanks]
}

/// How lists and texts are spelled that have to be written anew.
#[derive(Clone)]
struct Style {
    /// Between a list's brackets and its items.
    pad: String,
    /// Between the items.
    comma: String,
    /// Begins and ends a text.
    quote: String,
}

/// Writes changes of the one value of `source`.
pub(super) struct Pen<'a> {
    pub(super) source: &'a Arc<Source>,
    pub(super) hand: &'a Hand<'a>,
    pub(super) eol: &'a str,
    /// The blanks that the line begins with on which the value begins.
    indent: &'a str,
    /// The characters of that line before the value.
    column: usize,
    style: Style,
    changes: Changes,
}

impl<'a> Pen<'a> {
    fn new(span: &'a Span, source: &'a Arc<Source>, hand: &'a Hand<'a>) -> Self {
        let (author, start) = (span.source.text(), span.range.start);
        let style = Style { pad: String::new(), comma: ", ".to_owned(), quote: "\"".to_owned() };
        let style = tree::parse(source.text()).map_or(style.clone(), |table| {
            let value = table.values().next();
            value.map_or(style.clone(), |value| style_of(value, source.text(), style))
        });
        Self {
            source,
            hand,
            eol: line_end(author),
            indent: indent(author, span.source.line_start(start)),
            column: span.source.line_column(start).1 - 1,
            style,
            changes: Vec::new(),
        }
    }

    pub(super) fn put(&mut self, range: Range<usize>, text: String) {
        if self.source.text()[range.clone()] != text {
            self.changes.push((range, text));
        }
    }

    /// Makes `node` say `actual`.
    fn value(&mut self, node: &Node<'_>, actual: &Value) -> Result<(), LosesComment> {
        match (&node.value, actual) {
            (Tree::Text(_) | Tree::Array(_), Value::Board(grid)) => self.board(node, grid),
            (Tree::Array(items), Value::List(values)) => self.list(node, items, values),
            (Tree::Text(typed), Value::Text(text)) => {
                if typed != text {
                    let spelled = requoted(&self.source.text()[node.range.clone()], text, self.eol);
                    self.put(node.range.clone(), spelled);
                }
                Ok(())
            }
            (Tree::Int(typed), Value::Int(number)) => {
                if typed != number {
                    let spelled = grouped(*number, &self.source.text()[node.range.clone()]);
                    self.put(node.range.clone(), spelled);
                }
                Ok(())
            }
            (Tree::Bool(typed), Value::Bool(value)) if typed == value => Ok(()),
            _ => {
                self.keep_comments(node)?;
                self.put(node.range.clone(), self.spelled(actual));
                Ok(())
            }
        }
    }

    /// Makes a list of `items` one of `values`: those in the same place are changed, those too many go, those that are
    /// missing come behind the others.
    pub(super) fn list(
        &mut self,
        node: &Node<'_>,
        items: &[Node<'_>],
        values: &[Value],
    ) -> Result<(), LosesComment> {
        let whole = node.range.clone();
        match (items, values) {
            ([], []) => return Ok(()),
            ([], _) | (_, []) => {
                self.keep_comments(node)?;
                let one_line = self.spelled(&Value::List(values.to_vec()));
                self.put(whole, one_line);
                return Ok(());
            }
            _ => {}
        }
        for (item, value) in items.iter().zip(values) {
            self.value(item, value)?;
        }
        if let Some(more) = values.get(items.len()..).filter(|more| !more.is_empty()) {
            self.append(node, items, more);
        } else if let Some(gone) = items.get(values.len()..).filter(|gone| !gone.is_empty()) {
            self.remove(node, &items[values.len() - 1], gone)?;
        }
        Ok(())
    }

    /// Takes the items `gone` out, those behind the last that is `kept`; a comment beside that one stays.
    fn remove(&mut self, node: &Node<'_>, kept: &Node<'_>, gone: &[Node<'_>]) -> Result<(), LosesComment> {
        let text = self.source.text();
        let last = kept.range.end;
        let gap = &text[last..gone[0].range.start];
        // The rest of the line of the item that stays, if those that go begin on another.
        let beside = gap.find('\n').map_or("", |newline| gap[..newline].trim_end_matches('\r'));
        let mut from = last + beside.len();
        for item in gone {
            if text[from..item.range.start].contains('#') {
                return Err(LosesComment);
            }
            self.keep_comments(item)?;
            from = item.range.end;
        }
        let end = from;
        let rest = &text[end..node.range.end - 1];
        let blanks = rest.len() - rest.trim_start().len();
        let comma = if rest[blanks..].starts_with(',') { blanks + 1 } else { 0 };
        let line = rest[comma..].split('\n').next().unwrap_or_default();
        let stray = |line: &str| line.split('#').next().is_some_and(|plain| plain.contains(','));
        if line.contains('#') || rest[comma..].lines().any(stray) {
            return Err(LosesComment);
        }
        if !beside.contains('#') {
            self.put(last..end, String::new());
            return Ok(());
        }
        // Nothing but a line's end may come behind a comment, and where the last item had no comma, none has one.
        let eol = if rest[comma..].contains('\n') { "" } else { self.eol };
        self.put(last + beside.len()..end + comma, eol.to_owned());
        if let Some(own) = beside.split('#').next().and_then(|plain| plain.find(',')).filter(|_| comma == 0) {
            self.put(last + own..last + own + 1, String::new());
        }
        Ok(())
    }

    /// Writes `more` values behind the last of `items`.
    fn append(&mut self, node: &Node<'_>, items: &[Node<'_>], more: &[Value]) {
        let text = self.source.text();
        let last = &items[items.len() - 1].range;
        let before = match items {
            [.., above, last] => &text[above.range.end..last.range.start],
            _ => &text[node.range.start + 1..last.start],
        };
        let own_line = before.contains('\n');
        let indent = indent(text, last.start);
        let tail = &text[last.end..node.range.end];
        let rest = &tail[..tail.find('\n').unwrap_or(tail.len())];
        if own_line && rest.contains('#') {
            // A comment beside the last item stays there.
            let ended = rest.trim_start().starts_with(',');
            if !ended {
                self.put(last.end..last.end, ",".to_owned());
            }
            let at = last.end + rest.trim_end_matches('\r').len();
            let mut lines = String::new();
            for (i, value) in more.iter().enumerate() {
                let comma = if ended || i + 1 < more.len() { "," } else { "" };
                lines += &format!("{}{indent}{}{comma}", self.eol, self.spelled(value));
            }
            self.put(at..at, lines);
            return;
        }
        let joint = match (own_line, before.contains('#'), items.len()) {
            (true, ..) => format!(",{}{indent}", self.eol),
            (false, false, 2..) => before.to_owned(),
            _ => self.style.comma.clone(),
        };
        // Lines of several items get no longer than those above.
        let lines = || text[node.range.clone()].lines().skip(1);
        let longest = lines().map(|line| line.chars().count()).max().filter(|_| lines().count() > 1);
        let mut length = text[..last.end].lines().last().map_or(0, |line| line.chars().count());
        let mut added = String::new();
        for value in more {
            let value = self.spelled(value);
            length += joint.chars().count() + value.chars().count();
            if !own_line && longest.is_some_and(|longest| length + 1 > longest) {
                added += &format!(",{}{indent}{value}", self.eol);
                length = indent.chars().count() + value.chars().count();
            } else {
                added += &format!("{joint}{value}");
            }
        }
        self.put(last.end..last.end, added);
    }

    /// Breaks a list up that has become too long for its line.
    fn break_up(&mut self, node: &Node<'_>, actual: &Value) {
        let (Tree::Array(_), Value::List(values)) = (&node.value, actual) else { return };
        let old = &self.source.text()[node.range.clone()];
        let new: usize =
            self.changes.iter().map(|(range, text)| text.chars().count().saturating_sub(range.len())).sum();
        if new > 0
            && values.len() > 1
            && !old.contains('\n')
            && self.column + old.chars().count() + new > WIDEST
        {
            self.changes = vec![(node.range.clone(), self.one_a_line(values))];
        }
    }

    fn one_a_line(&self, values: &[Value]) -> String {
        let step = if self.indent.starts_with('\t') { "\t" } else { "  " };
        let item = |value| format!("{}{step}{},{}", self.indent, self.spelled(value), self.eol);
        let items: String = values.iter().map(item).collect();
        format!("[{}{items}{}]", self.eol, self.indent)
    }

    /// A value that is written anew, on one line.
    fn spelled(&self, value: &Value) -> String {
        match value {
            Value::Text(text) => requoted(&self.style.quote.repeat(2), text, self.eol),
            Value::Board(grid) => {
                let lines = drawing::fresh(grid, self.hand).into_iter().map(Value::Text);
                self.spelled(&Value::List(lines.collect()))
            }
            Value::List(values) if values.is_empty() => "[]".to_owned(),
            Value::List(values) => {
                let Style { pad, comma, .. } = &self.style;
                let items: Vec<_> = values.iter().map(|value| self.spelled(value)).collect();
                format!("[{pad}{}{pad}]", items.join(comma))
            }
            Value::AnyOf(values) => values.first().map_or_else(String::new, |value| self.spelled(value)),
            other => other.to_string(),
        }
    }

    /// Refuses to write over a comment in `node`.
    pub(super) fn keep_comments(&self, node: &Node<'_>) -> Result<(), LosesComment> {
        if has_comment(node, self.source.text()) { Err(LosesComment) } else { Ok(()) }
    }
}

/// Whether a comment stands in an array, beside its items or in them.
fn has_comment(node: &Node<'_>, text: &str) -> bool {
    let Tree::Array(items) = &node.value else { return false };
    let mut from = node.range.start;
    let between = items.iter().any(|item| {
        let gap = &text[from..item.range.start];
        from = item.range.end;
        gap.contains('#') || has_comment(item, text)
    });
    between || text[from..node.range.end].contains('#')
}

/// How the innermost list of `node` is spelled, and the first text; what it does not show is as in `style`.
fn style_of(node: &Node<'_>, text: &str, style: Style) -> Style {
    match &node.value {
        Tree::Text(_) => {
            let quote = if text[node.range.clone()].starts_with('\'') { "'" } else { "\"" };
            Style { quote: quote.to_owned(), ..style }
        }
        Tree::Array(items) => {
            let Some(first) = items.first() else { return style };
            let blank = |text: &str| text.chars().all(|c| c == ' ' || c == '\t');
            let pad = &text[node.range.start + 1..first.range.start];
            let pad = if blank(pad) { pad.to_owned() } else { style.pad.clone() };
            let comma = items.get(1).map(|second| &text[first.range.end..second.range.start]);
            let comma = comma.filter(|comma| blank(&comma.replacen(',', "", 1)));
            let comma = comma.map_or_else(|| style.comma.clone(), str::to_owned);
            style_of(first, text, Style { pad, comma, ..style })
        }
        _ => style,
    }
}

/// A number with its thousands apart, if those of the one that stood there are.
fn grouped(number: i64, like: &str) -> String {
    let plain = number.to_string();
    if !like.contains('_') {
        return plain;
    }
    let (sign, digits) = plain.strip_prefix('-').map_or(("", &*plain), |digits| ("-", digits));
    let mut text = sign.to_owned();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// `text` as a TOML string of the kind that `like` is of, as far as that can hold it.
pub(super) fn requoted(like: &str, text: &str, eol: &str) -> String {
    let odd = |c: char| c.is_control() && c != '\t';
    let kept = like.len() >= 6 && (like.starts_with("\"\"\"") || like.starts_with("'''"));
    let several = text.contains('\n');
    if kept && !text.contains('\r') && (!several || eol == "\n") {
        let lines = !text.contains(|c| odd(c) && c != '\n');
        let opening = opening(like);
        if like.starts_with('\'') && lines && !text.contains("'''") && !text.ends_with('\'') {
            // A text that begins with a line end would lose it without one above.
            let opening = if text.starts_with('\n') { "'''\n" } else { opening };
            return format!("{opening}{text}'''");
        }
        let opening = if text.starts_with('\n') { "\n" } else { &opening[3..] };
        return format!("\"\"\"{opening}{}\"\"\"", escaped(text, true));
    }
    if like.starts_with('\'') && !text.contains(|c| odd(c) || c == '\'') {
        return format!("'{text}'");
    }
    format!("\"{}\"", escaped(text, false))
}

/// The quotes that a string of several lines opens with, and the line end behind them.
pub(super) fn opening(raw: &str) -> &str {
    let line_end = ["\r\n", "\n"].into_iter().find(|line_end| raw[3..].starts_with(line_end));
    &raw[..3 + line_end.map_or(0, str::len)]
}

/// `text` as it stands between double quotes.
pub(super) fn escaped(text: &str, several_lines: bool) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\n' if several_lines => escaped.push('\n'),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push('\t'),
            '"' | '\\' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped += &format!("\\u{:04X}", u32::from(c)),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The changes that make the string at `span`, which says `typed`, say the words of `actual`.
pub(crate) fn rewrite_words(span: &Span, typed: &crate::source::Excerpt, actual: &str) -> Vec<Edit> {
    let text = typed.text();
    let words: Vec<_> = text.split_whitespace().collect();
    let written: Vec<_> = actual.split_whitespace().collect();
    let place = |word: &str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        typed.place(start..start + word.len())
    };
    let raw = span.text();
    let edit = |range, text| Edit { span: Span::new(&span.source, range), text };
    let exact = words.first().is_some_and(|word| &span.source.text()[place(word)] == *word);
    let plain = |word: &&str| !word.contains(['"', '\'', '\\']) && !word.contains(char::is_control);
    if exact && words.len() == written.len() && written.iter().all(plain) {
        let pairs = words.iter().zip(&written).filter(|(word, written)| word != written);
        return pairs.map(|(word, written)| edit(place(word), (*written).to_owned())).collect();
    }
    let eol = line_end(span.source.text());
    let lines: Vec<_> = actual.trim_end().lines().map(str::trim_end).collect();
    let several = raw.len() >= 6 && (raw.starts_with("\"\"\"") || raw.starts_with("'''"));
    if !several && lines.len() < 2 {
        return vec![edit(span.range.clone(), requoted(raw, actual.trim_end(), eol))];
    }
    let literal = raw.starts_with('\'')
        && !actual.contains("'''")
        && !actual.contains(|c: char| c.is_control() && c != '\n');
    let quotes = if literal { "'''" } else { "\"\"\"" };
    let spell = |line: &&str| if literal { (*line).to_owned() } else { escaped(line, true) };
    let lines: Vec<_> = lines.iter().map(spell).collect();
    let (opening, indent, closing) = match (several, exact) {
        (true, true) => {
            let first = place(words[0]).start;
            let last = place(words[words.len() - 1]).end;
            let (head, tail) =
                (&raw[3..first - span.range.start], &raw[last - span.range.start..raw.len() - 3]);
            (head, head.rfind('\n').map_or("", |newline| &head[newline + 1..]), tail)
        }
        (true, false) => (&opening(raw)[3..], "", eol),
        (false, _) => (eol, "", eol),
    };
    let lines = lines.join(&format!("{eol}{indent}"));
    vec![edit(span.range.clone(), format!("{quotes}{opening}{lines}{closing}{quotes}"))]
}
