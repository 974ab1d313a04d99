//! Slow, plain second implementations of the engines, and the random tests that hold both together.

mod match3;
mod match3_games;
