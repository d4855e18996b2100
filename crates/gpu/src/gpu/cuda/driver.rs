//! The driver's calls, each made safe to call: contexts, memory, modules, launches, events. All of it runs on one
//! thread.
#![expect(unsafe_code, reason = "the driver is a C library; nothing outside the files that say so calls into C")]

use std::ffi::{CString, c_void};
use std::marker::PhantomData;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUresult};

use crate::base::tensor::Elem;
use crate::job::TensorMap;

/// The code that a failed call gives.
pub(super) type Code = CUresult;

/// The result of a call of the driver, or its error code.
pub(super) type Outcome<T> = Result<T, CUresult>;

/// An attribute of a device.
pub(super) use cudarc::driver::sys::CUdevice_attribute as Attribute;
/// An attribute of a compiled function.
pub(super) use cudarc::driver::sys::CUfunction_attribute as FunctionAttribute;

/// All work goes to this thread's default stream: in order, and in order with copies from and to the host, which wait
/// for it. Unlike the process's default stream it can be captured in a [`Graph`]. The value is the driver's
/// `CU_STREAM_PER_THREAD`.
pub(super) const STREAM: sys::CUstream = std::ptr::without_provenance_mut(2);

fn code(error: result::DriverError) -> CUresult {
    error.0
}

/// Whether the driver's library can be loaded. Every other call here panics where it cannot.
pub(super) fn is_present() -> bool {
    // SAFETY: It loads the driver's library, whose initialisation is NVIDIA's own and expects to be loaded like this.
    unsafe { sys::is_culib_present() }
}

/// Initialises the driver; again and again does no harm.
pub(super) fn init() -> Outcome<()> {
    result::init().map_err(code)
}

/// The newest CUDA that the driver supports: major and minor.
pub(super) fn version() -> Outcome<[i32; 2]> {
    let mut version = 0;
    // SAFETY: The pointer is to a live integer.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(code)?;
    Ok([version / 1000, version % 1000 / 10])
}

/// Number of devices. The driver is initialised.
pub(super) fn device_count() -> Outcome<i32> {
    result::device::get_count().map_err(code)
}

pub(super) fn device_name(ordinal: i32) -> Outcome<String> {
    result::device::get_name(result::device::get(ordinal).map_err(code)?).map_err(code)
}

/// A device's primary context, current on this thread. It lives as long as the process, which is a worker's.
pub(super) struct Context {
    device: sys::CUdevice,
    /// A context is current on one thread only.
    _thread: PhantomData<*const ()>,
}

impl Context {
    /// Opens device `ordinal`.
    pub(super) fn open(ordinal: i32) -> Outcome<Self> {
        let device = result::device::get(ordinal).map_err(code)?;
        // SAFETY: The device comes from the driver, and the context from the device; it is never released.
        unsafe {
            let context = result::primary_ctx::retain(device).map_err(code)?;
            result::ctx::set_current(context).map_err(code)?;
        }
        Ok(Self { device, _thread: PhantomData })
    }

    pub(super) fn attribute(&self, attribute: Attribute) -> Outcome<u32> {
        // SAFETY: The device comes from the driver.
        let value = unsafe { result::device::get_attribute(self.device, attribute) }.map_err(code)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// The device's memory in bytes.
    pub(super) fn total_memory(&self) -> Outcome<u64> {
        // SAFETY: The device comes from the driver.
        Ok(unsafe { result::device::total_mem(self.device) }.map_err(code)? as u64)
    }
}

/// A piece of the device's memory, which is given back when it goes out of use.
pub(super) struct Memory {
    pointer: sys::CUdeviceptr,
    bytes: u64,
}

impl Memory {
    /// `bytes` of memory; at least one is taken.
    pub(super) fn new(_: &Context, bytes: u64) -> Outcome<Self> {
        let size = usize::try_from(bytes.max(1)).map_err(|_| CUresult::CUDA_ERROR_OUT_OF_MEMORY)?;
        // SAFETY: A context is current, as the argument shows. What the memory holds is never taken for a value before it is written.
        let pointer = unsafe { result::malloc_sync(size) }.map_err(code)?;
        Ok(Self { pointer, bytes })
    }

    /// Its address at byte `offset`, for a kernel.
    pub(super) fn address(&self, offset: u64) -> u64 {
        self.pointer + offset
    }

    /// Whether `bytes` from `offset` on lie within.
    pub(super) fn holds(&self, offset: u64, bytes: u64) -> bool {
        offset.checked_add(bytes).is_some_and(|end| end <= self.bytes)
    }

