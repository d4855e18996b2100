//! The kinds of picture that the stage has: a table of what each is called, says and needs.

use serde::{Deserialize, Serialize};

/// A kind of picture of a launch. `scene::stage` draws each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SceneKind {
    /// One warp's lanes over the memory they touch.
    #[default]
    Warp,
    /// The maths of the step, to drag.
    Explore,
    /// The matrices in global memory, and what a workgroup has touched of them so far.
    Matrices,
    /// How often each element of the matrices was fetched from global memory, over the whole grid.
    Heat,
    /// How a workgroup's lanes combine their values.
    Reduction,
    /// A variable of workgroup memory as it lies in banks, and the wavefronts that serve an access.
    Banks,
    /// How often a workgroup goes over its buffers.
    Sweeps,
    /// Where the launch's bytes go, from DRAM to registers.
    Bytes,
    /// The ring of places in workgroup memory that the kernel's tiles go through; drawn, not traced.
    Ring,
    /// How the grid's workgroups spread over a device's SMs, wave after wave.
    Waves,
    /// Where the rungs of the kernel's ladder stand under a device's ceilings.
    Roofline,
    /// What a buffer holds after the pass.
    Contents,
    /// The program's series, round by round.
    Rounds,
}

/// What a pass has for pictures to show.
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

/// One kind of picture.
pub struct Scene {
    /// Which.
    pub kind: SceneKind,
    /// Its name on the stage.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub help: &'static str,
    /// What a figure of it, in a note, is of.
    pub about: &'static str,
    /// Whether it moves with a warp's events, so that it can be played; otherwise it is of the whole grid, and still.
    pub plays: bool,
    /// Whether there is something of a launch to show.
    pub fits: fn(Facts) -> bool,
    /// What to write in the lesson so that there is.
    pub needs: &'static str,
}

/// All of them, in the order of the stage's tabs.
pub static SCENES: [Scene; 13] = [
    Scene {
        kind: SceneKind::Warp,
        name: "Warp",
        help: "The lanes of one warp, and each byte that they touch",
        about: "one access of warp 0, workgroup 0",
        plays: true,
        fits: |facts| facts.traced,
        needs: "any kernel that can be traced",
    },
    Scene {
        kind: SceneKind::Explore,
        name: "Maths",
        help: "What the step's formulas do, to drag",
        about: "what the step's formulas do",
        plays: false,
        fits: |facts| facts.explorer,
        needs: "place an explorer with `{{explore NAME}}` in the step's prose",
    },
    Scene {
        kind: SceneKind::Matrices,
        name: "Matrices",
        help: "The matrices, and what the workgroup has touched of them so far",
        about: "what workgroup 0 has touched of the matrices",
        plays: true,
        fits: |facts| facts.matrices,
        needs: "give its matrices their `columns`",
    },
    Scene {
        kind: SceneKind::Heat,
        name: "Heat",
        help: "How often each element is fetched from global memory, over the whole grid",
        about: "how often each element is fetched from global memory, over the whole grid",
        plays: false,
        fits: |facts| facts.matrices,
        needs: "give its matrices their `columns`",
    },
    Scene {
        kind: SceneKind::Reduction,
        name: "Reduction",
        help: "How the lanes of a workgroup combine their values, level by level",
        about: "how the lanes of workgroup 0 combine their values",
        plays: true,
        // What kernels of matrices put into workgroup memory are tiles.
        fits: |facts| facts.meets && !facts.matrices,
        needs: "show a kernel whose lanes meet, at barriers or by subgroup operations, and that has no matrices",
    },
    Scene {
        kind: SceneKind::Banks,
        name: "Banks",
        help: "A variable of workgroup memory as it lies in banks, and the wavefronts that serve an access",
        about: "workgroup memory as it lies in banks, at one access of warp 0, workgroup 0",
        plays: true,
        fits: |facts| facts.shared,
        needs: "show a kernel that has variables in workgroup memory",
    },
    Scene {
        kind: SceneKind::Sweeps,
        name: "Sweeps",
        help: "How often the workgroup goes over each buffer, request below request",
        about: "how often workgroup 0 goes over each buffer",
        plays: true,
        fits: |facts| facts.traced,
        needs: "any kernel that can be traced",
    },
    Scene {
        kind: SceneKind::Bytes,
        name: "Bytes",
        help: "Where the bytes go: DRAM, caches, registers, workgroup memory",
        about: "where the bytes go, over the whole grid",
        plays: false,
        fits: |facts| facts.traced,
        needs: "any kernel that can be traced",
    },
    Scene {
        kind: SceneKind::Ring,
        name: "Ring",
        help: "The places that tiles go through between who loads and who multiplies; drawn, not traced",
        about: "how tiles go through the kernel's places in shared memory, drawn and not traced",
        plays: false,
        fits: |facts| facts.ring,
        needs: "say in the kernel's `cuda` which `ring` its tiles go through",
    },
    Scene {
        kind: SceneKind::Waves,
        name: "Waves",
        help: "How the grid's workgroups spread over a device's SMs, wave after wave",
        about: "how the grid's workgroups spread over a device's SMs",
        plays: false,
        fits: |facts| facts.kernel,
        needs: "any kernel",
    },
    Scene {
        kind: SceneKind::Roofline,
        name: "Roofline",
        help: "Where the kernels of the ladder stand under the device's ceilings",
        about: "where the kernels of the ladder stand under a device's ceilings",
        plays: false,
        fits: |facts| facts.flops,
        needs: "say how many `flops` its work takes",
    },
    Scene {
        kind: SceneKind::Contents,
        name: "Buffers",
        help: "What a buffer holds after the pass: numbers, shades or characters",
        about: "what a buffer holds after the pass",
        plays: false,
        fits: |facts| facts.buffers,
        needs: "any pass",
    },
    Scene {
        kind: SceneKind::Rounds,
        name: "Rounds",
        help: "What the program keeps of each of its rounds",
        about: "what the program keeps of each of its rounds",
        plays: false,
        fits: |facts| facts.series,
        needs: "give its program a series with `each`",
    },
];

impl Facts {
    /// What is left of them without a trace: what the lesson's numbers alone say.
    #[must_use]
    pub fn untraced(self) -> Self {
        Self { kernel: self.kernel, flops: self.flops, ..Self::default() }
    }
}

impl SceneKind {
    /// Its line of the table.
    #[must_use]
    pub fn scene(self) -> &'static Scene {
        let [warp, ..] = &SCENES;
        SCENES.iter().find(|scene| scene.kind == self).unwrap_or(warp)
    }
}
