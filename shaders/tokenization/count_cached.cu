// As count_pairs, with a small table for each block: a pair
// has one place in it. The first pair that comes to a place
// keeps it and is counted there; a pair that finds another one
// there goes to global memory. V * V counters would not fit.
// A block has 4,096 positions.
// Constant: V, the tokens that there can be.
constexpr unsigned PLACES = 1024;
constexpr unsigned EACH = 16;  // positions of a lane
constexpr unsigned FREE = 0;

extern "C" __global__ void __launch_bounds__(256)
count_cached(const unsigned* __restrict__ ids,
             const unsigned* __restrict__ offset,
             const unsigned* __restrict__ wall,
             const unsigned* __restrict__ length,
             unsigned* __restrict__ counts) {
    // The pair of each place, plus 1, and how often it came.
    __shared__ unsigned holder[PLACES];
    __shared__ unsigned times[PLACES];
    unsigned lane = threadIdx.x;
    for (unsigned p = lane; p < PLACES; p += 256) {
        holder[p] = FREE;
        times[p] = 0;
    }
    __syncthreads();
    for (unsigned turn = 0; turn < EACH; turn++) {
        unsigned i = (blockIdx.x * EACH + turn) * 256 + lane;
        if (i + 1 >= length[0]) {
            break;
        }
        if (wall[offset[i + 1]] == 1) {
            continue;
        }
        unsigned pair = ids[i] * V + ids[i + 1];
        unsigned place = (pair * 2654435769u) >> 22;
        unsigned held = *(volatile unsigned*)&holder[place];
        if (held == FREE) {
            held = atomicCAS(&holder[place], FREE, pair + 1);
            held = held == FREE ? pair + 1 : held;
        }
        if (held == pair + 1) {
            atomicAdd(&times[place], 1u);
        } else {
            atomicAdd(&counts[pair], 1u);
        }
    }
    __syncthreads();
    for (unsigned p = lane; p < PLACES; p += 256) {
        if (holder[p] != FREE) {
            atomicAdd(&counts[holder[p] - 1], times[p]);
        }
    }
}
