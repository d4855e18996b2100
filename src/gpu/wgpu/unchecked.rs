//! The unsafe calls into wgpu: compiling a kernel without guards on its array indices and loops, and experimental features.

/// Leave to ask a device for features that wgpu calls experimental.
#[expect(unsafe_code, reason = "wgpu has no safe call for it, and tensor cores cannot be reached without")]
pub(super) fn experimental_features() -> wgpu::ExperimentalFeatures {
    // SAFETY: wgpu asks to know that these features may have defects that safe calls run into. The only one that is asked for is
    // cooperative matrices; only a kernel that uses them meets its defects, and what it does stays in the worker process.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

/// A shader module without bounds checks and loop bounds; its other guards (division, initialisation) stay.
#[expect(
    unsafe_code,
    reason = "wgpu has no safe call that leaves the guards out, and they can cost half of a kernel's speed"
)]
pub(super) fn shader_module(device: &wgpu::Device, descriptor: wgpu::ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule {
    let checks = wgpu::ShaderRuntimeChecks {
        bounds_checks: false,
        force_loop_bounding: false,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: The shader must not index out of bounds and its loops must end. Nothing can prove that of any kernel: leaving the
    // guards out is the user's visible switch, for a kernel whose trace found no index out of bounds. The module is still
    // validated, and what a wrong kernel does stays in the worker process and the device memory that it owns.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}
