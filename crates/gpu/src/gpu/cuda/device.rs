//! Choosing a device, opening it, and waiting for it without ever blocking forever.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use super::cublas::Cublas;
use super::driver::{self, Attribute, Context, Event};
use super::error::failure;
use super::occupancy::Multiprocessor;
use super::probe;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Elem;
use crate::gpu::backend::{Failure, Sink};
use crate::trace::record::{self, Device, MatrixShape};

/// Names the device to take: its number, or a part of its name.
const DEVICE_VARIABLE: &str = "WARPBOOK_CUDA_DEVICE";

/// For this long a wait asks without pause, so that short work is noticed at once.
const EAGER: Duration = Duration::from_millis(2);

/// The pause between two looks at longer work.
const TICK: Duration = Duration::from_micros(200);

/// The finest step that the documentation promises of an event's clock, in seconds.
const CLOCK_STEP_S: f64 = 0.5e-6;

/// An open device.
pub(super) struct Gpu {
    /// Opened when a library's product is first wanted.
    pub(super) cublas: OnceCell<Cublas>,
    pub(super) context: Context,
    /// Its description and limits.
    pub(super) description: Device,
    /// Its compute capability as a number, such as 90.
    pub(super) architecture: i32,
    /// The resources of each of its multiprocessors.
    pub(super) multiprocessor: Multiprocessor,
    /// How many of them it has.
    pub(super) multiprocessors: u32,
    /// Shared memory that a launch can give a workgroup, in bytes.
    pub(super) max_given_shared: u32,
    /// Seconds that its clock cannot tell apart, or that reading it takes.
    pub(super) clock_resolution_s: f64,
}

impl Gpu {
    /// Opens the device that `which` or else the environment names, by number or a part of its name; the first where
    /// nothing does.
    ///
    /// # Errors
    /// When there is no driver, no device, or it may not be used.
    pub(super) fn open(which: Option<&str>) -> Result<Self, Failure> {
        probe::require_driver()?;
        let names = probe::devices().map_err(|code| failure("the device", code))?;
        let from_environment = std::env::var(DEVICE_VARIABLE).ok();
        let ordinal = choose(&names, which.or(from_environment.as_deref()))?;
        Self::open_ordinal(ordinal).map_err(|code| failure(&names[ordinal], code))
    }

    /// Opens the device of a rank: the one with its number among the ranks of its host, from the first one again if
    /// there are fewer devices.
    ///
    /// # Errors
    /// When there is no driver, no device, or it may not be used.
    pub(super) fn of_rank(local: usize) -> Result<Self, Failure> {
        probe::require_driver()?;
        let names = probe::devices().map_err(|code| failure("the device", code))?;
        let ordinal = local.checked_rem(names.len());
        let ordinal = ordinal.ok_or_else(|| Diagnostic::error("the CUDA driver sees no device"))?;
        Self::open_ordinal(ordinal).map_err(|code| failure(&names[ordinal], code))
    }

    fn open_ordinal(ordinal: usize) -> driver::Outcome<Self> {
        let ordinal = i32::try_from(ordinal).unwrap_or(i32::MAX);
        let context = Context::open(ordinal)?;
        let [major, minor] = [
            Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        ]
        .map(|attribute| context.attribute(attribute));
        let architecture = i32::try_from(major? * 10 + minor?).unwrap_or(0);
        let multiprocessor = Multiprocessor {
            threads: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            blocks: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            registers: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
            shared_bytes: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
            reserved_shared_bytes: context
                .attribute(Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)
                .unwrap_or(0),
        };
        let description = describe(&context, ordinal, architecture)?;
        let clock_resolution_s = clock_resolution(&context)?;
        let multiprocessors = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let max_given_shared = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        Ok(Self {
            cublas: OnceCell::new(),
            context,
            description,
            architecture,
            multiprocessor,
            multiprocessors,
            max_given_shared,
            clock_resolution_s,
        })
    }

    /// Waits for the work before `event`.
    ///
    /// # Errors
    /// When the device fails, or the wait is cancelled: then the device is still at work, and unusable.
    pub(super) fn wait(
        &self,
        event: &Event,
        sink: &dyn Sink,
        explain: impl Fn(driver::Code) -> Failure,
    ) -> Result<(), Failure> {
        let start = Instant::now();
        while !event.is_over().map_err(&explain)? {
            if start.elapsed() < EAGER {
                std::hint::spin_loop();
            } else if sink.cancelled() {
                return Err(Failure::cancelled(true));
            } else {
                std::thread::sleep(TICK);
            }
        }
        Ok(())
    }
}

