// Where two results differ, be it in the last bit: 1, and 0
// where they are the same. A thread has one element.
// Constant: N, the elements of all ranks.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
differ(const half* __restrict__ a, const half* __restrict__ b,
       unsigned* __restrict__ differs) {
    unsigned i = (blockIdx.y * 32768 + blockIdx.x) * 256
        + threadIdx.x;
    if (i < N) {
        differs[i] = __hne(a[i], b[i]);
    }
}
