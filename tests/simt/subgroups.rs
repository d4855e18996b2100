//! Exchanges between the lanes of a warp, at every width.

use super::{Options, Result, compile, run_with, width, words};
use warpbook::job::TraceSpec;
use warpbook::trace::{EventKind, FindingKind};

/// Runs `body` as one workgroup of 100 invocations at each warp width, with `i` the local index, `lane`, `warp`, `size`
/// and `warps` built in, and compares `out[i]` with `expected(i, width, active)`, where `active` are the local indices
/// in the lane's warp for which `takes_part` holds. Lanes that do not take part keep their 77.
fn each_width(
    body: &str,
    takes_part: impl Fn(u32) -> bool,
    expected: impl Fn(u32, u32, &[u32]) -> u32,
) -> Result<Vec<FindingKind>> {
    let source = format!(
        "enable subgroups;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(100) fn main(
            @builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
            @builtin(subgroup_id) warp: u32, @builtin(subgroup_size) size: u32, @builtin(num_subgroups) warps: u32,
        ) {{ _ = lane + warp + size + warps;\n{body}\n}}"
    );
    let program = compile(&source, "main", &[])?;
    let mut kinds = Vec::new();
    for w in [8, 16, 32, 64] {
        let mut buffers = [words(&[77; 100])];
        let outcome = run_with(&program, &mut buffers, [1, 1, 1], &width(w))?;
        kinds.extend(outcome.trace.findings.into_iter().map(|f| f.kind));
        for i in 0..100 {
            let warp = i / w;
            let active: Vec<u32> = (warp * w..((warp + 1) * w).min(100)).filter(|l| takes_part(*l)).collect();
            let wanted = if takes_part(i) { expected(i, w, &active) } else { 77 };
            assert_eq!(buffers[0].words[i as usize], wanted, "width {w}, invocation {i}: {body}");
        }
    }
    Ok(kinds)
}

fn clean(body: &str, takes_part: fn(u32) -> bool, expected: impl Fn(u32, u32, &[u32]) -> u32) -> Result {
    assert_eq!(each_width(body, takes_part, expected)?, [], "{body}");
    Ok(())
}

fn everyone(_: u32) -> bool {
    true
}

/// A part of each warp, cut out by a branch that its lanes disagree about.
fn some(i: u32) -> bool {
    i * 7 % 5 < 3
}

#[test]
fn built_ins() -> Result {
    clean("out[i] = lane + 100u * warp + 10000u * size + 1000000u * warps;", everyone, |i, w, _| {
        i % w + 100 * (i / w) + 10_000 * w + 1_000_000 * 100_u32.div_ceil(w)
    })
}

#[test]
fn votes_and_ballots() -> Result {
    clean("out[i] = u32(subgroupAny(i == 9u)) * 2u + u32(subgroupAll(i < 90u));", everyone, |_, _, active| {
        u32::from(active.contains(&9)) * 2 + u32::from(active.iter().all(|l| *l < 90))
    })?;
    let bits = |w: u32, lanes: &[u32]| lanes.iter().fold(0_u64, |bits, l| bits | 1 << (l % w));
    clean("let b = subgroupBallot(i % 3u == 0u); out[i] = b.x + 31u * b.y + b.z + b.w;", everyone, |_, w, active| {
        let lanes: Vec<u32> = active.iter().copied().filter(|l| l % 3 == 0).collect();
        let b = bits(w, &lanes);
        (b as u32).wrapping_add(((b >> 32) as u32).wrapping_mul(31))
    })?;
    // Without a predicate, and in a branch: who is here.
    clean("if i * 7u % 5u < 3u { let b = subgroupBallot(); out[i] = b.x ^ (b.y * 3u); }", some, |_, w, active| {
        let b = bits(w, active);
        b as u32 ^ ((b >> 32) as u32).wrapping_mul(3)
    })
}

