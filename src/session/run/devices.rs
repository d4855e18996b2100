//! The backends of this machine (tracer, wgpu, CUDA), and running a job on one of them.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use super::in_cuda::in_cuda;
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Event as Progress, Part};
use crate::gpu::client::{Client, WorkerCommand};
use crate::gpu::simt;
use crate::job::{Job, Language};
use crate::trace::record::{Backend, Ceilings, Device, Record};

/// The backend that a user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Choice {
    /// The graphics driver if there is one, else the tracer.
    #[default]
    Auto,
    /// This one and no other.
    Only(Backend),
}

/// The backends of this machine. Cheap to make: nothing starts before it is used.
pub struct Devices {
    wgpu: Mutex<Client>,
    cuda: Mutex<Client>,
    /// Compiles alone, so that nobody who needs a compiler waits for a measurement.
    compiler: Mutex<Client>,
}

impl Devices {
    /// Backends whose workers start as `worker` says.
    #[must_use]
    pub fn new(worker: WorkerCommand) -> Self {
        let [cuda, compiler] = [(); 2].map(|()| Mutex::new(Client::new(worker.clone().for_cuda())));
        Self { cuda, compiler, wgpu: Mutex::new(Client::new(worker)) }
    }

    /// A backend's device.
    ///
    /// # Errors
    /// When there is no driver: what was looked for and how to get one.
    pub fn describe(&self, backend: Backend) -> Result<Device, Diagnostic> {
        match backend {
            Backend::Simt => Ok(simt::device()),
            Backend::Wgpu => lock(&self.wgpu).device(),
            Backend::Cuda => lock(&self.cuda).device(),
        }
    }

    /// The backend and device that a choice selects on this machine; and, if the tracer replaces a driver that fails,
    /// why.
    ///
    /// # Errors
    /// As [`Devices::describe`], if one backend was asked for; `Auto` always finds one.
    pub fn resolve(&self, choice: Choice) -> Result<(Device, Option<Diagnostic>), Diagnostic> {
        match choice {
            Choice::Only(backend) => Ok((self.describe(backend)?, None)),
            Choice::Auto => Ok(match self.describe(Backend::Wgpu) {
                Ok(device) => (device, None),
                Err(why) => {
                    let why = (!why.not_here).then(|| {
                        let message = format!("the tracer runs instead of the graphics driver: {}", why.message);
                        Diagnostic { message, ..why }.as_warning()
                    });
                    (simt::device(), why)
                }
            }),
        }
    }

    /// The device's ceilings; empty for the tracer, whose speed is not comparable.
    pub fn ceilings(&self, backend: Backend, cancel: &AtomicBool) -> Result<Ceilings, Diagnostic> {
        match backend {
            Backend::Simt => Ok(Ceilings::default()),
            Backend::Wgpu => lock(&self.wgpu).ceilings(cancel),
            Backend::Cuda => lock(&self.cuda).ceilings(cancel),
        }
    }

    /// Runs a job, passing its events on.
    ///
    /// # Errors
    /// When the job cannot run: the kernel, the line if possible, and what to try.
    pub fn run(
        &self,
        backend: Backend,
        job: &Job,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Record, Diagnostic> {
        match backend {
            Backend::Simt => match job.trace.as_ref().map(|spec| spec.language) {
                Some(Language::Cuda) => simt::run(&self.in_cuda(job, cancel)?, cancel, on_progress),
                _ => simt::run(job, cancel, on_progress),
            },
            Backend::Wgpu => lock(&self.wgpu).run(job, cancel, on_progress),
            Backend::Cuda => lock(&self.cuda).run(job, cancel, on_progress),
        }
    }

    /// The software parts that the CUDA backend needs, found or missing.
    ///
    /// # Errors
    /// When this build has no such backend, or its worker fails.
    pub fn cuda_parts(&self) -> Result<Vec<Part>, Diagnostic> {
        lock(&self.cuda).parts()
    }

    /// Only compiles a job's twin in CUDA C++, which needs no device; returns the compiler's warnings.
    pub fn compile_twin(&self, job: &Job, cancel: &AtomicBool) -> Result<Vec<Diagnostic>, Diagnostic> {
        lock(&self.compiler).compile(job, cancel)
    }
}

impl Devices {
    /// A job whose kernels are traced from CUDA C++.
    ///
    /// # Errors
    /// A kernel's compile errors; that it has no twin; that there is no compiler.
    pub fn in_cuda(&self, job: &Job, cancel: &AtomicBool) -> Result<Job, Diagnostic> {
        in_cuda(job, &mut |job| self.assemble(job, cancel))
    }

    /// A job's kernels in CUDA C++ as PTX, one for each launch. This needs a compiler but no device.
    pub fn assemble(&self, job: &Job, cancel: &AtomicBool) -> Result<Vec<String>, Diagnostic> {
        lock(&self.compiler).assemble(job, cancel)
    }
}

fn lock(client: &Mutex<Client>) -> std::sync::MutexGuard<'_, Client> {
    // A panic while holding the client at worst leaves it without a worker, and it respawns one.
    client.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_dies_at_once_is_told() -> Result<(), Diagnostic> {
        let program = std::path::PathBuf::from("false");
        let deadline = std::time::Duration::from_secs(10);
        let devices = Devices::new(WorkerCommand { program, args: Vec::new(), env: Vec::new(), deadline });
        let (device, why) = devices.resolve(Choice::Auto)?;
        assert_eq!(device.backend, Backend::Simt);
        assert!(why.is_some_and(|why| why.message.contains("the tracer runs instead") && !why.is_error()));
        assert!(devices.resolve(Choice::Only(Backend::Wgpu)).is_err());
        Ok(())
    }
}
