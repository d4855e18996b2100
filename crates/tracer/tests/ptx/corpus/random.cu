// Random numbers, and what is computed with them.

__device__ unsigned xorshift(unsigned& s) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

extern "C" __global__ void numbers(unsigned* states, float* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = states[i];
    float sum = 0;
    for (int r = 0; r < rounds; r++) sum += xorshift(s) * (1.0f / 4294967296.0f);
    states[i] = s;
    out[i] = sum;
}

// Philox 4×32-10 (Salmon and others, 2011).
__device__ uint4 philox(uint4 c, uint2 k) {
    for (int r = 0; r < 10; r++) {
        unsigned h0 = __umulhi(0xD2511F53, c.x), l0 = 0xD2511F53 * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57, c.z), l1 = 0xCD9E8D57 * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9E3779B9;
        k.y += 0xBB67AE85;
    }
    return c;
}

extern "C" __global__ void philox_words(uint4* out, unsigned long long seed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = philox(make_uint4(i, 0, 0, 0), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
}

// A linear congruence of 64 bits, and dropout with it.
extern "C" __global__ void dropout(const float* in, float* out, float keep, unsigned long long seed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long s = seed + i;
    for (int r = 0; r < 4; r++) s = s * 6364136223846793005ull + 1442695040888963407ull;
    float u = (unsigned)(s >> 40) * (1.0f / (1 << 24));
    out[i] = u < keep ? in[i] / keep : 0;
}

extern "C" __global__ void monte_carlo_pi(unsigned* hits, int rounds) {
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345, count = 0;
    for (int r = 0; r < rounds; r++) {
        float x = (xorshift(s) >> 8) * (1.0f / (1 << 24)), y = (xorshift(s) >> 8) * (1.0f / (1 << 24));
        count += x * x + y * y < 1.0f;
    }
    count = __reduce_add_sync(~0u, count);
    if ((threadIdx.x & 31) == 0) atomicAdd(hits, count);
}