#[test]
fn reductions_and_scans() -> Result {
    let x = |l: &u32| l * l + 3;
    for (call, result) in [
        (
            "subgroupAdd(x)",
            Box::new(move |a: &[u32]| a.iter().map(x).fold(0, u32::wrapping_add)) as Box<dyn Fn(&[u32]) -> u32>,
        ),
        ("subgroupMul(x | 1u)", Box::new(move |a| a.iter().map(|l| x(l) | 1).fold(1, u32::wrapping_mul))),
        ("subgroupMin(x)", Box::new(move |a| a.iter().map(x).min().unwrap_or(0))),
        (
            "u32(subgroupMax(40 - i32(x)))",
            Box::new(move |a| a.iter().map(|l| 40 - x(l).cast_signed()).max().unwrap_or(0).cast_unsigned()),
        ),
        ("subgroupAnd(x)", Box::new(move |a| a.iter().map(x).fold(u32::MAX, |s, v| s & v))),
        ("subgroupOr(x)", Box::new(move |a| a.iter().map(x).fold(0, |s, v| s | v))),
        ("subgroupXor(x)", Box::new(move |a| a.iter().map(x).fold(0, |s, v| s ^ v))),
        ("u32(subgroupAdd(f32(x)))", Box::new(move |a| a.iter().map(|l| x(l) as f32).sum::<f32>() as u32)),
        (
            "bitcast<u32>(subgroupMax(-f32(x)))",
            Box::new(move |a| a.iter().map(|l| -(x(l) as f32)).fold(f32::NEG_INFINITY, f32::max).to_bits()),
        ),
    ] {
        let all = format!("let x = i * i + 3u; out[i] = {call};");
        clean(&all, everyone, |_, _, active| result(active))?;
        let in_branch = format!("let x = i * i + 3u; if i * 7u % 5u < 3u {{ out[i] = {call}; }}");
        clean(&in_branch, some, |_, _, active| result(active))?;
    }
    let before =
        |i: u32, active: &[u32]| active.iter().copied().filter(|l| *l < i).map(|l| l + 1).collect::<Vec<u32>>();
    clean(
        "if i * 7u % 5u < 3u { out[i] = subgroupExclusiveAdd(i + 1u) * 1000u + subgroupInclusiveAdd(i + 1u); }",
        some,
        |i, _, a| {
            let sum: u32 = before(i, a).iter().sum();
            sum * 1000 + sum + i + 1
        },
    )?;
    clean(
        "out[i] = u32(subgroupInclusiveMul(vec2(i32(i), 3)).y) ^ subgroupExclusiveMul(i + 1u);",
        everyone,
        |i, w, a| {
            let product = before(i, a).into_iter().fold(1, u32::wrapping_mul);
            3_u32.wrapping_pow(i % w + 1) ^ product
        },
    )?;
    // A value that all share counts once a lane.
    clean("out[i] = subgroupAdd(5u);", everyone, |_, _, a| 5 * a.len() as u32)
}

#[test]
fn values_of_other_lanes() -> Result {
    let other = |i: u32, a: &[u32], l: u32| if a.contains(&l) { l * 3 } else { i * 3 };
    clean("out[i] = subgroupBroadcast(i * 3u, 2u) + subgroupBroadcastFirst(i * 5u);", everyone, |i, w, a| {
        (i / w * w + 2) * 3 + a[0] * 5
    })?;
    clean("if i * 7u % 5u < 3u { out[i] = subgroupBroadcastFirst(i); }", some, |_, _, a| a[0])?;
    clean("out[i] = subgroupShuffleUp(i * 3u, 3u) * 1000u + subgroupShuffleDown(i * 3u, 2u);", everyone, |i, w, a| {
        let same = |l: u32| l / w == i / w;
        let up = i.checked_sub(3).filter(|l| same(*l)).unwrap_or(i);
        let down = if same(i + 2) { i + 2 } else { i };
        other(i, a, up) * 1000 + other(i, a, down)
    })?;
    clean("out[i] = subgroupShuffle(i * 3u, (lane + 5u) % 4u);", everyone, |i, w, _| {
        (i / w * w + (i % w + 5) % 4) * 3
    })?;
    clean("out[i] = subgroupShuffleXor(i, 1u) * 1000u + quadSwapDiagonal(i);", everyone, |i, _, _| {
        (i ^ 1) * 1000 + (i ^ 3)
    })?;
    clean("out[i] = quadSwapX(i) + quadSwapY(i) * 256u + quadBroadcast(i, 2u) * 65536u;", everyone, |i, _, _| {
        (i ^ 1) + (i ^ 2) * 256 + (i & !3 | 2) * 65536
    })
}

