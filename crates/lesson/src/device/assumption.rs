//! Assumptions of a prediction, and reasons that it has no time, each as a sentence.

use super::occupancy::Resource;
use crate::base::units::si;

/// An assumption of a prediction.
#[derive(Clone, Debug, PartialEq)]
pub enum Assumption {
    /// The compiler's registers are not known from WGSL.
    RegistersDoNotLimit,
    /// A figure of the device is not known, and is assumed not to limit occupancy.
    DoesNotLimit(Resource),
    /// The device keeps its highest clock and its published rates.
    PeakRates,
    /// Full overlap at the low end, the roofline's assumption; no overlap at the high end.
    Overlap,
    /// Compilers remove part of the traced instructions.
    Compiled,
    /// Enough warps hide all memory latency: the device's latencies are not known.
    LatencyHidden,
    /// The latencies of DRAM, L2 and shared memory, in cycles.
    Latency([f64; 3]),
    /// Which atomics are serialized.
    AtomicTurns,
    /// The low end of bytes: each byte that the work needs, once.
    LeastBytes,
    /// The low end of bytes if the work's need is not stated.
    LeastBytesUnknown,
    /// The high end of bytes: every sector of every request.
    EverySector,
    /// The high end of bytes uses the rate that a copy reached, in bytes a second.
    MeasuredCopy(f64),
    /// The device's sector size is not known to be the tracer's.
    TracedSectors,
    /// The low end of arithmetic: the useful FLOPs alone.
    UsefulFlops,
    /// The high end of arithmetic: each traced operation takes an issue slot.
    EveryOperation,
    /// The traced wavefronts are the same on the device.
    EveryWavefront,
    /// Blocks take equally long, and waves do not overlap.
    EqualBlocks,
    /// The trace has warps of a different width from the device's.
    WarpWidth {
        /// Lanes of a traced warp.
        traced: u32,
        /// Lanes of the device's narrowest and widest warp.
        device: (u32, u32),
    },
    /// Seconds of the launches without any work, minimum and maximum, as measured.
    Launch([f64; 2]),
    /// A launch takes no time, because none was measured on the device.
    NoLaunch,
}

