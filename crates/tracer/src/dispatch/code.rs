//! One launch of a kernel: its code in one language or two, what it binds, and how large it is.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use warpbook_base::diag::{Diagnostic, Place};
use warpbook_base::tensor::Elem;
use warpbook_base::wgsl;

/// A kernel and all that a launch of it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The kernel's id in its lesson, or the entry point's name.
    pub kernel: String,
    /// Its code.
    pub code: Code,
    /// One for each storage or uniform variable that the entry point uses, in the order of groups and bindings.
    pub bindings: Vec<Binding>,
    /// Workgroups.
    pub grid: Grid,
    /// The size and memory of one workgroup, if known before the shader is compiled for a device.
    pub workgroup: Option<WorkgroupShape>,
    /// A library's call that does the same work, to be timed beside the kernel where the backend has that library.
    pub library: Option<Library>,
    /// The parameters that size each thing, so that a limit can be explained in terms of what to change.
    pub blame: Blame,
}

/// The code of a kernel, in one language or two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Code {
    /// WGSL, perhaps with a twin in CUDA C++.
    Wgsl(Wgsl),
    /// CUDA C++ alone.
    Cuda {
        /// The code.
        twin: Twin,
        /// Values of its constants, by name.
        constants: Vec<(String, f64)>,
        /// Its launch parameters besides grid and workgroup.
        launch: CudaLaunch,
    },
    /// PTX, which a compiler made of another text.
    Ptx(Assembled),
}

/// A kernel in PTX with what a launch of it passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assembled {
    /// The text that is shown and that lines are of: CUDA C++, Triton's Python, or the PTX itself.
    pub twin: Twin,
    /// The PTX.
    pub ptx: Arc<str>,
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// By parameter; buffers are in the order of the launch's bindings.
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel in PTX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// A pointer to the start of a buffer, with its name.
    Buffer(String),
    /// A pointer that leads nowhere, with its name.
    Null(String),
    /// A tensor map of a buffer among the arguments, and the type of the buffer's elements.
    Map(TensorMap, Elem),
    /// The bytes of anything else, lowest first.
    Value(Vec<u8>),
}

/// A kernel in WGSL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wgsl {
    /// The file the source came from: of a lesson, within its pack.
    pub file: String,
    /// The text.
    pub source: Arc<str>,
    /// The entry point.
    pub entry: String,
    /// Values of the shader's `override`s, by name.
    pub overrides: Vec<(String, f64)>,
    /// Values of the shader's `const`s, by name: `source` holds them already, and the twin is to have them too.
    pub consts: Vec<(String, f64)>,
    /// The same kernel in CUDA C++, for the backend that runs that.
    pub twin: Option<Twin>,
}

/// A kernel in CUDA C++: an `extern "C" __global__ void` function that takes the kernel's buffers in the order of their
/// groups and bindings, is launched on the same grid of workgroups of the same size, and finds the `override`s as
/// constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin {
    /// The file the source came from: of a lesson, within its pack.
    pub file: String,
    /// CUDA C++.
    pub source: Arc<str>,
    /// The function's name.
    pub entry: String,
    /// Its PTX for some constants, if its pack has it; see [`Shipped`].
    #[serde(skip)]
    pub shipped: Option<Shipped>,
}

/// The compressed PTX of a kernel, as a pack keeps it beside the kernel's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipped(pub Arc<[u8]>);

/// The launch parameters of a kernel in CUDA C++ only, besides grid and workgroup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CudaLaunch {
    /// Shared memory that the launch gives each workgroup, in bytes.
    pub shared_bytes: u32,
    /// Parameters after the buffers, in order.
    pub maps: Vec<TensorMap>,
    /// Whether each workgroup goes on to further work, so that no more are launched than the device holds at a time.
    pub persistent: bool,
    /// Arguments that are numbers, each with its place among the parameters and its name. The buffers have the other
    /// places.
    pub values: Vec<(u32, String, f64)>,
    /// Its PTX, of a kernel that comes with it.
    pub ptx: Option<Arc<str>>,
    /// Macros with their texts, of a kernel that is in no lesson.
    pub defines: Vec<(String, String)>,
    /// The architecture to compile for instead of the device's, such as `sm_80` or `sm_90a`.
    pub target: Option<String>,
    /// Whether its text was written for nvcc, which includes headers of its own and compiles the host's functions, too.
    pub for_nvcc: bool,
    /// The instance of a template that is compiled, such as `scale<float>`.
    pub instance: Option<String>,
}

