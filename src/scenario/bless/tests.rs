use super::*;
use crate::rng::Rng;

#[test]
fn changes_touch_their_ranges_alone() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed, 0);
        let text: String =
            (0..rng.below(60)).map(|_| ['a', 'ä', '\n', '日'][rng.below(4) as usize]).collect();
        let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut cuts: Vec<_> =
            (0..rng.below(5) * 2).map(|_| places[rng.below(places.len() as u64) as usize]).collect();
        cuts.sort_unstable();
        let mut changes: Vec<Change> =
            cuts.chunks(2).enumerate().map(|(i, cut)| (cut[0]..cut[1], format!("<{i}>"))).collect();
        let mut expected = text.clone();
        for (range, new) in changes.iter().rev() {
            expected.replace_range(range.clone(), new);
        }
        if cuts.windows(2).all(|pair| pair[0] < pair[1]) {
            rng.shuffle(&mut changes);
        }
        assert_eq!(apply(&text, changes).as_deref(), Some(&*expected), "seed {seed}");
    }
}

#[test]
fn changes_that_overlap_are_none() {
    assert_eq!(apply("abc", vec![(0..2, String::new()), (1..3, String::new())]), None);
    assert_eq!(apply("abc", vec![(2..4, String::new())]), None);
    assert_eq!(apply("ä", vec![(0..1, String::new())]), None);
}

/// A file in which something is to be written into the scenarios on these lines.
fn file(defaults: &str, scenarios: &[(usize, &str)]) -> File {
    let texts = scenarios.iter().map(|(line, text)| (*line, (format!("a.toml::{line}"), (*text).to_owned())));
    File { defaults: Some(defaults.to_owned()), texts: texts.collect(), ..File::default() }
}

/// Returns where a part of the file is in `text`.
fn found(file: &File, part: Part, text: &str) -> Option<Range<usize>> {
    file.find(part, &Now::new(text)).map(|place| place.range)
}

#[test]
fn a_scenario_is_found_where_it_has_moved_to() {
    let (one, two) = ("[[scenario]]\nx = 1\n", "[[scenario]]\nx = 2\n");
    let file = file("a = 1\n", &[(2, one), (4, two)]);
    let text = format!("a = 1\n{two}{one}");
    assert_eq!(found(&file, Some(2), &text), Some(25..text.len()));
    assert_eq!(found(&file, None, &text), Some(0..6));
    assert_eq!(found(&file, Some(4), &format!("a = 1\n{one}")), None, "it is gone");
    assert_eq!(
        found(&file, Some(2), &format!("a = 2\n{one}")),
        None,
        "what it takes from the defaults has changed"
    );
}

#[test]
fn of_several_that_say_the_same_the_one_on_its_line_is_meant() {
    let same = "[[scenario]]\nx = 1\n";
    let file = file("", &[(3, same)]);
    assert_eq!(found(&file, Some(3), &same.repeat(3)), Some(19..38));
    assert_eq!(found(&file, Some(3), &format!("[[scenario]]\n{}", same.repeat(2))), None);
}
