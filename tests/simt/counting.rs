//! Counts and timelines of small kernels.

use super::{Options, Result, compile, every_way, floats, run_with, width, words};
use warpbook::job::TraceSpec;
use warpbook::trace::{AccessKind, EventKind, Space, Trace};

/// The trace of `body`, run by one workgroup of 32.
fn trace(before: &str, body: &str) -> Result<Trace> {
    let source = format!(
        "{before}\n@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n\
         @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{\n{body}\n}}"
    );
    Ok(every_way(&source, &[words(&[1; 4096])], [1, 1, 1])?.1.trace)
}

#[test]
fn sectors_of_any_pattern() -> Result {
    for (index, sectors) in [
        ("i", 4),
        ("0u", 1),
        ("i * 8u", 32),
        ("31u - i", 4),
        ("i ^ 5u", 4),
        ("(i * 7u) % 64u", 8),
        ("i % 4u", 1),
        ("i / 8u * 64u + i % 2u", 4),
        ("i + 1u", 5),
    ] {
        let trace = trace("", &format!("out[{index}] = 1u;"))?;
        assert_eq!((trace.global.store.requests, trace.global.store.sectors), (1, sectors), "{index}");
        assert_eq!(trace.global.store.bytes, 128);
    }
    let half = trace("", "if (i % 2u == 0u) { out[i * 8u] = 1u; }")?;
    assert_eq!((half.global.store.sectors, half.global.store.bytes), (16, 64));
    assert_eq!((half.branches.executed, half.branches.divergent), (1, 1));
    Ok(())
}

#[test]
fn instructions_with_lanes_off() -> Result {
    let uniform = trace("", "if (i < 64u) { out[i * 8u] = 1u; }")?;
    assert_eq!((uniform.partial_instructions, uniform.lane_ops), (0, 32 * uniform.warp_instructions));
    // Only the body of the branch runs with half of the lanes.
    let half = trace("", "out[i] = 3u; if (i % 2u == 0u) { out[i * 8u + 1024u] = 1u; }")?;
    let (partial, all) = (half.partial_instructions, half.warp_instructions);
    assert!(partial > 0 && partial < all, "{partial} of {all}");
    assert_eq!(half.lane_ops, 16 * partial + 32 * (all - partial));
    Ok(())
}

#[test]
fn the_pattern_memory_notices_changes() -> Result {
    // One site, whose pattern, mask and alignment change from round to round.
    let trace = trace(
        "",
        "for (var k = 0u; k < 6u; k++) { if (i >= k || k == 3u) { out[(i * (k % 3u + 1u) ^ (k & 1u)) + k] += 1u; } }",
    )?;
    let mut sectors = 0;
    for k in 0..6_u32 {
        let lanes = (0..32_u32).filter(|i| *i >= k || k == 3);
        let mut touched: Vec<u32> = lanes.map(|i| ((i * (k % 3 + 1)) ^ (k & 1)).wrapping_add(k) / 8).collect();
        touched.sort_unstable();
        touched.dedup();
        sectors += touched.len() as u64;
    }
    assert_eq!(trace.global.load.sectors, sectors);
    assert_eq!(trace.global.store.sectors, sectors);
    Ok(())
}

#[test]
fn wavefronts_of_any_pattern() -> Result {
    for (index, wavefronts) in [
        ("i", 1),
        ("5u", 1),
        ("i * 2u", 2),
        ("i * 32u", 32),
        ("i * 33u", 1),
        ("i / 2u", 1),
        ("(i % 4u) * 32u", 4),
        ("i ^ 7u", 1),
    ] {
        let trace = trace("var<workgroup> s: array<u32, 2048>;", &format!("out[i] = s[{index}];"))?;
        assert_eq!(
            (trace.shared.load.wavefronts, trace.shared.load.conflicts),
            (wavefronts, wavefronts - 1),
            "{index}"
        );
    }
    let wide =
        trace("var<workgroup> s: array<vec4<u32>, 64>;", "out[i] = s[i].x + s[i].y; let v = s[i]; out[i] += v.w;")?;
    // Two loads of one word with a stride of four, then one of four words by quarter warps.
    assert_eq!((wide.shared.load.requests, wide.shared.load.wavefronts, wide.shared.load.conflicts), (3, 4 + 4 + 4, 6));
    // Where the lanes of the whole warp agree in pairs, a load serves both halves at once; a store does not.
    for (index, wavefronts, least) in [("i * 2u", 4, 2), ("i / 2u", 1, 1), ("i % 4u", 2, 2), ("i / 2u * 16u", 16, 1)] {
        let body = format!("let v = s[{index}]; s[{index}] = v; out[i] = v.x + v.y;");
        let pairs = trace("var<workgroup> s: array<vec2<u32>, 256>;", &body)?.shared;
        assert_eq!((pairs.load.wavefronts, pairs.load.conflicts), (wavefronts, wavefronts - least), "{index}");
        let stored = if index == "i % 4u" { 2 } else { wavefronts.max(2) };
        assert_eq!((pairs.store.wavefronts, pairs.store.conflicts), (stored, stored - 2), "{index}");
    }
    Ok(())
}

