//! cuBLAS's calls, each made safe to call: a product of matrices, on the stream that all other work goes to.
#![expect(unsafe_code, reason = "it is a C library; nothing outside the files that say so calls into C")]

use std::ffi::c_int;

use cudarc::cublas::sys::{self, cublasStatus_t as Status, cudaDataType_t as DataType};

use super::driver::{Code, Context, Memory, Outcome, STREAM};
use crate::base::tensor::Elem;
use crate::job::Product;

/// Memory that cuBLAS may use while it works: as much as NVIDIA recommends for Hopper. Given once, so that no product
/// allocates any.
const WORKSPACE_BYTES: u64 = 32 << 20;

/// cuBLAS's version, where its library can be loaded.
pub(super) fn version() -> Option<[i32; 3]> {
    use sys::libraryPropertyType_t::{MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    // SAFETY: The library is looked for first; the pointer is to a live integer.
    unsafe {
        if !sys::is_culib_present() {
            return None;
        }
        let part = |which| {
            let mut value = 0;
            let status = sys::cublasGetProperty(which, &raw mut value);
            (status == Status::CUBLAS_STATUS_SUCCESS).then_some(value)
        };
        Some([part(MAJOR_VERSION)?, part(MINOR_VERSION)?, part(PATCH_LEVEL)?])
    }
}

/// cuBLAS, ready for products on one device.
pub(super) struct Cublas {
    handle: sys::cublasHandle_t,
    /// Alive as long as the handle.
    _workspace: Memory,
    /// Its version, such as "13.0.2".
    pub(super) version: String,
}

/// A matrix in the device's memory: where it lies, at which byte, and what its elements are.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) memory: &'a Memory,
    pub(super) offset: u64,
    pub(super) elem: Elem,
}

impl Cublas {
    /// Loads the library and prepares it.
    pub(super) fn open(context: &Context) -> Result<Self, String> {
        let [major, minor, patch] = version().ok_or("no library libcublas can be loaded")?;
        let workspace = Memory::new(context, WORKSPACE_BYTES).map_err(|code| format!("no workspace: {code:?}"))?;
        let mut handle = std::ptr::null_mut();
        let of = |what: &str, status: Status| match status {
            Status::CUBLAS_STATUS_SUCCESS => Ok(()),
            failed => Err(format!("{what}: {failed:?}")),
        };
        // SAFETY: The library was just found, and a context is current, as the argument shows. The pointer is to a live handle, which takes
        // memory that stays as long as it does. Its stream is the one to which all work goes.
        unsafe {
            of("cublasCreate", sys::cublasCreate_v2(&raw mut handle))?;
            let this = Self { handle, _workspace: workspace, version: format!("{major}.{minor}.{patch}") };
            // First, since it takes the workspace back.
            of("cublasSetStream", sys::cublasSetStream_v2(handle, STREAM.cast()))?;
            let workspace = this._workspace.address(0) as usize as *mut _;
            let bytes = usize::try_from(WORKSPACE_BYTES).unwrap_or(0);
            of("cublasSetWorkspace", sys::cublasSetWorkspace_v2(handle, workspace, bytes))?;
            // Full f32 for f32, without TF32, and parts of sums that different blocks took are added up in f32, whatever C's type is.
            let mode = sys::cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
            of("cublasSetMathMode", sys::cublasSetMathMode(handle, mode))?;
            Ok(this)
        }
    }

    /// Has C = A · B computed after the work before, all row-major and summed in f32; does not wait.
    pub(super) fn product(&self, [a, b, c]: [Matrix<'_>; 3], product: &Product) -> Outcome<()> {
        use sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
        let Product { m, n, k, b_transposed, .. } = *product;
        for (matrix, rows, columns) in [(a, m, k), (b, k, n), (c, m, n)] {
            let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(matrix.elem.bytes()));
            if !bytes.is_some_and(|bytes| matrix.memory.holds(matrix.offset, bytes)) {
                return Err(Code::CUDA_ERROR_INVALID_VALUE);
            }
        }
        let int = |size: u64| c_int::try_from(size).map_err(|_| Code::CUDA_ERROR_INVALID_VALUE);
        let (m, n, k) = (int(m)?, int(n)?, int(k)?);
        let (type_a, type_b, type_c) = (data_type(a.elem)?, data_type(b.elem)?, data_type(c.elem)?);
        let address = |matrix: Matrix<'_>| matrix.memory.address(matrix.offset) as usize as *mut std::ffi::c_void;
        let (one, zero) = (1.0_f32, 0.0_f32);
        // To cuBLAS, which goes by columns, a row-major matrix is its transpose: what is asked for is Cᵀ = Bᵀ · Aᵀ.
        let (turn_b, lead_b) = if b_transposed { (CUBLAS_OP_T, k) } else { (CUBLAS_OP_N, n) };
        // SAFETY: The handle is alive. The matrices lie within their memories, as was just seen, with these sizes and leading dimensions;
        // the factors are f32, as the type to compute in asks.
        let status = unsafe {
            sys::cublasGemmEx(
                self.handle,
                turn_b,
                CUBLAS_OP_N,
                n,
                m,
                k,
                (&raw const one).cast(),
                address(b),
                type_b,
                lead_b,
                address(a),
                type_a,
                k,
                (&raw const zero).cast(),
                address(c),
                type_c,
                n,
                sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        match status {
            Status::CUBLAS_STATUS_SUCCESS => Ok(()),
            Status::CUBLAS_STATUS_ALLOC_FAILED => Err(Code::CUDA_ERROR_OUT_OF_MEMORY),
            Status::CUBLAS_STATUS_EXECUTION_FAILED | Status::CUBLAS_STATUS_INTERNAL_ERROR => {
                Err(Code::CUDA_ERROR_LAUNCH_FAILED)
            }
            _ => Err(Code::CUDA_ERROR_NOT_SUPPORTED),
        }
    }
}

/// cuBLAS's name for a type of elements.
fn data_type(elem: Elem) -> Outcome<DataType> {
    match elem {
        Elem::F32 => Ok(DataType::CUDA_R_32F),
        Elem::F16 => Ok(DataType::CUDA_R_16F),
        Elem::Bf16 => Ok(DataType::CUDA_R_16BF),
        Elem::U32 | Elem::I32 => Err(Code::CUDA_ERROR_NOT_SUPPORTED),
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // SAFETY: It was created in `open` and is destroyed once. In a lost context this fails, and there is nothing left to do.
        let _ = unsafe { sys::cublasDestroy_v2(self.handle) };
    }
}
