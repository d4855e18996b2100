//! Encoding a text on a device, part by part. What its kernels are too small for is encoded on the processor's cores.

mod plan;

use std::ffi::OsString;

use rayon::prelude::*;

use self::plan::{Content, Plan, Step};
use super::backend::{Event, Failure, Sink};
use super::driver::{Command, Driver, Guards, Part, Work};
use super::{toolkit, wgpu};
use crate::base::diag::Diagnostic;
use crate::tokenizer::{Pattern, Vocabulary, encode};
use crate::trace::record::Backend;

/// A part of a text goes on to the next place where the text can be cut: this share of the largest part is left for that.
const SLACK: usize = 256;

/// What stands behind the text: a byte that no UTF-8 has.
const END: u8 = 0xff;

/// Elements that one core copies.
const COPIED: usize = 1 << 17;

/// A device that encodes.
pub trait Encode {
    /// The ids of a text, in parts that follow each other.
    ///
    /// # Errors
    /// When the device fails.
    fn encode(&mut self, text: &str) -> Result<Vec<Vec<u32>>, Diagnostic>;
}

/// Opens a device, brings a vocabulary there, and calls `work` with it. Memory is taken for texts of up to `most` bytes; longer ones go there in parts.
///
/// # Errors
/// When there is no such device, the pattern cuts nothing, the device fails, or `work` does.
pub fn on_device<T>(
    backend: Backend,
    vocabulary: &Vocabulary,
    pattern: Pattern,
    most: usize,
    work: impl FnOnce(&mut dyn Encode) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    let plan = Plan::new(vocabulary, pattern, most)?;
    let encoding = Encoding { plan, text: Text { vocabulary, pattern }, work };
    let done = match backend {
        Backend::Simt => Err(Diagnostic::error("the tracer is no device for large texts")
            .hint("use --backend wgpu or --backend cuda; `warpbook run tokenization` traces the kernels")
            .into()),
        Backend::Wgpu => wgpu::with_device(encoding),
        #[cfg(feature = "cuda")]
        Backend::Cuda => super::cuda::with_device(encoding),
        #[cfg(not(feature = "cuda"))]
        Backend::Cuda => Err(Diagnostic::error("this build has no CUDA backend").hint("use --backend wgpu").into()),
    };
    done.map_err(|failure| failure.diagnostic)
}

/// The setting of the environment with which this process would find CUDA's libraries, if it has to be started again for them.
#[must_use]
pub fn missing_setting(backend: Backend) -> Option<(OsString, OsString)> {
    let (name, value) = toolkit::library_path().filter(|_| backend == Backend::Cuda)?;
    (std::env::var_os(&name).as_ref() != Some(&value)).then_some((name, value))
}

/// How a text is to be encoded.
#[derive(Clone, Copy)]
struct Text<'v> {
    vocabulary: &'v Vocabulary,
    pattern: Pattern,
}

/// Nobody looks at the way, and nobody cancels but by ending the process.
struct Alone;

impl Sink for Alone {
    fn event(&mut self, _: Event) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// What a device is opened for.
struct Encoding<'v, F> {
    plan: Plan,
    text: Text<'v>,
    work: F,
}

