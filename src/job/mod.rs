//! What to run, as data only. A job is self-contained: any process can run it and get the same inputs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::diag::Diagnostic;
use crate::base::tensor::{Elem, Init, Tensor};

/// One kernel with everything a backend needs to run, check, time and trace it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The kernel's id in its lesson, or the file's name.
    pub kernel: String,
    /// The file the source came from, as diagnostics should name it.
    pub file: String,
    /// WGSL; empty for a kernel that is written in CUDA C++ only.
    pub source: Arc<str>,
    /// The entry point.
    pub entry: String,
    /// Values of the shader's `override`s, by name.
    pub constants: Vec<(String, f64)>,
    /// Values of the shader's `const`s, by name: `source` holds them already, and the twin is to have them too.
    pub consts: Vec<(String, f64)>,
    /// The same kernel in CUDA C++, for the backend that runs that.
    pub twin: Option<Twin>,
    /// How a kernel that is written in CUDA C++ only is launched.
    pub cuda_only: Option<CudaLaunch>,
    /// A library's call that does the same work, to be timed beside the kernel where the backend has that library.
    pub library: Option<Library>,
    /// One for each storage or uniform binding that the entry point uses.
    pub buffers: Vec<BufferSpec>,
    /// Workgroups in x, y, z.
    pub grid: [u32; 3],
    /// What one workgroup takes, where it is known before the shader is compiled for a device.
    pub workgroup: Option<WorkgroupShape>,
    /// Seed of the random inputs.
    pub seed: u64,
    /// How to tell that the result is right.
    pub check: Option<CheckSpec>,
    /// How to time it; backends that cannot measure ignore it.
    pub measure: Option<MeasureSpec>,
    /// What to trace; backends that cannot trace ignore it.
    pub trace: Option<TraceSpec>,
    /// Whether the compiler guards array indices. A tracer always does.
    pub bounds_checks: bool,
    /// Bytes the work needs to move at least, as the lesson counts them.
    pub bytes: f64,
    /// Floating-point operations that the work needs, as the lesson counts them.
    pub flops: f64,
    /// The parameter that sizes each thing, so that a limit can be explained in terms of what to change.
    pub blame: Blame,
}

/// A kernel's twin in CUDA C++: an `extern "C" __global__ void` function that takes the kernel's buffers in the order of their
/// groups and bindings, is launched on the same grid of workgroups of the same size, and finds the `override`s as constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin {
    /// The file the source came from, as diagnostics should name it.
    pub file: String,
    /// CUDA C++.
    pub source: Arc<str>,
    /// The function's name.
    pub entry: String,
}

/// What a launch of a kernel has that is written in CUDA C++ only, besides grid and workgroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CudaLaunch {
    /// Shared memory that the launch gives each workgroup, in bytes.
    pub shared_bytes: u32,
    /// Parameters after the buffers, in order.
    pub maps: Vec<TensorMap>,
    /// Whether each workgroup goes on to further work, so that no more are launched than the device holds at a time.
    pub persistent: bool,
}

/// That a kernel in `file` has no WGSL which could be traced, or run through wgpu.
#[must_use]
pub fn written_for_cuda(kernel: &str, file: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "kernel `{kernel}` is written in CUDA C++ only: portable WGSL has no word for what it does"
    ))
    .in_file(file)
    .hint("run it with --backend cuda on an NVIDIA GPU; where there is none, its recorded curves are shown")
    .not_here()
}

/// How tiles of a row-major matrix are fetched or stored as a whole: CUDA's `CUtensorMap` of two dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorMap {
    /// The buffer that holds the matrix.
    pub buffer: String,
    /// Columns of the matrix, of the buffer's elements.
    pub columns: u64,
    /// Its rows.
    pub rows: u64,
    /// Columns of a tile.
    pub box_columns: u32,
    /// Rows of a tile.
    pub box_rows: u32,
    /// Bytes over which a tile's rows are mixed in shared memory: 32, 64 or 128; 0 for not at all.
    pub swizzle: u32,
}

/// A library's call that does a kernel's work. Buffers by the names of the shader's variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Library {
    /// The driver's own copy from one buffer to the other.
    Copy(String, String),
    /// cuBLAS's product of two matrices.
    Product(Product),
}

/// A product of row-major matrices, C = A · B: A is m × k, B is k × n, C is m × n. Sums are taken in f32.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// The buffer of A.
    pub a: String,
    /// The buffer of B, with elements of A's type.
    pub b: String,
    /// The buffer of C; see [`Product::computes`].
    pub c: String,
    /// Rows of A and C.
    pub m: u64,
    /// Columns of B and C.
    pub n: u64,
    /// Columns of A and rows of B.
    pub k: u64,
    /// Whether B is stored transposed, as a row-major n × k matrix.
    pub b_transposed: bool,
}

