//! Barriers of some warps: those in shared memory, and those with a number.

/// An operation on a barrier in shared memory. Its address is in the first register of `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It begins, for as many arrivals as `b` says.
    Init,
    /// It ends.
    Invalidate,
    /// `b` arrive, and `c` bytes are expected, if there is a `c`; `d` gets the phase. Those that drop do not come again.
    Arrive { drops: bool },
    /// `b` bytes are expected.
    Expect,
    /// `b` bytes have come.
    Complete,
    /// Whether a phase is complete, by its parity in `b` or its number, to `d`. One that `waits` is asked again until it is.
    Test { parity: bool, waits: bool },
}

/// Where the numbers of numbered barriers begin among those of all barriers: shared memory has fewer bytes.
pub const NAMED: u32 = 1 << 31;
