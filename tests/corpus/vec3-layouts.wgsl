// runs
// out[0..] = 0 1 2 0 4 5 6 0 8 9 10 0
// packed[0..] = 4 5 6 7
// flat[0..] = 3 6 0

struct Packed { v: vec3<u32>, w: u32 }
@group(0) @binding(0) var<storage, read> data: array<vec3<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec3<u32>>;
@group(0) @binding(2) var<storage, read_write> packed: array<Packed>;
@group(0) @binding(3) var<storage, read> records: array<Packed>;
@group(0) @binding(4) var<storage, read_write> flat: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = data[i];
    if i == 0u {
        packed[0] = records[1];
        flat[0] = records[0].w;
        flat[1] = records[1].v.z;
    }
}
