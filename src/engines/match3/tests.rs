use std::sync::Arc;

use super::*;
use crate::diagnostic::Diagnostic;
use crate::engine::keys;
use crate::source::{Excerpt, Source};
use crate::spanned::Spanned;
use crate::tree::{self, Tree};

/// Binds a document and house rules.
fn bind(text: &str, rules: Rules, size_limits: bool) -> (Arc<Source>, Result<Setup, Vec<Diagnostic>>) {
    let source = Source::new("game.toml", text);
    let table = tree::parse(source.text()).unwrap();
    let doc = Spanned { value: Tree::Table(table), range: 0..text.len() };
    let mut binder = Binder::new(&source, size_limits);
    let doc = keys::read(doc, &source, true).unwrap();
    let setup = Match3::bind(doc, rules, &mut binder);
    let clean = binder.is_clean();
    assert!(setup.is_some() || !clean);
    let setup = setup.filter(|_| clean);
    let bound = setup.ok_or_else(|| binder.into_faults());
    (source, bound)
}

/// The faults of a document as `code @what is marked`.
fn faults(text: &str) -> Vec<String> {
    pointed(&bind(text, Rules::default(), true).1.unwrap_err())
}

fn pointed(faults: &[Diagnostic]) -> Vec<String> {
    let mark = |fault: &Diagnostic| match fault.labels.first() {
        Some(label) => format!("{} @{}", fault.code, label.span.text()),
        None => format!("{}: {}", fault.code, fault.title),
    };
    faults.iter().map(mark).collect()
}

fn read(text: &str, size_limits: bool) -> Result<Setup, Vec<Diagnostic>> {
    let source = Source::new("input", text);
    let mut binder = Binder::new(&source, size_limits);
    let mut input = Input::new(Excerpt::all(&source));
    let setup = Match3::read_input(&mut input, Rules::default(), &mut binder);
    let clean = binder.is_clean();
    setup.filter(|_| clean).ok_or_else(|| binder.into_faults())
}

/// The house rules of a table, or the faults.
fn rules_of(text: &str) -> Result<Rules, Vec<Diagnostic>> {
    let source = Source::new("game.toml", text);
    let table = tree::parse(source.text()).unwrap();
    let doc = Spanned { value: Tree::Table(table), range: 0..text.len() };
    keys::read(doc, &source, true)
}

#[test]
fn letters_and_numbers_are_the_same_board() {
    let letters = bind("board = ['aba', 'bab']\nswaps = [[1, 1, 1, 2]]", Rules::default(), true).1.unwrap();
    let numbers =
        bind("board = ['1 2 1', '2 1 2']\nswaps = [[1, 1, 1, 2]]", Rules::default(), true).1.unwrap();
    assert_eq!(letters, numbers);
}

#[test]
fn every_fault_is_found_and_points_at_its_cell() {
    let text = "colors = 2\nboard = ['1 ? 3', '0 1 2']\nspecials = ['. 7 x', '1 6 0']\n\
                swaps = [[1, 1, 1], [1, 1, 1, 2, 3], [1, 1, 1, 99999999999]]";
    assert_eq!(
        faults(text),
        [
            "match3::cell @?",
            "match3::special @x",
            "match3::swap @[1, 1, 1]",
            "match3::swap @[1, 1, 1, 2, 3]",
            "match3::swap @[1, 1, 1, 99999999999]",
            "match3::above-colors @3",
            "match3::cell @0",
            "match3::special @7",
        ]
    );
    let text = "colors = 2\nboard = ['1 1 3', '0 1 2']\nspecials = ['. 7']\nswaps = []";
    assert_eq!(
        faults(text),
        [
            "match3::size @[]",
            "match3::above-colors @3",
            "match3::cell @0",
            "match3::special @7",
            "match3::specials-shape @. 7",
        ]
    );
    assert_eq!(faults("colors = 101\nboard = '1'\nswaps = [[1, 1, 1, 1]]"), ["match3::colors @101"]);
}

