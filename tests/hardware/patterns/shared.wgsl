// Workgroup memory with one, two, three and four words a lane. Neighbours may share an element (SHARE), come round again (WRAP),
// stand apart (STRIDE), change places (MASK) or sit still (ACTIVE, a bit for each lane of a warp).
override SHARE: u32 = 1;
override WRAP: u32 = 64;
override STRIDE: u32 = 1;
override MASK: u32 = 0;
override ACTIVE: u32 = 4294967295;

@group(0) @binding(0) var<storage, read_write> dst: array<u32>;

const LANES = 64u;
const WORDS = 33u * LANES;
const PAIRS = 17u * LANES;
const THREES = 4u * LANES;
const FOURS = 9u * LANES;

var<workgroup> words: array<u32, WORDS>;
var<workgroup> pairs: array<vec2<u32>, PAIRS>;
var<workgroup> threes: array<vec3<u32>, THREES>;
var<workgroup> fours: array<vec4<u32>, FOURS>;

fn element(lane: u32) -> u32 {
    return (((lane / SHARE) % WRAP) * STRIDE) ^ MASK;
}

fn takes_part(lane: u32) -> bool {
    return ((ACTIVE >> (lane % 32u)) & 1u) == 1u;
}

@compute @workgroup_size(LANES)
fn load1(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var k = lane; k < WORDS; k += LANES) {
        words[k] = k * 3u + 1u;
    }
    workgroupBarrier();
    if (takes_part(lane)) {
        dst[id.x] = words[element(lane)];
    }
}

@compute @workgroup_size(LANES)
fn load2(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var k = lane; k < PAIRS; k += LANES) {
        pairs[k] = vec2(k, k * 3u + 1u);
    }
    workgroupBarrier();
    if (takes_part(lane)) {
        let v = pairs[element(lane)];
        dst[id.x] = v.x + v.y;
    }
}

@compute @workgroup_size(LANES)
fn load3(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var k = lane; k < THREES; k += LANES) {
        threes[k] = vec3(k, k * 3u + 1u, k * 5u + 2u);
    }
    workgroupBarrier();
    if (takes_part(lane)) {
        let v = threes[element(lane)];
        dst[id.x] = v.x + v.y + v.z;
    }
}

@compute @workgroup_size(LANES)
fn load4(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var k = lane; k < FOURS; k += LANES) {
        fours[k] = vec4(k, k * 3u + 1u, k * 5u + 2u, k * 7u + 3u);
    }
    workgroupBarrier();
    if (takes_part(lane)) {
        let v = fours[element(lane)];
        dst[id.x] = v.x + v.y + v.z + v.w;
    }
}

// What is stored follows from where, so that lanes that share an element agree. Each lane then loads what it stored.
@compute @workgroup_size(LANES)
fn store1(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let e = element(lane);
    if (takes_part(lane)) {
        words[e] = e * 3u + 1u;
    }
    workgroupBarrier();
    if (takes_part(lane)) {
        dst[id.x] = words[e];
    }
}

@compute @workgroup_size(LANES)
fn store2(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let e = element(lane);
    if (takes_part(lane)) {
        pairs[e] = vec2(e, e * 3u + 1u);
    }
    workgroupBarrier();
    if (takes_part(lane)) {
        let v = pairs[e];
        dst[id.x] = v.x + v.y;
    }
}

@compute @workgroup_size(LANES)
fn store4(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let e = element(lane);
    if (takes_part(lane)) {
        fours[e] = vec4(e, e * 3u + 1u, e * 5u + 2u, e * 7u + 3u);
    }
    workgroupBarrier();
    if (takes_part(lane)) {
        let v = fours[e];
        dst[id.x] = v.x + v.y + v.z + v.w;
    }
}
