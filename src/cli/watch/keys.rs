//! What somebody presses while files are watched.

use std::io::{self, BufRead as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    All,
    Failed,
    End,
    /// Ctrl-C, where the terminal does not make a signal of it.
    Interrupt,
}

/// Where keys come from.
pub(super) enum Keys {
    /// Each as it is pressed.
    Terminal,
    /// A line for each, without a terminal.
    Lines(Receiver<Key>),
}

impl Keys {
    /// Returns the keys of the terminal, or of the lines of standard input.
    ///
    /// # Errors
    /// Why nothing reads the lines.
    pub(super) fn of(terminal: bool) -> io::Result<Self> {
        if terminal {
            return Ok(Self::Terminal);
        }
        let (sender, lines) = mpsc::channel();
        let read = move || {
            let lines = io::stdin().lock().split(b'\n').map_while(Result::ok);
            let keys = lines.filter_map(|line| of_line(&String::from_utf8_lossy(&line)));
            // Behind the end of the input, or of the watching, there is nothing to do.
            let _ = keys.map(|key| sender.send(key)).find(Result::is_err);
        };
        thread::Builder::new().spawn(read)?;
        Ok(Self::Lines(lines))
    }

    /// Begins to listen; what is typed is not shown until the end of it.
    pub(super) fn listen(&self) -> Listening<'_> {
        let raw = matches!(self, Self::Terminal) && terminal::enable_raw_mode().is_ok();
        Listening { keys: self, raw }
    }
}

/// Keys are listened to until this is dropped.
pub(super) struct Listening<'k> {
    keys: &'k Keys,
    raw: bool,
}

impl Listening<'_> {
    /// The next key that means something, if one is pressed soon.
    pub(super) fn next(&self, soon: Duration) -> Option<Key> {
        match self.keys {
            Keys::Terminal => match event::poll(soon).and_then(|any| any.then(event::read).transpose()) {
                Ok(Some(Event::Key(key))) => of_key(&key),
                Ok(_) => None,
                // The terminal is gone.
                Err(_) => Some(Key::End),
            },
            Keys::Lines(lines) => match lines.recv_timeout(soon) {
                Ok(key) => Some(key),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => {
                    thread::sleep(soon);
                    None
                }
            },
        }
    }
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        if self.raw {
            // A terminal that is gone needs nothing more.
            let _ = terminal::disable_raw_mode();
        }
    }
}

fn of_line(line: &str) -> Option<Key> {
    match line.trim() {
        "" => Some(Key::All),
        "f" => Some(Key::Failed),
        "q" => Some(Key::End),
        _ => None,
    }
}

fn of_key(key: &KeyEvent) -> Option<Key> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        _ if key.kind == KeyEventKind::Release => None,
        KeyCode::Char('c') if control => Some(Key::Interrupt),
        KeyCode::Char('d') if control => Some(Key::End),
        _ if control => None,
        KeyCode::Enter => Some(Key::All),
        KeyCode::Char('f') => Some(Key::Failed),
        KeyCode::Char('q') => Some(Key::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_lines_mean_the_same() {
        let key = |code| of_key(&KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(key(KeyCode::Enter), of_line(""));
        assert_eq!(key(KeyCode::Char('f')), of_line("f\r"));
        assert_eq!(key(KeyCode::Char('q')), of_line(" q "));
        assert_eq!((key(KeyCode::Char('x')), of_line("x")), (None, None));
    }

    #[test]
    fn control_c_is_no_c() {
        let control = |code| of_key(&KeyEvent::new(KeyCode::Char(code), KeyModifiers::CONTROL));
        assert_eq!(control('c'), Some(Key::Interrupt));
        assert_eq!(control('d'), Some(Key::End));
        assert_eq!(control('q'), None);
    }
}
