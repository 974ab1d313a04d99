//! Text that users wrote, made fit for where it is shown.

/// The text on one line: characters that control a terminal or turn the text round are made visible.
pub fn visible(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        push_visible(&mut safe, c);
    }
    safe
}

/// Longest name that is shown whole in a terminal, in characters.
const LONGEST: usize = 200;

/// As [`visible`], and long texts are cut short.
pub fn line_safe(text: &str) -> String {
    let mut safe = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == LONGEST {
            safe.push('…');
            break;
        }
        push_visible(&mut safe, c);
    }
    safe
}

/// As [`visible`], but lines stay lines and tabs stay tabs.
pub fn visible_lines(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => safe.push(c),
            _ => push_visible(&mut safe, c),
        }
    }
    safe
}

fn push_visible(safe: &mut String, c: char) {
    match c {
        // Marks of direction, ends of lines, and what is no character.
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
            safe.extend(c.escape_unicode());
        }
        _ if c.is_control() => safe.extend(c.escape_default()),
        _ if c as u32 & 0xfffe == 0xfffe => safe.extend(c.escape_unicode()),
        _ => safe.push(c),
    }
}

/// The text with what means something to HTML and XML escaped.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(line_safe("a\nb\u{1b}[31m"), "a\\nb\\u{1b}[31m");
        assert_eq!(line_safe("\u{202e}日"), "\\u{202e}日");
        assert_eq!(visible_lines("a\n\u{0}\u{ffff}\u{1fffe}"), "a\n\\u{0}\\u{ffff}\\u{1fffe}");
        assert_eq!(line_safe(&"x".repeat(300)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(escaped("<a href='\"'>&"), "&lt;a href=&#39;&quot;&#39;&gt;&amp;");
    }
}
