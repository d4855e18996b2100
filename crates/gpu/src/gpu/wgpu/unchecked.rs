//! The unsafe calls into wgpu: compiling a kernel without guards on its loops and array indices, and experimental
//! features.

use crate::gpu::driver::Guards;

/// Leave to ask a device for features that wgpu calls experimental.
#[expect(unsafe_code, reason = "wgpu has no safe call for it, and tensor cores cannot be reached without")]
pub(super) fn experimental_features() -> wgpu::ExperimentalFeatures {
    // SAFETY: wgpu asks to know that these features may have defects that safe calls run into. The only one that is asked for is
    // cooperative matrices; only a kernel that uses them meets its defects, and what it does stays in the worker process.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

/// A shader module whose loops and array indices are guarded as `guards` says; its other guards (division,
/// initialisation) stay.
///
/// A bound on a loop is a counter in it. It keeps compilers from unrolling the loop, and a lane's own arrays from lying
/// in registers: on an H100 a tiled product ran a hundred times as long with it. So it is left out where loops are
/// known to end: those of the built-in pack, whose kernels the tests trace to their ends, and those of a user who
/// switched the guards off.
#[expect(
    unsafe_code,
    reason = "wgpu has no safe call that leaves the guards out, and they can cost nearly all of a kernel's speed"
)]
pub(super) fn shader_module(
    device: &wgpu::Device,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
    guards: Guards,
) -> wgpu::ShaderModule {
    let checks = wgpu::ShaderRuntimeChecks {
        bounds_checks: guards.indices,
        force_loop_bounding: guards.loops,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: The shader's loops must end where they have no bounds, and without guards of indices it must not index out of bounds. The
    // first holds of the built-in pack, see above; for any other, leaving guards out is the user's visible switch. The module is still
    // validated, and what a wrong kernel does stays in the worker process and the device memory that it owns, with a deadline.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}