#[test]
fn atomics_of_lanes_that_meet_take_turns() -> Result {
    // Workgroup memory: the most lanes at one bank. Global memory: for each sector, the most lanes at one of its words.
    for (index, wavefronts, visits) in
        [("i", 1, 4), ("5u", 32, 32), ("i / 2u", 2, 4), ("i % 8u", 4, 4), ("i * 32u", 32, 32), ("i % 24u", 2, 4)]
    {
        let before = "var<workgroup> s: array<atomic<u32>, 1024>;
            @group(0) @binding(1) var<storage, read_write> at: array<atomic<u32>, 1024>;";
        let source = format!(
            "{before} @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{
                atomicAdd(&s[{index}], 1u); atomicAdd(&at[{index}], 1u); }}"
        );
        let trace = every_way(&source, &[words(&[0; 1024])], [1, 1, 1])?.1.trace;
        let shared = trace.shared.atomic;
        assert_eq!((shared.requests, shared.wavefronts, shared.conflicts), (1, wavefronts, wavefronts - 1), "{index}");
        assert_eq!((trace.global.atomic.requests, trace.global.atomic.sectors), (1, visits), "{index}");
    }
    Ok(())
}

#[test]
fn vectors_are_one_access() -> Result {
    let source = "struct P { pos: vec3<f32>, mass: f32 }
        @group(0) @binding(0) var<storage, read_write> p: array<P>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
            p[i].pos.x = p[i].mass;
            let whole = p[i];
            p[i].pos = whole.pos;
        }";
    let trace = every_way(source, &[words(&[0; 128])], [1, 1, 1])?.1.trace;
    assert_eq!((trace.global.load.requests, trace.global.load.bytes), (3, 32 * (4 + 12 + 4)));
    assert_eq!((trace.global.store.requests, trace.global.store.bytes), (2, 32 * (4 + 12)));
    assert_eq!(trace.global.store.sectors, 16 + 16);
    Ok(())
}

#[test]
fn instructions_by_line() -> Result {
    let trace = trace("", "let a = i * 3u;\nif (i < 16u) {\nout[i] = a + 1u;\n}")?;
    let lines: Vec<_> = trace.lines.iter().map(|l| (l.line, l.warp_instructions, l.sectors)).collect();
    assert_eq!(lines, [(4, 1, 0), (5, 2, 0), (6, 2, 2)]);
    assert_eq!(trace.warp_instructions, 5);
    assert_eq!(trace.lane_ops, 3 * 32 + 2 * 16);
    Ok(())
}

/// A product of four bytes each, with its sum, is one instruction (DP4A), at the ends of their ranges too.
#[test]
fn packed_products_are_one_instruction() -> Result {
    let left = [0x8080_8080, u32::MAX, 0x7F, 0x8080_8080];
    let right = [0x8080_8080, u32::MAX, 0x7F, 0x00FF_00FF];
    let spread = |of: [u32; 4]| (0..32).map(move |i| of[i % 4]);
    let at: Vec<u32> = spread(left).chain(spread(right)).collect();
    for (fun, sums) in [("dot4I8Packed", [65_536, 4, 16_129, 256]), ("dot4U8Packed", [65_536, 260_100, 16_129, 65_280])]
    {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> at: array<u32, 64>;
            @group(0) @binding(1) var<storage, read_write> out: array<u32, 32>;
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{
                out[i] = bitcast<u32>({fun}(at[i], at[i + 32u]));
            }}"
        );
        let (buffers, outcome) = every_way(&source, &[words(&at), words(&[0; 32])], [1, 1, 1])?;
        assert_eq!(buffers[1].words[..4], sums, "{fun}");
        // The second index, two loads, the product and the store.
        assert_eq!(outcome.trace.warp_instructions, 5, "{fun}");
    }
    Ok(())
}

#[test]
fn branches_of_switches_and_loops() -> Result {
    let trace = trace("", "switch (i % 3u) { case 0u: { out[i] = 1u; } case 1u: { out[i] = 2u; } default: {} }")?;
    assert_eq!((trace.branches.executed, trace.branches.divergent), (1, 1));
    let trace = self::trace("", "for (var k = 0u; k < i / 8u; k++) { out[i] += k; }")?;
    assert_eq!((trace.branches.executed, trace.branches.divergent), (4, 3));
    let trace = self::trace(
        "",
        "var k = 0u; loop { k++; continuing { break if k == 5u; } } if (i < 40u && k > 3u) { out[i] = k; }",
    )?;
    assert_eq!((trace.branches.executed, trace.branches.divergent), (6, 0));
    Ok(())
}

