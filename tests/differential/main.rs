//! Kernels on the tracer and on the graphics driver: both have to compute the same.
//!
//! Random kernels agree bit for bit; operations on floats that WGSL leaves some freedom are in `floats`.
//! `WARPBOOK_DIFFERENTIAL` is how many random kernels run (default 2,000) and `WARPBOOK_SEED` the first one's seed.
//! Without a driver the tracer is compared with itself at another warp width; where `WARPBOOK_REQUIRE_GPU` is set there
//! must be one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accuracy;
mod case;
mod driver;
mod floats;
mod grammar;
mod interval;
mod random;
mod subgroups;
mod supervise;

/// For the software driver, which others do not read: without optimisations LLVM takes half as long, and LLVM 15 does
/// not crash in its register allocation.
const UNOPTIMISED: (&str, &str) = ("GALLIVM_PERF", "nopt");
/// For the same: vectors, and with them subgroups, of 4 lanes. LLVM takes half as long for these as for 8.
const NARROW: (&str, &str) = ("LP_NATIVE_VECTOR_WIDTH", "128");
/// For the same: vectors, and with them subgroups, of 8 lanes, as many as the tracer's smallest warps have.
const WIDE: (&str, &str) = ("LP_NATIVE_VECTOR_WIDTH", "256");
