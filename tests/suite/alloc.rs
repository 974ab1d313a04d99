//! Counts allocations: those of a thread, for tests that promise none or few, and the bytes of the whole process, for tests
//! that promise few.

#![expect(unsafe_code, reason = "a global allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering};

use alloc_metrics::MetricAlloc;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Whether bytes are counted; all threads would else meet at the counter.
static MEASURING: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);
static ASKED: AtomicU64 = AtomicU64::new(0);

struct Counting;

fn count_one(size: usize) {
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    if MEASURING.load(Ordering::Relaxed) {
        ASKED.fetch_add(size as u64, Ordering::Relaxed);
    }
}

fn live(change: isize) {
    if MEASURING.load(Ordering::Relaxed) {
        let live = LIVE.fetch_add(change, Ordering::Relaxed) + change;
        PEAK.fetch_max(live, Ordering::Relaxed);
    }
}

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one(layout.size());
        live(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        live(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one(size);
        // Old and new may both be there for a moment.
        live(size as isize);
        live(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Counts for the `memory` of scripts, too, as the program's allocator does.
#[global_allocator]
static ALLOCATOR: MetricAlloc<Counting> = MetricAlloc::new(Counting);

/// The result of `f`, and how often it asked for memory.
pub(crate) fn count<R>(f: impl FnOnce() -> R) -> (R, u64) {
    let before = COUNT.get();
    let result = f();
    (result, COUNT.get() - before)
}

/// Returns the result of `f`, and how many bytes all threads asked for meanwhile.
pub(crate) fn bytes<R>(f: impl FnOnce() -> R) -> (R, u64) {
    ASKED.store(0, Ordering::Relaxed);
    MEASURING.store(true, Ordering::Relaxed);
    let result = f();
    MEASURING.store(false, Ordering::Relaxed);
    (result, ASKED.load(Ordering::Relaxed))
}

/// The result of `f`, and the most bytes that were live at once in all threads beyond those before it.
pub(crate) fn peak<R>(f: impl FnOnce() -> R) -> (R, usize) {
    MEASURING.store(true, Ordering::Relaxed);
    LIVE.store(0, Ordering::Relaxed);
    PEAK.store(0, Ordering::Relaxed);
    let result = f();
    MEASURING.store(false, Ordering::Relaxed);
    (result, PEAK.load(Ordering::Relaxed) as usize)
}
