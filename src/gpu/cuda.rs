//! A device reached through CUDA: it runs the kernels' twins in CUDA C++. Optional at run time: its libraries are loaded when they
//! are first needed, and where they are missing that is said.
//!
//! CUDA guards no array index: whether bounds checks are asked for makes no difference here.

mod awake;
mod buffers;
mod ceilings;
mod compile;
mod constants;
mod cublas;
mod device;
mod driver;
mod error;
mod launch;
mod library;
mod log;
mod maps;
mod nvrtc;
mod occupancy;
mod probe;

use std::panic::{AssertUnwindSafe, catch_unwind};

use self::awake::Awake;
use self::buffers::Residents;
use self::compile::Image;
use self::cublas::{Cublas, Matrix};
use self::device::{Gpu, cancelled};
use self::driver::{Arguments, Event as Clock, Function, FunctionAttribute, Outcome};
use self::error::of_kernel;
use self::launch::{Launches, Pacing, Work};
use super::backend::{Backend, Event, Failure, Part, Quiet, Sink};
use super::limits;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::job::{CheckSpec, CudaLaunch, Job, MeasureSpec};
use crate::measure::{sampling, warnings};
use crate::reference;
use crate::trace::record::{self, Ceilings, Check, Compiled, Device, Record, Timing, Warning};

/// The device, as soon as something needs one, and what was found out about it.
pub(super) struct CudaBackend {
    /// The device asked for: its number, or a part of its name.
    which: Option<String>,
    // Fields are dropped in this order: the load goes before its device.
    /// Prepared when something is first measured.
    awake: Option<Awake>,
    /// Opened when a library's product is first wanted.
    cublas: Option<Cublas>,
    gpu: Option<Gpu>,
    /// As far as they were measured.
    ceilings: Ceilings,
}

impl CudaBackend {
    /// A backend that opens nothing yet.
    pub(super) fn new(which: Option<String>) -> Self {
        Self { which, awake: None, cublas: None, gpu: None, ceilings: Ceilings::default() }
    }

    fn run_guarded(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure> {
        let gpu = open(&mut self.gpu, self.which.as_deref())?;
        if let Some(diagnostic) = limits::check(job, &gpu.description).into_iter().next() {
            return Err(diagnostic.into());
        }
        let (mut prepared, inputs) = Prepared::new(gpu, job, sink)?;
        prepared.run_once(Work::Kernel, sink)?;
        let mut record = Record {
            kernel: job.kernel.clone(),
            backend: record::Backend::Cuda,
            check: prepared.check(&inputs, sink)?,
            timing: None,
            trace: None,
            timeline: None,
            heat: None,
            compiled: Some(prepared.compiled()?),
            library: None,
            warnings: Vec::new(),
        };
        let Some(spec) = job.measure.as_ref().filter(|_| record.trusted()) else { return Ok(record) };
        let awake = awake(&mut self.awake, gpu, sink)?;
        if self.ceilings.launch_s.is_none() {
            self.ceilings.launch_s = Some(ceilings::launch(gpu, awake, &mut Quiet(sink))?);
        }
        let (timing, slow) = prepared.time(spec, Work::Kernel, awake, sink)?;
        record.warnings.extend(slow);
        let around = warnings::Circumstances {
            device: &gpu.description,
            ceilings: &self.ceilings,
            spec,
            footprint_bytes: job.buffers.iter().map(crate::job::BufferSpec::bytes).sum(),
            bounds_checks: false,
        };
        record.warnings.extend(warnings::of(&timing, &around));
        record.timing = Some(timing);
        match prepared.library(&inputs, spec, &mut self.cublas, awake, sink) {
            Ok(run) => record.library = run,
            // The kernel's own result stands.
            Err(failure) if !failure.fatal && !sink.cancelled() => record.warnings.push(library::missing(failure)),
            Err(failure) => return Err(failure),
        }
        Ok(record)
    }
}

impl Backend for CudaBackend {
    fn describe(&mut self) -> Result<Device, Failure> {
        guarded(|| {
            // Nothing could be run without a compiler, so that a device without one is none.
            probe::require_driver()?;
            probe::require_nvrtc()?;
            Ok(open(&mut self.gpu, self.which.as_deref())?.description.clone())
        })
    }