impl Assumption {
    /// Its name in JSON.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RegistersDoNotLimit => "registers_do_not_limit",
            Self::DoesNotLimit(_) => "does_not_limit",
            Self::PeakRates => "peak_rates",
            Self::Overlap => "full_overlap",
            Self::Compiled => "compiled",
            Self::LatencyHidden => "latency_hidden",
            Self::Latency(_) => "latency",
            Self::AtomicTurns => "atomic_turns",
            Self::LeastBytes => "least_bytes",
            Self::LeastBytesUnknown => "least_bytes_unknown",
            Self::EverySector => "every_sector",
            Self::MeasuredCopy(_) => "measured_copy",
            Self::TracedSectors => "traced_sectors",
            Self::UsefulFlops => "useful_flops",
            Self::EveryOperation => "every_operation",
            Self::EveryWavefront => "every_wavefront",
            Self::EqualBlocks => "equal_blocks",
            Self::WarpWidth { .. } => "warp_width",
            Self::Launch(_) => "launch",
            Self::NoLaunch => "no_launch",
        }
    }

    #[must_use]
    pub fn sentence(&self) -> String {
        let fixed = match self {
            Self::RegistersDoNotLimit => {
                "How many registers a thread takes is not known before it is compiled for a device: they are assumed not to limit the blocks per SM."
            }
            Self::DoesNotLimit(resource) => {
                let name = resource.name();
                return format!(
                    "The device's figure for {name} is not published: assumed not to limit the blocks per SM."
                );
            }
            Self::PeakRates => "The device keeps its highest clock and its published rates throughout.",
            Self::Overlap => {
                "Low end: everything overlaps, so the slowest decides. High end: nothing overlaps, so the times add up."
            }
            Self::Compiled => {
                "Compilers unroll loops, hoist loads and fold index arithmetic: the instruction counts of the trace are scaled by factors \
                 fitted to recordings on an H200."
            }
            Self::LatencyHidden => {
                "Latency is left out, since none was measured on this device: it takes many warps, or wide accesses, to reach these rates, and \
                 most kernels take longer."
            }
            Self::Latency([dram, l2, shared]) => {
                return format!(
                    "Latency: {dram:.0} cycles for DRAM, {l2:.0} for L2 and {shared:.0} for shared memory, measured on an H100. Low end: a compiler \
                     keeps up to five loads in flight. High end: each wave of blocks has the full latency."
                );
            }
            Self::AtomicTurns => {
                "Atomics within the same 512 bytes are serialized; at the low end the compiler combines lanes of a warp first."
            }
            Self::LeastBytes => {
                "Low end: each byte that the work needs crosses the memory bus once; caches keep the rest."
            }
            Self::LeastBytesUnknown => "How many bytes the work needs at least is not stated, so the low end has none.",
            Self::EverySector => {
                "High end: every traced sector crosses the memory bus, as if no cache held it. DRAM transfers 64 bytes at a time, so each \
                 sector beyond the required bytes counts as 1.9."
            }
            Self::MeasuredCopy(rate) => {
                return format!(
                    "High end: the memory's rate is what a copy reached on the device, {}.",
                    si(*rate, "B/s")
                );
            }
            Self::TracedSectors => "A sector is 32 bytes, as on NVIDIA's devices: this device's own is not published.",
            Self::UsefulFlops => "Low end: only the useful operations count, all fused, at the peak rate.",
            Self::EveryOperation => {
                "High end: idle lanes take instruction slots, too. A packed product of four bytes is one, as DP4A is."
            }
            Self::EveryWavefront => "High end: an SM's shared memory serves one wavefront of 32 banks in a clock.",
            Self::EqualBlocks => {
                "Blocks take equally long and go to SMs in turn; at the high end each wave ends before the next begins."
            }
            Self::WarpWidth { traced, device: (least, most) } => {
                let own = if least == most { format!("{least}") } else { format!("{least} to {most}") };
                return format!("Counted with warps of {traced} lanes, where the device's have {own}.");
            }
            Self::Launch([low, high]) => {
                let (low, high) = (si(*low, "s"), si(*high, "s"));
                let time = if low == high { low } else { format!("{low} to {high}") };
                return format!("The launches alone take {time}, as measured on such a device.");
            }
            Self::NoLaunch => "Launching takes no time: none was measured on this device.",
        };
        fixed.to_owned()
    }
}

/// The reason that a prediction has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The number of SMs.
    Sms,
    /// The highest clock.
    Clock,
    /// 32-bit lanes of an SM.
    Lanes,
    /// Bytes a second from memory.
    Bandwidth,
    /// Wavefronts a clock of shared memory.
    SharedRate,
    /// A block does not fit on an SM.
    DoesNotFit,
    /// The trace was cancelled, or ran out of fuel.
    WholeTrace,
}

impl Missing {
    /// Its name in JSON.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::Clock => "clock",
            Self::Lanes => "lanes",
            Self::Bandwidth => "bandwidth",
            Self::SharedRate => "shared_rate",
            Self::DoesNotFit => "does_not_fit",
            Self::WholeTrace => "whole_trace",
        }
    }

    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Sms => "No time is predicted: how many SMs the device has is not published.",
            Self::Clock => "No time is predicted: the device's clock is not published, or depends on the machine.",
            Self::Lanes => "No time is predicted: how many lanes an SM has is not published.",
            Self::Bandwidth => {
                "No time is predicted: the rate of the device's memory is not published, or depends on the machine."
            }
            Self::SharedRate => "No time is predicted: how fast the device's shared memory serves is not published.",
            Self::DoesNotFit => "No time is predicted: a block of this kernel does not fit on an SM of the device.",
            Self::WholeTrace => "No time is predicted: the trace does not cover the whole grid.",
        }
    }
}
