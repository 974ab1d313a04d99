//! Ctrl-C: the first ends a run in good order, the second at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::exit::Exit;

/// How long cases that are under way are waited for.
const GRACE: Duration = Duration::from_secs(1);

/// What Ctrl-C does.
#[derive(Default)]
enum Then {
    /// It ends the process at once.
    #[default]
    End,
    /// It ends a run, whose cases may go on and on: then this does what is left to do.
    GiveUp(Box<dyn FnOnce() + Send>),
    /// It waits for what is being written.
    Wait,
}

/// Who presses Ctrl-C, and what is done then.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    pressed: Arc<AtomicBool>,
    then: Arc<Mutex<Then>>,
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

    /// A run begins: what is to be done when a case goes on and on after Ctrl-C; the process then ends.
    pub(crate) fn begin(&self, give_up: impl FnOnce() + Send + 'static) {
        self.set(Then::GiveUp(Box::new(give_up)));
    }

    /// What is being written now is short, and is written to its end: a run that has come to its end by itself, or has not
    /// begun.
    pub(crate) fn close(&self) {
        self.set(Then::Wait);
    }

    /// All is written.
    pub(crate) fn end(&self) {
        self.set(Then::End);
    }

    fn set(&self, then: Then) {
        *self.then.lock().unwrap_or_else(PoisonError::into_inner) = then;
    }

    fn press(&self) {
        let is_second = self.pressed.swap(true, Ordering::Relaxed);
        let ends = || matches!(*self.then.lock().unwrap_or_else(PoisonError::into_inner), Then::End);
        // Who presses Ctrl-C twice wants no more work done.
        if is_second || ends() {
            end();
        }
        let then = Arc::clone(&self.then);
        let wait = move || {
            thread::sleep(GRACE);
            // While it is done nobody else may end the run.
            let mut then = then.lock().unwrap_or_else(PoisonError::into_inner);
            if let Then::GiveUp(give_up) = std::mem::replace(&mut *then, Then::Wait) {
                give_up();
                end();
            }
        };
        // Where there is no room for a thread the cases are waited for.
        drop(thread::Builder::new().spawn(wait));
    }
}

/// Held while a file is written that must not be left half done.
static WRITING: Mutex<()> = Mutex::new(());

/// Runs `work` to its end, whatever is pressed meanwhile: only then the process ends.
pub(crate) fn unbroken<R>(work: impl FnOnce() -> R) -> R {
    Interrupt::heard();
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

#[expect(clippy::exit, reason = "workers that go on for long cannot be waited for")]
fn end() {
    let _written = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    std::process::exit(Exit::Interrupted as i32);
}
