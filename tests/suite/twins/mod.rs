//! Slow, plain second implementations of the engines, and the random tests that hold both together.

mod match3;
mod match3_games;
mod quento;
mod quento_games;
mod stacking;
mod stacking_games;
