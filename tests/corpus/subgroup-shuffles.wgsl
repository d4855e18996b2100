// runs
// out[0..] = 3201 4302 5013 6124 7635 746 1457 2567

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// Past the ends, a lane gets its own value. Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupShuffle(i, (i + 3u) % 8u) * 1000u + subgroupShuffleXor(i, 2u) * 100u;
    out[i] += subgroupShuffleUp(i, 1u) * 10u + subgroupShuffleDown(i, 1u);
}
