// runs
// grid 2 1 1
// out[0..] = 2016 6112

var<workgroup> part: array<u32, 64>;
@group(0) @binding(0) var<storage, read> data: array<u32, 128>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_id) l: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>) {
    part[l.x] = data[g.x];
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if l.x < half {
            part[l.x] += part[l.x + half];
        }
        workgroupBarrier();
    }
    if l.x == 0u {
        out[w.x] = part[0];
    }
}
