//! A scriptable replay and batch engine for board-game rules.
//!
//! A scenario describes a start and the expected result; an engine plays it by the rules of its game; a run compares the
//! facts of the game with what the author expects, and shows where they differ.
//!
//! # Run a suite
//!
//! ```
//! use rulebook::{CaseResult, Options, Suite};
//!
//! let suite = Suite::from_toml("sums.toml", r#"
//! engine = "quento"
//! board = ["4+3", "-5-", "9-2"]
//! target = 7
//! digits = 2
//! expect.solutions = 4
//! "#);
//! let mut drawn = String::new();
//! let summary = suite.run(&Options::default(), &mut |case: &CaseResult| {
//!     drawn.extend(case.verdict.faults().iter().map(|fault| fault.draw(false)));
//! })?;
//! assert_eq!((summary.passed, summary.failed), (0, 1));
//! assert!(drawn.contains("6 | expect.solutions = 4"));
//! # Ok::<(), rulebook::NoWorker>(())
//! ```
//!
//! # Play a game and look at it
//!
//! ```
//! use rulebook::engine::Engine as _;
//! use rulebook::engines::quento::Quento;
//! use rulebook::engines::quento::rules::{Board, Rules, Setup};
//! use rulebook::value::Value;
//!
//! let board = Board::read("4+3\n-5-\n9-2").expect("digits and symbols in turn");
//! let setup = Setup::new(board, 7, 2, Rules::default()).expect("a board with two digits");
//! let outcome = Quento::run(&setup, &mut ());
//! assert_eq!(Quento::answer(&setup, &outcome, "solutions"), Some(Ok(Value::Int(3))));
//! assert_eq!(Quento::write_output(&setup, &outcome), Ok("1\n0 0\n0 1\n0 2\n".to_owned()));
//! ```
//!
//! # Add an engine
//!
//! Implement [`engine::Engine`] and hand it to a run in [`Options::engines`], as
//! `Engines::builtin().with::<MyGame>()`: scenarios, scripts and reports take it like the others. `examples/nim.rs` is
//! a whole one with its scenarios.
//!
//! Modules lie on floors and import only lower ones:
//!
//! | floor | modules |
//! | --- | --- |
//! | 8 | `suite` |
//! | 7 | `runner` |
//! | 6 | `scenario` |
//! | 5 | `script` |
//! | 4 | [`engines`], `replay`, `report` |
//! | 3 | [`engine`] |
//! | 2 | [`board`], [`input`], `spread`, `tree`, `verdict` |
//! | 1 | [`diagnostic`], `identity`, `root`, [`spanned`], [`trace`], [`value`] |
//! | 0 | `columns`, [`grid`], [`rng`], [`source`], `visible` |

#![forbid(unsafe_code)]

pub mod board;
#[doc(hidden)]
pub mod columns;
pub mod diagnostic;
pub mod engine;
pub mod engines;
pub mod grid;
#[doc(hidden)]
pub mod identity;
pub mod input;
#[doc(hidden)]
pub mod replay;
#[doc(hidden)]
pub mod report;
pub mod rng;
#[doc(hidden)]
pub mod root;
#[doc(hidden)]
pub mod runner;
#[doc(hidden)]
pub mod scenario;
#[doc(hidden)]
pub mod script;
pub mod source;
pub mod spanned;
#[doc(hidden)]
pub mod spread;
mod suite;
pub mod trace;
#[doc(hidden)]
pub mod tree;
pub mod value;
#[doc(hidden)]
pub mod verdict;
#[doc(hidden)]
pub mod visible;

pub use self::engines::Engines;
pub use self::runner::{Details, Listener, NoWorker, Options, Statistics};
pub use self::scenario::Select;
pub use self::suite::Suite;
pub use self::verdict::{CaseResult, Summary, Verdict};
