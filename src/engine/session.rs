//! Games that somebody plays move by move: what a policy sees and does.

use crate::value::Value;

/// A game under way whose next move somebody chooses.
pub trait Session: Send + Sync {
    /// The key of a scenario that holds the moves made: `swaps`, or `expect.any_path`.
    fn key(&self) -> &str;

    /// What can be seen by the name `name`, one of [`Self::seen`].
    fn see(&self, name: &str) -> Option<Value>;

    /// Returns the names of what can be seen.
    fn seen(&self) -> Vec<&str>;

    /// The legal moves, in a fixed order; none when the game is over.
    fn legal(&self) -> Vec<Value>;

    /// Whether no move is left: the policy is not asked any more.
    fn is_over(&self) -> bool {
        self.legal().is_empty()
    }

    /// Makes a move.
    ///
    /// # Errors
    /// Why it cannot be made.
    fn make(&mut self, choice: &Value) -> Result<(), String>;

    /// The moves made so far, as [`Self::key`] takes them.
    fn moves(&self) -> Vec<Value>;

    /// The same game once more, to try moves in.
    fn branch(&self) -> Box<dyn Session>;
}

/// A function of an engine for scripts.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    /// Its name and parameters: `legal_swaps(board)`.
    pub signature: &'static str,
    /// What it answers: units, numbering.
    pub about: &'static str,
    /// An expression that is true.
    pub example: &'static str,
    /// House rules that would change its answers: it follows the statement, so it is refused where a scenario sets one.
    pub rules: &'static [&'static str],
    /// The function; its error says what is wrong with which argument.
    pub call: fn(&[Value]) -> Result<Value, String>,
}
