//! Counts looks at the board in builds with debug assertions: there a test holds the work of a swap against the
//! size of the board. Other builds count nothing.

#[cfg(debug_assertions)]
thread_local! {
    static LOOKS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts `looks`.
#[inline]
pub(super) fn add(looks: u64) {
    #[cfg(debug_assertions)]
    LOOKS.set(LOOKS.get() + looks);
    #[cfg(not(debug_assertions))]
    let _ = looks;
}

/// The looks that this thread has had so far.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub fn work() -> u64 {
    LOOKS.get()
}
