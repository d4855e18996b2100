// Records in memory: structs, components of vectors, matrices.
struct Four {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
}

struct Three {
    x: f32,
    y: f32,
    z: f32,
}

struct Body {
    place: vec3<f32>,
    mass: f32,
}

struct Wide {
    place: vec4<f32>,
    speed: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> fours: array<Four>;
@group(0) @binding(1) var<storage, read> threes: array<Three>;
@group(0) @binding(2) var<storage, read> bodies: array<Body>;
@group(0) @binding(3) var<storage, read> wides: array<Wide>;
@group(0) @binding(4) var<storage, read> vectors: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> matrices: array<mat4x4<f32>>;
@group(0) @binding(6) var<storage, read> small: array<mat2x2<f32>>;
@group(0) @binding(7) var<storage, read> xs: array<f32>;
@group(0) @binding(8) var<storage, read> ys: array<f32>;
@group(0) @binding(9) var<storage, read> zs: array<f32>;
@group(0) @binding(10) var<storage, read_write> dst: array<f32>;
@group(0) @binding(11) var<storage, read_write> out4: array<vec4<f32>>;
@group(0) @binding(12) var<storage, read_write> out_wide: array<Wide>;

@compute @workgroup_size(128)
fn one_field_of_four(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = fours[id.x].c;
}

@compute @workgroup_size(128)
fn two_fields_of_four(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = fours[id.x].a + fours[id.x].b;
}

@compute @workgroup_size(128)
fn all_fields_of_four(@builtin(global_invocation_id) id: vec3<u32>) {
    let four = fours[id.x];
    dst[id.x] = four.a + four.b + four.c + four.d;
}

@compute @workgroup_size(128)
fn all_fields_of_three(@builtin(global_invocation_id) id: vec3<u32>) {
    let three = threes[id.x];
    dst[id.x] = three.x + three.y + three.z;
}

@compute @workgroup_size(128)
fn three_arrays(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = xs[id.x] + ys[id.x] + zs[id.x];
}

@compute @workgroup_size(128)
fn mass_of_body(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = bodies[id.x].mass;
}

@compute @workgroup_size(128)
fn whole_body(@builtin(global_invocation_id) id: vec3<u32>) {
    let body = bodies[id.x];
    dst[id.x] = body.place.x + body.place.y + body.place.z + body.mass;
}

@compute @workgroup_size(128)
fn half_of_wide(@builtin(global_invocation_id) id: vec3<u32>) {
    out4[id.x] = wides[id.x].speed;
}

@compute @workgroup_size(128)
fn whole_wide(@builtin(global_invocation_id) id: vec3<u32>) {
    out_wide[id.x] = wides[id.x];
}

@compute @workgroup_size(128)
fn one_component(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = vectors[id.x].y;
}

@compute @workgroup_size(128)
fn two_components(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = vectors[id.x].x + vectors[id.x].w;
}

// A swizzle takes the whole vector and drops what it does not name.
@compute @workgroup_size(128)
fn swizzle(@builtin(global_invocation_id) id: vec3<u32>) {
    let pair = vectors[id.x].xy;
    dst[id.x] = pair.x + pair.y;
}

@compute @workgroup_size(128)
fn store_component(@builtin(global_invocation_id) id: vec3<u32>) {
    out4[id.x].z = xs[id.x];
}

@compute @workgroup_size(128)
fn matrix_times_vector(@builtin(global_invocation_id) id: vec3<u32>) {
    out4[id.x] = matrices[id.x] * vec4<f32>(1.0, 2.0, 3.0, 4.0);
}

@compute @workgroup_size(128)
fn small_matrix(@builtin(global_invocation_id) id: vec3<u32>) {
    let product = small[id.x] * vec2<f32>(1.0, 2.0);
    dst[id.x] = product.x + product.y;
}
