// Softmax backward without the Jacobian: against J times dy, the product is written out: dx = y * (dy - y · dy).
// J = diag(y) - y yᵀ is never made, and n² operations become n. A workgroup has a row.
// It loads fours. One sweep finds y · dy, one more stores: 20 bytes an element.
// From outside: ROWS and COLS of y, dy and dx; BLOCK, the lanes in a workgroup, a multiple of 32; PER_LANE, COLS / 4 / BLOCK rounded up.

// The sum of the values of a warp's lanes: five exchanges, of which each halves what is left.
__device__ float sum_of_warp(float value) {
    for (unsigned int bit = 16; bit > 0; bit /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, bit);
    }
    return value;
}

// The sum of the values of all lanes: within each warp, then over what the warps found.
__device__ float sum_of(float value) {
    __shared__ float sums[32];
    unsigned int lane = threadIdx.x % 32;
    unsigned int warp = threadIdx.x / 32;
    float found = sum_of_warp(value);
    if (lane == 0) {
        sums[warp] = found;
    }
    __syncthreads();
    return sum_of_warp(lane < BLOCK / 32 ? sums[lane] : 0.0f);
}

__device__ float dot(float4 a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// The k-th four elements of a lane: neighbours, which one access moves, since rows begin at multiples of 16 bytes.
__device__ float4 load(const float* row, unsigned int local, unsigned int k) {
    unsigned int i = local + k * BLOCK;
    constexpr float4 none = {0.0f, 0.0f, 0.0f, 0.0f};
    return 4 * i < COLS ? reinterpret_cast<const float4*>(row)[i] : none;    // one access of 16 bytes
}

// Stores what `load` loads.
__device__ void store(float* row, unsigned int local, unsigned int k, float4 four) {
    unsigned int i = local + k * BLOCK;
    if (4 * i < COLS) {
        reinterpret_cast<float4*>(row)[i] = four;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_vjp(const float* __restrict__ y, const float* __restrict__ dy, float* __restrict__ dx) {
    unsigned int local = threadIdx.x;
    unsigned int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    float along = 0.0f;
    for (unsigned int k = 0; k < PER_LANE; k++) {
        along += dot(load(y + start, local, k), load(dy + start, local, k));
    }
    along = sum_of(along);

    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 p = load(y + start, local, k);
        float4 g = load(dy + start, local, k);
        store(dx + start, local, k, {p.x * (g.x - along), p.y * (g.y - along), p.z * (g.z - along), p.w * (g.w - along)});
    }
}
