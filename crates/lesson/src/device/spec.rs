//! A device's published figures: `assets/devices/*.ron`, one file a device, each figure with its source.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::base::diag::Diagnostic;
use crate::base::versioned::Versioned;

/// The format version of a device's file that this program reads.
pub const FORMAT_VERSION: u32 = 1;

/// A figure and the key of its source.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Sourced<T>(pub T, pub String);

/// Known figures of a device. "SM" means what its vendor calls a streaming multiprocessor, a core or a subslice, and
/// "warp" the lanes that it runs in lockstep.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSpec {
    /// The file's name without its ending.
    pub id: String,
    /// Its full name.
    pub name: String,
    /// A short name for narrow places.
    pub short: String,
    /// The names that drivers report for it.
    pub adapters: Vec<String>,
    /// Sources by key: document, section, address.
    pub sources: BTreeMap<String, String>,
    /// Notes for readers of the figures.
    pub notes: Vec<String>,
    /// The figures. A figure without a source is absent.
    pub figures: Figures,
}

/// A device's file, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "format_version")]
    _format_version: u32,
    name: String,
    short: String,
    adapters: Vec<String>,
    sources: BTreeMap<String, String>,
    #[serde(default)]
    notes: Vec<String>,
    figures: Figures,
}

/// The expected version of a device's file.
const FILE: Versioned = Versioned {
    what: "device",
    version: FORMAT_VERSION,
    unreadable: "compare with the built-in ones, in assets/devices/",
    other_version: "use the program that it was written for",
};

/// Declares the figures once: as fields, and as a list for validation.
macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident: $kind:ty,)*) => {
        /// A device's figures, with units in their names. A figure without a source is absent.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Figures {
            $($(#[$doc])* pub $name: Option<Sourced<$kind>>,)*
        }

        impl Figures {
            /// Each figure that is present: its name, its source's key, and whether its value is valid.
            fn each(&self) -> Vec<(&'static str, &str, bool)> {
                let mut all = Vec::new();
                $(if let Some(Sourced(value, source)) = &self.$name {
                    all.push((stringify!($name), source.as_str(), value.is_sound()));
                })*
                all
            }

            /// Each figure that is a single number: its name, the number, and its source's key.
            #[must_use]
            pub fn numbers(&self) -> Vec<(&'static str, f64, &str)> {
                let mut all = Vec::new();
                $(if let Some(Sourced(value, source)) = &self.$name {
                    all.extend(value.number().map(|number| (stringify!($name), number, source.as_str())));
                })*
                all
            }

            $($(#[$doc])* #[must_use] pub fn $name(&self) -> Option<$kind> {
                self.$name.as_ref().map(|figure| figure.0)
            })*
        }
    };
}

