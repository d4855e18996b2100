//! Per-thread count of the tracer's work: shaders compiled and launches traced.

use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Counts a shader that is compiled or a launch that is traced for the thread that asks for it.
pub(super) fn count() {
    CALLS.with(|calls| calls.set(calls.get() + 1));
}

/// Shaders compiled and launches traced so far for the thread that asks. Neither is ever done for a window's thread, which has frames to
/// draw: `tests/window/frames.rs` holds it to that.
#[must_use]
pub fn of_this_thread() -> u64 {
    CALLS.with(Cell::get)
}
