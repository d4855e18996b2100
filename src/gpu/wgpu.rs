//! A device reached through wgpu: headless, every limit that its driver offers.

mod awake;
mod buffers;
mod ceilings;
mod device;
mod launch;
mod pipeline;
mod probe;
mod stopwatch;
mod unchecked;

use self::awake::Awake;
use self::buffers::Residents;
use self::device::Gpu;
use self::launch::Launches;
use self::pipeline::Kernel;
use super::backend::{Backend, Event, Failure, Quiet, Sink};
use super::limits;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::job::{Job, MeasureSpec};
use crate::measure::{sampling, warnings};
use crate::reference;
use crate::trace::record::{self, Ceilings, Check, Device, Record, Timing, Warning, WarningKind};

/// The device and what was found out about it.
pub(super) struct WgpuBackend {
    gpu: Gpu,
    /// Prepared when something is first measured; none after that where the device needs no waking.
    awake: Option<Option<Awake>>,
    /// As far as they were measured.
    ceilings: Ceilings,
    broken: Option<Warning>,
}

/// Opens the best device, and looks whether it computes rightly.
///
/// # Errors
/// When there is no driver or no device, saying how to get one.
pub(super) fn open() -> Result<WgpuBackend, Diagnostic> {
    let gpu = Gpu::open()?;
    let broken = probe::broken_loops(&gpu).map_err(|failure| failure.diagnostic)?;
    Ok(WgpuBackend { gpu, awake: None, ceilings: Ceilings::default(), broken })
}

impl Backend for WgpuBackend {
    fn describe(&mut self) -> Result<Device, Failure> {
        Ok(self.gpu.description.clone())
    }

    fn ceilings(&mut self, sink: &mut dyn Sink) -> Result<Ceilings, Failure> {
        let awake = awake(&mut self.awake, &self.gpu, sink)?;
        self.ceilings = ceilings::measure(&self.gpu, awake, sink)?;
        Ok(self.ceilings)
    }

    fn run(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure> {
        if let Some(diagnostic) = limits::check(job, &self.gpu.description).into_iter().next() {
            return Err(diagnostic.into());
        }
        let (mut prepared, inputs) = Prepared::new(&self.gpu, job, sink)?;
        prepared.run_once(sink)?;
        let check = match &job.check {
            Some(spec) => Some(prepared.check(spec, &inputs, sink)?),
            None => None,
        };
        drop(inputs);
        let mut record = Record {
            kernel: job.kernel.clone(),
            backend: record::Backend::Wgpu,
            check,
            timing: None,
            trace: None,
            timeline: None,
            heat: None,
            compiled: None,
            library: None,
            warnings: self.broken.iter().cloned().collect(),
        };
        let right = record.check.as_ref().is_none_or(|check| check.ok);
        if let (Some(spec), true) = (&job.measure, right) {
            let mut awake = awake(&mut self.awake, &self.gpu, sink)?;
            if self.ceilings.launch_s.is_none() {
                self.ceilings.launch_s = Some(ceilings::launch(&self.gpu, awake.as_deref_mut(), &mut Quiet(sink))?);
            }
            let (timing, slow) = prepared.time(spec, awake, sink)?;
            record.warnings.extend(slow);
            let around = warnings::Circumstances {
                device: &self.gpu.description,
                ceilings: &self.ceilings,
                spec,
                footprint_bytes: prepared.footprint_bytes(),
                bounds_checks: job.bounds_checks,
            };
            record.warnings.extend(warnings::of(&timing, &around));
            record.timing = Some(timing);
        }
        Ok(record)
    }
}

/// What keeps the device awake, prepared at the first call.
fn awake<'a>(
    slot: &'a mut Option<Option<Awake>>,
    gpu: &Gpu,
    sink: &mut dyn Sink,
) -> Result<Option<&'a mut Awake>, Failure> {
    let prepared = match slot.take() {
        Some(prepared) => prepared,
        None => {
            stage(sink, "waking the device")?;
            Awake::new(gpu, sink)?
        }
    };
    Ok(slot.insert(prepared).as_mut())
}

/// A compiled job whose buffers lie on the device.
struct Prepared<'a> {
    gpu: &'a Gpu,
    job: &'a Job,
    kernel: Kernel,
    residents: Residents,
}

