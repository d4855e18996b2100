// runs
// out[0..] = 5 6 1 6 3 0 1 1 0

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let t = data[1] == 1u;
    out[0] = select(5u, 6u, !t);
    out[1] = select(5u, 6u, t);
    let v = select(vec3(1u, 2u, 3u), vec3(4u, 5u, 6u), vec3(!t, t, t));
    out[2] = v.x;
    out[3] = v.z;
    out[4] = select(vec2(1u, 2u), vec2(3u, 4u), t).x;
    out[5] = u32(all(vec2(t, !t)));
    out[6] = u32(any(vec2(t, !t)));
    out[7] = u32(all(t));
    out[8] = u32(any(vec4<bool>(!t)));
}
