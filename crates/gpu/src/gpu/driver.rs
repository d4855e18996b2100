//! The trait of the interfaces that reach a device (wgpu, CUDA): memory, compiling, submitting, a clock.

use super::backend::{Failure, Sink};
use crate::base::tensor::Elem;
use crate::job::{BufferSpec, Launch, Product};
use crate::trace::record::{Backend, Compiled, Device};

/// A device, through one interface. All work goes to one queue, in order.
pub(super) trait Driver: Sized {
    /// A piece of the device's memory.
    type Memory;
    /// Memory of the host that is fast to copy to the device and back.
    type Host: AsMut<[u32]>;
    type Kernel;
    /// A kernel's buffers, bound.
    type Bound;
    /// Commands that can be submitted again and again.
    type Recorded<'a>
    where
        Self: 'a;

    /// The interface.
    const BACKEND: Backend;
    /// Whether its compiler guards indices where that is asked for.
    const GUARDS: bool;
    /// Whether the load that keeps the device awake goes before a sample, if the host is slow to notice its end; else
    /// after it.
    const LOAD_FIRST: bool;

    /// The device's description and limits.
    fn device(&self) -> &Device;

    /// Seconds that the device's clock can tell apart; None if the host's is read around a wait.
    fn clock_step_s(&self) -> Option<f64>;

    /// Memory for `bytes`.
    fn allocate(&self, bytes: u64) -> Result<Self::Memory, String>;

    /// Writes `words` to the start of a part of memory, piece by piece. Its offset is a multiple of 4.
    ///
    /// # Errors
    /// When the device fails or the request is cancelled.
    fn write(&self, to: Part<'_, Self>, words: &[u32], sink: &dyn Sink) -> Result<(), Failure>;

    /// Allocates `words` words of the host's memory.
    fn host(&self, words: usize) -> Result<Self::Host, String>;

    /// Reads a part of memory once all work before is done. Offset and bytes are multiples of 4.
    ///
    /// # Errors
    /// When the device fails or the request is cancelled.
    fn read(&self, from: Part<'_, Self>, sink: &dyn Sink) -> Result<Vec<u32>, Failure> {
        let mut words = vec![0; usize::try_from(from.bytes / 4).unwrap_or(0)];
        self.read_into(from, &mut words, sink)?;
        Ok(words)
    }

    /// As [`Driver::read`], into as many words.
    ///
    /// # Errors
    /// When the device fails or the request is cancelled.
    fn read_into(&self, from: Part<'_, Self>, words: &mut [u32], sink: &dyn Sink) -> Result<(), Failure>;

    /// Compiles a launch's kernel.
    ///
    /// # Errors
    /// The compiler's message, at its line and column; or that the device lacks what the launch needs.
    fn compile(&self, launch: &Launch, buffers: &[BufferSpec], guards: Guards) -> Result<Self::Kernel, Failure>;

    /// The compiler's results for a kernel, if the interface reports them.
    fn compiled(&self, kernel: &Self::Kernel, launch: &Launch) -> Result<Option<Compiled>, Failure>;

    /// Binds parts of memory, one for each of the launch's bindings.
    fn bind(
        &self,
        kernel: &Self::Kernel,
        launch: &Launch,
        buffers: &[BufferSpec],
        parts: &[Part<'_, Self>],
    ) -> Result<Self::Bound, Failure>;

    /// Whether launches of a kernel wait for each other whatever buffers they use.
    fn keeps_order(&self, kernel: &Self::Kernel) -> bool;

    /// Makes ready to submit commands; `whole` says that the device should take them in as one piece.
    fn record<'a>(&'a self, commands: Vec<Command<'a, Self>>, whole: bool) -> Result<Self::Recorded<'a>, Failure>;

    /// Submits the commands to run after all earlier work; does not wait.
    fn submit(&self, recorded: &mut Self::Recorded<'_>) -> Result<(), Failure>;

    /// Waits until what was submitted last of these commands is done; gives the clock's readings at their marks, in
    /// seconds.
    ///
    /// # Errors
    /// When the device fails, or the wait is cancelled: then the device is still at work, and unusable.
    fn finish(&self, recorded: &mut Self::Recorded<'_>, sink: &dyn Sink) -> Result<Vec<f64>, Failure>;

    /// A library's product, ready to be submitted as [`Command::Product`]; its name and version.
    fn products(&self) -> Result<(String, Option<String>), Failure>;
}

/// Something that is done with any driver.
pub(super) trait Work {
    /// Its result.
    type Output;

    /// Does it.
    fn with<D: Driver>(self, driver: &D) -> Result<Self::Output, Failure>;
}

/// Guards that a compiler inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guards {
    /// Indices of arrays.
    pub indices: bool,
    /// Loops that are not known to end.
    pub loops: bool,
}

/// A part of a piece of memory.
pub(super) struct Part<'a, D: Driver> {
    pub memory: &'a D::Memory,
    /// Its first byte.
    pub offset: u64,
    pub bytes: u64,
}

impl<D: Driver> Clone for Part<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Driver> Copy for Part<'_, D> {}

/// Something for the device to do.
pub(super) enum Command<'a, D: Driver> {
    Launch {
        kernel: &'a D::Kernel,
        bound: &'a D::Bound,
        /// Workgroups.
        grid: [u32; 3],
    },
    Copy {
        from: Part<'a, D>,
        to: Part<'a, D>,
    },
    /// Writes one word everywhere.
    Fill {
        to: Part<'a, D>,
        word: u32,
    },
    /// A library's product of matrices.
    #[cfg_attr(
        not(any(feature = "cuda", target_family = "wasm")),
        expect(dead_code, reason = "only CUDA has a library for it")
    )]
    Product {
        parts: [Part<'a, D>; 3],
        elems: [Elem; 3],
        product: &'a Product,
    },
    /// Reads the clock: as the reading of this number.
    Mark(usize),
}