    /// Copies `words` to byte `offset`, and waits for it.
    pub(super) fn write(&self, offset: u64, words: &[u32]) -> Outcome<()> {
        if !self.holds(offset, size_of_val(words) as u64) {
            return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: The range was just seen to lie within the memory, which is alive.
        unsafe { result::memcpy_htod_sync(self.address(offset), words) }.map_err(code)
    }

    /// Copies from byte `offset` to `words`, once all work before is done.
    pub(super) fn read(&self, offset: u64, words: &mut [u32]) -> Outcome<()> {
        if !self.holds(offset, size_of_val(words) as u64) {
            return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: The range was just seen to lie within the memory, which is alive.
        unsafe { result::memcpy_dtoh_sync(words, self.address(offset)) }.map_err(code)
    }

    /// Has `word` written to `bytes` from byte `offset` on, after the work before; does not wait.
    pub(super) fn fill(&self, offset: u64, bytes: u64, word: u32) -> Outcome<()> {
        if !self.holds(offset, bytes) {
            return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        let words = usize::try_from(bytes / 4).map_err(|_| CUresult::CUDA_ERROR_INVALID_VALUE)?;
        // SAFETY: The range was just seen to lie within the memory. Giving memory back waits for the work that uses it.
        unsafe { sys::cuMemsetD32Async(self.address(offset), word, words, STREAM) }.result().map_err(code)
    }

    /// Has `bytes` of `from` copied to here, each from its own offset, after the work before; does not wait.
    pub(super) fn copy(&self, offset: u64, from: &Self, from_offset: u64, bytes: u64) -> Outcome<()> {
        if !self.holds(offset, bytes) || !from.holds(from_offset, bytes) {
            return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        let size = usize::try_from(bytes).map_err(|_| CUresult::CUDA_ERROR_INVALID_VALUE)?;
        // SAFETY: Both ranges were just seen to lie within their memories. Giving memory back waits for the work that uses it.
        unsafe { result::memcpy_dtod_async(self.address(offset), from.address(from_offset), size, STREAM) }
            .map_err(code)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: It was allocated in `new` and is given back once. In a lost context this fails, and there is nothing left to do.
        let _ = unsafe { result::free_sync(self.pointer) };
    }
}

/// Words of the host's memory that the system does not move, so that the device copies them by itself.
pub(super) struct Locked {
    pointer: *mut u32,
    words: usize,
}

impl Locked {
    /// `words` zeros; at least one word is allocated.
    pub(super) fn new(_: &Context, words: usize) -> Outcome<Self> {
        let bytes = words.max(1).checked_mul(4).ok_or(CUresult::CUDA_ERROR_OUT_OF_MEMORY)?;
        // SAFETY: A context is current, as the argument shows. All words are written before they are read; the memory begins with a page.
        unsafe {
            let pointer = result::malloc_host(bytes, 0).map_err(code)?.cast::<u32>();
            pointer.write_bytes(0, words.max(1));
            Ok(Self { pointer, words })
        }
    }
}

impl Locked {
    /// The address of the first word, for a kernel: the device reads and writes the host's memory itself.
    pub(super) fn address(&self) -> u64 {
        self.pointer.expose_provenance() as u64
    }

    /// The first word now, which a kernel may just have written.
    pub(super) fn first(&self) -> u32 {
        // SAFETY: At least one word was allocated and written in `new`. A kernel writes it as a whole.
        unsafe { self.pointer.read_volatile() }
    }

    /// Writes the first word, so that a kernel sees it.
    pub(super) fn set_first(&self, word: u32) {
        // SAFETY: As for `first`.
        unsafe { self.pointer.write_volatile(word) }
    }
}

impl AsMut<[u32]> for Locked {
    fn as_mut(&mut self) -> &mut [u32] {
        // SAFETY: `words` words were allocated and written in `new`, and nothing else has the pointer. Copies are waited for.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.words) }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: It was allocated in `new` and is given back once. In a lost context this fails, and there is nothing left to do.
        let _ = unsafe { result::free_host(self.pointer.cast()) };
    }
}

/// How the device finds tiles of a row-major matrix in its memory.
#[derive(Clone, Copy)]
pub(super) struct TileMap(sys::CUtensorMap);

impl TileMap {
    /// The tiles of `map`, whose matrix has elements of this type and begins at this address.
    pub(super) fn new(map: &TensorMap, elem: Elem, address: u64) -> Outcome<Self> {
        use sys::CUtensorMapDataType_enum as T;
        use sys::CUtensorMapSwizzle_enum as S;
        let elements = match elem {
            Elem::F32 => T::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            Elem::F16 => T::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            Elem::Bf16 => T::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            Elem::U32 => T::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            Elem::I32 => T::CU_TENSOR_MAP_DATA_TYPE_INT32,
        };
        let swizzle = match map.swizzle {
            32 => S::CU_TENSOR_MAP_SWIZZLE_32B,
            64 => S::CU_TENSOR_MAP_SWIZZLE_64B,
            128 => S::CU_TENSOR_MAP_SWIZZLE_128B,
            _ => S::CU_TENSOR_MAP_SWIZZLE_NONE,
        };
        let start = usize::try_from(address).map_err(|_| CUresult::CUDA_ERROR_INVALID_VALUE)?;
        let (sizes, pitch) = ([map.columns, map.rows], [map.columns * elem.bytes()]);
        let (tile, steps) = ([map.box_columns, map.box_rows], [1, 1]);
        let mut encoded = sys::CUtensorMap { opaque: [0; 16] };
        // SAFETY: All pointers are to live values of as many elements as two dimensions take. The address is only encoded.
        unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut encoded,
                elements,
                2,
                std::ptr::without_provenance_mut(start),
                sizes.as_ptr(),
                pitch.as_ptr(),
                tile.as_ptr(),
                steps.as_ptr(),
                sys::CUtensorMapInterleave_enum::CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle,
                sys::CUtensorMapL2promotion_enum::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                sys::CUtensorMapFloatOOBfill_enum::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            )
        }
        .result()
        .map_err(code)?;
        Ok(Self(encoded))
    }
}

/// A kernel's arguments: addresses of buffers and numbers, then tensor maps, in order.
pub(super) struct Arguments {
    /// Pointers into `_values` and `_maps`, as the driver wants them.
    pointers: Box<[*mut c_void]>,
    _values: Box<[u64]>,
    _maps: Box<[TileMap]>,
}

impl Arguments {
    /// Arguments of these addresses and maps.
    pub(super) fn new(values: &[u64], maps: Vec<TileMap>) -> Self {
        let (mut values, mut maps): (Box<[u64]>, Box<[TileMap]>) = (values.into(), maps.into());
        let addresses = values.iter_mut().map(|value| std::ptr::from_mut(value).cast());
        let pointers = addresses.chain(maps.iter_mut().map(|TileMap(map)| std::ptr::from_mut(map).cast())).collect();
        Self { pointers, _values: values, _maps: maps }
    }
}

/// A compiled function and the module that holds it.
pub(super) struct Function {
    module: sys::CUmodule,
    function: sys::CUfunction,
}

impl Function {
    /// Loads `image`, a cubin or PTX with a zero at its end, and takes the function `name` out of it.
    pub(super) fn load(_: &Context, image: &[u8], name: &str) -> Outcome<Self> {
        let name = CString::new(name).map_err(|_| CUresult::CUDA_ERROR_NOT_FOUND)?;
        // SAFETY: A context is current, as the argument shows; the image comes from NVRTC. The module outlives its function.
        unsafe {
            let module = result::module::load_data(image.as_ptr().cast()).map_err(code)?;
            match result::module::get_function(module, name) {
                Ok(function) => Ok(Self { module, function }),
                Err(error) => {
                    let _ = result::module::unload(module);
                    Err(code(error))
                }
            }
        }
    }

    pub(super) fn attribute(&self, attribute: FunctionAttribute) -> Outcome<u32> {
        // SAFETY: The function's module is loaded.
        let value = unsafe { result::function::get_function_attribute(self.function, attribute) }.map_err(code)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Lets launches give workgroups this much shared memory, in bytes, beside what the function declares.
    pub(super) fn allow_shared(&self, bytes: u32) -> Outcome<()> {
        let bytes = i32::try_from(bytes).map_err(|_| CUresult::CUDA_ERROR_INVALID_VALUE)?;
        let what = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: The function's module is loaded.
        unsafe { result::function::set_function_attribute(self.function, what, bytes) }.map_err(code)
    }

    /// Workgroups of `lanes` that a multiprocessor holds at a time, each with `shared_bytes` of shared memory from the
    /// launch.
    pub(super) fn blocks_per_multiprocessor(&self, lanes: u32, shared_bytes: u32) -> Outcome<u32> {
        let lanes = i32::try_from(lanes).map_err(|_| CUresult::CUDA_ERROR_INVALID_VALUE)?;
        let shared = shared_bytes as usize;
        // SAFETY: The function's module is loaded.
        let blocks = unsafe { result::occupancy::max_active_block_per_multiprocessor(self.function, lanes, shared) };
        Ok(u32::try_from(blocks.map_err(code)?).unwrap_or(0))
    }

    /// Launches it after earlier work, each workgroup with `shared_bytes` of shared memory; does not wait.
    pub(super) fn launch(
        &self,
        grid: [u32; 3],
        workgroup: [u32; 3],
        shared_bytes: u32,
        arguments: &Arguments,
    ) -> Outcome<()> {
        self.launch_on(STREAM, grid, workgroup, shared_bytes, arguments)
    }

    /// As [`Function::launch`], after the work of a stream.
    pub(super) fn launch_on(
        &self,
        stream: sys::CUstream,
        grid: [u32; 3],
        workgroup: [u32; 3],
        shared_bytes: u32,
        arguments: &Arguments,
    ) -> Outcome<()> {
        // SAFETY: The function's module is loaded, and the driver reads as many arguments as the function has parameters, which
        // `compile` has compared with the launch's bindings. Where a kernel writes is nothing that can be proved: what it does wrong
        // stays in the device memory that this worker process owns.
        unsafe {
            let mut pointers = arguments.pointers.clone();
            result::launch_kernel(self.function, grid.into(), workgroup.into(), shared_bytes, stream, &mut pointers)
        }
        .map_err(code)
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // SAFETY: It was loaded in `load` and is unloaded once. In a lost context this fails, and there is nothing left to do.
        let _ = unsafe { result::module::unload(self.module) };
    }
}

/// Work that the device takes in as one piece and goes through by itself, at its own pace.
pub(super) struct Graph(sys::CUgraphExec);

impl Graph {
    /// Captures what `submit` submits, which is carried out at each launch and not now.
    pub(super) fn capture(_: &Context, submit: impl FnOnce() -> Outcome<()>) -> Outcome<Self> {
        // SAFETY: The stream is this thread's own. Whatever `submit` gives, the capture ends here; the captured graph is not used after the
        // executable one has been made of it.
        unsafe {
            result::stream::begin_capture(STREAM, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
                .map_err(code)?;
            let submitted = submit();
            let graph = result::stream::end_capture(STREAM).map_err(code);
            submitted?;
            let graph = graph?;
            let executable = result::graph::instantiate(graph, sys::CUgraphInstantiate_flags_enum(0)).map_err(code);
            let _ = result::graph::destroy(graph);
            let executable = Self(executable?);
            // Otherwise its first launch would bring it to the device, and take half as long again as any other.
            result::graph::upload(executable.0, STREAM).map_err(code)?;
            Ok(executable)
        }
    }

    /// Launches it after earlier work; does not wait. The memory that it refers to is still there.
    pub(super) fn launch(&self) -> Outcome<()> {
        // SAFETY: The graph is alive.
        unsafe { result::graph::launch(self.0, STREAM) }.map_err(code)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: It was made in `capture` and is destroyed once. In a lost context this fails, and there is nothing left to do.
        let _ = unsafe { result::graph::exec_destroy(self.0) };
    }
}

/// A reading of the device's clock.
pub(super) struct Event(sys::CUevent);

impl Event {
    pub(super) fn new(_: &Context) -> Outcome<Self> {
        result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map(Self).map_err(code)
    }

    /// Has the clock read after the work before; does not wait.
    pub(super) fn record(&self) -> Outcome<()> {
        self.record_on(STREAM)
    }

    /// As [`Event::record`], after the work of a stream.
    pub(super) fn record_on(&self, stream: sys::CUstream) -> Outcome<()> {
        // SAFETY: Event and stream are alive.
        unsafe { result::event::record(self.0, stream) }.map_err(code)
    }

    /// For calls that wait for it.
    pub(super) fn raw(&self) -> sys::CUevent {
        self.0
    }

    /// The same from within a [`Graph`]'s capture, at each launch of the graph.
    pub(super) fn record_in_graph(&self) -> Outcome<()> {
        let external = sys::CUevent_record_flags_enum::CU_EVENT_RECORD_EXTERNAL as u32;
        // SAFETY: The event is alive.
        unsafe { sys::cuEventRecordWithFlags(self.0, STREAM, external) }.result().map_err(code)
    }

    /// Whether the work before it is done.
    pub(super) fn is_over(&self) -> Outcome<bool> {
        // SAFETY: The event is alive.
        match unsafe { result::event::query(self.0) }.map_err(code) {
            Ok(()) => Ok(true),
            Err(CUresult::CUDA_ERROR_NOT_READY) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Seconds from `start` to this. Both are over.
    pub(super) fn seconds_since(&self, start: &Self) -> Outcome<f64> {
        type Elapsed = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> CUresult;
        let mut milliseconds = 0.0;
        // SAFETY: This is the call's signature in every version of the driver; its younger name, which the bindings use, is missing
        // before CUDA 12.8. Both events are alive.
        unsafe {
            let elapsed = sys::culib().get::<Elapsed>(b"cuEventElapsedTime\0");
            let elapsed = elapsed.map_err(|_| CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)?;
            elapsed(&raw mut milliseconds, start.0, self.0).result().map_err(code)?;
        }
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: It was created in `new` and is destroyed once. In a lost context this fails, and there is nothing left to do.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}
