//! Device buffers by the names that kernels have for them, and the pack's kernels for tokenizers, bound to them.

use std::collections::BTreeMap;

use crate::base::diag::Diagnostic;
use crate::base::parts;
use crate::gpu::backend::{Failure, NullSink};
use crate::gpu::driver::{Command, Driver, Guards, Part};
use crate::job::{Launch, Twin, Wgsl};
use crate::pack::PackFiles;
use crate::simt::Program;
use crate::tokenizer::Pattern;

/// The kernels by their names here, each with its file in the pack.
const KERNELS: &str = "assets/tokenizer.ron";

/// The most workgroups that every device can launch.
pub(super) const MOST_GROUPS: usize = 65_535;

/// Bytes of a text, or tokens, or words, of a workgroup.
pub(super) const BLOCK: usize = 256;

/// Bytes that a workgroup of `cut` goes through.
pub(super) const CUT: usize = 64 * 64;

/// How far `cut` looks for a place where a word surely begins.
pub(super) const REACH: usize = 65_536;

/// The byte after a text, which no UTF-8 has.
pub(super) const END: u8 = 0xff;

/// Buffers by their names.
pub(super) struct Board<'d, D: Driver> {
    pub driver: &'d D,
    buffers: Vec<Buffer<D>>,
}

struct Buffer<D: Driver> {
    name: &'static str,
    bytes: u64,
    memory: D::Memory,
}

/// A kernel with its buffers.
pub(super) struct Ready<D: Driver> {
    kernel: D::Kernel,
    bound: D::Bound,
}

impl<D: Driver> Ready<D> {
    /// Its launch on `groups` workgroups.
    pub fn on(&self, groups: usize) -> Command<'_, D> {
        let groups = u32::try_from(groups).unwrap_or(u32::MAX);
        Command::Launch { kernel: &self.kernel, bound: &self.bound, grid: [groups, 1, 1] }
    }
}

impl<'d, D: Driver> Board<'d, D> {
    /// No buffers.
    pub fn new(driver: &'d D) -> Self {
        Self { driver, buffers: Vec::new() }
    }

    /// Allocates memory for `words` words, which hold anything.
    pub fn room(&mut self, name: &'static str, words: usize) -> Result<(), Failure> {
        let bytes = 4 * words as u64;
        let memory = self.driver.allocate(bytes).map_err(|why| {
            let all: u64 = self.buffers.iter().map(|buffer| buffer.bytes).sum::<u64>() + bytes;
            Diagnostic::error(format!("the device has no room for buffers of {} MB: {why}", all / 1_000_000))
                .hint("end what else uses the GPU, or leave --backend out")
        })?;
        self.buffers.push(Buffer { name, bytes, memory });
        Ok(())
    }

    /// Brings a table to the device.
    pub fn table(&mut self, name: &'static str, words: &[u32]) -> Result<(), Failure> {
        self.room(name, words.len())?;
        self.write(name, words)
    }

    /// All of a buffer.
    pub fn part(&self, name: &str) -> Result<Part<'_, D>, Failure> {
        let found = self.buffers.iter().find(|buffer| buffer.name == name);
        let buffer = found.ok_or_else(|| Diagnostic::error(format!("no buffer `{name}` was brought to the device")))?;
        Ok(Part { memory: &buffer.memory, offset: 0, bytes: buffer.bytes })
    }

    /// Writes to the start of a buffer.
    pub fn write(&self, name: &str, words: &[u32]) -> Result<(), Failure> {
        self.driver.write(self.part(name)?, words, &NullSink)
    }

    /// The first words of a buffer, once all work before is done.
    pub fn read(&self, name: &str, words: usize) -> Result<Vec<u32>, Failure> {
        self.driver.read(Part { bytes: 4 * words as u64, ..self.part(name)? }, &NullSink)
    }

    /// Gives every word of a buffer this value.
    pub fn fill(&self, name: &str, word: u32) -> Result<Command<'_, D>, Failure> {
        Ok(Command::Fill { to: self.part(name)?, word })
    }

    /// A kernel, by its file below `shaders` without the ending. Its variables are the buffers of the same name, unless
    /// `bind` has another for one.
    ///
    /// # Errors
    /// When the kernel does not compile, or a buffer is missing.
    pub fn kernel(&self, name: &str, constants: &[(&str, usize)], bind: &[(&str, &str)]) -> Result<Ready<D>, Failure> {
        let launch = launch(name, constants)?;
        let kernel = self.driver.compile(&launch, &[], Guards { indices: false, loops: false })?;
        let part = |name: &str| {
            let other = bind.iter().find(|(variable, _)| *variable == name);
            self.part(other.map_or(name, |(_, buffer)| buffer))
        };
        let parts = launch.bindings.iter().map(|binding| part(&binding.name)).collect::<Result<Vec<_>, _>>()?;
        let bound = self.driver.bind(&kernel, &launch, &[], &parts)?;
        Ok(Ready { kernel, bound })
    }
}

/// A launch of a kernel that is built in.
fn launch(name: &str, constants: &[(&str, usize)]) -> Result<Launch, Diagnostic> {
    let files = PackFiles::Embedded;
    let list = files.require(KERNELS)?;
    let list: BTreeMap<String, String> =
        ron::from_str(&list).map_err(|error| Diagnostic::error(format!("{KERNELS} is no list of kernels: {error}")))?;
    let path = list.get(name).ok_or_else(|| Diagnostic::error(format!("{KERNELS} names no kernel `{name}`")))?;
    let read = |ending: &str| {
        let file = format!("{path}.{ending}");
        let read = |file: &str| files.read(file);
        let own = read(&file).map_err(|error| Diagnostic::error(format!("cannot read {file}: {error:?}")))?;
        Ok::<_, Diagnostic>((parts::compose(&file, own, &read, &Vec::new)?, file))
    };
    let ((source, file), (twin, twin_file)) = (read("wgsl")?, read("cu")?);
    let overrides: Vec<(String, f64)> =
        constants.iter().map(|(name, value)| ((*name).to_owned(), *value as f64)).collect();
    let program = Program::compile(&file, &source, "main", &overrides).map_err(|mut problems| problems.remove(0))?;
    let entry = path.rsplit('/').next().unwrap_or(path).to_owned();
    let twin = Twin { file: twin_file, source: twin.into(), entry: entry.clone(), shipped: None };
    let wgsl =
        Wgsl { file, source: source.into(), entry: "main".to_owned(), overrides, consts: Vec::new(), twin: Some(twin) };
    Ok(program.launch(&entry, wgsl, [1, 1, 1]))
}

/// The number that kernels have for a pattern.
///
/// # Errors
/// When the pattern does not cut the text: then nothing can be done side by side. `what` says what is to be done.
pub(super) fn rule(pattern: Pattern, what: &str) -> Result<usize, Diagnostic> {
    match pattern {
        Pattern::None => Err(Diagnostic::error(format!(
            "a device {what} the pieces of a text side by side, and the pattern `none` leaves one piece"
        ))
        .hint("leave --backend out, or choose another pattern")),
        Pattern::Gpt2 => Ok(1),
        Pattern::Cl100k => Ok(2),
        Pattern::O200k => Ok(3),
        Pattern::Llama3 => Ok(4),
    }
}