impl Product {
    /// Whether a library has the product of matrices of `a` and `b` to one of `c`.
    #[must_use]
    pub fn computes(a: Elem, b: Elem, c: Elem) -> bool {
        match (a, b, c) {
            (Elem::F32, Elem::F32, Elem::F32) => true,
            (Elem::F16 | Elem::Bf16, b, c) => a == b && (c == a || c == Elem::F32),
            _ => false,
        }
    }
}

/// What one workgroup of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkgroupShape {
    /// Invocations in x, y, z.
    pub size: [u32; 3],
    /// Workgroup memory, in bytes.
    pub shared_bytes: u32,
}

/// How a shader declares a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BindingKind {
    /// `var<storage, read>`.
    ReadOnly,
    /// `var<storage, read_write>`.
    ReadWrite,
    /// `var<uniform>`.
    Uniform,
}

/// A buffer, found in the shader by its variable's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BufferSpec {
    /// The variable's name in the shader.
    pub name: String,
    /// The variable's `@group`.
    pub group: u32,
    /// The variable's `@binding`.
    pub binding: u32,
    /// How the shader declares it.
    pub kind: BindingKind,
    /// The type of its elements.
    pub elem: Elem,
    /// Elements.
    pub count: u64,
    /// What it holds at first.
    pub init: Init,
    /// The columns of the row-major matrix that it is; none where the lesson does not say that it is one.
    pub columns: Option<u64>,
}

impl BufferSpec {
    /// The size in bytes; counts come from lessons, so it may be more than any memory has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.elem.bytes()).checked_next_multiple_of(4).unwrap_or(u64::MAX)
    }

    /// The contents at the start: `position` is the buffer's index in its job, `seed` the job's.
    #[must_use]
    pub fn fill(&self, seed: u64, position: usize) -> Tensor {
        Tensor::new(self.elem, usize::try_from(self.count).unwrap_or(usize::MAX), self.init, seed, position as u64)
    }
}

/// A comparison with a reference in f64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSpec {
    /// A name in `reference`'s table.
    pub reference: String,
    /// The reference's arguments, by name.
    pub args: Vec<(String, f64)>,
    /// The buffer to compare.
    pub output: String,
    /// The largest relative error allowed; 0 asks for equal values.
    pub tolerance: f64,
}

/// What a reference is called and what it needs, so that a lesson that asks for it can be checked before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceSignature {
    /// Its name.
    pub name: &'static str,
    /// The arguments it needs; it takes no others.
    pub args: &'static [&'static str],
    /// The buffers it reads, by the names of the shader's variables.
    pub inputs: &'static [&'static str],
}

/// How long and in which state of the caches to measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureSpec {
    /// Cold: samples rotate among copies of the buffers that together exceed the last-level cache.
    pub cold: bool,
    /// Stop when the median's 95% confidence interval is this narrow, relative to the median.
    pub precision: f64,
    /// Stop after this many seconds of sampling in any case.
    pub budget_s: f64,
    /// Never fewer samples than this.
    pub min_samples: u32,
    /// Never more samples than this.
    pub max_samples: u32,
}

impl Default for MeasureSpec {
    fn default() -> Self {
        Self { cold: true, precision: 0.01, budget_s: 0.5, min_samples: 10, max_samples: 400 }
    }
}

/// What a tracer should keep besides counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceSpec {
    /// Lanes in a warp: 8, 16, 32 or 64.
    pub warp_width: u32,
    /// Linear indices of the workgroups whose events are kept; none keeps no timeline.
    pub timeline_workgroups: Vec<u32>,
    /// Events kept at most; counts go on past it.
    pub max_events: u32,
    /// Run only the workgroups in `timeline_workgroups`: for a quick look while the whole grid is traced behind.
    pub only_timeline_workgroups: bool,
    /// Look for races within workgroups, and for reads of what was never written. It takes a few times as long.
    pub races: bool,
    /// Count how often each element of a matrix is fetched from global memory. It takes about half as long again.
    pub heat: bool,
    /// Warp instructions after which the kernel is taken to be endless.
    pub fuel: u64,
}

/// Fuel for any lesson's kernel: some ten seconds on one core.
pub const FUEL: u64 = 3_000_000_000;

impl Default for TraceSpec {
    fn default() -> Self {
        Self {
            warp_width: 32,
            timeline_workgroups: Vec::new(),
            max_events: 100_000,
            only_timeline_workgroups: false,
            races: false,
            heat: false,
            fuel: FUEL,
        }
    }
}

/// Which parameter sizes what, by the name that people know it by, such as "elements (`n`)"; empty where nothing does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blame {
    /// Parameters that the workgroup's size depends on.
    pub workgroup: Vec<String>,
    /// Parameters that its workgroup memory depends on.
    pub shared: Vec<String>,
    /// Parameters that the grid depends on.
    pub grid: Vec<String>,
    /// Parameters that each buffer's size depends on, in the buffers' order.
    pub buffers: Vec<Vec<String>>,
}
