override COUNT: u32 = 1;
override BY: f32 = 1.0;
override ROW: u32 = 1;
override FIRST: u32 = 0;

@group(0) @binding(0) var<storage, read> shift: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2)
var<storage, read_write> owner: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x < COUNT) {
        y[gid.x] = y[gid.x] / BY + shift[gid.x % ROW];
        owner[gid.x] = FIRST + gid.x / ROW;
    }
}
