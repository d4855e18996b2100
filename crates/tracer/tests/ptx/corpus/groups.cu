// Cooperative groups, and work that the lanes of a warp do together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const float* in, float* out, unsigned* masks) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    float x = in[block.thread_rank()];
    float sum = cg::reduce(tile, x, cg::plus<float>());
    for (int k = tile.size() / 2; k; k /= 2) x += tile.shfl_down(x, k);
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = x + sum;
    block.sync();
    masks[block.thread_rank()] = tile.ballot(in[block.thread_rank()] > 0) * 2 + tile.any(in[block.thread_rank()] > 0.9f);
}

extern "C" __global__ void coalesced(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) {
        auto group = cg::coalesced_threads();
        int first = group.shfl(in[i], 0);
        out[i] = group.thread_rank() + 100 * group.size() + 10000 * cg::reduce(group, 1, cg::plus<int>()) + 1000000 * (first == in[i]);
    }
}

extern "C" __global__ void scans(const int* in, int* out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    out[threadIdx.x] = cg::inclusive_scan(warp, in[threadIdx.x]);
}

// All blocks wait for each other twice.
extern "C" __global__ void grid(float* a, int n) {
    auto grid = cg::this_grid();
    int i = grid.thread_rank();
    a[i] = i;
    grid.sync();
    a[n + i] = a[(i + 100) % n];
    grid.sync();
    a[i] = a[n + (i + 1) % n];
}

// The lanes of a warp halve their shared sums, and meet between.
extern "C" __global__ void warp_synchronous(const float* in, float* out) {
    __shared__ float s[32];
    int lane = threadIdx.x;
    s[lane] = in[lane] + in[lane + 32];
    __syncwarp();
    for (int k = 16; k > 0; k >>= 1) {
        float x = s[lane] + (lane < k ? s[lane + k] : 0);
        __syncwarp();
        s[lane] = x;
        __syncwarp();
    }
    if (lane == 0) *out = s[0];
}

extern "C" __global__ void warp_unsynchronised(const float* in, float* out) {
    __shared__ float s[32];
    int lane = threadIdx.x;
    s[lane] = in[lane];
    float x = s[lane ^ 1];
    out[lane] = x;
}

// Votes of a block.
extern "C" __global__ void votes(const int* in, int* out) {
    int i = threadIdx.x;
    out[i] = __syncthreads_count(in[i] > 0) + 1000 * __syncthreads_and(in[i] > -5) + 10000 * __syncthreads_or(in[i] > 100);
}

// One atomic for all lanes of a warp that add.
extern "C" __global__ void aggregated(const int* in, int* count, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) {
        unsigned active = __activemask();
        int leader = __ffs(active) - 1, lane = threadIdx.x & 31, base;
        if (lane == leader) base = atomicAdd(count, __popc(active));
        base = __shfl_sync(active, base, leader);
        out[base + __popc(active & ((1u << lane) - 1))] = in[i];
    }
}
