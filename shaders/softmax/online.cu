// Softmax in two sweeps: against the three, one sweep finds the greatest logit and the sum together.
// A lane that meets a greater logit scales its sum down to it: 12 bytes an element instead of 16.
// From outside: ROWS and COLS of x and y, and BLOCK, the lanes in a workgroup, a power of two.

constexpr float MASKED = -1.0e38f;    // a logit that takes no part; a row without any other gives zeros

// x: the greatest of some logits; y: the sum of e^(logit - greatest) over them. Both are 8 bytes in one access.
using Part = float2;

// Two parts as one: each sum is scaled to the greater of the two maxima.
__device__ Part join(Part a, Part b) {
    float greatest = fmaxf(a.x, b.x);
    return {greatest, a.y * __expf(a.x - greatest) + b.y * __expf(b.x - greatest)};
}

extern "C" __global__ void __launch_bounds__(BLOCK) online(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ Part parts[BLOCK];
    unsigned int local = threadIdx.x;
    unsigned int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    Part mine = {MASKED, 0.0f};
    for (unsigned int i = local; i < COLS; i += BLOCK) {
        mine = join(mine, {x[start + i], 1.0f});
    }

    // All lanes' parts as one, over a tree.
    parts[local] = mine;
    for (unsigned int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (local < half) {
            parts[local] = join(parts[local], parts[local + half]);
        }
    }
    __syncthreads();
    Part all = parts[0];

    float scale = all.x > MASKED ? 1.0f / all.y : 0.0f;
    for (unsigned int i = local; i < COLS; i += BLOCK) {
        y[start + i] = __expf(x[start + i] - all.x) * scale;
    }
}
