// Functions that are called: what the compiler does not inline, printf, assert, and what is refused.

__device__ __noinline__ float scaled(float x, int k) { return k > 3 ? x * 2.0f : x * 3.0f; }

// Only some lanes come to its end.
__device__ __noinline__ void store(float* p, int i, float v, bool negated) {
    if (i < 96) return;
    p[i] = negated ? -v : v;
}

extern "C" __global__ void calls(float* out, int n) {
    int i = threadIdx.x;
    out[i] = scaled(i, n);
    store(out, i + 64, scaled(i + 1, n), i & 1);
}

struct Mixed {
    float a;
    int b;
    double c;
    char d[5];
};

__device__ __noinline__ Mixed mixed(float x, Mixed in) {
    Mixed m;
    m.a = x;
    m.b = in.b + (int)x;
    m.c = x * 2 + in.c;
    for (int i = 0; i < 5; i++) m.d[i] = in.d[i] - i;
    return m;
}

extern "C" __global__ void structs(float* out, int n) {
    int i = threadIdx.x;
    Mixed in;
    in.a = 1;
    in.b = n;
    in.c = i;
    for (int k = 0; k < 5; k++) in.d[k] = k * i;
    Mixed m = mixed(i, in);
    out[i] = m.a + m.b + (float)m.c + m.d[1] + m.d[4];
}

__device__ __noinline__ int outer(int x, const int* table);
__device__ __noinline__ int inner(int x, const int* table) { return table[x & 7] + x; }
__device__ __noinline__ int outer(int x, const int* table) {
    int sum = 0;
    for (int k = 0; k < (x & 3) + 1; k++) sum += inner(x + k, table);
    return sum;
}

extern "C" __global__ void nested(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = outer(in[i], in);
}

// A barrier within a function.
__device__ __noinline__ float block_sum(float x) {
    __shared__ float parts[64];
    parts[threadIdx.x] = x;
    __syncthreads();
    for (int k = 32; k > 0; k >>= 1) {
        if (threadIdx.x < k) parts[threadIdx.x] += parts[threadIdx.x + k];
        __syncthreads();
    }
    float sum = parts[0];
    __syncthreads();
    return sum;
}

extern "C" __global__ void twice(const float* in, float* out) {
    float sum = block_sum(in[threadIdx.x]);
    float squares = block_sum(in[threadIdx.x] * in[threadIdx.x]);
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = squares;
    }
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursive(int* out, int n) { out[threadIdx.x] = fibonacci(threadIdx.x + n); }

typedef float (*Function)(float, int);
__device__ Function functions[2] = {scaled, scaled};

extern "C" __global__ void through_a_pointer(float* out, int n) { out[threadIdx.x] = functions[n](1.0f, n); }

extern "C" __global__ void prints(const float* in, int n) {
    int i = threadIdx.x;
    if (i < 3) printf("lane %d of %s has %5.2f, %lld %c %x%%\n", i, "block", in[i], 123456789012LL, 'x', 255u);
    if (i == 0) printf("block %u ends\n", blockIdx.x);
}

extern "C" __global__ void asserts(const float* in, float* out) {
    int i = threadIdx.x;
    assert(in[i] > 0);
    out[i] = sqrtf(in[i]);
    if (out[i] > 100) __trap();
}

extern "C" __global__ void allocates(int** out) { out[threadIdx.x] = (int*)malloc(16); }
