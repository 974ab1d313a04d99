//! The call under way on this thread: what it has spent, and what it has printed.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::limits::Limits;

/// So many operations pass between two looks at the clock and the memory.
const LOOK: u64 = 512;

struct Call {
    deadline: Instant,
    /// The most bytes that the process may have, where the system tells.
    most_memory: Option<usize>,
    cells: usize,
    print: usize,
    printed: String,
    cut: bool,
}

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `work` as a call within `limits`; a call within a call shares what the outer one has left.
pub(super) fn within<R>(limits: &Limits, work: impl FnOnce() -> R) -> R {
    let outer = CALL.with_borrow_mut(|call| {
        if call.is_some() {
            return true;
        }
        let memory = limits.memory as usize * (1 << 20);
        *call = Some(Call {
            deadline: Instant::now() + Duration::from_millis(limits.milliseconds.into()),
            most_memory: None,
            cells: limits.cells as usize,
            print: limits.print as usize,
            printed: String::new(),
            cut: false,
        });
        // Asking for the memory costs more than a short call, so it is done at the first look.
        FIRST.set(memory);
        false
    });
    if outer {
        return work();
    }
    let result = work();
    let call = CALL.with_borrow_mut(Option::take);
    if let Some(call) = call {
        PRINTED.with_borrow_mut(|printed| {
            let room = call.print.saturating_sub(printed.len());
            printed.push_str(&call.printed[..call.printed.floor_char_boundary(room)]);
            if call.cut || room < call.printed.len() {
                printed.push_str("… (the rest of what was printed is left out)\n");
            }
        });
    }
    result
}

thread_local! {
    static FIRST: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// What stops the call after so many operations, if anything does.
pub(super) fn spent(operations: u64) -> Option<&'static str> {
    if !operations.is_multiple_of(LOOK) {
        return None;
    }
    CALL.with_borrow_mut(|call| {
        let call = call.as_mut()?;
        if Instant::now() > call.deadline {
            return Some("milliseconds");
        }
        let now = memory_stats::memory_stats()?.physical_mem;
        let most = *call.most_memory.get_or_insert_with(|| now + FIRST.get());
        (now > most).then_some("memory")
    })
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

/// What the scripts of this thread have printed since it was last asked.
pub fn printed() -> String {
    PRINTED.take()
}
