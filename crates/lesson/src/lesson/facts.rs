//! Properties of a pass that decide which figures can show it.

/// Properties of a pass that decide which figures can show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// It has buffers, as every pass does.
    pub buffers: bool,
    /// It launches a kernel; it is not a copy or a fill.
    pub kernel: bool,
    /// It can be traced; its kernel is not in CUDA C++ only.
    pub traced: bool,
    /// Its program records series of its rounds.
    pub series: bool,
    /// Some of its buffers are matrices.
    pub matrices: bool,
    /// Its lanes synchronize, at barriers or by subgroup operations.
    pub meets: bool,
    /// Its kernel has variables in workgroup memory.
    pub shared: bool,
    /// Its floating-point operations are counted.
    pub flops: bool,
    /// The step's prose has an explorer.
    pub explorer: bool,
    /// The lesson describes the ring that the kernel's tiles go through.
    pub ring: bool,
}

impl Facts {
    /// The properties that do not need a trace.
    #[must_use]
    pub fn untraced(self) -> Self {
        Self { kernel: self.kernel, flops: self.flops, ..Self::default() }
    }
}
