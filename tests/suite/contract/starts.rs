//! Random starts of every engine: the only part of the contract tests that knows the games.

use rulebook::diagnostic::Diagnostic;
use rulebook::engine::{AnyEngine, Keys, Place, Start};
use rulebook::input::Input;
use rulebook::rng::Rng;
use rulebook::source::{Excerpt, Source};
use rulebook::spanned::Spanned;
use rulebook::tree::{self, Tree};

/// What is known of a game.
struct Kit {
    engine: &'static str,
    /// A start in the statement's input format; legal, or now and then not.
    start: fn(&mut Rng) -> String,
    /// Every house rule and values that it takes.
    rules: &'static [(&'static str, &'static [&'static str])],
    /// Every board of one cell that a scenario may hold, as keys around `?`, and the characters that it may be.
    typed: &'static [(&'static str, &'static str)],
    /// Every board that may be expected, and the characters that its cells may be.
    expected: &'static [(&'static str, &'static str)],
    /// Events that only minutes of play bring about.
    rare: &'static [&'static str],
}

const KITS: &[Kit] = &[
    Kit {
        engine: "stacking",
        start: stacking,
        rules: &[
            ("height_limit", &["2", "3", "5", "9_000"]),
            ("turn_limit", &["1", "7", "50", "1_000_000_000_000"]),
            ("moves", &["'from-piece'", "'lowest'"]),
            ("blocked", &["'keeps-turned'", "'turns-back'"]),
            ("ends", &["'at-once'", "'after-turn'"]),
            ("red", &["'moved'", "'whole-stack'"]),
            ("budget", &["1_000_000_000", "9_000_000_000_000"]),
        ],
        typed: &[("board = '?'\npieces = [{ at = [1, 1], facing = 'up' }]", "0.w1r2b")],
        expected: &[("stacks", ".0123456789")],
        rare: &["stacking::undecided"],
    },
    Kit {
        engine: "match3",
        start: match3,
        rules: &[
            ("line", &["2", "4", "10_000"]),
            ("small_square", &["0", "2"]),
            ("large_square", &["1", "10_000"]),
            ("blocks_join", &["'edges'", "'corners'"]),
            ("hands", &["'fives'", "'sliding'"]),
            ("hand_choice", &["'most-points'", "'first-color'"]),
            ("points", &["{ chain = 0, five = 7 }", "{ all_valid = 1_000_000_000, combo = 1, cleared = 3 }"]),
        ],
        typed: &[
            ("board = '?'\nswaps = []", "123456789abcdefghijklmnopqrstuvwxyz"),
            ("board = '1'\nspecials = '?'\nswaps = []", ".0123456"),
        ],
        expected: &[("board", ".0123456789abcdefghijklmnopqrstuvwxyz"), ("specials", ".0123456")],
        rare: &[],
    },
    Kit {
        engine: "quento",
        start: quento,
        rules: &[
            ("order", &["'lexicographic'", "'any'"]),
            ("budget", &["1", "40", "9_223_372_036_854_775_807"]),
        ],
        typed: &[("board = '?'\ntarget = 1\ndigits = 1", "123456789")],
        expected: &[],
        rare: &[],
    },
];

/// A legal start, as text and ready to play.
pub(super) struct Given {
    pub(super) input: String,
    pub(super) rules: String,
    pub(super) game: Box<dyn Start>,
}

fn kit(engine: &dyn AnyEngine) -> &'static Kit {
    let found = KITS.iter().find(|kit| kit.engine == engine.name());
    found.unwrap_or_else(|| panic!("`{}` has no random starts here", engine.name()))
}

/// The names of the house rules that are tried.
pub(super) fn rules(engine: &dyn AnyEngine) -> impl Iterator<Item = &'static str> {
    kit(engine).rules.iter().map(|(name, _)| *name)
}

/// Returns the boards of one cell that a scenario may hold, and those that may be expected.
pub(super) fn cells(engine: &dyn AnyEngine) -> [&'static [(&'static str, &'static str)]; 2] {
    let kit = kit(engine);
    [kit.typed, kit.expected]
}

/// Whether only minutes of play bring the event about.
pub(super) fn is_rare(engine: &dyn AnyEngine, event: &str) -> bool {
    kit(engine).rare.contains(&event)
}

/// A random legal start; half of them with house rules.
pub(super) fn random(engine: &dyn AnyEngine, rng: &mut Rng) -> Given {
    let kit = kit(engine);
    let percent = if rng.percent(50) { 30 } else { 0 };
    let mut rules = String::new();
    for (name, values) in kit.rules {
        if rng.percent(percent) {
            rules += &format!("{name} = {}\n", pick(rng, values));
        }
    }
    for _ in 0..10_000 {
        let input = (kit.start)(rng);
        if let Ok(game) = read(engine, &input, &rules) {
            return Given { input, rules, game };
        }
    }
    panic!("`{}` refuses every start with\n{rules}", engine.name())
}

