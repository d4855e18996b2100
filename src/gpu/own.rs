//! The program's own kernels as jobs: what the ceilings are measured with, and what keeps a device awake.
//!
//! Their indices are in bounds and their loops end, so nothing is guarded.

use crate::base::tensor::{Elem, Init};
use crate::job::{BindingKind, Blame, BufferSpec, Job, Twin, WorkgroupShape};

/// Invocations of a workgroup in `copy` and `fma`.
pub(super) const WORKGROUP: u64 = 256;

/// A kernel that does nothing.
pub(super) fn empty() -> Job {
    let sources = (include_str!("../../shaders/ceilings/empty.wgsl"), include_str!("../../shaders/ceilings/empty.cu"));
    job("empty", sources, Vec::new(), [1, 1, 1], [32, 1, 1])
}

/// The chain of FMAs: `groups` workgroups, each lane doing 128 FMAs in each of `turns`.
pub(super) fn fma(groups: u32, turns: u32) -> Job {
    let out = buffer("out", 0, BindingKind::ReadWrite, Init::Poison, u64::from(groups) * WORKGROUP);
    let sources = (include_str!("../../shaders/ceilings/fma.wgsl"), include_str!("../../shaders/ceilings/fma.cu"));
    let mut job = job("fma", sources, vec![out], [groups, 1, 1], [256, 1, 1]);
    job.constants = vec![("turns".to_owned(), f64::from(turns))];
    if let Some(twin) = &mut job.twin {
        // C's own library has the other name.
        twin.entry = "fma_chains".to_owned();
    }
    job
}

/// A plain copy of `bytes`, a multiple of 128 MiB or a power of two of at least 4 KiB.
pub(super) fn copy(bytes: u64) -> Job {
    // 16 bytes an invocation. One dimension of a grid does not suffice for large copies.
    let groups = bytes / 16 / WORKGROUP;
    let wide = groups.min(32_768);
    let grid = [wide, groups / wide, 1].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let buffers = vec![
        buffer("src", 0, BindingKind::ReadOnly, Init::Random, bytes / 4),
        buffer("dst", 1, BindingKind::ReadWrite, Init::Poison, bytes / 4),
    ];
    let sources = (include_str!("../../shaders/ceilings/copy.wgsl"), include_str!("../../shaders/ceilings/copy.cu"));
    job("copy", sources, buffers, grid, [256, 1, 1])
}

fn buffer(name: &str, binding: u32, kind: BindingKind, init: Init, count: u64) -> BufferSpec {
    BufferSpec { name: name.to_owned(), group: 0, binding, kind, elem: Elem::F32, count, init }
}

/// A kernel's name, its WGSL and its twin, its buffers, its grid and its workgroup.
fn job(name: &str, (source, twin): (&str, &str), buffers: Vec<BufferSpec>, grid: [u32; 3], size: [u32; 3]) -> Job {
    Job {
        twin: Some(Twin { file: format!("shaders/ceilings/{name}.cu"), source: twin.into(), entry: name.to_owned() }),
        workgroup: Some(WorkgroupShape { size, shared_bytes: 0 }),
        ..plain(name, source, buffers, grid)
    }
}

/// A kernel without a twin.
pub(super) fn plain(name: &str, source: &str, buffers: Vec<BufferSpec>, grid: [u32; 3]) -> Job {
    Job {
        kernel: name.to_owned(),
        file: format!("shaders/ceilings/{name}.wgsl"),
        source: source.into(),
        entry: "main".to_owned(),
        constants: Vec::new(),
        consts: Vec::new(),
        twin: None,
        library: None,
        buffers,
        grid,
        workgroup: None,
        seed: 1,
        check: None,
        measure: None,
        trace: None,
        bounds_checks: false,
        bytes: 0.0,
        flops: 0.0,
        blame: Blame::default(),
    }
}
