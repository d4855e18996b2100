// The sum of two vectors, one element a lane.
override SIZE: u32 = 64u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(SIZE) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&c)) { c[id.x] = a[id.x] + b[id.x]; }
}
