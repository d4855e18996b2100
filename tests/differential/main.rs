//! Kernels on the tracer and on the graphics driver: both have to compute the same.
//!
//! Random kernels agree bit for bit; operations on floats that WGSL leaves some freedom stand by themselves in `floats`.
//! `WARPBOOK_DIFFERENTIAL` is how many random kernels run (default 2,000) and `WARPBOOK_SEED` the first one's seed. Without a driver
//! the tracer is compared with itself at another warp width; where `WARPBOOK_REQUIRE_GPU` is set there must be one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accuracy;
mod case;
mod driver;
mod floats;
mod grammar;
mod interval;
mod random;
mod supervise;

/// For the software driver, which others do not read: half the width of its vectors halves the time that LLVM takes, and without
/// optimisations LLVM 15 does not crash in its register allocation.
const ENVIRONMENT: [(&str, &str); 2] = [("GALLIVM_PERF", "nopt"), ("LP_NATIVE_VECTOR_WIDTH", "128")];
