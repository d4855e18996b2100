// runs
// out[0..] = 28 28 1 8 5

var<workgroup> sum: atomic<u32>;
var<workgroup> turns: atomic<i32>;
var<workgroup> bins: array<atomic<u32>, 4>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    atomicAdd(&sum, i);
    atomicAdd(&bins[i % 4u], 1u);
    atomicAdd(&turns, 1);
    workgroupBarrier();
    if i == 3u {
        out[0] = atomicLoad(&sum);
        out[1] = atomicExchange(&sum, 1u);
        out[2] = atomicLoad(&sum);
        out[3] = atomicLoad(&bins[0]) * 4u;
        out[4] = u32(atomicSub(&turns, 2)) - 3u;
    }
}
