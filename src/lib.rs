//! A scriptable replay and batch engine for board-game rules.
//!
//! A scenario describes a start and what is to come of it; an engine plays it by the rules of its game; a check holds
//! the facts of the run against what the author expects, and says where they part.
//!
//! ```
//! use rulebook::engine::Place;
//! use rulebook::input::Input;
//! use rulebook::source::{Excerpt, Source};
//!
//! // The statement's own input: build 7 from 2 digits.
//! let source = Source::new("input", "7 2\n4+3\n-5-\n9-2\n");
//! let place = Place { source: &source, size_limits: true, thorough: true };
//! let engine = rulebook::engines::find("quento").unwrap();
//! let game = engine.read(&mut Input::new(Excerpt::all(&source)), None, &place).unwrap();
//! assert_eq!(game.output(), Ok("1\n0 0\n0 1\n0 2\n".to_owned()));
//! ```
//!
//! Most users need [`runner::run`], which takes scenario files to [`verdict::Report`]s; [`scenario::load()`], which
//! takes them to [`scenario::Case`]s; and [`engines::ENGINES`]. [`engine::Engine`] is the contract for a new game.
//!
//! Modules lie on floors and import only lower ones:
//!
//! | floor | modules |
//! | --- | --- |
//! | 7 | [`runner`] |
//! | 6 | [`scenario`] |
//! | 5 | [`script`] |
//! | 4 | [`engines`], [`replay`], [`report`] |
//! | 3 | [`engine`] |
//! | 2 | [`board`], [`input`], [`spread`], [`tree`], [`verdict`] |
//! | 1 | [`diagnostic`], [`root`], [`spanned`], [`trace`], [`value`] |
//! | 0 | [`columns`], [`grid`], [`rng`], [`source`], [`visible`] |

pub mod board;
pub mod columns;
pub mod diagnostic;
pub mod engine;
pub mod engines;
pub mod grid;
pub mod identity;
pub mod input;
pub mod replay;
pub mod report;
pub mod rng;
pub mod root;
pub mod runner;
pub mod scenario;
pub mod script;
pub mod source;
pub mod spanned;
pub mod spread;
pub mod trace;
pub mod tree;
pub mod value;
pub mod verdict;
pub mod visible;