/// A job's buffers as they were filled, by name.
type Inputs = Vec<(String, Tensor)>;

impl<'a> Prepared<'a> {
    /// Compiles the job and fills its buffers. The inputs are empty where nothing is going to be compared with them.
    fn new(gpu: &'a Gpu, job: &'a Job, sink: &mut dyn Sink) -> Result<(Self, Inputs), Failure> {
        stage(sink, "compiling")?;
        let kernel = Kernel::compile(gpu, job)?;
        stage(sink, "filling the buffers")?;
        let mut inputs = Vec::new();
        let residents = Residents::fill(gpu, job, sink, |name, tensor| {
            if job.check.is_some() {
                inputs.push((name.to_owned(), tensor));
            }
        })?;
        Ok((Self { gpu, job, kernel, residents }, inputs))
    }

    fn run_once(&mut self, sink: &mut dyn Sink) -> Result<(), Failure> {
        stage(sink, "running")?;
        let bound = self.kernel.bind(self.gpu, self.job, |i| self.residents.of_set(0, i))?;
        let mut encoder = self.gpu.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.kernel.dispatch(&mut pass, &bound, self.job.grid);
        }
        self.gpu.finish(encoder, sink)
    }

    fn check(&self, spec: &crate::job::CheckSpec, inputs: &Inputs, sink: &mut dyn Sink) -> Result<Check, Failure> {
        stage(sink, "checking")?;
        let output = self.read(&spec.output, sink)?;
        let check = reference::check(spec, inputs, &output)?;
        sink.event(Event::Checked(check.clone()));
        Ok(check)
    }

    /// What the buffer called `name` holds now.
    fn read(&self, name: &str, sink: &mut dyn Sink) -> Result<Tensor, Failure> {
        let Some(i) = self.job.buffers.iter().position(|buffer| buffer.name == name) else {
            let message = format!("kernel `{}` has no buffer `{name}` to check", self.job.kernel);
            return Err(Diagnostic::error(message).in_file(&self.job.file).into());
        };
        let words = buffers::read_back(self.gpu, self.residents.master(i), self.job.buffers[i].bytes(), sink)?;
        Ok(Tensor { elem: self.job.buffers[i].elem, words })
    }

    /// Samples the kernel. A device that slowed down meanwhile is woken and sampled once more; if it is still slow, that is said.
    fn time(
        &mut self,
        spec: &MeasureSpec,
        mut awake: Option<&mut Awake>,
        sink: &mut dyn Sink,
    ) -> Result<(Timing, Option<Warning>), Failure> {
        stage(sink, "measuring")?;
        self.residents.multiply(self.gpu, spec.cold, sink)?;
        let timing = self.sample(spec, awake.as_deref_mut(), sink)?;
        let Some(awake) = awake else { return Ok((timing, None)) };
        if awake.warning(self.gpu, sink)?.is_none() {
            return Ok((timing, None));
        }
        stage(sink, "measuring again, since the device slowed down")?;
        let timing = self.sample(spec, Some(awake), sink)?;
        Ok((timing, awake.warning(self.gpu, sink)?))
    }

    fn sample(
        &self,
        spec: &MeasureSpec,
        mut awake: Option<&mut Awake>,
        sink: &mut dyn Sink,
    ) -> Result<Timing, Failure> {
        if let Some(awake) = &mut awake {
            awake.wake(self.gpu, sink)?;
        }
        let mut launches = Launches::new(self, awake.as_deref(), sink)?;
        let conditions = launches.conditions();
        // The sampler reports each sample itself, since it holds the sink.
        sampling::measure(&mut launches, spec, &conditions, |_| ())
    }

    fn footprint_bytes(&self) -> u64 {
        self.job.buffers.iter().map(crate::job::BufferSpec::bytes).sum()
    }
}

/// Announces a stage, unless the result is no longer wanted.
fn stage(sink: &mut dyn Sink, what: &str) -> Result<(), Failure> {
    if sink.cancelled() {
        return Err(device::cancelled(false));
    }
    sink.event(Event::Stage(what.to_owned()));
    Ok(())
}

/// The warning that the driver computes wrongly.
fn broken(message: String, hint: &str) -> Warning {
    Warning { kind: WarningKind::BrokenDriver, message, hint: hint.to_owned() }
}
