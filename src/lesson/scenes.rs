//! The kinds of picture that the stage has, and which kernels each can show.

use serde::Deserialize;

use super::model::Kernel;

/// A kind of picture of a kernel's run. `scene::stage` draws each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
pub enum SceneKind {
    /// One warp's lanes over the memory they touch.
    #[default]
    Warp,
    /// The matrices in global memory, and what a workgroup has touched of them so far.
    Matrices,
    /// How often each element of the matrices was fetched from global memory, over the whole grid.
    Heat,
    /// How a workgroup's lanes combine their values.
    Reduction,
    /// How the grid's workgroups spread over a device's SMs, wave after wave.
    Waves,
    /// Where the rungs of the kernel's ladder stand under a device's ceilings.
    Roofline,
}

impl SceneKind {
    /// All of them, in the order of the stage's tabs.
    pub const ALL: [Self; 6] = [Self::Warp, Self::Matrices, Self::Heat, Self::Reduction, Self::Waves, Self::Roofline];

    /// Its name on the stage.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Warp => "Warp",
            Self::Matrices => "Matrices",
            Self::Heat => "Heat",
            Self::Reduction => "Reduction",
            Self::Waves => "Waves",
            Self::Roofline => "Roofline",
        }
    }

    /// What it shows, in a sentence.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Warp => "The lanes of one warp, and each byte that they touch",
            Self::Matrices => "The matrices, and what the workgroup has touched of them so far",
            Self::Heat => "How often each element is fetched from global memory, over the whole grid",
            Self::Reduction => "How the lanes of a workgroup combine their values, level by level",
            Self::Waves => "How the grid's workgroups spread over a device's SMs, wave after wave",
            Self::Roofline => "Where the kernels of the ladder stand under the device's ceilings",
        }
    }

    /// What a figure of it, in a note, is of.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Warp => "one access of warp 0, workgroup 0",
            Self::Matrices => "what workgroup 0 has touched of the matrices",
            Self::Heat => "how often each element is fetched from global memory, over the whole grid",
            Self::Reduction => "how the lanes of workgroup 0 combine their values",
            Self::Waves => "how the grid's workgroups spread over a device's SMs",
            Self::Roofline => "where the kernels of the ladder stand under a device's ceilings",
        }
    }

    /// Whether there is something of the kernel to show.
    #[must_use]
    pub fn fits(self, kernel: &Kernel) -> bool {
        match self {
            Self::Warp | Self::Waves => true,
            Self::Matrices | Self::Heat => kernel.buffers.iter().any(|buffer| buffer.columns.is_some()),
            // Lanes meet through workgroup memory or by subgroup operations. What kernels of matrices put there are tiles.
            Self::Reduction => {
                let meets = ["workgroupBarrier", "subgroup"].iter().any(|means| kernel.source.contains(means));
                meets && !Self::Matrices.fits(kernel)
            }
            Self::Roofline => kernel.flops.source().trim() != "0",
        }
    }

    /// Whether it moves with a warp's events, so that it can be played; otherwise it is of the whole grid, and still.
    #[must_use]
    pub fn plays(self) -> bool {
        match self {
            Self::Warp | Self::Matrices | Self::Reduction => true,
            Self::Heat | Self::Waves | Self::Roofline => false,
        }
    }
}