impl<T, F: FnOnce(&mut dyn Encode) -> Result<T, Diagnostic>> Work for Encoding<'_, F> {
    type Output = T;

    /// Readies a device, and calls what is to be done with it.
    fn with<D: Driver>(self, driver: &D) -> Result<T, Failure> {
        let Self { plan, text, work } = self;
        let room = |bytes| {
            driver.allocate(bytes).map_err(|why| {
                let all: u64 = plan.buffers.iter().map(plan::Buffer::bytes).sum();
                Diagnostic::error(format!("the device has no room for buffers of {} MB: {why}", all / 1_000_000))
                    .hint("end what else uses the GPU, or leave --backend out")
            })
        };
        let memories = plan.buffers.iter().map(|buffer| room(buffer.bytes())).collect::<Result<Vec<_>, _>>()?;
        for (buffer, memory) in plan.buffers.iter().zip(&memories) {
            if let Content::Words(words) = &buffer.content {
                driver.write(memory, words, &Alone)?;
            }
        }
        let part = |i: usize| Part { memory: &memories[i], offset: 0, bytes: plan.buffers[i].bytes() };
        let guards = Guards { indices: false, loops: false };
        let mut kernels = Vec::new();
        for step in &plan.steps {
            if let Step::Launch(launch, _) = step {
                let kernel = driver.compile(launch, &[], guards)?;
                let parts: Vec<Part<'_, D>> = launch.bindings.iter().map(|binding| part(binding.buffer)).collect();
                let bound = driver.bind(&kernel, launch, &[], &parts)?;
                kernels.push((kernel, bound));
            }
        }
        let mut ready = kernels.iter();
        let commands = plan.steps.iter().filter_map(|step| {
            Some(match step {
                Step::Fill(buffer, word) => Command::Fill { to: part(*buffer), word: *word },
                Step::Launch(_, groups) => {
                    let (kernel, bound) = ready.next()?;
                    Command::Launch { kernel, bound, grid: [*groups, 1, 1] }
                }
            })
        });
        let recorded = driver.record(commands.collect(), true)?;
        let host = |words| {
            driver.host(words).map_err(|why| {
                Diagnostic::error(format!("there is no memory to copy texts of {} bytes from: {why}", plan.capacity))
                    .hint("end what else takes memory, or leave --backend out")
            })
        };
        let (staged, ids) = (host(plan.capacity / 4)?, host(plan.capacity)?);
        let mut encoder = OnDevice { driver, plan: &plan, text, memories: &memories, recorded, staged, ids };
        Ok(work(&mut encoder)?)
    }
}

/// A device that is ready.
struct OnDevice<'a, D: Driver + 'a> {
    driver: &'a D,
    plan: &'a Plan,
    text: Text<'a>,
    memories: &'a [D::Memory],
    recorded: D::Recorded<'a>,
    /// A part of a text, on its way to the device.
    staged: D::Host,
    /// Its ids, on their way back.
    ids: D::Host,
}

impl<D: Driver> Encode for OnDevice<'_, D> {
    fn encode(&mut self, text: &str) -> Result<Vec<Vec<u32>>, Diagnostic> {
        let size = self.plan.capacity - self.plan.capacity / SLACK;
        let parts = self.text.pattern.parts(text, size);
        parts.into_iter().map(|part| self.part(part).map_err(|failure| failure.diagnostic)).collect()
    }
}

impl<D: Driver> OnDevice<'_, D> {
    fn part(&mut self, text: &str) -> Result<Vec<u32>, Failure> {
        if text.len() <= self.plan.capacity {
            self.stage(text);
            self.driver.write(&self.memories[self.plan.place("packed")], self.staged.as_mut(), &Alone)?;
            self.driver.submit(&mut self.recorded)?;
            self.driver.finish(&mut self.recorded, &Alone)?;
            let is_too_long = self.read("waiting", 2)?[1] != 0;
            if !is_too_long {
                let length = self.read("length", 1)?[0];
                return self.encoded(length as usize);
            }
        }
        Ok(encode::encode(self.text.vocabulary, self.text.pattern, text))
    }

    /// Copies a text's bytes, with its end behind them.
    fn stage(&mut self, text: &str) {
        let staged: &mut [u8] = bytemuck::cast_slice_mut(self.staged.as_mut());
        let (bytes, rest) = staged.split_at_mut(text.len());
        let pieces = bytes.par_chunks_mut(COPIED).zip(text.as_bytes().par_chunks(COPIED));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        rest.fill(END);
    }

    /// So many ids. Memory that is new is cleared by the system when it is first written to, so all cores copy.
    fn encoded(&mut self, length: usize) -> Result<Vec<u32>, Failure> {
        let memory = &self.memories[self.plan.place("encoded")];
        let arrived = &mut self.ids.as_mut()[..length];
        if length > 0 {
            self.driver.read_into(Part { memory, offset: 0, bytes: 4 * length as u64 }, arrived, &Alone)?;
        }
        let mut ids = vec![0; length];
        let pieces = ids.par_chunks_mut(COPIED).zip(arrived.par_chunks(COPIED));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        Ok(ids)
    }

    fn read(&self, buffer: &str, words: u64) -> Result<Vec<u32>, Failure> {
        let memory = &self.memories[self.plan.place(buffer)];
        self.driver.read(Part { memory, offset: 0, bytes: 4 * words }, &Alone)
    }
}
