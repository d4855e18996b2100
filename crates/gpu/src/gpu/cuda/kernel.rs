//! A compiled kernel on a device, and how it is launched.

use super::compile::{self, ordered};
use super::device::Gpu;
use super::driver::{Arguments, Code, Function, FunctionAttribute, Outcome, TileMap};
use super::error::of_kernel;
use super::{maps, occupancy};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::Failure;
use crate::gpu::driver::Part;
use crate::gpu::shipped;
use crate::job::{BufferSpec, CudaLaunch, Launch, TensorMap};
use crate::trace::record::Compiled;

pub(super) struct Kernel {
    function: Function,
    /// Lanes of a workgroup.
    size: [u32; 3],
    /// Shared memory that the launch gives a workgroup, in bytes.
    shared_bytes: u32,
    /// Of persistent workgroups, as many as there is room for at a time.
    room: Option<u32>,
    ptx: String,
    name: String,
    file: String,
    /// Arguments that are numbers, each with its place among the parameters.
    values: Vec<(usize, u64)>,
}

impl Kernel {
    /// Compiles and loads a launch's twin.
    ///
    /// # Errors
    /// The compiler's message; or that the device lacks what the launch needs.
    pub(super) fn new(gpu: &Gpu, launch: &Launch, buffers: &[BufferSpec]) -> Result<Self, Failure> {
        let image = compile::compile(launch, Some(gpu.architecture))?;
        let twin = compile::twin(launch)?;
        let explain = |code| of_kernel(launch, code);
        let function = Function::load(&gpu.context, &image.code, &image.entry).map_err(explain)?;
        let size = launch.workgroup.map(|shape| shape.size).ok_or_else(|| {
            let message = format!("the workgroup's size of kernel `{}` is not known", launch.kernel);
            Diagnostic::error(message).in_file(launch.file())
        })?;
        maps::check(gpu, launch, buffers)?;
        let (name, file) = (launch.kernel.clone(), twin.file.clone());
        let values = launch.cuda_only().map_or(&[][..], |only| &only.values);
        let values =
            shipped::encoded(twin, &image.ptx, values)?.into_iter().map(|(place, bytes)| (place, word(&bytes)));
        let values = values.collect();
        let mut kernel = Self { function, size, shared_bytes: 0, room: None, ptx: image.ptx, name, file, values };
        if let Some(only) = launch.cuda_only() {
            // Shared memory that the kernel declares cannot be given again.
            let declared = kernel.function.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
            let most = gpu.max_given_shared.saturating_sub(declared.map_err(explain)?);
            maps::check_shared(gpu, launch, most)?;
            kernel.shared_bytes = only.shared_bytes;
            kernel.allow(gpu, only).map_err(explain)?;
        }
        Ok(kernel)
    }

    /// Its name and its file.
    pub(super) fn name(&self) -> (&str, &str) {
        (&self.name, &self.file)
    }

    /// Has the driver allow what the launch takes.
    fn allow(&mut self, gpu: &Gpu, only: &CudaLaunch) -> Outcome<()> {
        self.function.allow_shared(self.shared_bytes)?;
        if only.persistent {
            let blocks = self.function.blocks_per_multiprocessor(self.size.iter().product(), self.shared_bytes)?;
            self.room = Some(gpu.multiprocessors * blocks.max(1));
        }
        Ok(())
    }

    /// The workgroups that are launched where `grid` is asked for.
    fn launched(&self, [x, y, z]: [u32; 3]) -> [u32; 3] {
        [x.min(self.room.unwrap_or(u32::MAX)), y, z]
    }

    /// Launches it after earlier work; does not wait.
    pub(super) fn launch(&self, grid: [u32; 3], arguments: &Arguments) -> Outcome<()> {
        self.function.launch(self.launched(grid), self.size, self.shared_bytes, arguments)
    }

    /// The arguments with which it works on parts of memory, one for each of the launch's bindings.
    ///
    /// # Errors
    /// When a tensor map cannot be had of a buffer.
    pub(super) fn arguments(
        &self,
        launch: &Launch,
        buffers: &[BufferSpec],
        parts: &[Part<'_, Gpu>],
    ) -> Outcome<Arguments> {
        let address = |i: usize| parts[i].memory.address(parts[i].offset);
        let map = |map: &TensorMap| {
            let at = launch.bindings.iter().position(|binding| binding.name == map.buffer);
            let at = at.ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
            TileMap::new(map, buffers[launch.bindings[at].buffer].elem, address(at))
        };
        let maps = launch.cuda_only().iter().flat_map(|only| &only.maps).map(map).collect::<Outcome<_>>()?;
        let mut values: Vec<u64> = ordered(launch).into_iter().map(address).collect();
        self.values.iter().for_each(|(place, value)| values.insert((*place).min(values.len()), *value));
        Ok(Arguments::new(&values, maps))
    }

    /// The compiler's results for it.
    pub(super) fn compiled(&self, gpu: &Gpu, launch: &Launch) -> Outcome<Compiled> {
        use FunctionAttribute as A;
        let registers = self.function.attribute(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        let shared_bytes = self.function.attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? + self.shared_bytes;
        let lanes = self.size.iter().product();
        let blocks = self.function.blocks_per_multiprocessor(lanes, self.shared_bytes)?;
        Ok(Compiled {
            registers,
            shared_bytes,
            local_bytes: self.function.attribute(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            max_threads: self.function.attribute(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            occupancy: Some(occupancy::occupancy(&gpu.multiprocessor, lanes, registers, shared_bytes, blocks)),
            persistent_grid: self.room.map(|_| self.launched(launch.grid.most())),
            ptx: self.ptx.clone(),
        })
    }
}

/// Up to eight bytes, lowest first, as a word: the driver reads as many of them as the parameter has.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}
