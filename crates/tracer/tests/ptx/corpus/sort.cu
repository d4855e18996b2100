// Sorts, histograms, and what is kept of a list.

extern "C" __global__ void bitonic(int* keys, int n) {
    __shared__ int s[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x) s[i] = i < n ? keys[i] : 0x7fffffff;
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int t = threadIdx.x, i = 2 * t - (t & (stride - 1)), j = i + stride;
            bool up = (i & size) == 0;
            if ((s[i] > s[j]) == up) {
                int x = s[i];
                s[i] = s[j];
                s[j] = x;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = s[i];
}

// One pass of a radix sort in a block: by 4 bits, equal digits stay in order.
extern "C" __global__ void radix_pass(const unsigned* in, unsigned* out, int shift, int n) {
    __shared__ int counts[16][8];
    __shared__ int starts[16];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    unsigned key = t < n ? in[t] : ~0u, digit = key >> shift & 15;
    if (t < 128) counts[t & 15][t >> 4] = 0;
    __syncthreads();
    unsigned same = __match_any_sync(~0u, t < n ? digit : 16 + lane);
    int before = __popc(same & ((1u << lane) - 1));
    if (t < n && before == 0) counts[digit][warp] = __popc(same);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int d = 0; d < 16; d++) {
            starts[d] = sum;
            for (int w = 0; w < 8; w++) {
                int c = counts[d][w];
                counts[d][w] = sum;
                sum += c;
            }
        }
    }
    __syncthreads();
    if (t < n) out[counts[digit][warp] + before] = key;
}

extern "C" __global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1);
}

extern "C" __global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (own[i]) atomicAdd(&bins[i], own[i]);
}

// Each thread has bins of its own, as bytes.
extern "C" __global__ void histogram_private(const unsigned char* in, unsigned* bins, int n) {
    unsigned char own[16];
    for (int i = 0; i < 16; i++) own[i] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own[in[i] & 15]++;
    for (int i = 0; i < 16; i++) atomicAdd(&bins[i], own[i]);
}

// Without atomics: a race.
extern "C" __global__ void histogram_racy(const unsigned char* in, unsigned* bins, int n) {
    int i = threadIdx.x;
    if (i < n) bins[in[i]]++;
}

// The bins are never set to 0.
extern "C" __global__ void histogram_uninitialised(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < n; i += blockDim.x) own[in[i]] = own[in[i]] + 1;
    __syncthreads();
    bins[threadIdx.x] = own[threadIdx.x];
}

// Stream compaction in one block: keeps the positive elements in order.
extern "C" __global__ void compacted(const int* in, int* out, int* count, int n) {
    __shared__ int sums[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    bool keep = t < n && in[t] > 0;
    unsigned kept = __ballot_sync(~0u, keep);
    if (lane == 0) sums[warp] = __popc(kept);
    __syncthreads();
    int base = 0;
    for (int w = 0; w < warp; w++) base += sums[w];
    if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = in[t];
    if (t == blockDim.x - 1) *count = base + __popc(kept);
}
