//! Choosing a device, opening it, and waiting for it without ever blocking forever.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::pipeline::Kernel;
use super::stopwatch::{self, Stopwatch};
use super::unchecked;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Elem;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::builtin_kernels;
use crate::gpu::driver::Guards;
use crate::trace::record::{self, Device, MatrixShape};

/// An open device.
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// Its description and limits.
    pub(super) description: Device,
    /// Every limit, for those that [`Device`] does not carry.
    pub(super) limits: wgpu::Limits,
    /// Seconds that its clock can tell apart; None if it has no clock.
    pub(super) clock_resolution_s: Option<f64>,
    /// Whether its clock can be read around copies and not only around passes.
    pub(super) copy_timestamps: bool,
    trouble: Arc<Mutex<Option<Failure>>>,
    /// The stopwatch that reads its clock: as large as was ever needed.
    watch: RefCell<Option<Rc<Stopwatch>>>,
    /// Kernels that fill memory, by the word that they write.
    fills: RefCell<BTreeMap<u32, Rc<Kernel>>>,
    /// A buffer that all launches declare that they might write, so that they keep their order.
    pub(super) fence: wgpu::Buffer,
}

/// Names the adapter to take, by a part of its name.
const ADAPTER_VARIABLE: &str = "WARPBOOK_ADAPTER";

/// How long one wait lasts before the cancel flag is looked at.
const TICK: Duration = Duration::from_millis(50);

impl Gpu {
    /// Opens the device that `WARPBOOK_ADAPTER` names, or else the fastest kind there is.
    ///
    /// # Errors
    /// When there is none, or its driver refuses.
    pub(super) fn open() -> Result<Self, Diagnostic> {
        let adapter = choose(std::env::var(ADAPTER_VARIABLE).ok().as_deref())?;
        let info = adapter.get_info();
        let wanted = wgpu::Features::TIMESTAMP_QUERY
            | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
            | wgpu::Features::SUBGROUP
            | wgpu::Features::SUBGROUP_BARRIER
            | wgpu::Features::SHADER_FLOAT32_ATOMIC
            | wgpu::Features::SHADER_F16
            | wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX;
        let limits = adapter.limits();
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & wanted,
            required_limits: limits.clone(),
            experimental_features: unchecked::experimental_features(),
            ..Default::default()
        }))
        .map_err(|error| {
            Diagnostic::error(format!("{} cannot be opened: {error}", info.name))
                .hint(format!("update its driver, or choose another device with {ADAPTER_VARIABLE}=part-of-its-name"))
        })?;
        let trouble = Arc::new(Mutex::new(None));
        let note = |trouble: &Arc<Mutex<Option<Failure>>>, message: String| {
            let mut first = trouble.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(Failure { diagnostic: Diagnostic::error(message), fatal: true });
        };
        let (of_errors, of_loss) = (Arc::clone(&trouble), Arc::clone(&trouble));
        device.on_uncaptured_error(Arc::new(move |error| {
            note(&of_errors, format!("the driver failed: {}", cause(&error)))
        }));
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                note(&of_loss, format!("the device was lost: {message}"));
            }
        });
        let features = device.features();
        let fence = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("fence"),
            size: 16,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let mut gpu = Self {
            description: describe(&adapter, &limits, features),
            limits,
            clock_resolution_s: None,
            copy_timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
            device,
            queue,
            trouble,
            watch: RefCell::default(),
            fills: RefCell::default(),
            fence,
        };
        if gpu.description.timestamps {
            gpu.clock_resolution_s = stopwatch::resolution(&gpu).map_err(|failure| failure.diagnostic)?;
            // A clock that does not tick is none.
            gpu.description.timestamps = gpu.clock_resolution_s.is_some();
        }
        Ok(gpu)
    }

    /// The stopwatch that reads the clock for `marks` marks.
    pub(super) fn watch(&self, marks: usize) -> Result<Rc<Stopwatch>, Failure> {
        let mut slot = self.watch.borrow_mut();
        match &*slot {
            Some(watch) if watch.marks >= marks => Ok(Rc::clone(watch)),
            _ => Ok(Rc::clone(
                slot.insert(Rc::new(Stopwatch::new(self, marks.next_power_of_two().clamp(2, stopwatch::MOST))?)),
            )),
        }
    }

    /// The kernel that fills memory with `word`, compiled at the first call.
    pub(super) fn filler(&self, word: u32) -> Result<Rc<Kernel>, Failure> {
        if let Some(known) = self.fills.borrow().get(&word) {
            return Ok(Rc::clone(known));
        }
        let kernel =
            Rc::new(Kernel::compile(self, &builtin_kernels::fill(word), Guards { indices: false, loops: false })?);
        self.fills.borrow_mut().insert(word, Rc::clone(&kernel));
        Ok(kernel)
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Waits for a submission.
    ///
    /// # Errors
    /// When the device fails, or the wait is cancelled: then the device is still at work, and unusable.
    pub(super) fn wait(&self, index: &wgpu::SubmissionIndex, sink: &dyn Sink) -> Result<(), Failure> {
        loop {
            let wait = wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: Some(TICK) };
            match self.device.poll(wait) {
                Ok(_) => return self.health(),
                Err(wgpu::PollError::Timeout) if sink.cancelled() => return Err(Failure::cancelled(true)),
                Err(wgpu::PollError::Timeout) => self.health()?,
                Err(error) => {
                    self.health()?;
                    let diagnostic = Diagnostic::error(format!("the device cannot be waited for: {error}"));
                    return Err(Failure { diagnostic, fatal: true });
                }
            }
        }
    }

    /// The first error that no scope caught.
    pub(super) fn health(&self) -> Result<(), Failure> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone().map_or(Ok(()), Err)
    }

    /// Calls `f`, catching the driver's errors: wgpu reports them beside the result.
    pub(super) fn scoped<T>(&self, f: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
        let scopes = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation]
            .map(|filter| self.device.push_error_scope(filter));
        let result = f();
        let mut first = None;
        // The last one pushed is popped first.
        for scope in scopes.into_iter().rev() {
            first = pollster::block_on(scope.pop()).or(first);
        }
        first.map_or(Ok(result), Err)
    }

    /// A buffer that the host can read.
    pub(super) fn readable(&self, bytes: u64) -> Result<wgpu::Buffer, Failure> {
        let descriptor = wgpu::BufferDescriptor {
            label: Some("staging"),
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        self.scoped(|| self.device.create_buffer(&descriptor))
            .map_err(|error| Diagnostic::error(format!("no memory to read results back: {}", cause(&error))).into())
    }

    /// Waits for a submission, and shows `read` the first `bytes` of `staging`.
    pub(super) fn mapped(
        &self,
        submission: &wgpu::SubmissionIndex,
        staging: &wgpu::Buffer,
        bytes: u64,
        sink: &dyn Sink,
        read: impl FnOnce(&[u8]),
    ) -> Result<(), Failure> {
        let slice = staging.slice(..bytes);
        // Whether it worked shows below: an unmapped range cannot be got.
        slice.map_async(wgpu::MapMode::Read, |_| ());
        self.wait(submission, sink)?;
        {
            let view = slice.get_mapped_range().map_err(|error| Failure {
                diagnostic: Diagnostic::error(format!("results cannot be read back: {error}")),
                fatal: true,
            })?;
            read(&view);
        }
        staging.unmap();
        Ok(())
    }
}