impl Launch {
    /// The file that the kernel is in: of a lesson, within its pack.
    #[must_use]
    pub fn file(&self) -> &str {
        match &self.code {
            Code::Wgsl(wgsl) => &wgsl.file,
            Code::Cuda { twin, .. } | Code::Ptx(Assembled { twin, .. }) => &twin.file,
        }
    }

    /// Where its entry point is defined; the start of its file if the text does not show it.
    #[must_use]
    pub fn place(&self) -> Place {
        let (Code::Wgsl(Wgsl { file, source, entry, .. })
        | Code::Cuda { twin: Twin { file, source, entry, .. }, .. }
        | Code::Ptx(Assembled { twin: Twin { file, source, entry, .. }, .. })) = &self.code;
        wgsl::function(source, entry).map_or_else(|| Place::start(file), |at| Place::at(file, source, at))
    }

    /// Its WGSL.
    ///
    /// # Errors
    /// That it has none, with where it runs.
    pub fn wgsl(&self) -> Result<&Wgsl, Diagnostic> {
        match &self.code {
            Code::Wgsl(wgsl) => Ok(wgsl),
            Code::Cuda { twin, .. } | Code::Ptx(Assembled { twin, .. }) => {
                Err(written_for_cuda(&self.kernel, &twin.file))
            }
        }
    }

    /// Its CUDA C++, where there is some.
    #[must_use]
    pub fn twin(&self) -> Option<&Twin> {
        match &self.code {
            Code::Wgsl(wgsl) => wgsl.twin.as_ref(),
            Code::Cuda { twin, .. } | Code::Ptx(Assembled { twin, .. }) => Some(twin),
        }
    }

    /// The launch parameters of a kernel in CUDA C++ only; None for others.
    #[must_use]
    pub fn cuda_only(&self) -> Option<&CudaLaunch> {
        match &self.code {
            Code::Wgsl(_) | Code::Ptx(_) => None,
            Code::Cuda { launch, .. } => Some(launch),
        }
    }

    /// The text that a trace's lines are of.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        match &self.code {
            Code::Wgsl(wgsl) => &wgsl.source,
            Code::Cuda { twin, .. } | Code::Ptx(Assembled { twin, .. }) => &twin.source,
        }
    }

    /// The buffer bound to a variable, by its place in the job.
    #[must_use]
    pub fn bound(&self, variable: &str) -> Option<usize> {
        self.bindings.iter().find(|binding| binding.name == variable).map(|binding| binding.buffer)
    }
}

/// That a kernel in `file` has no WGSL which could be traced, or run through wgpu.
#[must_use]
pub fn written_for_cuda(kernel: &str, file: &str) -> Diagnostic {
    Diagnostic::error(format!("kernel `{kernel}` is written in CUDA C++ only"))
        .in_file(file)
        .hint("trace it with --language cuda, or run it with --backend cuda on an NVIDIA GPU; elsewhere its recorded curves are shown")
        .not_here()
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

/// A variable of a shader and the buffer bound to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The variable's name.
    pub name: String,
    /// The buffer, by its place in the job.
    pub buffer: usize,
    /// The variable's `@group`.
    pub group: u32,
    /// The variable's `@binding`.
    pub binding: u32,
    /// How the shader declares it.
    pub kind: BindingKind,
}

/// Workgroups in x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grid {
    /// These counts along x, y and z.
    Fixed([u32; 3]),
    /// The counts are three words of a buffer, read when the launch begins.
    Words {
        /// The buffer of `u32`, by its place in the job.
        buffer: usize,
        /// The first of its words.
        at: u64,
        /// More than these are an error.
        most: [u32; 3],
    },
}

impl Grid {
    /// The most workgroups in each dimension.
    #[must_use]
    pub fn most(self) -> [u32; 3] {
        match self {
            Self::Fixed(grid) => grid,
            Self::Words { most, .. } => most,
        }
    }
}

/// How tiles of a row-major matrix are fetched or stored as a whole: CUDA's `CUtensorMap` of two dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorMap {
    /// The variable whose buffer holds the matrix.
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

/// The size and memory of one workgroup of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkgroupShape {
    /// Invocations in x, y, z.
    pub size: [u32; 3],
    /// Workgroup memory, in bytes.
    pub shared_bytes: u32,
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
}
