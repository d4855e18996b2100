// Puts each key into its place: even ones before odd ones, and within both in the order that they came in.
override N: u32;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> total: array<u32>;
@group(0) @binding(3) var<storage, read_write> parted: array<u32>;
@group(0) @binding(4) var<storage, read_write> came_from: array<u32>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var key = 1u;
    if (i < N) {
        key = keys[i];
    }
    let even = 1u - key % 2u;
    part[lane] = even;
    for (var step = 1u; step < 256u; step *= 2u) {
        workgroupBarrier();
        var left = 0u;
        if (lane >= step) {
            left = part[lane - step];
        }
        workgroupBarrier();
        part[lane] += left;
    }
    if (i < N) {
        let evens = starts[group.x] + part[lane] - even;
        var place = evens;
        if (even == 0u) {
            place = total[0] + i - evens;
        }
        parted[place] = key;
        came_from[place] = i;
    }
}
