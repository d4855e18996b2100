//! Sectors that a workgroup loads again: by hand, beside sets of sectors, and with workgroups that pause.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::dispatch::TraceSpec;
use warpbook_tracer::simt::{self, Options, Program};
use warpbook_tracer::trace::Trace;

/// Elements of each buffer.
const COUNT: usize = 1 << 14;

/// Lanes of a workgroup.
const LANES: usize = 64;

/// The trace of a kernel with this body, whose lane `i` of the grid loads from `x` and `at`.
fn traced(body: &str, at: &[u32], grid: u32, options: &Options) -> Result<Trace, Vec<Diagnostic>> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> x: array<u32>;\n\
         @group(0) @binding(1) var<storage, read> at: array<u32>;\n\
         @group(0) @binding(2) var<storage, read_write> out: array<u32>;\n\
         @compute @workgroup_size({LANES}) fn main(@builtin(global_invocation_id) id: vec3u) {{\n\
         let i = id.x;\nvar sum = 0u;\n{body}\nout[i] = sum;\n}}"
    );
    let program = Program::compile("t.wgsl", &source, "main", &[])?;
    let contents = |name: &str| match name {
        "at" => at.to_vec(),
        _ => vec![1; COUNT],
    };
    let tensor = |words: Vec<u32>| Tensor { elem: Elem::U32, words };
    let mut buffers: Vec<Tensor> = program.bindings().iter().map(|b| tensor(contents(&b.name))).collect();
    let ran = simt::run(&program, &mut buffers, [grid, 1, 1], options, &AtomicBool::new(false), &|_, _| {});
    Ok(ran.map_err(|error| vec![error])?.trace)
}

#[test]
fn sectors_that_were_loaded_before_count() -> Result<(), Vec<Diagnostic>> {
    // Each workgroup has two warps.
    for (body, sectors) in [
        ("sum = x[i];", 0),
        ("sum = x[i] + at[i];", 0),
        // Each of the second load's four is among those of the first.
        ("sum = x[i]; sum += x[i];", 8),
        // Sixteen, of which nine are different.
        ("sum = x[i]; sum += x[i + 8u];", 7),
        ("sum = x[0];", 1),
        ("sum = x[i % 32u];", 4),
        // One sector each for 32 lanes, at first with gaps, then one after the other.
        ("sum = x[i * 16u]; sum += x[i * 8u];", 32),
        ("sum = x[i ^ 21u]; sum += x[63u - i];", 8),
        ("if (i % 3u == 0u) { sum = x[i]; } sum += x[i];", 8),
        ("for (var k = 0u; k < 100u; k++) { sum += x[k]; }", 200 - 13),
        ("out[i] = 1u; sum = out[i];", 0),
    ] {
        let trace = traced(body, &[0; COUNT], 1, &Options::default())?;
        assert_eq!(trace.global.l1_reuse_bytes, 32 * sectors, "{body}");
    }
    Ok(())
}

#[test]
fn each_workgroup_loads_for_itself() -> Result<(), Vec<Diagnostic>> {
    let trace = traced("sum = x[i % 64u];", &[0; COUNT], 100, &Options::default())?;
    assert_eq!((trace.global.load.sectors, trace.global.l1_reuse_bytes), (800, 0));
    Ok(())
}

/// Numbers without a pattern.
fn scattered(count: usize) -> Vec<u32> {
    let step = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(*state >> 8)
    };
    std::iter::repeat_n((), count).scan(7, |state, ()| step(state)).collect()
}

#[test]
fn it_is_what_the_sets_of_sectors_leave() -> Result<(), Vec<Diagnostic>> {
    const GRID: u32 = 40;
    let at: Vec<u32> = scattered(COUNT).iter().map(|n| n % COUNT as u32).collect();
    let body = "for (var k = 0u; k < 5u; k++) { let p = at[i * (k + 1u) % 4096u]; if (p % 4u != k) { sum += x[p]; } }";
    let mut different = 0;
    for group in 0..GRID as usize {
        let lanes = group * LANES..(group + 1) * LANES;
        let loads = lanes.flat_map(|i| (0..5).map(move |k| (k, i * (k + 1) % 4096)));
        let of_at = loads.clone().map(|(_, from)| (0, from / 8)).collect::<BTreeSet<_>>();
        let of_x = loads.map(|(k, from)| (k as u32, at[from])).filter(|(k, p)| p % 4 != *k);
        different += of_at.len() + of_x.map(|(_, p)| p / 8).collect::<BTreeSet<_>>().len();
    }
    for (warp_width, threads) in [(32, Some(1)), (32, Some(3)), (8, None), (64, None)] {
        let options = Options { spec: TraceSpec { warp_width, ..TraceSpec::default() }, threads, ..Options::default() };
        let trace = traced(body, &at, GRID, &options)?;
        let again = trace.global.load.sectors - different as u64;
        assert!(again > 0);
        assert_eq!(trace.global.l1_reuse_bytes, 32 * again, "warps of {warp_width}");
    }
    Ok(())
}

#[test]
fn a_workgroup_that_pauses_keeps_what_it_has_loaded() -> Result<(), Vec<Diagnostic>> {
    // The first workgroup needs more than its share of the fuel, and goes on after the others.
    let body =
        "var turns = 2u; if (i < 64u) { turns = 4000u; } for (var k = 0u; k < turns; k++) { sum += x[i % 64u]; }";
    let roomy = traced(body, &[0; COUNT], 8, &Options::default())?;
    let scarce = traced(body, &[0; COUNT], 8, &Options { fuel: 200_000, ..Options::default() })?;
    assert!(roomy.complete && scarce.complete);
    assert_eq!(roomy.global.l1_reuse_bytes, 32 * 8 * (3999 + 7));
    assert_eq!(scarce.global, roomy.global);
    Ok(())
}