figures! {
    /// The number of SMs.
    sms: u32,
    /// The widths of the narrowest and the widest warp.
    warp_lanes: (u32, u32),
    /// 32-bit floating-point lanes of an SM: fused multiply-adds it can start in a clock.
    fp32_lanes_per_sm: u32,
    /// The highest advertised clock, in Hz.
    boost_clock_hz: f64,
    /// Lanes of a block, at most.
    max_threads_per_block: u32,
    /// Lanes that an SM holds at once, at most.
    max_threads_per_sm: u32,
    /// Warps that an SM holds at once, at most.
    max_warps_per_sm: u32,
    /// Blocks that an SM holds at once, at most.
    max_blocks_per_sm: u32,
    /// 32-bit registers of an SM.
    registers_per_sm: u32,
    /// Partitions of an SM's registers; all registers of a warp are in one.
    register_partitions_per_sm: u32,
    /// 32-bit registers of a block, at most.
    max_registers_per_block: u32,
    /// 32-bit registers of a lane, at most.
    max_registers_per_thread: u32,
    /// The unit in which registers are allocated to a warp.
    register_allocation: u32,
    /// Shared memory of an SM that blocks can have, in bytes.
    shared_bytes_per_sm: u32,
    /// Shared memory of a block, at most, in bytes.
    max_shared_bytes_per_block: u32,
    /// The unit in which shared memory is allocated to a block, in bytes.
    shared_allocation_bytes: u32,
    /// Shared memory that the system reserves in each block, in bytes.
    shared_reserved_bytes_per_block: u32,
    /// Bytes of an SM that its L1 cache and shared memory take together.
    l1_bytes_per_sm: u32,
    /// Wavefronts of 32 banks that an SM's shared memory serves in a clock.
    shared_wavefronts_per_clock_per_sm: u32,
    /// The last-level cache, in bytes.
    l2_bytes: u64,
    /// The device's memory, in bytes.
    dram_bytes: u64,
    /// Bytes a second between the device and its memory.
    dram_bytes_per_s: f64,
    /// Bytes read and written a second by the best copy that was measured on such a device.
    copied_bytes_per_s: f64,
    /// Seconds from one empty launch to the next in a CUDA graph, measured on such a device.
    empty_launch_s: f64,
    /// Seconds from one empty launch to the next if the host launches them one by one, measured on such a device.
    host_launch_s: f64,
    /// Seconds that a launch through Vulkan adds: among other launches of a program, and alone.
    vulkan_launch_s: (f64, f64),
    /// Block starts in a second.
    block_starts_per_s: f64,
    /// Serialized atomics in a second.
    atomic_turns_per_s: f64,
    /// Latency of a load from memory until its value can be used, in cycles.
    dram_latency_cycles: f64,
    /// The same from the L2 cache.
    l2_latency_cycles: f64,
    /// The same from shared memory.
    shared_latency_cycles: f64,
    /// The smallest transfer between memory and L2, in bytes.
    sector_bytes: u32,
    /// Dense 32-bit floating-point operations a second, two for a fused multiply-add, without matrix units.
    fp32_flops_per_s: f64,
    /// Dense operations a second of matrix units on 16-bit factors with 32-bit sums, two for a fused multiply-add.
    matrix_flops_per_s: f64,
    /// Results of special functions, such as exponentials, that an SM gives in a clock.
    special_results_per_clock_per_sm: u32,
}

/// A figure's value: a positive, finite number, or two.
trait Sound {
    fn is_sound(&self) -> bool;

    /// The value, if it is one number.
    fn number(&self) -> Option<f64>;
}

impl Sound for u32 {
    fn is_sound(&self) -> bool {
        // More than any machine has, and small enough that products do not overflow.
        (1..=1 << 24).contains(self)
    }

    fn number(&self) -> Option<f64> {
        Some(f64::from(*self))
    }
}

