// Strided copy: against the copy, only the index of the load
// changes. Neighbouring lanes load elements that are STRIDE
// apart; the first one is OFFSET.

override N: u32 = 1048576;    // elements copied
override STRIDE: u32 = 1;     // elements from lane to lane
override OFFSET: u32 = 0;     // elements before the first
override BLOCK: u32 = 256;    // workgroup size

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * (groups.x * BLOCK);
    if (i < N) {
        let value = src[i * STRIDE + OFFSET];
        dst[i] = value;    // the store stays as it was
    }
}
