// Atomics on global and on shared memory: the twin of atomics.wgsl.
using u32 = unsigned int;

constexpr u32 LANES = 128;
constexpr u32 SLOTS = 2112;

__device__ u32 element(u32 i) {
    u32 lane = i % 32, j = lane == PEER ? i - lane + AWAY : i;
    return ((j / SHARE) % WRAP) * STRIDE;
}

__device__ bool takes_part(u32 i) {
    return ((ACTIVE >> (i % 32)) & 1) == 1;
}

__device__ u32 hash(u32 x) {
    x ^= x >> 16;
    x *= 2146121005u;
    x ^= x >> 15;
    x *= 2221713035u;
    return x ^ (x >> 16);
}

__device__ u32 id() {
    return blockIdx.x * LANES + threadIdx.x;
}

extern "C" __global__ void add(u32 *counters) {
    if (takes_part(id())) {
        atomicAdd(&counters[element(id())], id());
    }
}

extern "C" __global__ void add_and_see(u32 *counters, u32 *dst) {
    if (takes_part(id())) {
        u32 old = atomicAdd(&counters[element(id())], id());
        dst[id()] = old > 1000000000;
    }
}

extern "C" __global__ void greatest(u32 *counters) {
    if (takes_part(id())) {
        atomicMax(&counters[element(id())], id());
    }
}

extern "C" __global__ void exchange(u32 *counters, u32 *dst) {
    u32 e = element(id());
    if (takes_part(id())) {
        u32 old = atomicExch(&counters[e], e);
        dst[id()] = old > 1000000000;
    }
}

extern "C" __global__ void compare(u32 *counters, u32 *dst) {
    u32 e = element(id());
    if (takes_part(id())) {
        u32 old = atomicCAS(&counters[e], 0, e);
        dst[id()] = old > 1000000000;
    }
}

extern "C" __global__ void random_add(u32 *counters) {
    atomicAdd(&counters[hash(id()) % WRAP * STRIDE], id());
}

extern "C" __global__ void random_add_and_see(u32 *counters, u32 *dst) {
    u32 old = atomicAdd(&counters[hash(id()) % WRAP * STRIDE], id());
    dst[id()] = old > 1000000000;
}

extern "C" __global__ void histogram(u32 *counters) {
    atomicAdd(&counters[hash(id()) % WRAP], 1);
}

__device__ void clear(u32 *slots) {
    for (u32 k = threadIdx.x; k < SLOTS; k += LANES) {
        slots[k] = 0;
    }
    __syncthreads();
}

extern "C" __global__ void shared_add(u32 *dst) {
    __shared__ u32 slots[SLOTS];
    clear(slots);
    if (takes_part(threadIdx.x)) {
        atomicAdd(&slots[element(threadIdx.x)], id());
    }
    __syncthreads();
    dst[id()] = slots[threadIdx.x];
}

extern "C" __global__ void shared_count(u32 *dst) {
    __shared__ u32 slots[SLOTS];
    clear(slots);
    if (takes_part(threadIdx.x)) {
        atomicAdd(&slots[element(threadIdx.x)], 1);
    }
    __syncthreads();
    dst[id()] = slots[threadIdx.x];
}

extern "C" __global__ void shared_add_and_see(u32 *dst) {
    __shared__ u32 slots[SLOTS];
    clear(slots);
    u32 large = 0;
    if (takes_part(threadIdx.x)) {
        large = atomicAdd(&slots[element(threadIdx.x)], id()) > 1000000000;
    }
    __syncthreads();
    dst[id()] = slots[threadIdx.x] + large;
}

extern "C" __global__ void shared_random_add(u32 *dst) {
    __shared__ u32 slots[SLOTS];
    clear(slots);
    atomicAdd(&slots[hash(id()) % WRAP * STRIDE], id());
    __syncthreads();
    dst[id()] = slots[threadIdx.x];
}

extern "C" __global__ void shared_random_exchange(u32 *dst) {
    __shared__ u32 slots[SLOTS];
    clear(slots);
    u32 e = hash(id()) % WRAP * STRIDE;
    atomicExch(&slots[e], e);
    __syncthreads();
    dst[id()] = slots[threadIdx.x];
}

extern "C" __global__ void shared_greatest(u32 *dst) {
    __shared__ u32 slots[SLOTS];
    clear(slots);
    if (takes_part(threadIdx.x)) {
        atomicMax(&slots[element(threadIdx.x)], id());
    }
    __syncthreads();
    dst[id()] = slots[threadIdx.x];
}

extern "C" __global__ void shared_histogram(u32 *counters) {
    __shared__ u32 slots[SLOTS];
    clear(slots);
    atomicAdd(&slots[hash(id()) % WRAP], 1);
    __syncthreads();
    if (threadIdx.x < WRAP) {
        atomicAdd(&counters[threadIdx.x], slots[threadIdx.x]);
    }
}
