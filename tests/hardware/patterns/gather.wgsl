// Gathers and scatters: where a lane goes follows from its number by a rule that is not a stride.
override SEED: u32 = 0;
override WINDOW: u32 = 4096;

@group(0) @binding(0) var<storage, read> src1: array<u32>;
@group(0) @binding(1) var<storage, read> src2: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> src4: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> dst1: array<u32>;
@group(0) @binding(5) var<storage, read_write> dst2: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> dst4: array<vec4<u32>>;

const LANES = 4096u;

fn hash(value: u32) -> u32 {
    var x = value;
    x ^= x >> 16u;
    x *= 2146121005u;
    x ^= x >> 15u;
    x *= 2221713035u;
    return x ^ (x >> 16u);
}

// Somewhere among the WINDOW elements that a warp's begin with.
fn nearby(i: u32) -> u32 {
    return i / 32u * 32u + hash(i + SEED * LANES) % WINDOW;
}

@compute @workgroup_size(128)
fn reversed(@builtin(global_invocation_id) id: vec3<u32>) {
    dst1[id.x] = src1[LANES - 1u - id.x];
}

@compute @workgroup_size(128)
fn permuted(@builtin(global_invocation_id) id: vec3<u32>) {
    dst1[id.x] = src1[(id.x * 1597u + 11u) % LANES];
}

// The places come from memory: two loads, the second as scattered as the first one's contents.
@compute @workgroup_size(128)
fn indirect(@builtin(global_invocation_id) id: vec3<u32>) {
    dst1[id.x] = src1[(places[id.x] * 1597u + 11u) % LANES];
}

@compute @workgroup_size(128)
fn random1(@builtin(global_invocation_id) id: vec3<u32>) {
    dst1[id.x] = src1[nearby(id.x)];
}

@compute @workgroup_size(128)
fn random2(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = src2[nearby(id.x)];
    dst1[id.x] = v.x + v.y;
}

@compute @workgroup_size(128)
fn random4(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = src4[nearby(id.x)];
    dst1[id.x] = v.x + v.y + v.z + v.w;
}

@compute @workgroup_size(128)
fn scatter_permuted(@builtin(global_invocation_id) id: vec3<u32>) {
    dst1[(id.x * 1597u + 11u) % LANES] = src1[id.x];
}

// Lanes may meet: what is stored follows from where, so that they agree.
@compute @workgroup_size(128)
fn scatter1(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = nearby(id.x);
    dst1[e] = e * 3u + 1u;
}

@compute @workgroup_size(128)
fn scatter2(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = nearby(id.x);
    dst2[e] = vec2(e, e * 3u + 1u);
}

@compute @workgroup_size(128)
fn scatter4(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = nearby(id.x);
    dst4[e] = vec4(e, e * 3u + 1u, e * 5u + 2u, e * 7u + 3u);
}
