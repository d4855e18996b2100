// runs
// out[0..] = 4 3 2 1 1 1 2 2 3 1 2 4 4 2 2

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

fn put(at: u32, v: vec4<u32>) {
    out[at] = v.x;
    out[at + 1u] = v.g;
    out[at + 2u] = v.b;
    out[at + 3u] = v.w;
}

@compute @workgroup_size(1)
fn main() {
    let v = vec4(data[1], data[2], data[3], data[4]);
    put(0u, v.wzyx);
    put(4u, v.rrgg);
    put(8u, v.zxyw.xyzw);
    out[12] = v.wz.x;
    out[13] = v.xyz.yyy.z;
    out[14] = v[u32(v.xx.y)];
}