    fn parts(&mut self) -> Vec<Part> {
        guarded(|| Ok(probe::parts())).unwrap_or_default()
    }

    fn compile(&mut self, job: &Job) -> Result<Vec<Diagnostic>, Failure> {
        guarded(|| Ok(compile::compile(job, None)?.warnings))
    }

    fn ceilings(&mut self, sink: &mut dyn Sink) -> Result<Ceilings, Failure> {
        guarded(|| {
            let gpu = open(&mut self.gpu, self.which.as_deref())?;
            self.ceilings = ceilings::measure(gpu, awake(&mut self.awake, gpu, sink)?, sink)?;
            Ok(self.ceilings)
        })
    }

    fn run(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure> {
        guarded(|| self.run_guarded(job, sink))
    }
}

/// Calls `f`. The bindings panic where a library lacks a function, which is a driver too old and no defect of the program.
fn guarded<T>(f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let message = format!("CUDA's libraries cannot be used: {}", said.unwrap_or("no reason is known"));
        let diagnostic =
            Diagnostic::error(message).hint("update NVIDIA's driver and the CUDA toolkit to 12.0 or later");
        Err(Failure { diagnostic, fatal: true })
    })
}

/// The device, opened at the first call that succeeds.
fn open<'a>(slot: &'a mut Option<Gpu>, which: Option<&str>) -> Result<&'a Gpu, Failure> {
    let gpu = match slot.take() {
        Some(gpu) => gpu,
        None => Gpu::open(which)?,
    };
    Ok(slot.insert(gpu))
}

/// What keeps the device awake, prepared at the first call that succeeds.
fn awake<'a>(slot: &'a mut Option<Awake>, gpu: &Gpu, sink: &mut dyn Sink) -> Result<&'a mut Awake, Failure> {
    let awake = match slot.take() {
        Some(awake) => awake,
        None => {
            stage(sink, "waking the device")?;
            Awake::new(gpu, sink)?
        }
    };
    Ok(slot.insert(awake))
}

/// Announces a stage, unless the result is no longer wanted.
fn stage(sink: &mut dyn Sink, what: &str) -> Result<(), Failure> {
    if sink.cancelled() {
        return Err(cancelled(false));
    }
    sink.event(Event::Stage(what.to_owned()));
    Ok(())
}

/// A compiled kernel, and how it is launched.
struct Kernel {
    function: Function,
    /// Lanes of a workgroup.
    size: [u32; 3],
    /// Shared memory that the launch gives a workgroup, in bytes.
    shared_bytes: u32,
    /// Workgroups.
    grid: [u32; 3],
}

impl Kernel {
    /// Loads a job's compiled twin.
    fn load(gpu: &Gpu, job: &Job, image: &Image) -> Result<Self, Failure> {
        let entry = &compile::twin(job)?.entry;
        let function = Function::load(&gpu.context, &image.code, entry).map_err(|code| of_kernel(job, code))?;
        let size = job.workgroup.map(|shape| shape.size).ok_or_else(|| {
            Diagnostic::error(format!("the workgroup's size of kernel `{}` is not known", job.kernel))
                .in_file(&job.file)
        })?;
        maps::check(gpu, job)?;
        let mut kernel = Self { function, size, shared_bytes: 0, grid: job.grid };
        if let Some(only) = &job.cuda_only {
            // What the kernel declares is no more to be given.
            let declared = kernel.function.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
            let declared = declared.map_err(|code| of_kernel(job, code))?;
            maps::check_shared(gpu, job, gpu.max_given_shared.saturating_sub(declared))?;
            kernel.shared_bytes = only.shared_bytes;
            kernel.allow(gpu, only).map_err(|code| of_kernel(job, code))?;
        }
        Ok(kernel)
    }

