//! Text that users wrote, made fit for where it is shown.

pub use crate::visible::{visible, visible_lines};

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
    fn markup_is_text() {
        assert_eq!(escaped("<a href='\"'>&"), "&lt;a href=&#39;&quot;&#39;&gt;&amp;");
    }
}
