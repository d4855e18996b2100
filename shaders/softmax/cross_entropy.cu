// Cross-entropy, forward and backward in one: loss = lse - x[target] + z lse² of each row, with lse = log of the sum of e^x, and its
// gradient (1 + 2 z lse) y - t. The softmax y and the one-hot t are never stored: 8 bytes an element, as many as a copy moves.
// From outside: ROWS and COLS of x and dx; BLOCK, the lanes in a workgroup, a multiple of 32; PER_LANE, COLS / 4 / BLOCK rounded up;
// Z, the weight of the z-loss, which keeps lse near 0.

constexpr float MASKED = -1.0e38f;    // a logit that takes no part; a row without any other gives zeros, also as its loss

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

// The part of t that belongs to what `load` loads: 1 at the wanted column, 0 elsewhere.
__device__ float4 one_hot(unsigned int wanted, unsigned int local, unsigned int k) {
    unsigned int i = 4 * (local + k * BLOCK);
    auto one = [wanted](unsigned int i) { return i == wanted ? 1.0f : 0.0f; };
    return {one(i), one(i + 1), one(i + 2), one(i + 3)};
}

extern "C" __global__ void __launch_bounds__(BLOCK)
cross_entropy(const float* __restrict__ x, const unsigned int* __restrict__ targets, float* __restrict__ dx, float* __restrict__ loss) {
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

    // A row in which all is masked has no loss.
    bool some = greatest > MASKED;
    float lse = some ? greatest + logf(sum) : 0.0f;
    unsigned int wanted = targets[row];
    if (local == 0) {
        loss[row] = some ? lse - x[start + wanted] + Z * lse * lse : 0.0f;
    }
    float scale = some ? (1.0f + 2.0f * Z * lse) / sum : 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        float4 e = cells[k];
        float4 t = some ? one_hot(wanted, local, k) : float4{};
        store(dx + start, local, k, {e.x * scale - t.x, e.y * scale - t.y, e.z * scale - t.z, e.w * scale - t.w});
    }
}
