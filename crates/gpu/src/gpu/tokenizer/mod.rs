//! Tokenizing on a device, encoding and training, with the kernels that the lesson on tokenization explains, from the
//! same files. The device is opened in this process, because texts and ids would not fit through a worker's pipe in
//! time.

mod board;
mod capacity;
pub mod encode;
mod stage;
pub mod train;

use super::driver::Work;
use super::wgpu;
use crate::base::diag::Diagnostic;
use crate::trace::record::Backend;

/// Opens a device and does `work` with it.
fn on_device<W: Work>(backend: Backend, work: W) -> Result<W::Output, Diagnostic> {
    let done = match backend {
        Backend::Simt => Err(Diagnostic::error("the tracer is no device for large texts")
            .hint("use --backend wgpu or --backend cuda; `warpbook run` traces a lesson's kernels")
            .into()),
        Backend::Wgpu => wgpu::with_device(work),
        #[cfg(feature = "cuda")]
        Backend::Cuda => super::cuda::with_device(None, work),
        #[cfg(not(feature = "cuda"))]
        Backend::Cuda => Err(Diagnostic::error("this build has no CUDA backend").hint("use --backend wgpu").into()),
    };
    done.map_err(|failure| failure.diagnostic)
}