#[test]
fn missing_keys_are_named() {
    let missing = ["scenario::missing-key: `board` is missing", "scenario::missing-key: `swaps` is missing"];
    assert_eq!(faults(""), missing);
}

#[test]
fn a_start_with_a_line_is_refused_with_all_its_pieces_marked() {
    let text = "board = ['1 2 1', '1 3 3', '1 2 2']\nswaps = [[1, 1, 1, 2]]";
    let found = bind(text, Rules::default(), true).1.unwrap_err();
    assert_eq!(found.len(), 1);
    let marked: Vec<_> = found[0].labels.iter().map(|label| label.span.range.start).collect();
    assert_eq!((found[0].code, marked), ("match3::starts-with-line", vec![10, 19, 28]));
    assert!(bind(text, Rules { line: 4, ..Rules::default() }, true).1.is_ok());
    assert!(bind(text, Rules { line: 2, ..Rules::default() }, true).1.is_err());
}

#[test]
fn limits_of_size_can_be_lifted() {
    let row = ["1 2"; 26].join(" ");
    let text = format!("board = ['{row}']\nswaps = [[1, 1, 1, 2]]");
    assert_eq!(faults(&text), [format!("match3::size @['{row}']")]);
    assert!(bind(&text, Rules::default(), false).1.is_ok());
    let color = "board = '200 1'\nswaps = []";
    assert!(bind(color, Rules::default(), false).1.is_ok());
    assert_eq!(faults(color), ["match3::size @[]", "match3::above-colors @200"]);
    let color = "board = '256 1'\nswaps = []";
    assert_eq!(pointed(&bind(color, Rules::default(), false).1.unwrap_err()), ["match3::above-colors @256"]);
}

#[test]
fn inputs_are_checked_as_scenarios_are() {
    let of = |text: &str| pointed(&read(text, true).unwrap_err());
    assert_eq!(of("51 1 1 1001"), ["match3::size @51 1", "match3::size @1001"]);
    assert_eq!(of("1 -3 1 1"), ["match3::size @1 -3"]);
    assert_eq!(of("1 2 1 1\n1 2\n0 7\n1 1 1 2\n"), ["match3::above-colors @2", "match3::special @7"]);
    assert_eq!(of("1 2 2 1\n1 2\n0 0\n1 1 1"), ["input::ends-early @"]);
    assert_eq!(of("1 2 2 1\n1 2\n0 0\n1 1 1 2 3"), ["input::goes-on @3"]);
    assert_eq!(of("1 3 2 1\n2 2 2\n0 0 0\n1 1 1 2"), ["match3::starts-with-line @2"]);
    assert_eq!(of("1 2 2 1\n1 2\n0 0\n1 1 1 3000000000"), ["match3::swap @3000000000"]);
    assert!(read("1 2 2 1\n1 2\n0 0\n1 1 1 3", true).is_ok(), "a swap off the board is skipped, not refused");
    assert!(read("9223372036854775807 9223372036854775807 1 9223372036854775807", false).is_err());
}

#[test]
fn house_rules_are_read_and_kept_in_range() {
    assert_eq!(rules_of("").unwrap(), Rules::default());
    let rules = rules_of("line = 4\nblocks_join = 'corners'\npoints = { three = 7 }").unwrap();
    assert_eq!((rules.line, rules.points.three), (4, 7));
    let text = "line = 1\nsmall_square = -1\npoints = { five = -1, chain = 1000000001 }";
    let found = pointed(&rules_of(text).unwrap_err());
    assert_eq!(
        found,
        ["@1", "@-1", "@-1", "@1000000001"].map(|marked| format!("scenario::out-of-range {marked}"))
    );
}

