// runs
// out[0..] = 36 4294967260 7 0 8 248 0 0 15
// signed[0..] = 36 -4 3

struct Counters { list: array<atomic<u32>, 9> }
@group(0) @binding(0) var<storage, read_write> out: Counters;
@group(0) @binding(1) var<storage, read_write> signed: array<atomic<i32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    atomicAdd(&out.list[0], i + 1u);
    atomicSub(&out.list[1], i + 1u);
    atomicMax(&out.list[2], i);
    atomicMin(&out.list[3], i);
    if i == 0u {
        atomicStore(&out.list[4], 8u);
        atomicStore(&out.list[5], 255u);
    }
    storageBarrier();
    atomicAnd(&out.list[5], 0xF8u);
    atomicXor(&out.list[6], 1u);
    atomicOr(&out.list[8], i * 2u + 1u);
    atomicAdd(&signed[0], i32(i) + 1);
    atomicMin(&signed[1], 3 - i32(i));
    atomicMax(&signed[2], 3 - i32(i));
}
