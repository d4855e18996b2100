//! The program's own kernels as jobs: what the ceilings are measured with, and what keeps a device awake.
//!
//! Their indices are in bounds and their loops end, so nothing is guarded.

use crate::base::tensor::{Elem, Init};
use crate::job::{
    Binding, BindingKind, Blame, BufferSpec, Code, Content, Grid, Job, Launch, Twin, Wgsl, WorkgroupShape,
};

/// Invocations of a workgroup in `copy`, `fma` and `fill`.
pub(super) const WORKGROUP: u64 = 256;

/// A kernel that does nothing.
pub(super) fn empty() -> Job {
    let sources = (
        include_str!("../../../../shaders/ceilings/empty.wgsl"),
        include_str!("../../../../shaders/ceilings/empty.cu"),
    );
    job(launch("empty", sources, &[], [1, 1, 1], [32, 1, 1]), Vec::new())
}

/// The chain of FMAs: `groups` workgroups, each lane doing 128 FMAs in each of `turns`.
pub(super) fn fma(groups: u32, turns: u32) -> Job {
    let sources =
        (include_str!("../../../../shaders/ceilings/fma.wgsl"), include_str!("../../../../shaders/ceilings/fma.cu"));
    let mut launch = launch("fma", sources, &[("out", BindingKind::ReadWrite)], [groups, 1, 1], [256, 1, 1]);
    if let Code::Wgsl(wgsl) = &mut launch.code {
        wgsl.overrides = vec![("turns".to_owned(), f64::from(turns))];
        // C's own library has the other name.
        wgsl.twin.iter_mut().for_each(|twin| twin.entry = "fma_chains".to_owned());
    }
    job(launch, vec![buffer("out", Elem::F32, Init::Poison, u64::from(groups) * WORKGROUP)])
}

/// A plain copy of `bytes`, a multiple of 128 MiB or a power of two of at least 4 KiB.
pub(super) fn copy(bytes: u64) -> Job {
    // 16 bytes an invocation. One dimension of a grid does not suffice for large copies.
    let groups = (bytes / 16 / WORKGROUP).max(1);
    let wide = groups.min(32_768);
    let grid = [wide, groups / wide, 1].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let sources =
        (include_str!("../../../../shaders/ceilings/copy.wgsl"), include_str!("../../../../shaders/ceilings/copy.cu"));
    let bindings = [("src", BindingKind::ReadOnly), ("dst", BindingKind::ReadWrite)];
    let buffers =
        vec![buffer("src", Elem::F32, Init::Random, bytes / 4), buffer("dst", Elem::F32, Init::Poison, bytes / 4)];
    job(launch("copy", sources, &bindings, grid, [256, 1, 1]), buffers)
}

/// Writes one word everywhere, on any number of workgroups in x.
const FILL: &str = r"override word: u32;

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < arrayLength(&out); i += groups.x * 256u) {
        out[i] = word;
    }
}
";

/// A kernel that writes `word` everywhere, on any number of workgroups in x. It has no twin: CUDA fills memory by
/// itself.
pub(super) fn fill(word: u32) -> Launch {
    let mut launch = launch("fill", (FILL, ""), &[("out", BindingKind::ReadWrite)], [1, 1, 1], [256, 1, 1]);
    if let Code::Wgsl(wgsl) = &mut launch.code {
        wgsl.overrides = vec![("word".to_owned(), f64::from(word))];
        wgsl.twin = None;
    }
    launch
}

/// A long loop, to see whether a driver comes to its end: what it computes is the only element of its buffer.
pub(super) fn turns(turns: u32) -> Job {
    let source = include_str!("../../../../shaders/ceilings/loop.wgsl");
    let mut launch = launch("loop", (source, ""), &[("out", BindingKind::ReadWrite)], [1, 1, 1], [1, 1, 1]);
    if let Code::Wgsl(wgsl) = &mut launch.code {
        wgsl.overrides = vec![("turns".to_owned(), f64::from(turns))];
        wgsl.twin = None;
    }
    job(launch, vec![buffer("out", Elem::U32, Init::Poison, 1)])
}

fn buffer(name: &str, elem: Elem, init: Init, count: u64) -> BufferSpec {
    let content = Content::Made(init);
    BufferSpec { name: name.to_owned(), elem, count, content, columns: None, blame: Vec::new(), place: None }
}

/// A kernel's name, its WGSL and its twin, what it does to its buffers, its grid and its workgroup.
fn launch(
    name: &str,
    (source, twin): (&str, &str),
    bindings: &[(&str, BindingKind)],
    grid: [u32; 3],
    size: [u32; 3],
) -> Launch {
    let binding = |(buffer, (name, kind)): (usize, &(&str, BindingKind))| Binding {
        name: (*name).to_owned(),
        buffer,
        group: 0,
        binding: u32::try_from(buffer).unwrap_or(0),
        kind: *kind,
    };
    Launch {
        kernel: name.to_owned(),
        code: Code::Wgsl(Wgsl {
            file: format!("shaders/ceilings/{name}.wgsl"),
            source: source.into(),
            entry: "main".to_owned(),
            overrides: Vec::new(),
            consts: Vec::new(),
            twin: Some(Twin {
                file: format!("shaders/ceilings/{name}.cu"),
                source: twin.into(),
                entry: name.to_owned(),
                shipped: None,
            }),
        }),
        bindings: bindings.iter().enumerate().map(binding).collect(),
        grid: Grid::Fixed(grid),
        workgroup: Some(WorkgroupShape { size, shared_bytes: 0 }),
        library: None,
        blame: Blame::default(),
    }
}

/// The program of one launch, with nothing guarded.
fn job(launch: Launch, buffers: Vec<BufferSpec>) -> Job {
    Job { bounds_checks: false, bounded_loops: false, ..Job::of(launch, buffers) }
}