/// The number of the device that `wanted` names.
fn choose(names: &[String], wanted: Option<&str>) -> Result<usize, Diagnostic> {
    let wanted = wanted.map(str::trim).filter(|wanted| !wanted.is_empty());
    let found = match (wanted, wanted.map(str::parse::<usize>)) {
        (None, _) => Some(0),
        (_, Some(Ok(number))) => Some(number),
        (Some(part), _) => names.iter().position(|name| name.to_lowercase().contains(&part.to_lowercase())),
    };
    found.filter(|&number| number < names.len()).ok_or_else(|| {
        let there: Vec<String> = names.iter().enumerate().map(|(i, name)| format!("{i} {name}")).collect();
        match wanted {
            _ if names.is_empty() => Diagnostic::error("the CUDA driver sees no device")
                .hint("look whether CUDA_VISIBLE_DEVICES hides it; or use --backend wgpu or --backend simt"),
            wanted => Diagnostic::error(format!("there is no CUDA device `{}`", wanted.unwrap_or("0"))).hint(format!(
                "set {DEVICE_VARIABLE} to a number or a part of a name; there are: {}",
                there.join(", ")
            )),
        }
    })
}

fn describe(context: &Context, ordinal: i32, architecture: i32) -> driver::Outcome<Device> {
    use Attribute as A;
    let of = |attributes: [Attribute; 3]| -> driver::Outcome<[u32; 3]> {
        let [x, y, z] = attributes.map(|attribute| context.attribute(attribute));
        Ok([x?, y?, z?])
    };
    let grid = of([
        A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
        A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
        A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
    ])?;
    let warp = context.attribute(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?;
    let memory = context.total_memory()?;
    let [major, minor] = driver::version()?;
    Ok(Device {
        backend: record::Backend::Cuda,
        name: driver::device_name(ordinal)?,
        driver: driver_name(),
        api: format!("CUDA {major}.{minor}, sm_{architecture}"),
        software: false,
        timestamps: true,
        subgroup: [warp, warp],
        max_binding_bytes: memory,
        max_buffer_bytes: memory,
        max_workgroup_invocations: context.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_workgroup_size: of([
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
        ])?,
        max_grid: grid,
        max_shared_bytes: context.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        f16: true,
        cooperative: tensor_cores(architecture),
    })
}

/// Shapes for the twin of a kernel with cooperative matrices: CUDA's `wmma` fragments, which GPUs have from compute
/// capability 7.0 on.
fn tensor_cores(architecture: i32) -> Vec<MatrixShape> {
    let sums = if architecture >= 70 { vec![Elem::F32, Elem::F16] } else { Vec::new() };
    sums.into_iter().map(|sum| MatrixShape { m: 16, n: 16, k: 16, factors: Elem::F16, sum }).collect()
}

/// The driver's own version where the system shows it; CUDA's interface does not.
fn driver_name() -> String {
    let version = std::fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    format!("NVIDIA {}", version.trim()).trim_end().to_owned()
}

/// Seconds that pass by the device's clock between two readings with nothing between them: the least of some.
fn clock_resolution(context: &Context) -> driver::Outcome<f64> {
    let (start, end) = (Event::new(context)?, Event::new(context)?);
    let mut least = f64::INFINITY;
    for _ in 0..16 {
        start.record()?;
        end.record()?;
        while !end.is_over()? {
            std::hint::spin_loop();
        }
        least = least.min(end.seconds_since(&start)?);
    }
    Ok(least.max(CLOCK_STEP_S))
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn devices_go_by_number_or_name() {
        let two = ["NVIDIA H100 80GB HBM3".to_owned(), "NVIDIA L4".to_owned()];
        assert_eq!(choose(&two, None), Ok(0));
        assert_eq!(choose(&two, Some("1")), Ok(1));
        assert_eq!(choose(&two, Some("l4")), Ok(1));
        let missing = choose(&two, Some("2")).err().map(|d| d.to_string()).unwrap_or_default();
        assert!(missing.contains("no CUDA device `2`") && missing.contains("1 NVIDIA L4"), "{missing}");
        assert!(choose(&two, Some("A100")).is_err());
        assert!(choose(&[], None).is_err_and(|d| d.message.contains("sees no device")));
    }
}