    /// Has the driver allow what the launch takes; of persistent workgroups only as many are launched as there is room for at a time.
    fn allow(&mut self, gpu: &Gpu, only: &CudaLaunch) -> Outcome<()> {
        self.function.allow_shared(self.shared_bytes)?;
        if only.persistent {
            let blocks = self.function.blocks_per_multiprocessor(self.size.iter().product(), self.shared_bytes)?;
            self.grid[0] = self.grid[0].min(gpu.multiprocessors * blocks.max(1));
        }
        Ok(())
    }

    /// Has it run after the work before; does not wait.
    fn launch(&self, arguments: &mut Arguments) -> Outcome<()> {
        self.launch_on(self.grid, arguments)
    }

    /// The same with another number of workgroups.
    fn launch_on(&self, grid: [u32; 3], arguments: &mut Arguments) -> Outcome<()> {
        self.function.launch(grid, self.size, self.shared_bytes, arguments)
    }
}

/// A compiled job whose buffers lie on the device.
struct Prepared<'a> {
    gpu: &'a Gpu,
    job: &'a Job,
    kernel: Kernel,
    ptx: String,
    residents: Residents,
    /// Where a library's product is to be timed.
    cublas: Option<&'a Cublas>,
}

/// A job's buffers as they were filled, by name.
type Inputs = Vec<(String, Tensor)>;

impl<'a> Prepared<'a> {
    /// Compiles the job and fills its buffers.
    fn new(gpu: &'a Gpu, job: &'a Job, sink: &mut dyn Sink) -> Result<(Self, Inputs), Failure> {
        stage(sink, "compiling")?;
        let image = compile::compile(job, Some(gpu.architecture))?;
        let kernel = Kernel::load(gpu, job, &image)?;
        stage(sink, "filling the buffers")?;
        let mut inputs = Vec::new();
        let residents = Residents::fill(gpu, job, sink, |name, tensor| inputs.push((name.to_owned(), tensor)))?;
        Ok((Self { gpu, job, kernel, ptx: image.ptx, residents, cublas: None }, inputs))
    }

    /// Has the work done on a set of buffers, after the work before; does not wait. `arguments` are the kernel's for that set.
    fn submit(&self, work: Work, set: u64, arguments: &mut Arguments) -> Outcome<()> {
        let memory = |i| self.residents.of_set(set, i);
        match work {
            Work::Kernel => self.kernel.launch(arguments),
            Work::Copy { from, to } => {
                let ((from, from_offset), (memory, offset)) = (memory(from), memory(to));
                memory.copy(offset, from, from_offset, self.job.buffers[to].bytes())
            }
            Work::Product { buffers, sizes } => {
                let [a, b, c] = buffers.map(|i| {
                    let (memory, offset) = memory(i);
                    Matrix { memory, offset, elem: self.job.buffers[i].elem }
                });
                self.cublas.ok_or(driver::Code::CUDA_ERROR_NOT_INITIALIZED)?.product(a, b, c, sizes)
            }
        }
    }

    /// Does the work once on set 0 and waits for it.
    fn run_once(&self, work: Work, sink: &mut dyn Sink) -> Result<(), Failure> {
        stage(sink, "running")?;
        let explain = |code| of_kernel(self.job, code);
        let done = Clock::new(&self.gpu.context).map_err(explain)?;
        let submit = || {
            self.submit(work, 0, &mut self.residents.arguments(self.job, 0)?)?;
            done.record()
        };
        submit().map_err(explain)?;
        self.gpu.wait(&done, sink, explain)
    }

