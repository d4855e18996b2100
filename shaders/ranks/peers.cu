// Collectives between GPUs of one host. Each rank runs these
// kernels at the same time, with as many blocks as all others,
// and reads from the others' memory. A message has RANKS chunks.
// Constants: RANKS; HALF, 1 for floats of 16 bits; WIDE, 1 if 16
// bytes can be taken at once; AGAIN, 1 if ranks meet once more
// at the end: then what comes next may write to what the others
// have read.

#if HALF && WIDE
typedef uint4 Number;

__device__ unsigned plus_two(unsigned a, unsigned b) {
    unsigned sum;
    asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

__device__ Number plus(Number a, Number b) {
    return make_uint4(plus_two(a.x, b.x), plus_two(a.y, b.y),
                      plus_two(a.z, b.z), plus_two(a.w, b.w));
}
#elif HALF
typedef unsigned short Number;

__device__ Number plus(Number a, Number b) {
    Number sum;
    asm("add.f16 %0, %1, %2;" : "=h"(sum) : "h"(a), "h"(b));
    return sum;
}
#elif WIDE
typedef float4 Number;

__device__ Number plus(Number a, Number b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z,
                       a.w + b.w);
}
#else
typedef float Number;

__device__ Number plus(Number a, Number b) {
    return a + b;
}
#endif

// What a rank knows of the others.
struct Peers {
    Number* data[RANKS];       // their numbers
    unsigned* flags[RANKS];    // where they are told of arrivals
    Number* other[RANKS];      // a second place for numbers
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

// The sum of element `i` of all ranks. It begins with the rank
// after `owner`, as on a ring, so that all get the same bits.
__device__ Number sum_of(Number* const* data, unsigned owner,
                         unsigned long long i) {
    Number terms[RANKS];
#pragma unroll
    for (unsigned k = 0; k < RANKS; k++) {
        terms[k] = data[(owner + 1 + k) % RANKS][i];
    }
    Number sum = terms[0];
#pragma unroll
    for (unsigned k = 1; k < RANKS; k++) {
        sum = plus(sum, terms[k]);
    }
    return sum;
}

// first: where the message begins; chunk: the length of one.
// Both are in what is taken at once.
__device__ void reduce(const Peers* peers, unsigned rank,
                       unsigned long long first,
                       unsigned long long chunk) {
    unsigned long long all = gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < chunk; i += all) {
        unsigned long long at = first + rank * chunk + i;
        peers->data[rank][at] = sum_of(peers->data, rank, at);
    }
}

__device__ void gather(const Peers* peers, unsigned rank,
                       unsigned long long first,
                       unsigned long long chunk) {
    unsigned long long all = gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < chunk; i += all) {
        Number found[RANKS];
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            unsigned peer = (rank + k) % RANKS;
            unsigned long long at = first + peer * chunk + i;
            found[k] = peers->data[peer][at];
        }
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            unsigned peer = (rank + k) % RANKS;
            unsigned long long at = first + peer * chunk + i;
            peers->data[rank][at] = found[k];
        }
    }
}

extern "C" __global__ void __launch_bounds__(512)
reduce_scatter(const Peers* peers, unsigned long long rank,
               unsigned long long first,
               unsigned long long chunk,
               unsigned long long turn,
               unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    reduce(peers, rank, first, chunk);
    if (AGAIN) {
        meet(peers, rank, turn + 1, patience, trouble);
    }
}

extern "C" __global__ void __launch_bounds__(512)
all_gather(const Peers* peers, unsigned long long rank,
           unsigned long long first, unsigned long long chunk,
           unsigned long long turn,
           unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    gather(peers, rank, first, chunk);
    if (AGAIN) {
        meet(peers, rank, turn + 1, patience, trouble);
    }
}

// Two-shot: sums of the own chunk, then everyone's. A block
// gathers what the same block of other ranks has summed.
extern "C" __global__ void __launch_bounds__(512)
all_reduce(const Peers* peers, unsigned long long rank,
           unsigned long long first, unsigned long long chunk,
           unsigned long long turn,
           unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    reduce(peers, rank, first, chunk);
    meet(peers, rank, turn + 1, patience, trouble);
    gather(peers, rank, first, chunk);
    if (AGAIN) {
        meet(peers, rank, turn + 2, patience, trouble);
    }
}

// One-shot: everyone sums everything, into the second place,
// since others still read from the first. One meeting. The
// message begins at 0.
extern "C" __global__ void __launch_bounds__(512)
one_shot(const Peers* peers, unsigned long long rank,
         unsigned long long, unsigned long long chunk,
         unsigned long long turn,
         unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    unsigned long long all = gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < RANKS * chunk; i += all) {
        unsigned owner = i / chunk;
        peers->other[rank][i] = sum_of(peers->data, owner, i);
    }
}