#[test]
fn asking_a_lane_that_is_not_there_is_found() -> Result {
    let body = "if i * 7u % 5u < 3u { out[i] = subgroupShuffleXor(i, 1u); }";
    let found = each_width(body, some, |i, _, a| if a.contains(&(i ^ 1)) { i ^ 1 } else { i })?;
    assert_eq!(found, [FindingKind::InactiveLane; 4]);
    let found = each_width("out[i] = subgroupBroadcast(i, 200u);", everyone, |_, _, a| a[0])?;
    assert_eq!(found, [FindingKind::InactiveLane; 4]);
    // Half of each warp has ended when the other half asks for its value; past the end of a warp there is no lane.
    let body = "if lane < size / 2u { out[i] = subgroupShuffleDown(i, size / 2u); }";
    let half = |i: u32, w: u32| i % w < w / 2;
    let program = "enable subgroups;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32,
            @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {";
    let program = compile(&format!("{program}\n{body}\n}}"), "main", &[])?;
    for w in [8, 16, 32, 64] {
        let mut buffers = [words(&[77; 64])];
        let trace = run_with(&program, &mut buffers, [1, 1, 1], &width(w))?.trace;
        assert_eq!(trace.findings.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::InactiveLane], "{w}");
        let expected: Vec<u32> = (0..64).map(|i| if half(i, w) { i } else { 77 }).collect();
        assert_eq!(buffers[0].words, expected);
    }
    Ok(())
}

#[test]
fn a_warp_reduces_what_its_lanes_summed() -> Result {
    // The lanes take different numbers of rounds; each warp then adds what all its lanes have.
    let body = "var sum = 0u;
        for (var k = 0u; k < i % 5u; k++) { sum += subgroupAdd(1u); }
        out[i] = subgroupAdd(sum);";
    clean(body, everyone, |_, _, active| {
        let rounds = |l: &u32| l % 5;
        let here = |k: u32| active.iter().filter(|l| rounds(l) > k).count() as u32;
        active.iter().map(|l| (0..rounds(l)).map(here).sum::<u32>()).sum()
    })
}

#[test]
fn the_timeline_says_who_gets_whose_value() -> Result {
    let source = "enable subgroups;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(32) fn main(
            @builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_invocation_id) lane: u32,
        ) {
            var sum = subgroupAdd(lane);
            sum += subgroupExclusiveAdd(lane);
            sum += subgroupInclusiveAdd(lane);
            if (lane < 4u) { sum += subgroupShuffleXor(sum, 1u); }
            out[id.x] = sum + subgroupBroadcast(sum, 7u);
        }";
    let program = compile(source, "main", &[])?;
    let spec = TraceSpec { timeline_workgroups: vec![0, 1], ..TraceSpec::default() };
    let outcome = run_with(&program, &mut [words(&[0; 64])], [2, 1, 1], &Options { spec, ..width(32) })?;
    let timeline = outcome.timeline.ok_or("no timeline")?;
    for workgroup in 0..2 {
        let exchanges: Vec<_> = timeline
            .events
            .iter()
            .filter(|e| e.workgroup == workgroup && matches!(e.kind, EventKind::Subgroup { .. }))
            .collect();
        let of = |lane: u32| exchanges.iter().map(|e| timeline.sources(e, lane)).collect::<Vec<_>>();
        assert_eq!(of(2), [0xffff_ffff, 0b11, 0b111, 1 << 3, 1 << 7]);
        assert_eq!(of(9), [0xffff_ffff, 0x1ff, 0x3ff, 0, 1 << 7], "lane 9 takes no part in the shuffle");
        assert_eq!(exchanges.iter().map(|e| e.line).collect::<Vec<_>>(), [6, 7, 8, 9, 10]);
    }
    assert_eq!(timeline.sources(&timeline.events[timeline.events.len() - 1], 0), 0, "a store exchanges nothing");
    Ok(())
}
