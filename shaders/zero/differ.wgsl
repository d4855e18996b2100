// Where two results differ, be it in the last bit: 1, and 0
// where they are the same. A lane has one element.

enable f16;

override N: u32 = 64;  // elements of all ranks

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2)
var<storage, read_write> differs: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.y * 8388608 + gid.x;
    if (i < N) {
        differs[i] = u32(a[i] != b[i]);
    }
}
