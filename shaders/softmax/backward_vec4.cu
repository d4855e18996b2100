// Softmax backward of vectors: against single elements, a lane
// loads and stores four neighbours at once.
// A quarter of the requests move the same bytes. COLS is a
// multiple of 4, so rows begin at multiples of 16 bytes.
// Constants: ROWS and COLS of y, dy and dx; BLOCK, the
// workgroup size, a power of 2 and 32 or more.
#include "workgroup_sum.cuh"
#include "vec4.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_vec4(const float4* __restrict__ y,
              const float4* __restrict__ dy,
              float4* __restrict__ dx) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned start = row * COLS / 4;
    unsigned end = start + COLS / 4;
    float dot_y_dy = 0.0f;
    for (unsigned i = start + local; i < end; i += BLOCK) {
        dot_y_dy += dot(y[i], dy[i]);
    }
    dot_y_dy = workgroup_sum(dot_y_dy);

    for (unsigned i = start + local; i < end; i += BLOCK) {
        dx[i] = y[i] * (dy[i] - dot_y_dy);
    }
}
