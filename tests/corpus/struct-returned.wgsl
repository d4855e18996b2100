// runs
// out[0..] = 3 9 12

struct Ray { at: vec3<f32>, towards: vec3<f32>, tags: array<u32, 3> }
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

fn make(t: f32) -> Ray {
    if t < 0.0 {
        return Ray();
    }
    return Ray(vec3(t), vec3(t, t + 1.0, t + 2.0), array<u32, 3>(7u, 8u, 9u));
}

fn along(r: Ray, t: f32) -> vec3<f32> {
    return r.at + r.towards * t;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    let r = make(3.0);
    out[0] = r.at.y;
    out[1] = f32(r.tags[i + 2u]);
    out[2] = along(r, 2.25 - 0.0).z - 6.0 + f32(make(-1.0).tags[0]) + 3.75 - 3.0 + 3.0;
}
