// runs
// out[0..] = 0 1 1 0 0 1 1 0 1 1 0 1

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let t = data[1] != 0u;
    let f = data[0] != 0u;
    out[0] = u32(t && f);
    out[1] = u32(t || f);
    out[2] = u32(t & t);
    out[3] = u32(t & f);
    out[4] = u32(f | f);
    out[5] = u32(f | t);
    out[6] = u32(!f);
    out[7] = u32(t == f);
    out[8] = u32(t != f);
    let v = vec3<bool>(t, f, t);
    out[9] = u32(any(v));
    out[10] = u32(all(v & vec3<bool>(true)));
    out[11] = u32(all((v | !v) == vec3<bool>(true)));
}
