// Fused softmax of vectors: against single elements, a lane loads and stores four neighbours at once.
// A quarter of the requests move the same bytes. COLS is a multiple of 4.
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

extern "C" __global__ void __launch_bounds__(BLOCK) fused_vec4(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float maxima[32], sums[32];
    unsigned int local = threadIdx.x;
    unsigned int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    float4 cells[PER_LANE];
    float greatest = MASKED;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        cells[k] = load(x + start, local, k);
        greatest = fmaxf(greatest, fmaxf(fmaxf(cells[k].x, cells[k].y), fmaxf(cells[k].z, cells[k].w)));
    }
    greatest = all_lanes(maxima, greatest, MASKED, [](float a, float b) { return fmaxf(a, b); });

    float sum = 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 e = cells[k];
        e = {__expf(e.x - greatest), __expf(e.y - greatest), __expf(e.z - greatest), __expf(e.w - greatest)};
        cells[k] = e;    // 0 beyond the row's end
        sum += e.x + e.y + e.z + e.w;
    }
    sum = all_lanes(sums, sum, 0.0f, [](float a, float b) { return a + b; });

    float scale = greatest > MASKED ? 1.0f / sum : 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 e = cells[k];
        store(y + start, local, k, {e.x * scale, e.y * scale, e.z * scale, e.w * scale});
    }
}
