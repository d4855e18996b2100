// Blocks of CUB.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

extern "C" __global__ void cub_reduce(const float* in, float* out, int n) {
    typedef cub::BlockReduce<float, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    float x = threadIdx.x < n ? in[threadIdx.x] : 0;
    float sum = Reduce(room).Sum(x);
    if (threadIdx.x == 0) *out = sum;
}

extern "C" __global__ void cub_scan(const int* in, int* out, int n) {
    typedef cub::BlockScan<int, 128> Scan;
    __shared__ typename Scan::TempStorage room;
    int x = threadIdx.x < n ? in[threadIdx.x] : 0, sum;
    Scan(room).InclusiveSum(x, sum);
    if (threadIdx.x < n) out[threadIdx.x] = sum;
}

extern "C" __global__ void cub_sort(const unsigned* in, unsigned* out) {
    typedef cub::BlockRadixSort<unsigned, 64, 2> Sort;
    __shared__ typename Sort::TempStorage room;
    unsigned keys[2] = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
    Sort(room).Sort(keys, 0, 8);
    out[2 * threadIdx.x] = keys[0];
    out[2 * threadIdx.x + 1] = keys[1];
}
