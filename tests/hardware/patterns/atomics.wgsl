// Atomics on global and on workgroup memory. Neighbours may share a counter (SHARE), come round again (WRAP), stand apart
// (STRIDE) or sit still (ACTIVE, a bit for each lane of a warp), and one lane (PEER) may go AWAY counters on from its warp's first one.
override SHARE: u32 = 1;
override WRAP: u32 = 4096;
override STRIDE: u32 = 1;
override PEER: u32 = 0;
override AWAY: u32 = 0;
override ACTIVE: u32 = 4294967295;

@group(0) @binding(0) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

const LANES = 128u;
const SLOTS = 2112u;

var<workgroup> slots: array<atomic<u32>, SLOTS>;

fn element(i: u32) -> u32 {
    let lane = i % 32u;
    let j = select(i, i - lane + AWAY, lane == PEER);
    return ((j / SHARE) % WRAP) * STRIDE;
}

fn takes_part(i: u32) -> bool {
    return ((ACTIVE >> (i % 32u)) & 1u) == 1u;
}

fn hash(value: u32) -> u32 {
    var x = value;
    x ^= x >> 16u;
    x *= 2146121005u;
    x ^= x >> 15u;
    x *= 2221713035u;
    return x ^ (x >> 16u);
}

@compute @workgroup_size(LANES)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if (takes_part(id.x)) {
        atomicAdd(&counters[element(id.x)], id.x);
    }
}

// The old value is wanted, if only to see that it is never so large.
@compute @workgroup_size(LANES)
fn add_and_see(@builtin(global_invocation_id) id: vec3<u32>) {
    if (takes_part(id.x)) {
        let old = atomicAdd(&counters[element(id.x)], id.x);
        dst[id.x] = u32(old > 1000000000u);
    }
}

@compute @workgroup_size(LANES)
fn greatest(@builtin(global_invocation_id) id: vec3<u32>) {
    if (takes_part(id.x)) {
        atomicMax(&counters[element(id.x)], id.x);
    }
}

@compute @workgroup_size(LANES)
fn exchange(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = element(id.x);
    if (takes_part(id.x)) {
        let old = atomicExchange(&counters[e], e);
        dst[id.x] = u32(old > 1000000000u);
    }
}

@compute @workgroup_size(LANES)
fn compare(@builtin(global_invocation_id) id: vec3<u32>) {
    let e = element(id.x);
    if (takes_part(id.x)) {
        let old = atomicCompareExchangeWeak(&counters[e], 0u, e);
        dst[id.x] = u32(old.old_value > 1000000000u);
    }
}

@compute @workgroup_size(LANES)
fn random_add(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&counters[hash(id.x) % WRAP * STRIDE], id.x);
}

@compute @workgroup_size(LANES)
fn random_add_and_see(@builtin(global_invocation_id) id: vec3<u32>) {
    let old = atomicAdd(&counters[hash(id.x) % WRAP * STRIDE], id.x);
    dst[id.x] = u32(old > 1000000000u);
}

// Each lane counts a value that nobody could foretell.
@compute @workgroup_size(LANES)
fn histogram(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&counters[hash(id.x) % WRAP], 1u);
}

fn clear(lane: u32) {
    for (var k = lane; k < SLOTS; k += LANES) {
        atomicStore(&slots[k], 0u);
    }
    workgroupBarrier();
}

fn show(i: u32, lane: u32) {
    workgroupBarrier();
    dst[i] = atomicLoad(&slots[lane]);
}

@compute @workgroup_size(LANES)
fn shared_add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear(lane);
    if (takes_part(lane)) {
        atomicAdd(&slots[element(lane)], id.x);
    }
    show(id.x, lane);
}

@compute @workgroup_size(LANES)
fn shared_count(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear(lane);
    if (takes_part(lane)) {
        atomicAdd(&slots[element(lane)], 1u);
    }
    show(id.x, lane);
}

@compute @workgroup_size(LANES)
fn shared_add_and_see(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear(lane);
    var large = 0u;
    if (takes_part(lane)) {
        large = u32(atomicAdd(&slots[element(lane)], id.x) > 1000000000u);
    }
    workgroupBarrier();
    dst[id.x] = atomicLoad(&slots[lane]) + large;
}

@compute @workgroup_size(LANES)
fn shared_random_add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear(lane);
    atomicAdd(&slots[hash(id.x) % WRAP * STRIDE], id.x);
    show(id.x, lane);
}

@compute @workgroup_size(LANES)
fn shared_random_exchange(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear(lane);
    let e = hash(id.x) % WRAP * STRIDE;
    atomicExchange(&slots[e], e);
    show(id.x, lane);
}

@compute @workgroup_size(LANES)
fn shared_greatest(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear(lane);
    if (takes_part(lane)) {
        atomicMax(&slots[element(lane)], id.x);
    }
    show(id.x, lane);
}

@compute @workgroup_size(LANES)
fn shared_histogram(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear(lane);
    atomicAdd(&slots[hash(id.x) % WRAP], 1u);
    workgroupBarrier();
    if (lane < WRAP) {
        atomicAdd(&counters[lane], atomicLoad(&slots[lane]));
    }
}
