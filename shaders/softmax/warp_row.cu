// Softmax, a warp a row: against a workgroup a row, LANES lanes share a row, and no barrier is needed.
// A workgroup has several rows. Long rows need more registers than LANES lanes have.
// From outside: ROWS and COLS of x and y; BLOCK, the lanes in a workgroup, a multiple of 32; LANES, the lanes that share a row,
// a power of two, 32 at most; PER_LANE, COLS / 4 / LANES rounded up.

constexpr float MASKED = -1.0e38f;    // a logit that takes no part; a row without any other gives zeros

// What `combine` makes of the values of a row's lanes: each exchange halves what is left.
template <class Combine>
__device__ float all_of_row(float value, Combine combine) {
    for (unsigned int bit = LANES / 2; bit > 0; bit /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffff, value, bit));
    }
    return value;
}

// The k-th four logits of a lane: neighbours, which one access moves, since rows begin at multiples of 16 bytes.
__device__ float4 load(const float* row, unsigned int lane, unsigned int k) {
    unsigned int i = lane + k * LANES;
    constexpr float4 none = {MASKED, MASKED, MASKED, MASKED};
    return 4 * i < COLS ? reinterpret_cast<const float4*>(row)[i] : none;    // one access of 16 bytes
}

// Stores what `load` loads.
__device__ void store(float* row, unsigned int lane, unsigned int k, float4 four) {
    unsigned int i = lane + k * LANES;
    if (4 * i < COLS) {
        reinterpret_cast<float4*>(row)[i] = four;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) warp_row(const float* __restrict__ x, float* __restrict__ y) {
    unsigned int lane = threadIdx.x % LANES;
    unsigned int row = (blockIdx.x + blockIdx.y * gridDim.x) * (BLOCK / LANES) + threadIdx.x / LANES;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    float4 cells[PER_LANE];
    float greatest = MASKED;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        cells[k] = load(x + start, lane, k);
        greatest = fmaxf(greatest, fmaxf(fmaxf(cells[k].x, cells[k].y), fmaxf(cells[k].z, cells[k].w)));
    }
    greatest = all_of_row(greatest, [](float a, float b) { return fmaxf(a, b); });

    float sum = 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 e = cells[k];
        e = {__expf(e.x - greatest), __expf(e.y - greatest), __expf(e.z - greatest), __expf(e.w - greatest)};
        cells[k] = e;    // 0 beyond the row's end
        sum += e.x + e.y + e.z + e.w;
    }
    sum = all_of_row(sum, [](float a, float b) { return a + b; });

    float scale = greatest > MASKED ? 1.0f / sum : 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 e = cells[k];
        store(y + start, lane, k, {e.x * scale, e.y * scale, e.z * scale, e.w * scale});
    }
}