impl Sound for u64 {
    fn is_sound(&self) -> bool {
        *self > 0
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes of a memory stay below 2^53")]
    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Sound for f64 {
    fn is_sound(&self) -> bool {
        self.is_finite() && *self > 0.0
    }

    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Sound for (f64, f64) {
    fn is_sound(&self) -> bool {
        self.0.is_sound() && self.1.is_sound() && self.0 <= self.1
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

impl Sound for (u32, u32) {
    fn is_sound(&self) -> bool {
        self.0 > 0 && self.0 <= self.1 && self.1 <= 1 << 10
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

impl DeviceSpec {
    /// Whether the name `adapter`, from a driver, is this device's.
    #[must_use]
    pub fn is_adapter(&self, adapter: &str) -> bool {
        self.adapters.iter().any(|known| known.eq_ignore_ascii_case(adapter.trim()))
    }
}

/// Parses a device's file; `id` is the device's id.
///
/// # Errors
/// The first mistake, at its line and column: RON that cannot be parsed, an unknown version or field, an invalid
/// figure, or a source that is not listed.
pub fn read(id: &str, file: &str, text: &str) -> Result<DeviceSpec, Diagnostic> {
    let mistake = |needle: &str, message: String, hint: &str| {
        let offset = text.find(needle).unwrap_or(0);
        Diagnostic::error(message).at(file, text, &(offset..offset)).hint(hint)
    };
    let document: Document = FILE.read(file, text)?;
    for (name, source, sound) in document.figures.each() {
        if !sound {
            let message = format!("`{name}` has to be a positive number");
            return Err(mistake(name, message, "leave out a figure that is not known"));
        }
        if !document.sources.contains_key(source) {
            let message = format!("`{name}` names the source `{source}`, which is not listed");
            return Err(mistake(name, message, "add it to `sources`: document, section, address"));
        }
    }
    Ok(DeviceSpec {
        id: id.to_owned(),
        name: document.name,
        short: document.short,
        adapters: document.adapters,
        sources: document.sources,
        notes: document.notes,
        figures: document.figures,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn built_in() -> Vec<DeviceSpec> {
        macro_rules! files {
            ($($id:literal),*) => {
                [$(($id, include_str!(concat!("../../../../assets/devices/", $id, ".ron")))),*]
            };
        }
        let files = files!["h100-sxm", "h200-sxm", "a100-sxm-80gb", "rtx-4090", "apple-m2", "iris-xe-96"];
        files.into_iter().map(|(id, text)| read(id, id, text).unwrap_or_else(|problem| panic!("{problem}"))).collect()
    }

    /// One of the built-in devices.
    pub fn device(id: &str) -> DeviceSpec {
        built_in().into_iter().find(|spec| spec.id == id).unwrap_or_else(|| panic!("there is no {id}"))
    }

    #[test]
    fn figures_agree_with_each_other() {
        for spec in built_in() {
            let f = &spec.figures;
            if let (Some(flops), Some(sms), Some(lanes), Some(clock)) =
                (f.fp32_flops_per_s(), f.sms(), f.fp32_lanes_per_sm(), f.boost_clock_hz())
            {
                // Published peaks are this product, rounded to three digits.
                let product = 2.0 * f64::from(sms) * f64::from(lanes) * clock;
                assert!((flops / product - 1.0).abs() < 0.005, "{}: {flops:e} against {product:e}", spec.id);
            }
            if let (Some(threads), Some(warps), Some((_, widest))) =
                (f.max_threads_per_sm(), f.max_warps_per_sm(), f.warp_lanes())
            {
                assert_eq!(threads, warps * widest, "{}", spec.id);
            }
            if let (Some(sm), Some(block), Some(reserved)) =
                (f.shared_bytes_per_sm(), f.max_shared_bytes_per_block(), f.shared_reserved_bytes_per_block())
            {
                assert_eq!(sm, block + reserved, "{}", spec.id);
            }
            assert!(spec.sources.values().all(|s| s.contains("http") || s.contains("driver")), "{}", spec.id);
            let cited: Vec<&str> = f.each().into_iter().map(|(_, source, _)| source).collect();
            assert!(
                spec.sources.keys().all(|key| cited.contains(&key.as_str())),
                "{} lists a source that is not cited",
                spec.id
            );
            assert!(!spec.adapters.is_empty() && spec.is_adapter(&spec.adapters[0].to_uppercase()));
        }
    }

    #[test]
    fn a_figure_beyond_any_machine_is_refused_where_it_stands() {
        let text = "(format_version: 1, name: \"Big\", short: \"Big\", adapters: [], sources: {\"x\": \"x\"}, notes: [],\n\
            figures: (sms: (4, \"x\"), max_blocks_per_sm: (4294967295, \"x\")))";
        let problem = read("big", "big.ron", text).err().map(|problem| problem.to_string()).unwrap_or_default();
        assert!(problem.contains("max_blocks_per_sm"), "{problem}");
    }

    #[test]
    fn mistakes_are_told_at_their_places() {
        let good = "(\n  format_version: 1, name: \"N\", short: \"N\", adapters: [],\n  sources: {\"a\": \"b\"},\n  \
                    figures: (sms: (4, \"a\")),\n)";
        let found = |from: &str, to: &str| {
            assert!(good.contains(from));
            read("x", "x.ron", &good.replace(from, to)).err().map(|d| d.to_string()).unwrap_or_default()
        };
        assert_eq!(read("x", "x.ron", good).map(|spec| spec.figures.sms()), Ok(Some(4)));
        assert!(found("version: 1", "version: 2").starts_with("x.ron:2:3: error: this device has format 2"));
        assert!(found("(4, \"a\")", "(0, \"a\")").starts_with("x.ron:4:13: error: `sms` has to be a positive number"));
        assert!(found("(4, \"a\")", "(4, \"c\")").starts_with("x.ron:4:13: error: `sms` names the source `c`"));
        assert!(found("sms:", "smss:").contains("x.ron:4:"), "{}", found("sms:", "smss:"));
        assert!(found("adapters: [],", "adapters: [").contains("x.ron:"), "{}", found("adapters: [],", "adapters: ["));
        assert!(found("(4, \"a\")", "4").contains("x.ron:4:"));
    }
}