/// Reads back what is written, as a document and as an input.
fn both_ways(setup: &Setup) {
    let text = keys::write(&Match3::write_doc(setup), setup.rules());
    let mut table = tree::parse(&text).unwrap();
    let rules = table.remove("rules").map(|rules| {
        let source = Source::new("game.toml", text.clone());
        keys::read::<Rules>(rules, &source, true).unwrap()
    });
    assert_eq!(rules.unwrap_or_default(), *setup.rules(), "{text}");
    let keys = text.split_once("rules = ").map_or(text.as_str(), |(keys, _)| keys);
    assert_eq!(bind(keys, setup.rules().clone(), false).1.unwrap(), *setup, "{text}");
    let plain = Setup { rules: Rules::default(), ..setup.clone() };
    if plain.rules == setup.rules {
        assert_eq!(read(&Match3::write_input(setup), false).unwrap(), *setup);
    }
}

#[test]
fn what_is_written_reads_back_as_the_same_start() {
    both_ways(&read("2 3 20 2\n1 12 1\n2 1 2\n0 0 0\n0 6 0\n1 1 1 2\n-5 0 7 2147483647\n", false).unwrap());
    both_ways(&read("3 1 12 1\n10\n11\n12\n0\n0\n1\n1 1 1 2\n", false).unwrap());
    both_ways(&read("1 1 1 0\n1\n0\n", false).unwrap());
    let rules = rules_of(
        "line = 4\nsmall_square = 0\nlarge_square = 9\nblocks_join = 'corners'\nhands = 'sliding'\n\
         hand_choice = 'first-color'\npoints = { chain = 1, combo = 2, high_card = 3, one_pair = 4, two_pairs = 5, \
         three = 6, full_house = 7, four = 8, five = 9, all_valid = 10, cleared = 11 }",
    );
    let setup = read("1 3 9 1\n1 2 1\n0 0 1\n1 1 1 2\n", true).unwrap();
    both_ways(&Setup { rules: rules.unwrap(), ..setup });
}

#[test]
fn cells_have_one_spelling() {
    let cells = ["a", "z", "07", "255", ".", "0", "256", "x1", "", "-1", "Z", "O"]
        .map(|cell| Match3::cell("board", cell));
    let some = |cell: &str| Some(cell.to_owned());
    let expected = [
        some("1"),
        some("26"),
        some("7"),
        some("255"),
        some("."),
        some("."),
        None,
        None,
        None,
        None,
        None,
        None,
    ];
    assert_eq!(cells, expected);
    let specials = ["6", ".", "0", "7", "a", "o"].map(|cell| Match3::cell("specials", cell));
    assert_eq!(specials, [some("6"), some("."), some("."), None, None, None]);
}

#[test]
fn points_that_could_leave_a_fact_are_refused_with_the_start() {
    let start = |side: usize, points: &str| {
        let row = |row: usize| {
            (0..side).map(|col| if (row + col).is_multiple_of(2) { "1" } else { "2" }).collect::<String>()
        };
        let rows: Vec<_> = (0..side).map(|at| format!("'{}'", row(at))).collect();
        let rules = rules_of(&format!("points = {{ {points} }}")).unwrap();
        let bound = bind(&format!("board = [{}]\nswaps = []", rows.join(", ")), rules, false).1;
        bound.map(drop).map_err(|faults| pointed(&faults))
    };
    let refused = Err(vec!["match3::rule @1".to_owned()]);
    let all = "chain = 1_000_000_000, combo = 1_000_000_000, five = 1_000_000_000, cleared = 1_000_000_000";
    for (side, points, expected) in [
        (300, all, &Ok(())),
        (310, all, &refused),
        (310, "combo = 900_000_000", &Ok(())),
        (500, "chain = 1_000_000_000", &Ok(())),
        (500, "combo = 100_000_000, chain = 1_000_000_000", &refused),
        (600, "", &Ok(())),
    ] {
        assert_eq!(start(side, points), *expected, "{side}: {points}");
    }
}
