// The way back: each token becomes its bytes. A lane has one
// byte's place; if a token stands there, it writes all bytes
// of the token. `covered` is how many these are.
// Constant: N, the bytes.
#include "bytes_of.cuh"
constexpr unsigned NOTHING = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(256)
decode(const unsigned* __restrict__ ids,
       const unsigned* __restrict__ merges,
       const unsigned* __restrict__ sizes,
       unsigned* __restrict__ decoded,
       unsigned* __restrict__ covered) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    covered[i] = 0;
    if (ids[i] == NOTHING) {
        return;
    }
    unsigned size = sizes[ids[i]];
    for (unsigned j = 0; j < size; j++) {
        decoded[i + j] = byte_of(merges, sizes, ids[i], j);
    }
    covered[i] = size;
}
