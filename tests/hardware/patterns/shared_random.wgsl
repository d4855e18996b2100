// Workgroup memory at random: each lane goes to one of WINDOW elements of one, two or four words. LIVELY of 8 lanes take part.
override SEED: u32 = 0;
override WINDOW: u32 = 64;
override LIVELY: u32 = 8;

@group(0) @binding(0) var<storage, read_write> dst: array<u32>;

const LANES = 64u;
const MOST = 512u;

var<workgroup> words: array<u32, MOST>;
var<workgroup> pairs: array<vec2<u32>, MOST>;
var<workgroup> fours: array<vec4<u32>, MOST>;

fn hash(value: u32) -> u32 {
    var x = value;
    x ^= x >> 16u;
    x *= 2146121005u;
    x ^= x >> 15u;
    x *= 2221713035u;
    return x ^ (x >> 16u);
}

fn element(i: u32) -> u32 {
    return hash(i + SEED * 65536u) % WINDOW;
}

fn takes_part(i: u32) -> bool {
    return hash(i + 77777u) % 8u < LIVELY;
}

@compute @workgroup_size(LANES)
fn load1(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var k = lane; k < MOST; k += LANES) {
        words[k] = k * 3u + 1u;
    }
    workgroupBarrier();
    if (takes_part(id.x)) {
        dst[id.x] = words[element(id.x)];
    }
}

@compute @workgroup_size(LANES)
fn load2(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var k = lane; k < MOST; k += LANES) {
        pairs[k] = vec2(k, k * 3u + 1u);
    }
    workgroupBarrier();
    if (takes_part(id.x)) {
        let v = pairs[element(id.x)];
        dst[id.x] = v.x + v.y;
    }
}

@compute @workgroup_size(LANES)
fn load4(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var k = lane; k < MOST; k += LANES) {
        fours[k] = vec4(k, k * 3u + 1u, k * 5u + 2u, k * 7u + 3u);
    }
    workgroupBarrier();
    if (takes_part(id.x)) {
        let v = fours[element(id.x)];
        dst[id.x] = v.x + v.y + v.z + v.w;
    }
}

// What is stored follows from where, so that lanes that meet agree. Each lane then loads what it stored.
@compute @workgroup_size(LANES)
fn store1(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = element(id.x);
    if (takes_part(id.x)) {
        words[e] = e * 3u + 1u;
    }
    workgroupBarrier();
    if (takes_part(id.x)) {
        dst[id.x] = words[e];
    }
}

@compute @workgroup_size(LANES)
fn store2(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = element(id.x);
    if (takes_part(id.x)) {
        pairs[e] = vec2(e, e * 3u + 1u);
    }
    workgroupBarrier();
    if (takes_part(id.x)) {
        let v = pairs[e];
        dst[id.x] = v.x + v.y;
    }
}

@compute @workgroup_size(LANES)
fn store4(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = element(id.x);
    if (takes_part(id.x)) {
        fours[e] = vec4(e, e * 3u + 1u, e * 5u + 2u, e * 7u + 3u);
    }
    workgroupBarrier();
    if (takes_part(id.x)) {
        let v = fours[e];
        dst[id.x] = v.x + v.y + v.z + v.w;
    }
}