/// The innermost cause of an error: the outer ones only name the call.
pub(super) fn cause(error: &wgpu::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string().trim().to_owned()
}

fn describe(adapter: &wgpu::Adapter, limits: &wgpu::Limits, features: wgpu::Features) -> Device {
    let info = adapter.get_info();
    Device {
        backend: record::Backend::Wgpu,
        name: info.name.clone(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        api: format!("{:?}", info.backend),
        software: info.device_type == wgpu::DeviceType::Cpu,
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        subgroup: [info.subgroup_min_size, info.subgroup_max_size],
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_buffer_bytes: limits.max_buffer_size,
        max_workgroup_invocations: limits.max_compute_invocations_per_workgroup,
        max_workgroup_size: [
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ],
        max_grid: [limits.max_compute_workgroups_per_dimension; 3],
        max_shared_bytes: limits.max_compute_workgroup_storage_size,
        f16: features.contains(wgpu::Features::SHADER_F16),
        cooperative: if features.contains(wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX) {
            adapter.cooperative_matrix_properties().iter().map(shape).collect()
        } else {
            Vec::new()
        },
    }
}

/// A shape of cooperative matrices, as the driver offers it.
fn shape(offered: &wgpu::wgt::CooperativeMatrixProperties) -> MatrixShape {
    let elem = |scalar| match scalar {
        wgpu::wgt::CooperativeScalarType::F32 => Elem::F32,
        wgpu::wgt::CooperativeScalarType::F16 => Elem::F16,
        wgpu::wgt::CooperativeScalarType::I32 => Elem::I32,
        wgpu::wgt::CooperativeScalarType::U32 => Elem::U32,
    };
    MatrixShape {
        m: offered.m_size,
        n: offered.n_size,
        k: offered.k_size,
        factors: elem(offered.ab_type),
        sum: elem(offered.cr_type),
    }
}

/// The adapter whose name contains `wanted`, or the best by [`rank`].
fn choose(wanted: Option<&str>) -> Result<wgpu::Adapter, Diagnostic> {
    // Validation layers, where installed, would slow down what is to be measured.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    if adapters.is_empty() {
        adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::SECONDARY));
    }
    adapters.retain(|a| a.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS));
    let names: Vec<String> = adapters.iter().map(|a| a.get_info().name).collect();
    if names.is_empty() {
        return Err(Diagnostic::error("no graphics driver was found that can compute").hint(
            "install a Vulkan loader and driver (on Debian: libvulkan1, and mesa-vulkan-drivers or the GPU vendor's driver); \
             until then everything is traced and nothing is measured",
        )
        .not_here());
    }
    if let Some(part) = wanted {
        let part = part.to_lowercase();
        adapters.retain(|a| a.get_info().name.to_lowercase().contains(&part));
    }
    adapters.into_iter().min_by_key(|a| rank(&a.get_info())).ok_or_else(|| {
        Diagnostic::error(format!("no device's name contains `{}`", wanted.unwrap_or_default()))
            .hint(format!("set {ADAPTER_VARIABLE} to a part of one of these: {}", names.join(", ")))
    })
}

/// Lower is better: GPUs with memory of their own first, software last.
fn rank(info: &wgpu::AdapterInfo) -> u8 {
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}
