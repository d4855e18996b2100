// Collectives between GPUs of one host. Each rank runs these
// kernels at the same time, with as many blocks as all others,
// and reads from the others' memory. A message has RANKS chunks.
// Constants: RANKS.

// What a rank knows of the others.
struct Peers {
    float4* data[RANKS];       // their numbers
    unsigned* flags[RANKS];    // where they are told of arrivals
    float4* other[RANKS];      // a second place for numbers
};

// The time in nanoseconds, the same for all kernels of a GPU.
__device__ unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// How long nothing but arrivals is looked at, in nanoseconds.
constexpr unsigned long long EAGER = 1000000;

// Waits until this block has come here on all ranks, for the
// `turn`-th time. What they wrote before can be read then. If
// a rank does not come in time, `trouble` gets its number and
// 1. It is in the host's memory, which may also write there:
// then nobody waits any longer.
__device__ void meet(const Peers* peers, unsigned rank,
                     unsigned turn, unsigned long long patience,
                     unsigned* trouble) {
    __syncthreads();
    unsigned peer = threadIdx.x;
    if (peer < RANKS) {
        __threadfence_system();
        unsigned* there =
            peers->flags[peer] + blockIdx.x * RANKS + rank;
        unsigned* here =
            peers->flags[rank] + blockIdx.x * RANKS + peer;
        asm volatile("st.release.sys.global.u32 [%0], %1;"
                     :: "l"(there), "r"(turn) : "memory");
        unsigned long long start = now();
        unsigned seen;
        do {
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                         : "=r"(seen) : "l"(here) : "memory");
            unsigned long long waited = now() - start;
            if (waited > EAGER) {
                if (*(volatile unsigned*)trouble != 0) {
                    break;
                }
                if (waited > patience) {
                    *(volatile unsigned*)trouble = peer + 1;
                }
            }
        } while (seen < turn);
    }
    __syncthreads();
}

__device__ float4 plus(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z,
                       a.w + b.w);
}

// The sum of element `i` of all ranks. It begins with the rank
// after `owner`, as on a ring, so that all get the same bits.
__device__ float4 sum_of(float4* const* data, unsigned owner,
                         unsigned long long i) {
    float4 terms[RANKS];
#pragma unroll
    for (unsigned k = 0; k < RANKS; k++) {
        terms[k] = data[(owner + 1 + k) % RANKS][i];
    }
    float4 sum = terms[0];
#pragma unroll
    for (unsigned k = 1; k < RANKS; k++) {
        sum = plus(sum, terms[k]);
    }
    return sum;
}

// chunk: its length in vectors of four numbers.
__device__ void reduce(const Peers* peers, unsigned rank,
                       unsigned long long chunk) {
    unsigned long long all = gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < chunk; i += all) {
        unsigned long long at = rank * chunk + i;
        peers->data[rank][at] = sum_of(peers->data, rank, at);
    }
}

__device__ void gather(const Peers* peers, unsigned rank,
                       unsigned long long chunk) {
    unsigned long long all = gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < chunk; i += all) {
        float4 found[RANKS];
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            unsigned peer = (rank + k) % RANKS;
            found[k] = peers->data[peer][peer * chunk + i];
        }
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            unsigned peer = (rank + k) % RANKS;
            peers->data[rank][peer * chunk + i] = found[k];
        }
    }
}

extern "C" __global__ void __launch_bounds__(512)
reduce_scatter(const Peers* peers, unsigned long long rank,
               unsigned long long chunk,
               unsigned long long turn,
               unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    reduce(peers, rank, chunk);
}

extern "C" __global__ void __launch_bounds__(512)
all_gather(const Peers* peers, unsigned long long rank,
           unsigned long long chunk, unsigned long long turn,
           unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    gather(peers, rank, chunk);
}

// Two-shot: sums of the own chunk, then everyone's. A block
// gathers what the same block of other ranks has summed.
extern "C" __global__ void __launch_bounds__(512)
all_reduce(const Peers* peers, unsigned long long rank,
           unsigned long long chunk, unsigned long long turn,
           unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    reduce(peers, rank, chunk);
    meet(peers, rank, turn + 1, patience, trouble);
    gather(peers, rank, chunk);
}

// One-shot: everyone sums everything, into the second place,
// since others still read from the first. One meeting.
extern "C" __global__ void __launch_bounds__(512)
one_shot(const Peers* peers, unsigned long long rank,
         unsigned long long chunk, unsigned long long turn,
         unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    unsigned long long all = gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < RANKS * chunk; i += all) {
        unsigned owner = i / chunk;
        peers->other[rank][i] = sum_of(peers->data, owner, i);
    }
}
