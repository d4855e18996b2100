//! The critical path: what a workgroup does one after the other.

use warpbook::trace::{CriticalPath, Trace};

use super::{Result, every_way, words};

fn of(size: u32, before: &str, body: &str, grid: u32) -> Result<Trace> {
    let source = format!(
        "{before}\n@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n\
         @group(0) @binding(1) var<storage, read> src: array<u32>;\n\
         @compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) i: u32, \
         @builtin(workgroup_id) group: vec3<u32>) {{\n{body}\n}}"
    );
    // A buffer that is not read does not belong to the shader.
    let buffers = if body.contains("src") { 2 } else { 1 };
    let mut trace = every_way(&source, &vec![words(&[1; 4096]); buffers], [grid, 1, 1])?.1.trace;
    trace.lines.clear();
    Ok(trace)
}

fn waits(body: &str) -> Result<u64> {
    Ok(of(32, "", body, 1)?.critical.global_waits)
}

#[test]
fn loads_that_follow_one_another_are_waited_for_once() -> Result {
    assert_eq!(waits("let a = src[i]; let b = src[i + 32u]; out[i] = a + b;")?, 1);
    assert_eq!(waits("let a = src[i]; let b = src[a]; out[i] = b;")?, 2, "an address that was loaded");
    assert_eq!(waits("out[i] = i;")?, 0);
    assert_eq!(waits("out[i] = src[i];\n out[i + 64u] = src[i + 32u];")?, 2, "a store needs its value");
    // A loop's load is waited for in every round.
    assert_eq!(waits("var sum = 0u; for (var k = 0u; k < 10u; k++) { sum += src[k * 32u + i]; } out[i] = sum;")?, 10);
    // Nothing waits for a result that nothing reads, nor for a uniform.
    assert_eq!(waits("let unused = src[i]; out[i] = i;")?, 0);
    let source = "@group(0) @binding(0) var<storage, read_write> at: array<atomic<u32>>; @group(0) @binding(1) var<uniform> n: u32;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
            for (var k = 0u; k < n; k++) { atomicAdd(&at[i], 1u); } }";
    let critical = every_way(source, &[words(&[0; 64]), words(&[5])], [1, 1, 1])?.1.trace.critical;
    assert_eq!((critical.global_waits, critical.shared_waits), (0, 0));
    // An array of a lane's own is in registers.
    assert_eq!(waits("var own: array<u32, 4>; own[i % 4u] = i; out[i] = own[(i + 1u) % 4u];")?, 0);
    Ok(())
}

#[test]
fn a_chase_is_a_load_whose_address_its_own_result_decides() -> Result {
    let chased = |body: &str| {
        let critical = of(32, "", body, 1)?.critical;
        Ok::<_, String>((critical.global_waits, critical.chased_waits, critical.waiting_intervals))
    };
    let hops = "var at = i; for (var k = 0u; k < 10u; k++) { at = src[at]; } out[i] = at;";
    assert_eq!(chased(hops)?, (10, 10, 1));
    let unrolled = "var at = i; for (var k = 0u; k < 5u; k++) { let a = src[at]; at = src[a + 1u]; } out[i] = at;";
    assert_eq!(chased(unrolled)?, (10, 10, 1));
    let sum = "var sum = 0u; for (var k = 0u; k < 10u; k++) { sum += src[k * 32u + i]; } out[i] = sum;";
    assert_eq!(chased(sum)?, (10, 0, 1));
    // Each index is loaded, but no load decides the next one of its own kind.
    let gather = "var sum = 0u; for (var k = 0u; k < 10u; k++) { sum += src[src[k * 32u + i]]; } out[i] = sum;";
    assert_eq!(chased(gather)?, (20, 0, 1));
    let halves = "out[i] = src[i]; storageBarrier(); workgroupBarrier(); out[i + 64u] = src[i + 32u];";
    assert_eq!(chased(halves)?.2, 2);
    Ok(())
}

#[test]
fn workgroup_memory_and_barriers_are_counted_apart() -> Result {
    let critical =
        of(64, "var<workgroup> s: array<u32, 64>;", "s[i] = i; workgroupBarrier(); out[i] = s[63u - i];", 1)?.critical;
    assert_eq!((critical.global_waits, critical.shared_waits, critical.barriers), (0, 1, 1));
    // No chain of instructions goes on past a barrier, however independent the two sides are.
    let sides = |between: &str| of(64, "", &format!("out[i] = i * 3u;\n{between}\nout[i + 64u] = i * 5u;"), 1);
    let (joined, split) = (sides("")?.critical.chain, sides("workgroupBarrier();")?.critical.chain);
    assert!(joined < split && split <= 2 * joined + 1, "{joined} {split}");
    Ok(())
}

#[test]
fn a_chain_is_what_needs_what_came_before() -> Result {
    let chain = |body: &str| Ok::<_, String>(of(32, "", body, 1)?.critical);
    // One operation after the other on one value, against two branches that are joined at the end.
    let [one, two] = [
        chain("let a = src[i]; out[i] = (((a + 1u) * 3u + 2u) * 5u) + 7u;")?,
        chain("let a = src[i]; let b = src[i + 32u]; out[i] = (a + b) * 3u ^ (a - b) * 5u;")?,
    ];
    // A product and the sum that takes it are one link of the chain.
    assert_eq!((one.instructions, one.chain), (7, 5));
    assert_eq!((two.instructions, two.chain), (9, 6));
    Ok(())
}

#[test]
fn the_workgroup_and_the_warp_with_most_to_do_count() -> Result {
    let least = of(32, "", "out[i] = src[i];", 1)?.critical;
    // Two warps, one of which goes round; then three workgroups, of which the last does.
    let rounds =
        |who: &str| format!("var n = 1u; if ({who}) {{ n = 9u; }} for (var k = 0u; k < n; k++) {{ out[i] = src[i]; }}");
    let warps = of(64, "", &rounds("i >= 32u"), 1)?.critical;
    let groups = of(32, "", &rounds("group.x == 2u"), 3)?.critical;
    assert_eq!((least.global_waits, warps.global_waits, groups.global_waits), (1, 9, 9));
    assert_eq!(CriticalPath { barriers: 0, ..groups }, groups);
    // The counts of all do not change with how the work is spread over warps' turns.
    assert!(warps.instructions < of(64, "", &rounds("true"), 1)?.warp_instructions);
    Ok(())
}

#[test]
fn atomics_within_512_bytes_wait_for_each_other() -> Result {
    let turns = |index: &str| -> Result<u64> {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> at: array<atomic<u32>, 4096>;\n\
             @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ let i = id.x; atomicAdd(&at[{index}], 1u); }}"
        );
        Ok(every_way(&source, &[words(&[0; 4096])], [4, 1, 1])?.1.trace.global.atomic_turns)
    };
    // Of 4 warps: 32 turns each at one word, 4 sectors each side by side, a turn for each of 4 warps in 512 bytes of its own.
    assert_eq!((turns("0u")?, turns("i % 32u")?, turns("i % 32u * 128u")?), (128, 16, 4));
    Ok(())
}
