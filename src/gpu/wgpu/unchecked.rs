//! The unsafe calls into wgpu: compiling a kernel without guards on its loops and array indices, and experimental features.

/// Leave to ask a device for features that wgpu calls experimental.
#[expect(unsafe_code, reason = "wgpu has no safe call for it, and tensor cores cannot be reached without")]
pub(super) fn experimental_features() -> wgpu::ExperimentalFeatures {
    // SAFETY: wgpu asks to know that these features may have defects that safe calls run into. The only one that is asked for is
    // cooperative matrices; only a kernel that uses them meets its defects, and what it does stays in the worker process.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

/// A shader module whose loops have no bounds, and whose array indices have only if `indices` is set; its other guards (division,
/// initialisation) stay.
///
/// A bound on a loop is a counter in it. It keeps compilers from unrolling the loop, and a lane's own arrays from lying in registers: on an
/// H100 a tiled product ran a hundred times as long with it. The worker's deadline bounds a kernel's time instead.
#[expect(
    unsafe_code,
    reason = "wgpu has no safe call that leaves the guards out, and they can cost nearly all of a kernel's speed"
)]
pub(super) fn shader_module(
    device: &wgpu::Device,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
    indices: bool,
) -> wgpu::ShaderModule {
    let checks = wgpu::ShaderRuntimeChecks {
        bounds_checks: indices,
        force_loop_bounding: false,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: The shader's loops must end, and without `indices` it must not index out of bounds. Nothing can prove that of any
    // kernel: the tracer finds both where it runs the same kernel, and leaving the guards of indices out is the user's visible switch.
    // The module is still validated, and what a wrong kernel does stays in the worker process and the device memory that it owns.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}
