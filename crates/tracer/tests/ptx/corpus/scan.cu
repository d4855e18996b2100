// Prefix sums, within a block and over all blocks.

extern "C" __global__ void hillis_steele(const int* in, int* out, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x, from = 0, to = 1;
    s[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int k = 1; k < blockDim.x; k *= 2) {
        s[to * blockDim.x + t] = s[from * blockDim.x + t] + (t >= k ? s[from * blockDim.x + t - k] : 0);
        from = 1 - from;
        to = 1 - to;
        __syncthreads();
    }
    if (t < n) out[t] = s[from * blockDim.x + t];
}

#define PAD(i) ((i) + ((i) >> 5))
extern "C" __global__ void blelloch(const int* in, int* out, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x, m = 2 * blockDim.x;
    s[PAD(2 * t)] = 2 * t < n ? in[2 * t] : 0;
    s[PAD(2 * t + 1)] = 2 * t + 1 < n ? in[2 * t + 1] : 0;
    int step = 1;
    for (int d = m >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[PAD(step * (2 * t + 2) - 1)] += s[PAD(step * (2 * t + 1) - 1)];
        step *= 2;
    }
    if (t == 0) s[PAD(m - 1)] = 0;
    for (int d = 1; d < m; d *= 2) {
        step >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PAD(step * (2 * t + 1) - 1), b = PAD(step * (2 * t + 2) - 1), x = s[a];
            s[a] = s[b];
            s[b] += x;
        }
    }
    __syncthreads();
    if (2 * t < n) out[2 * t] = s[PAD(2 * t)];
    if (2 * t + 1 < n) out[2 * t + 1] = s[PAD(2 * t + 1)];
}

// Each block looks back at those before it: 1 is a sum of its own, 2 of all so far.
extern "C" __global__ void look_back(const int* in, int* out, volatile int* flags, volatile int* sums, volatile int* prefixes, int n) {
    __shared__ int s[128];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x, i = b * 128 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 1; k < 128; k *= 2) {
        int x = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    if (t == 0) {
        int total = s[127], sum = 0;
        sums[b] = total;
        __threadfence();
        flags[b] = 1;
        for (int j = b - 1; j >= 0;) {
            int flag = flags[j];
            if (flag == 0) continue;
            __threadfence();
            if (flag == 2) {
                sum += prefixes[j];
                break;
            }
            sum += sums[j];
            j--;
        }
        prefixes[b] = sum + total;
        __threadfence();
        flags[b] = 2;
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = s[t] + before;
}

// The same in the opposite order: block 0 waits for the last one, which comes later.
extern "C" __global__ void look_ahead(const int* in, int* out, volatile int* flags, volatile int* sums, int n) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int sum = in[b];
        if (b + 1 < gridDim.x) {
            while (flags[b + 1] == 0) {
            }
            __threadfence();
            sum += sums[b + 1];
        }
        sums[b] = sum;
        __threadfence();
        flags[b] = 1;
        out[b] = sum;
    }
}

// A flag that nobody sets.
extern "C" __global__ void waits_forever(volatile int* flag, int* out) {
    while (*flag == 0) {
    }
    out[threadIdx.x] = 1;
}

// One warp waits for another within a block.
extern "C" __global__ void warps_wait(const int* in, int* out) {
    __shared__ volatile int ready;
    __shared__ volatile int value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (ready == 0) {
        }
        __threadfence_block();
        out[0] = value;
    }
    if (threadIdx.x == 32) {
        value = in[0] + 1;
        __threadfence_block();
        ready = 1;
    }
}
