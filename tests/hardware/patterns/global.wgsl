// Global memory with one, two, three and four words a lane. Neighbours may share an element (SHARE), come round again (WRAP),
// stand apart (STRIDE, OFFSET), change places (MASK) or sit still (ACTIVE, a bit for each lane of a warp).
override SHARE: u32 = 1;
override WRAP: u32 = 4096;
override STRIDE: u32 = 1;
override OFFSET: u32 = 0;
override MASK: u32 = 0;
override ACTIVE: u32 = 4294967295;
override BLOCK: u32 = 128;

@group(0) @binding(0) var<storage, read> src1: array<u32>;
@group(0) @binding(1) var<storage, read> src2: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> src3: array<vec3<u32>>;
@group(0) @binding(3) var<storage, read> src4: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> dst1: array<u32>;
@group(0) @binding(5) var<storage, read_write> dst2: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> dst3: array<vec3<u32>>;
@group(0) @binding(7) var<storage, read_write> dst4: array<vec4<u32>>;

fn element(i: u32) -> u32 {
    return (((i / SHARE) % WRAP) * STRIDE + OFFSET) ^ MASK;
}

fn takes_part(lane: u32) -> bool {
    return ((ACTIVE >> (lane % 32u)) & 1u) == 1u;
}

@compute @workgroup_size(BLOCK)
fn load1(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (takes_part(lane)) {
        dst1[id.x] = src1[element(id.x)];
    }
}

@compute @workgroup_size(BLOCK)
fn load2(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (takes_part(lane)) {
        let v = src2[element(id.x)];
        dst1[id.x] = v.x + v.y;
    }
}

@compute @workgroup_size(BLOCK)
fn load3(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (takes_part(lane)) {
        let v = src3[element(id.x)];
        dst1[id.x] = v.x + v.y + v.z;
    }
}

@compute @workgroup_size(BLOCK)
fn load4(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (takes_part(lane)) {
        let v = src4[element(id.x)];
        dst1[id.x] = v.x + v.y + v.z + v.w;
    }
}

// What is stored follows from where, so that lanes that share an element agree.
@compute @workgroup_size(BLOCK)
fn store1(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let e = element(id.x);
    if (takes_part(lane)) {
        dst1[e] = e * 3u + 1u;
    }
}

@compute @workgroup_size(BLOCK)
fn store2(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let e = element(id.x);
    if (takes_part(lane)) {
        dst2[e] = vec2(e, e * 3u + 1u);
    }
}

@compute @workgroup_size(BLOCK)
fn store3(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let e = element(id.x);
    if (takes_part(lane)) {
        dst3[e] = vec3(e, e * 3u + 1u, e * 5u + 2u);
    }
}

@compute @workgroup_size(BLOCK)
fn store4(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let e = element(id.x);
    if (takes_part(lane)) {
        dst4[e] = vec4(e, e * 3u + 1u, e * 5u + 2u, e * 7u + 3u);
    }
}