    /// Compares the output with its reference, where the job names one.
    fn check(&self, inputs: &Inputs, sink: &mut dyn Sink) -> Result<Option<Check>, Failure> {
        let Some(spec) = &self.job.check else { return Ok(None) };
        stage(sink, "checking")?;
        let output = self.residents.read(self.output(spec)?, sink)?;
        let check = reference::check(spec, inputs, &output)?;
        sink.event(Event::Checked(check.clone()));
        Ok(Some(check))
    }

    /// The index of the buffer that is checked.
    fn output(&self, spec: &CheckSpec) -> Result<usize, Failure> {
        self.named(&spec.output, "to check")
    }

    fn named(&self, name: &str, what_for: &str) -> Result<usize, Failure> {
        self.job.buffers.iter().position(|buffer| buffer.name == name).ok_or_else(|| {
            let message = format!("kernel `{}` has no buffer `{name}` {what_for}", self.job.kernel);
            Diagnostic::error(message).in_file(&self.job.file).into()
        })
    }

    /// What the compiler made of the kernel.
    fn compiled(&self) -> Result<Compiled, Failure> {
        use FunctionAttribute as A;
        let Kernel { function, size, shared_bytes: given, .. } = &self.kernel;
        let figures = || -> Outcome<Compiled> {
            let registers = function.attribute(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
            let shared_bytes = function.attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? + given;
            let lanes = size.iter().product();
            let blocks = function.blocks_per_multiprocessor(lanes, *given)?;
            let of = &self.gpu.multiprocessor;
            Ok(Compiled {
                registers,
                shared_bytes,
                local_bytes: function.attribute(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
                max_threads: function.attribute(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
                occupancy: Some(occupancy::occupancy(of, lanes, registers, shared_bytes, blocks)),
                persistent_grid: self.job.cuda_only.as_ref().filter(|only| only.persistent).map(|_| self.kernel.grid),
                ptx: self.ptx.clone(),
            })
        };
        figures().map_err(|code| of_kernel(self.job, code))
    }

    /// Samples the work. A device that slowed down meanwhile is woken and sampled once more; if it is still slow, that is said.
    fn time(
        &mut self,
        spec: &MeasureSpec,
        work: Work,
        awake: &mut Awake,
        sink: &mut dyn Sink,
    ) -> Result<(Timing, Option<Warning>), Failure> {
        stage(sink, "measuring")?;
        self.residents.multiply(self.gpu, spec.cold).map_err(|code| of_kernel(self.job, code))?;
        let timing = self.sample(spec, work, awake, sink)?;
        if awake.warning(self.gpu, sink)?.is_none() {
            return Ok((timing, None));
        }
        stage(sink, "measuring again, since the device slowed down")?;
        let timing = self.sample(spec, work, awake, sink)?;
        Ok((timing, awake.warning(self.gpu, sink)?))
    }

    fn sample(
        &self,
        spec: &MeasureSpec,
        work: Work,
        awake: &mut Awake,
        sink: &mut dyn Sink,
    ) -> Result<Timing, Failure> {
        awake.wake(self.gpu, sink)?;
        self.sample_at(Pacing::Device(awake), spec, work, sink)
    }

    /// As [`Prepared::sample`], at a given pace and with the device as it is.
    fn sample_at(
        &self,
        pacing: Pacing<'_>,
        spec: &MeasureSpec,
        work: Work,
        sink: &mut dyn Sink,
    ) -> Result<Timing, Failure> {
        let mut launches = Launches::new(self, work, pacing, sink)?;
        let conditions = launches.conditions();
        // The sampler reports each sample itself, since it holds the sink.
        sampling::measure(&mut launches, spec, &conditions, |_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_a_function_is_a_failure_and_no_end() {
        let failed = guarded::<()>(|| panic!("cuNothing is missing"));
        assert!(failed.is_err_and(|f| f.fatal
            && f.diagnostic.message.contains("cuNothing is missing")
            && f.diagnostic.hint.is_some()));
    }
}
