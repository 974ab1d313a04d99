//! The hash of what a table says, however it is typed.

use xxhash_rust::xxh3::Xxh3;

use super::{Table, Tree};

/// Returns a hash of keys and values in their order: blanks, comments, notations and places are not part of it.
pub fn hash(table: &Table<'_>) -> u64 {
    let mut hash = Xxh3::new();
    add_table(table, &mut hash);
    hash.digest()
}

fn add_table(table: &Table<'_>, hash: &mut Xxh3) {
    add_length(table.len(), hash);
    for (key, node) in table {
        add_text(key, hash);
        add(&node.value, hash);
    }
}

/// Adds a value: a byte for its kind, and what tells it from others of that kind.
fn add(value: &Tree<'_>, hash: &mut Xxh3) {
    match value {
        Tree::Text(text) => {
            hash.update(b"t");
            add_text(text, hash);
        }
        Tree::Int(number) => {
            hash.update(b"i");
            hash.update(&number.to_le_bytes());
        }
        Tree::Huge => hash.update(b"h"),
        Tree::Float(number) => {
            hash.update(b"f");
            hash.update(&number.to_bits().to_le_bytes());
        }
        Tree::Bool(value) => hash.update(if *value { b"y" } else { b"n" }),
        Tree::Date => hash.update(b"d"),
        Tree::Array(items) => {
            hash.update(b"a");
            add_length(items.len(), hash);
            for item in items {
                add(&item.value, hash);
            }
        }
        Tree::Table(table) => {
            hash.update(b"o");
            add_table(table, hash);
        }
    }
}

fn add_text(text: &str, hash: &mut Xxh3) {
    add_length(text.len(), hash);
    hash.update(text.as_bytes());
}

fn add_length(length: usize, hash: &mut Xxh3) {
    hash.update(&(length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn of(text: &str) -> u64 {
        hash(&parse(text).expect("TOML"))
    }

    #[test]
    fn notation_is_no_part_of_it() {
        let plain = of("a = \"x\"\nb = [1, 2]\nc.d = true\n");
        for other in [
            "# c\na='x' # d\n\nb = [\n  1,\n  2,\n]\nc = { d = true }\n",
            "a = \"\\u0078\"\r\nb=[0x1,2]\r\n[c]\r\nd=true",
        ] {
            assert_eq!(of(other), plain, "{other}");
        }
    }

    #[test]
    fn whatever_it_says_is_part_of_it() {
        let texts = [
            "",
            "a = 1",
            "a = 2",
            "b = 1",
            "a = '1'",
            "a = 1.0",
            "a = true",
            "a = false",
            "a = 1\nb = 1",
            "a = [1]",
            "a = [[1]]",
            "a = [1, 1]",
            "a = [[1], 1]",
            "a = [[1, 1]]",
            "a.b = 1",
            "a = ['b', 1]",
            "a = 'b'\nc = 'd'",
            "a = 'bc'\nd = ''",
            "a = ''",
            "a = []",
            "a = {}",
            "a = 99999999999999999999",
        ];
        let hashes: std::collections::BTreeSet<_> = texts.iter().map(|text| of(text)).collect();
        assert_eq!(hashes.len(), texts.len());
    }
}
