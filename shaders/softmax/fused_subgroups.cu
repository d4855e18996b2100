// Fused softmax with warps' own exchanges: against the tree, lanes of a warp exchange values without memory.
// A warp leaves one word in shared memory, and a reduction has one barrier instead of one a turn.
// From outside: ROWS and COLS of x and y; BLOCK, the lanes in a workgroup, a multiple of 32; PER_LANE, COLS / BLOCK rounded up.

constexpr float MASKED = -1.0e38f;    // a logit that takes no part; a row without any other gives zeros

// What `combine` makes of the values of a warp's lanes: five exchanges, of which each halves what is left.
template <class Combine>
__device__ float all_of_warp(float value, Combine combine) {
    for (unsigned int bit = 16; bit > 0; bit /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffff, value, bit));
    }
    return value;
}

// What `combine` makes of the values of all lanes: within each warp, then over what the warps found, a word of `words` each.
template <class Combine>
__device__ float all_lanes(float* words, float value, float nothing, Combine combine) {
    unsigned int lane = threadIdx.x % 32;
    unsigned int warp = threadIdx.x / 32;
    float found = all_of_warp(value, combine);
    if (lane == 0) {
        words[warp] = found;
    }
    __syncthreads();
    return all_of_warp(lane < BLOCK / 32 ? words[lane] : nothing, combine);
}

extern "C" __global__ void __launch_bounds__(BLOCK) fused_subgroups(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float maxima[32], sums[32];
    unsigned int local = threadIdx.x;
    unsigned int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    float cells[PER_LANE];
    float greatest = MASKED;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        unsigned int i = local + k * BLOCK;
        cells[k] = i < COLS ? x[start + i] : MASKED;
        greatest = fmaxf(greatest, cells[k]);
    }
    greatest = all_lanes(maxima, greatest, MASKED, [](float a, float b) { return fmaxf(a, b); });

    float sum = 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        cells[k] = __expf(cells[k] - greatest);    // 0 beyond the row's end
        sum += cells[k];
    }
    sum = all_lanes(sums, sum, 0.0f, [](float a, float b) { return a + b; });

    float scale = greatest > MASKED ? 1.0f / sum : 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        unsigned int i = local + k * BLOCK;
        if (i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
