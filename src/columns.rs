//! Texts brought to the width of their column, counted in characters, however wide it is.

/// The text at the right of a column of `width` characters.
pub fn right(text: &str, width: usize) -> String {
    blanks(text, width) + text
}

/// The text at the left of a column of `width` characters.
pub fn left(text: &str, width: usize) -> String {
    text.to_owned() + blanks(text, width).as_str()
}

fn blanks(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_column_is_too_wide() {
        assert_eq!(right("é", 3), "  é");
        assert_eq!(left("é", 3), "é  ");
        assert_eq!(right("long", 3), "long");
        assert_eq!(left("x", 100_000).len(), 100_000);
    }
}
