//! Slow, plain second implementations of the engines, and the random tests that hold both together.

mod quento;
