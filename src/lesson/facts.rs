//! Properties of a pass from which the figures that fit it are chosen.

/// Properties of a pass from which the figures that fit it are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Buffers: it is there at all.
    pub buffers: bool,
    /// A kernel: it is no copy and no fill.
    pub kernel: bool,
    /// A trace of it: it is not in CUDA C++ only.
    pub traced: bool,
    /// Series that its program keeps of its rounds.
    pub series: bool,
    /// Matrices among its buffers.
    pub matrices: bool,
    /// Lanes that meet: at barriers, or by subgroup operations.
    pub meets: bool,
    /// Variables in workgroup memory.
    pub shared: bool,
    /// Floating-point operations that are counted.
    pub flops: bool,
    /// An explorer in the prose of the step.
    pub explorer: bool,
    /// A kernel whose lesson says which ring its tiles go through.
    pub ring: bool,
}

impl Facts {
    /// Those that hold without a trace.
    #[must_use]
    pub fn untraced(self) -> Self {
        Self { kernel: self.kernel, flops: self.flops, ..Self::default() }
    }
}
