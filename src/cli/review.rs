//! Asks about changes one by one.

use std::io::{self, BufRead, Write};

/// What was decided of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is to be made.
    Make,
    /// It is not.
    Leave,
}

/// Somebody who answers, line by line.
pub(crate) struct Review<R> {
    answers: R,
    /// What holds for all that follows, once that was said.
    settled: Option<Decision>,
}

impl<R: BufRead> Review<R> {
    /// Reads what is decided from `answers`; where they end, nothing more is to be changed.
    pub(crate) fn new(answers: R) -> Self {
        Self { answers, settled: None }
    }

    /// Shows a change and waits for what is decided.
    pub(crate) fn ask(&mut self, change: &str, out: &mut impl Write) -> io::Result<Decision> {
        if let Some(decision) = self.settled {
            return Ok(decision);
        }
        out.write_all(change.as_bytes())?;
        loop {
            write!(out, "write this? yes, no, all or quit (y/n/a/q): ")?;
            out.flush()?;
            let mut answer = Vec::new();
            if self.answers.read_until(b'\n', &mut answer)? == 0 {
                writeln!(out)?;
                return Ok(*self.settled.insert(Decision::Leave));
            }
            match String::from_utf8_lossy(&answer).trim() {
                "y" | "yes" => return Ok(Decision::Make),
                "n" | "no" => return Ok(Decision::Leave),
                "a" | "all" => return Ok(*self.settled.insert(Decision::Make)),
                "q" | "quit" => return Ok(*self.settled.insert(Decision::Leave)),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(answers: &str, changes: usize) -> (String, String) {
        let mut review = Review::new(answers.as_bytes());
        let mut out = Vec::new();
        let decisions = (0..changes).map(|i| match review.ask(&format!("{i}\n"), &mut out).unwrap() {
            Decision::Make => '+',
            Decision::Leave => '-',
        });
        (decisions.collect(), String::from_utf8(out).unwrap())
    }

    #[test]
    fn each_answer_means_what_it_says() {
        assert_eq!(decided("y\nno\nyes\nn\n", 4).0, "+-+-");
        assert_eq!(decided("n\nall\n", 4).0, "-+++");
        assert_eq!(decided("y\nq\ny\n", 4).0, "+---");
        assert_eq!(decided("", 2).0, "--");
    }

    #[test]
    fn what_is_no_answer_is_asked_again_and_nothing_is_shown_behind_the_last() {
        let ask = "write this? yes, no, all or quit (y/n/a/q): ";
        assert_eq!(decided("what\n y \nq\n", 3), ("+--".to_owned(), format!("0\n{ask}{ask}1\n{ask}")));
    }
}
