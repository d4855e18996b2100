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
}

impl SceneKind {
    /// All of them, in the order of the stage's tabs.
    pub const ALL: [Self; 4] = [Self::Warp, Self::Matrices, Self::Heat, Self::Reduction];

    /// Its name on the stage.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Warp => "Warp",
            Self::Matrices => "Matrices",
            Self::Heat => "Heat",
            Self::Reduction => "Reduction",
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
        }
    }

    /// Whether there is something of the kernel to show.
    #[must_use]
    pub fn fits(self, kernel: &Kernel) -> bool {
        match self {
            Self::Warp => true,
            Self::Matrices | Self::Heat => kernel.buffers.iter().any(|buffer| buffer.columns.is_some()),
            // Lanes meet through workgroup memory or by subgroup operations.
            Self::Reduction => ["workgroupBarrier", "subgroup"].iter().any(|means| kernel.source.contains(means)),
        }
    }

    /// Whether it moves with a warp's events, so that it can be played; otherwise it is of the whole grid, and still.
    #[must_use]
    pub fn plays(self) -> bool {
        match self {
            Self::Warp | Self::Matrices | Self::Reduction => true,
            Self::Heat => false,
        }
    }
}
