//! Ctrl-C: the first ends a run in good order, the second at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::exit::Exit;

/// How long cases that are under way are waited for.
const GRACE: Duration = Duration::from_secs(1);

/// What ends a run in place of the thread that waits for it.
type Last = Box<dyn FnOnce() + Send>;

/// Who presses Ctrl-C, and what is done then.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    pressed: Arc<AtomicBool>,
    last: Arc<Mutex<Option<Last>>>,
}

impl Interrupt {
    /// The one of this process.
    pub(crate) fn heard() -> Self {
        static HEARD: OnceLock<Interrupt> = OnceLock::new();
        let heard = HEARD.get_or_init(|| {
            let interrupt = Self::default();
            let hearing = interrupt.clone();
            // Without a handler Ctrl-C ends the process at once, as everywhere.
            drop(ctrlc::set_handler(move || hearing.press()));
            interrupt
        });
        heard.clone()
    }

    /// The flag that the first Ctrl-C raises.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.pressed
    }

    /// Whether it was raised.
    pub(crate) fn is_pressed(&self) -> bool {
        self.pressed.load(Ordering::Relaxed)
    }

    /// What is to be done when a case goes on and on after Ctrl-C; the process then ends.
    pub(crate) fn arm(&self, last: impl FnOnce() + Send + 'static) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(last));
    }

    /// The run has come to its end by itself.
    pub(crate) fn disarm(&self) {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn press(&self) {
        if self.pressed.swap(true, Ordering::Relaxed) {
            // Who presses Ctrl-C twice wants no more work done.
            end();
        }
        let last = Arc::clone(&self.last);
        let wait = move || {
            thread::sleep(GRACE);
            // While it is done nobody else may end the run.
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(last) = last.take() {
                last();
                end();
            }
        };
        // Where there is no room for a thread the cases are waited for.
        drop(thread::Builder::new().spawn(wait));
    }
}

#[expect(clippy::exit, reason = "workers that go on for long cannot be waited for")]
fn end() {
    std::process::exit(Exit::Interrupted as i32);
}
