//! Per-thread count of the tracer's work: shaders compiled and launches traced.

use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Counts a shader that is compiled or a launch that is traced for the thread that asks for it.
pub(super) fn count() {
    CALLS.with(|calls| calls.set(calls.get() + 1));
}

/// Shaders compiled and launches traced so far on this thread. On a window's thread both stay 0 (a test: `tests/window/frames.rs`).
#[must_use]
pub fn of_this_thread() -> u64 {
    CALLS.with(Cell::get)
}
