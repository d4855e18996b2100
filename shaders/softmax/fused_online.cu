// Fused softmax with one barrier: against two reductions, a warp takes exponentials from its own greatest logit.
// It need not wait for the others' to begin. What it was ahead or behind is one factor at the end, as in the online sweep.
// From outside: ROWS and COLS of x and y; BLOCK, the lanes in a workgroup, a multiple of 32; PER_LANE, COLS / 4 / BLOCK rounded up.

constexpr float MASKED = -1.0e38f;    // a logit that takes no part; a row without any other gives zeros

// What `combine` makes of the values of a warp's lanes: five exchanges, of which each halves what is left.
template <class Combine>
__device__ float all_of_warp(float value, Combine combine) {
    for (unsigned int bit = 16; bit > 0; bit /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffff, value, bit));
    }
    return value;
}

// The k-th four logits of a lane: neighbours, which one access moves, since rows begin at multiples of 16 bytes.
__device__ float4 load(const float* row, unsigned int local, unsigned int k) {
    unsigned int i = local + k * BLOCK;
    constexpr float4 none = {MASKED, MASKED, MASKED, MASKED};
    return 4 * i < COLS ? reinterpret_cast<const float4*>(row)[i] : none;    // one access of 16 bytes
}

// Stores what `load` loads.
__device__ void store(float* row, unsigned int local, unsigned int k, float4 four) {
    unsigned int i = local + k * BLOCK;
    if (4 * i < COLS) {
        reinterpret_cast<float4*>(row)[i] = four;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) fused_online(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float2 parts[32];    // for each warp, x: its greatest logit; y: its sum of e^(logit - greatest)
    unsigned int local = threadIdx.x;
    unsigned int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    auto larger = [](float a, float b) { return fmaxf(a, b); };
    auto plus = [](float a, float b) { return a + b; };
    float4 cells[PER_LANE];
    float greatest = MASKED;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        cells[k] = load(x + start, local, k);
        greatest = fmaxf(greatest, fmaxf(fmaxf(cells[k].x, cells[k].y), fmaxf(cells[k].z, cells[k].w)));
    }
    greatest = all_of_warp(greatest, larger);

    float sum = 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 e = cells[k];
        e = {__expf(e.x - greatest), __expf(e.y - greatest), __expf(e.z - greatest), __expf(e.w - greatest)};
        cells[k] = e;    // beyond the row's end 0, or of a warp that has nothing else
        sum += e.x + e.y + e.z + e.w;
    }
    sum = all_of_warp(sum, plus);
    unsigned int lane = local % 32;
    if (lane == 0) {
        parts[local / 32] = {greatest, sum};
    }
    __syncthreads();

    float2 part = lane < BLOCK / 32 ? parts[lane] : float2{MASKED, 0.0f};
    float row_greatest = all_of_warp(part.x, larger);
    float row_sum = all_of_warp(part.y * __expf(part.x - row_greatest), plus);

    float scale = row_greatest > MASKED ? __expf(greatest - row_greatest) / row_sum : 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 e = cells[k];
        store(y + start, local, k, {e.x * scale, e.y * scale, e.z * scale, e.w * scale});
    }
}
