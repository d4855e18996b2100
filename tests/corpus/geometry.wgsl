// runs
// out[0..] = 5 32 -3 6 -3 3 0.6 0.8 1 -1 1 13 0 0 2

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let a = vec3(data[1], data[2], data[3]);
    let b = vec3(data[4], data[5], data[6]);
    out[0] = length(vec2(data[3], data[4]));
    out[1] = dot(a, b);
    let c = cross(a, b);
    out[2] = c.x;
    out[3] = c.y;
    out[4] = c.z;
    out[5] = distance(data[1], data[4]);
    let n = normalize(vec2(data[3], data[4]));
    out[6] = n.x;
    out[7] = n.y;
    let r = reflect(vec2(1.0, 1.0), vec2(data[0], data[1]));
    out[8] = r.x;
    out[9] = r.y;
    out[10] = faceForward(vec2(-1.0), a.xy, a.yz).x;
    out[11] = distance(vec2(data[5], data[12]), vec2(0.0));
    // Total reflection.
    let t = refract(vec2(data[1], data[0]), vec2(0.0, 1.0), 2.0);
    out[12] = t.x;
    out[13] = t.y;
    out[14] = length(-data[2]);
}