/// The start that the statement's input format describes.
pub(super) fn read(
    engine: &dyn AnyEngine,
    input: &str,
    rules: &str,
) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
    let source = Source::new("rules", rules);
    let table = tree::parse(source.text()).expect("TOML");
    let rules = Spanned { value: Tree::Table(table), range: 0..0 };
    let place = Place { source: &source, size_limits: false, thorough: true };
    engine.read(&mut Input::new(Excerpt::all(&Source::new("input", input))), Some(rules), &place)
}

/// The start that the keys of a scenario describe.
pub(super) fn bind(engine: &dyn AnyEngine, doc: &str) -> Result<Box<dyn Start>, Vec<Diagnostic>> {
    let source = Source::new("doc", doc);
    let mut doc = tree::parse(source.text()).expect("TOML");
    let rules = doc.remove("rules");
    let keys = Keys { doc, range: 0..source.text().len(), rules };
    engine.bind(keys, &Place { source: &source, size_limits: false, thorough: true })
}

pub(super) fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len() as u64) as usize]
}

fn stacking(rng: &mut Rng) -> String {
    let side = pick(rng, &[4, 4, 4, 5, 6, 3, 2, 1]);
    let count = rng.range(1, 5.min(side * side));
    let mut squares: Vec<_> = (0..side * side).collect();
    rng.shuffle(&mut squares);
    let colors = pick(rng, &["0", "0001", "0012", "012"]);
    let mut text = format!("{side} {count}\n");
    for _ in 0..side {
        text += &line((0..side).map(|_| pick(rng, colors.as_bytes()) as char));
    }
    for square in &squares[..count as usize] {
        text += &line([square / side + 1, square % side + 1, rng.range(1, 4)]);
    }
    text
}

fn match3(rng: &mut Rng) -> String {
    let (rows, cols) =
        if rng.percent(30) { (1, rng.range(1, 6)) } else { (rng.range(1, 7), rng.range(1, 7)) };
    let (colors, swaps) = (rng.range(3, 4), rng.range(0, 70));
    // Colors of several digits are cells of several characters.
    let above = pick(rng, &[0, 0, 7, 251]);
    let specials = pick(rng, &[0, 5, 40]);
    let apart = rng.percent(60);
    let mut board = vec![vec![0; cols as usize]; rows as usize];
    for row in 0..rows as usize {
        for col in 0..cols as usize {
            let left = if col > 0 { board[row][col - 1] } else { 0 };
            let above = if row > 0 { board[row - 1][col] } else { 0 };
            let fits = |color: &i64| !apart || *color != left && *color != above;
            let mut drawn: Vec<_> = (1..=colors).collect();
            rng.shuffle(&mut drawn);
            board[row][col] = drawn.into_iter().find(fits).expect("a third color");
        }
    }
    let mut text = format!("{rows} {cols} {} {swaps}\n", above + colors);
    text.extend(board.iter().map(|row| line(row.iter().map(|color| above + color))));
    for _ in 0..rows {
        text += &line((0..cols).map(|_| if rng.percent(specials) { rng.range(1, 6) } else { 0 }));
    }
    for _ in 0..swaps {
        let (row, col) = (rng.range(1, rows), rng.range(1, cols));
        let (down, right) = pick(rng, &[(0, 1), (0, -1), (1, 0), (-1, 0), (0, 0), (0, 2), (1, 1)]);
        text += &line([row, col, row + down, col + right]);
    }
    text
}

fn quento(rng: &mut Rng) -> String {
    let (rows, cols) = pick(rng, &[(3, 3), (3, 3), (3, 3), (1, 1), (1, 5), (3, 5), (5, 5)]);
    let digits = rng.range(1, 5.min((rows * cols + 1) / 2));
    let mut text = format!("{} {digits}\n", rng.range(-5, 30));
    for row in 0..rows {
        let square = |col| {
            if (row + col) % 2 == 0 { (b'1' + rng.below(9) as u8) as char } else { pick(rng, &['+', '-']) }
        };
        text.extend((0..cols).map(square));
        text.push('\n');
    }
    text
}

fn line(cells: impl IntoIterator<Item: ToString>) -> String {
    let cells: Vec<_> = cells.into_iter().map(|cell| cell.to_string()).collect();
    cells.join(" ") + "\n"
}
