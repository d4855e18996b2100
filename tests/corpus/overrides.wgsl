// runs
// set width=8
// set 7=3
// set scale=2.5
// out[0..] = 8 3 1 40 4 2 8
// real[0..] = 5

override width: u32 = 4u;
@id(7) override depth: i32;
override on: bool = true;
override scale: f32 = 1.0;
override area = width * 5u;
var<workgroup> tile: array<u32, width>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> real: array<f32>;

@compute @workgroup_size(width / 2u, 2)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i * 2u;
    workgroupBarrier();
    if i == 0u {
        out[0] = width;
        out[1] = u32(depth);
        out[2] = select(0u, 1u, on);
        out[3] = area;
        out[4] = tile[2];
        out[5] = tile[width - 7u];
        out[6] = tile[width / 2u];
        real[0] = scale * 2.0;
    }
}
