//! The call under way on this thread: what it has spent, and what it has printed.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use super::limits::Limits;

/// So many operations pass between two looks at the clock and the memory.
const LOOK: u64 = 256;
/// So many cells of boards do, for one operation on a board may take long.
const CELLS: usize = 1 << 18;

struct Call {
    deadline: Instant,
    /// By how many bytes the process may grow.
    memory: usize,
    /// The most bytes that it may have, where the system tells.
    most_memory: Option<usize>,
    /// The limit that was met.
    met: Option<&'static str>,
    cells: usize,
    print: usize,
    printed: String,
    cut: bool,
}

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
    /// What was printed, and whether some of it was left out.
    static PRINTED: RefCell<(String, bool)> = const { RefCell::new((String::new(), false)) };
    /// Whether the next operation looks, whatever its number.
    static DUE: Cell<bool> = const { Cell::new(false) };
    /// The cells touched since the last look.
    static TOUCHED: Cell<usize> = const { Cell::new(0) };
}

impl Call {
    fn new(limits: &Limits) -> Self {
        Self {
            deadline: Instant::now() + Duration::from_millis(limits.milliseconds.into()),
            memory: (limits.memory as usize).saturating_mul(1 << 20),
            most_memory: None,
            met: None,
            cells: limits.cells as usize,
            print: limits.print as usize,
            printed: String::new(),
            cut: false,
        }
    }

    /// The limit of time or memory that is met now.
    fn look(&mut self) -> Option<&'static str> {
        if Instant::now() > self.deadline {
            return Some("milliseconds");
        }
        // Asking for the memory costs more than a short call, so it is not done before the first look.
        let now = memory_stats::memory_stats()?.physical_mem;
        let most = *self.most_memory.get_or_insert_with(|| now.saturating_add(self.memory));
        (now > most).then_some("memory")
    }
}

/// Runs `work` as a call within `limits`; a call within a call shares time, memory and prints with the outer
/// one.
pub(super) fn within<R>(limits: &Limits, work: impl FnOnce() -> R) -> R {
    if CALL.with_borrow(Option::is_some) {
        return work();
    }
    CALL.set(Some(Call::new(limits)));
    DUE.set(false);
    TOUCHED.set(0);
    let _over = Over;
    work()
}

/// Ends the call under way, even if its work panics.
struct Over;

impl Drop for Over {
    fn drop(&mut self) {
        let Some(call) = CALL.take() else { return };
        PRINTED.with_borrow_mut(|printed| {
            let room = call.print.saturating_sub(printed.0.len());
            printed.0.push_str(&call.printed[..call.printed.floor_char_boundary(room)]);
            printed.1 |= call.cut || room < call.printed.len();
        });
    }
}

/// What stops the call after so many operations, if anything does.
pub(super) fn spent(operations: u64) -> Option<&'static str> {
    if !operations.is_multiple_of(LOOK) && !DUE.get() {
        return None;
    }
    CALL.with_borrow_mut(|call| {
        let call = call.as_mut()?;
        if call.met.is_none() {
            call.met = call.look();
        }
        // Some of rhai's functions, sorting for one, go on after an error: then every further operation is one.
        DUE.set(call.met.is_some());
        call.met
    })
}

/// Notes that so many cells of a board were gone through or copied.
pub(super) fn touch(cells: usize) {
    let sum = TOUCHED.get().saturating_add(cells);
    if sum >= CELLS {
        DUE.set(true);
        TOUCHED.set(0);
    } else {
        TOUCHED.set(sum);
    }
}

/// The most cells that a board may have.
pub(super) fn most_cells() -> usize {
    CALL.with_borrow(|call| call.as_ref().map_or(usize::MAX, |call| call.cells))
}

/// Keeps what a script prints.
pub(super) fn print(line: &str) {
    CALL.with_borrow_mut(|call| {
        let Some(call) = call else { return };
        if call.printed.len() + line.len() < call.print {
            call.printed.push_str(line);
            call.printed.push('\n');
        } else {
            call.cut = true;
        }
    });
}

/// Runs `work` and forgets what its scripts print.
pub(super) fn unheard<R>(work: impl FnOnce() -> R) -> R {
    let before = PRINTED.take();
    let result = work();
    PRINTED.set(before);
    result
}

/// What the scripts of this thread have printed since it was last asked.
pub fn printed() -> String {
    let (mut printed, cut) = PRINTED.take();
    if cut {
        printed.push_str("… (the rest of what was printed is left out)\n");
    }
    printed
}
