// Collectives between GPUs of one host: each rank writes to the
// others' memory. All ranks launch the same kernels in the same
// order, one after the other, with the same grid and chunk. A
// message has RANKS chunks. What a lane takes at once is a
// `Number`: 16 bytes if they are aligned, else one float.
// Constants: RANKS; HALF, 1 for floats of 16 bits; WIDE, 1 if 16
// bytes can be taken at once; DEEP, the Numbers that a lane sends
// to each of the others in a step; SHOT, the most floats of 32
// bits in a one-shot message.

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
    Number* data[RANKS];                // their numbers
    unsigned* flags[RANKS];             // who has come to meet
    unsigned long long* mail[RANKS];    // see `one_shot`
    Number* boxes[RANKS];               // see `box`
};

// The time in nanoseconds, the same for all kernels of a GPU.
__device__ unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// For so many nanoseconds, only arrivals are polled.
constexpr unsigned long long EAGER = 1000000;

// Whether to go on waiting for a rank. If it does not come in
// time, `trouble` gets its number plus 1. The host may write
// there, too. Then nobody waits any longer: kernels end with
// wrong numbers, also in others' memory, and the host says so.
__device__ bool goes_on(unsigned long long start, unsigned peer,
                        unsigned long long patience,
                        unsigned* trouble) {
    unsigned long long waited = now() - start;
    if (waited > EAGER) {
        if (*(volatile unsigned*)trouble != 0) {
            return false;
        }
        if (waited > patience) {
            *(volatile unsigned*)trouble = peer + 1;
        }
    }
    return true;
}

// Waits until this block of each rank has come to the meeting
// with the number `turn`, or a later one. What they wrote before
// can be read then. Numbers grow from 1.
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
        } while (seen < turn
                 && goes_on(start, peer, patience, trouble));
    }
    __syncthreads();
}

// The place of a block for what `from` sends to `to` in a step.
// There are two, since a step is summed up while the next one is
// on its way.
__device__ Number* box(const Peers* peers, unsigned from,
                       unsigned to, unsigned step) {
    unsigned long long place =
        (blockIdx.x * 2 + step % 2) * RANKS + from;
    return peers->boxes[to] + place * DEEP * blockDim.x;
}

// Each rank writes into the boxes of each other one what that
// rank has to sum up, and sums up what it got, step by step. Over
// NVLink, writes are faster than reads, which first have to be
// asked for. A sum begins with the rank after this one, as on a
// ring. It goes `to_all`, or stays here. first: where the message
// begins; chunk: the length of one. Both count Numbers.
//
// The first step is sent without a meeting. The last one of every
// launch that used boxes is behind its last sum, in all blocks,
// and a kernel ends when all its blocks have. So grids and sizes
// of Numbers may differ from launch to launch.
__device__ void reduce(const Peers* peers, unsigned rank,
                       unsigned long long first,
                       unsigned long long chunk, unsigned turn,
                       unsigned long long patience,
                       unsigned* trouble, bool to_all) {
    Number* data = peers->data[rank] + first;
    unsigned all = gridDim.x * blockDim.x;
    unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long length = DEEP * all;
    unsigned steps = (chunk + length - 1) / length;
    for (unsigned step = 0; step <= steps; step++) {
        unsigned long long at = step * length + lane;
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            unsigned peer = (rank + k) % RANKS;
            Number* there = box(peers, rank, peer, step);
            Number own[DEEP];
#pragma unroll
            for (unsigned d = 0; d < DEEP; d++) {
                unsigned long long i = at + d * all;
                if (i < chunk) {
                    own[d] = data[peer * chunk + i];
                }
            }
#pragma unroll
            for (unsigned d = 0; d < DEEP; d++) {
                unsigned long long i = at + d * all;
                if (i < chunk) {
                    there[d * blockDim.x + threadIdx.x] = own[d];
                }
            }
        }
#pragma unroll
        for (unsigned d = 0; d < DEEP; d++) {
            unsigned long long i = at - length + d * all;
            if (step == 0 || i >= chunk) {
                continue;
            }
            i += rank * chunk;
            Number terms[RANKS];
#pragma unroll
            for (unsigned k = 0; k + 1 < RANKS; k++) {
                unsigned peer = (rank + 1 + k) % RANKS;
                terms[k] = box(peers, peer, rank, step - 1)
                    [d * blockDim.x + threadIdx.x];
            }
            terms[RANKS - 1] = data[i];
            Number sum = terms[0];
#pragma unroll
            for (unsigned k = 1; k < RANKS; k++) {
                sum = plus(sum, terms[k]);
            }
#pragma unroll
            for (unsigned k = 0; k < (to_all ? RANKS : 1); k++) {
                unsigned peer = (rank + k) % RANKS;
                peers->data[peer][first + i] = sum;
            }
        }
        meet(peers, rank, turn + step, patience, trouble);
    }
}

