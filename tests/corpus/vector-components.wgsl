// runs
// out[0..] = 1 7 3 4 9 0 5 6

@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
var<private> kept: vec2<u32>;
var<workgroup> ours: vec3<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    var v = vec4(1u, 2u, 3u, 4u);
    v[i + 1u] = 7u;
    out[0] = v;
    kept[i] = 9u;
    ours.z = 5u;
    ours[i] = 1u;
    out[1].x = kept.x;
    out[1][i + 1u] = kept[i + 1u];
    out[1].z = ours[i + 2u];
    out[1].w = 6u * ours.x;
}
