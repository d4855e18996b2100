// Softmax backward, a warp a row: against a workgroup a row, LANES lanes share a row, and no barrier is needed.
// A workgroup has several rows. Long rows need more registers than LANES lanes have.
// From outside: ROWS and COLS of y, dy and dx; BLOCK, the lanes in a workgroup, a multiple of 32; LANES, the lanes that share a row,
// a power of two, 32 at most; PER_LANE, COLS / 4 / LANES rounded up.

// The sum of the values of a row's lanes: each exchange halves what is left.
__device__ float sum_of_row(float value) {
    for (unsigned int bit = LANES / 2; bit > 0; bit /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, bit);
    }
    return value;
}

__device__ float dot(float4 a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// The k-th four elements of a lane: neighbours, which one access moves, since rows begin at multiples of 16 bytes.
__device__ float4 load(const float* row, unsigned int lane, unsigned int k) {
    unsigned int i = lane + k * LANES;
    constexpr float4 none = {0.0f, 0.0f, 0.0f, 0.0f};
    return 4 * i < COLS ? reinterpret_cast<const float4*>(row)[i] : none;    // one access of 16 bytes
}

// Stores what `load` loads.
__device__ void store(float* row, unsigned int lane, unsigned int k, float4 four) {
    unsigned int i = lane + k * LANES;
    if (4 * i < COLS) {
        reinterpret_cast<float4*>(row)[i] = four;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_warp_row(const float* __restrict__ y, const float* __restrict__ dy, float* __restrict__ dx) {
    unsigned int lane = threadIdx.x % LANES;
    unsigned int row = (blockIdx.x + blockIdx.y * gridDim.x) * (BLOCK / LANES) + threadIdx.x / LANES;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    float4 cells_y[PER_LANE], cells_dy[PER_LANE];
    float along = 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        cells_y[k] = load(y + start, lane, k);
        cells_dy[k] = load(dy + start, lane, k);
        along += dot(cells_y[k], cells_dy[k]);
    }
    along = sum_of_row(along);

    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 p = cells_y[k];
        float4 g = cells_dy[k];
        store(dx + start, lane, k, {p.x * (g.x - along), p.y * (g.y - along), p.z * (g.z - along), p.w * (g.w - along)});
    }
}