#[test]
fn timelines() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> pad: array<u32, 4>;
        var<workgroup> s: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
            pad[i % 4u] = 0u;
            s[i] = i;
            workgroupBarrier();
            if (i < 5u) {
                out[id.x] = s[63u - i];
            }
        }";
    let program = compile(source, "main", &[])?;
    let spec = TraceSpec { timeline_workgroups: vec![2, 1, 2, 900], ..TraceSpec::default() };
    let options = Options { spec: spec.clone(), ..width(32) };
    let outcome = run_with(&program, &mut [words(&[0; 256])], [4, 1, 1], &options)?;
    assert_eq!(outcome.trace.warps, 8);
    let timeline = outcome.timeline.ok_or("no timeline")?;
    assert_eq!((timeline.warp_width, timeline.warps_per_workgroup, timeline.truncated), (32, 2, false));
    let names: Vec<_> = timeline.buffers.iter().map(|b| (b.name.as_str(), b.space, b.bytes, b.base)).collect();
    assert_eq!(names, [("out", Space::Global, 1024, 0), ("pad", Space::Shared, 16, 0), ("s", Space::Shared, 256, 16)]);
    // Two stores, a barrier and a branch for each of two warps, then a load and a store for one of them.
    let of = |w: u32| timeline.events.iter().filter(move |e| e.workgroup == w);
    assert_eq!((of(1).count(), of(2).count(), timeline.events.len()), (10, 10, 20));
    let order: Vec<u32> = of(1).map(|e| e.warp).collect();
    assert_eq!(order, [0, 0, 0, 1, 1, 1, 0, 0, 0, 1]);
    let last = of(2).filter(|e| e.line == 9).collect::<Vec<_>>();
    let [load, store] = last[..] else { return Err(format!("{last:?}")) };
    assert!(matches!(
        load.kind,
        EventKind::Access { access: AccessKind::Load, buffer: 2, bytes_per_lane: 4, cost: 1, .. }
    ));
    assert_eq!(timeline.addresses(load), [252, 248, 244, 240, 236]);
    assert_eq!(timeline.addresses(store), [512, 516, 520, 524, 528]);
    assert!(of(1).any(|e| e.kind == EventKind::Branch { taken: 31 } && e.warp == 0));
    assert!(of(1).any(|e| e.kind == EventKind::Branch { taken: 0 } && e.warp == 1));
    assert!(of(1).any(|e| e.kind == EventKind::Barrier));

    // The cap cuts events, not counts; and only the wanted workgroups run where so asked.
    let short = Options { spec: TraceSpec { max_events: 7, ..spec.clone() }, ..width(32) };
    let cut = run_with(&program, &mut [words(&[0; 256])], [4, 1, 1], &short)?;
    assert_eq!(cut.timeline.map(|t| (t.events.len(), t.truncated)), Some((7, true)));
    assert_eq!(cut.trace.lane_ops, outcome.trace.lane_ops);
    let only = Options { spec: TraceSpec { only_timeline_workgroups: true, ..spec }, ..width(32) };
    let few = run_with(&program, &mut [words(&[0; 256])], [4, 1, 1], &only)?;
    assert_eq!((few.trace.warps, few.trace.complete), (4, false));
    assert_eq!(few.timeline, Some(timeline));
    Ok(())
}

#[test]
fn uniform_buffers_are_counted_in_passes_and_are_no_global_memory() -> Result {
    let source = "@group(0) @binding(0) var<uniform> table: array<vec4<f32>, 64>;
        @group(0) @binding(1) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
        let all = table[7].x;
        let pairs = table[i / 2u].y;
        let own = table[63u - i];
        out[i] = all + pairs + own.z;
        }";
    let (_, outcome) = every_way(source, &[floats(&[1.0; 256]), floats(&[0.0; 64])], [1, 1, 1])?;
    let trace = outcome.trace;
    // Two warps: one address for all, 16 addresses, and 32 of 16 bytes each, two passes an address.
    let load = trace.uniform.load;
    assert_eq!((load.requests, load.passes, load.bytes), (6, 2 * (1 + 16 + 2 * 32), 2 * 32 * (4 + 4 + 16)));
    assert_eq!((trace.global.load.requests, trace.global.store.requests), (0, 2));
    assert!(trace.lines.iter().filter(|line| line.line < 7).all(|line| line.sectors == 0), "{:?}", trace.lines);
    Ok(())
}