extern "C" __global__ void __launch_bounds__(512)
reduce_scatter(const Peers* peers, unsigned long long rank,
               unsigned long long first,
               unsigned long long chunk,
               unsigned long long turn,
               unsigned long long patience, unsigned* trouble) {
    reduce(peers, rank, first, chunk, turn, patience, trouble,
           false);
}

// Two-shot: the sums of the own chunk go to all.
extern "C" __global__ void __launch_bounds__(512)
all_reduce(const Peers* peers, unsigned long long rank,
           unsigned long long first, unsigned long long chunk,
           unsigned long long turn,
           unsigned long long patience, unsigned* trouble) {
    reduce(peers, rank, first, chunk, turn, patience, trouble,
           true);
}

// Everyone writes the own chunk to all others.
extern "C" __global__ void __launch_bounds__(512)
all_gather(const Peers* peers, unsigned long long rank,
           unsigned long long first, unsigned long long chunk,
           unsigned long long turn,
           unsigned long long patience, unsigned* trouble) {
    meet(peers, rank, turn, patience, trouble);
    unsigned long long all = gridDim.x * blockDim.x;
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < chunk; i += all) {
        unsigned long long at = first + rank * chunk + i;
        Number own = peers->data[rank][at];
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            peers->data[(rank + k) % RANKS][at] = own;
        }
    }
    meet(peers, rank, turn + 1, patience, trouble);
}

// One-shot, for floats of 32 bits: each rank sends all of its
// message to all others, and sums up all. Nobody meets: the turn
// goes over beside each float, which has arrived when the turn
// has. There is room for two messages. Who sends the next but one
// has got the next one from all, and they sent that after they
// had read this one. If other kernels come between, they meet.
// `chunk` counts floats. It is not 0, or nobody would wait.
extern "C" __global__ void __launch_bounds__(512)
one_shot(const Peers* peers, unsigned long long rank,
         unsigned long long, unsigned long long chunk,
         unsigned long long turn,
         unsigned long long patience, unsigned* trouble) {
    float* data = (float*)peers->data[rank];
    unsigned room = turn % 2 * RANKS * SHOT;
    unsigned all = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < RANKS * chunk; i += all) {
        unsigned long long own =
            turn << 32 | __float_as_uint(data[i]);
        unsigned long long words[RANKS];
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            unsigned peer = (rank + k) % RANKS;
            asm volatile("st.relaxed.sys.global.u64 [%0], %1;"
                         :: "l"(peers->mail[peer] + room
                                + rank * SHOT + i), "l"(own)
                         : "memory");
        }
        unsigned long long start = now();
        unsigned first = i / chunk + 1;
#pragma unroll
        for (unsigned k = 0; k < RANKS; k++) {
            unsigned peer = (first + k) % RANKS;
            words[k] = own;
            if (peer == rank) {
                continue;
            }
            do {
                asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
                             : "=l"(words[k])
                             : "l"(peers->mail[rank] + room
                                   + peer * SHOT + i)
                             : "memory");
            } while (words[k] >> 32 != turn
                     && goes_on(start, peer, patience, trouble));
        }
        float sum = __uint_as_float(words[0]);
#pragma unroll
        for (unsigned k = 1; k < RANKS; k++) {
            sum += __uint_as_float(words[k]);
        }
        data[i] = sum;
    }
}
