// Memories of all kinds: dynamic shared memory in parts, arrays that are indexed, structs of arguments, constants, templates, strides.

extern "C" __global__ void parts(const float* in, double* out, int n) {
    extern __shared__ char room[];
    double* sums = (double*)room;
    float* values = (float*)(sums + blockDim.x);
    int* order = (int*)(values + blockDim.x);
    int t = threadIdx.x;
    values[t] = t < n ? in[t] : 0;
    order[t] = blockDim.x - 1 - t;
    __syncthreads();
    sums[t] = values[order[t]] * 2.0;
    __syncthreads();
    out[t] = sums[(t + 1) % blockDim.x];
}

// One past the end of what the launch gives.
extern "C" __global__ void parts_past(const float* in, float* out) {
    extern __shared__ float s[];
    s[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 1];
}

struct Particle {
    float3 at;
    short kind;
    char flags[2];
    double mass;
};

extern "C" __global__ void structs(const Particle* in, Particle* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p = in[i];
    p.at.y += p.kind;
    p.kind = p.flags[i & 1];
    p.mass *= 2;
    out[n - 1 - i] = p;
}

template <typename T, int N> __device__ T polynomial(const T (&c)[N], T x) {
    T sum = 0;
#pragma unroll
    for (int i = N - 1; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

extern "C" __global__ void templates(const float* in, float* out, double* wide) {
    const float c[4] = {1, -2, 3, -4};
    const double d[3] = {0.5, 0.25, 2};
    out[threadIdx.x] = polynomial(c, in[threadIdx.x]);
    wide[threadIdx.x] = polynomial(d, (double)in[threadIdx.x]);
}

// A stack in an array, as recursion would need it.
extern "C" __global__ void stack(const int* children, int* sums, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    int todo[32], top = 0, sum = 0;
    todo[top++] = i;
    while (top > 0) {
        int v = todo[--top];
        sum += v;
        for (int k = 0; k < 2; k++) {
            int c = children[2 * v + k];
            if (c >= 0) todo[top++] = c;
        }
    }
    sums[i] = sum;
}

// More than the stack holds.
extern "C" __global__ void stack_past(int* out, int n) {
    int own[8];
    for (int i = 0; i < n; i++) own[i] = i * threadIdx.x;
    out[threadIdx.x] = own[threadIdx.x & 7];
}

struct Table {
    int n;
    float weights[12];
    unsigned char order[12];
};

extern "C" __global__ void argument(Table t, float* out) {
    float sum = 0;
    for (int i = 0; i < t.n; i++) sum += t.weights[t.order[(i + threadIdx.x) % 12]] * i;
    out[threadIdx.x] = sum;
}

__device__ int counters[4] = {5, 6, 7, 8};
__device__ float scratch[64];
extern "C" __global__ void of_the_module(int* out) {
    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = counters[threadIdx.x & 3] + (int)scratch[63 - threadIdx.x];
}

// A switch, with values that a table gives.
extern "C" __global__ void cases(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = in[i], y;
    switch (x) {
        case 0: y = 10; break;
        case 1: y = x * 3; break;
        case 2: y = 7;
        case 3: y = y + 1; break;
        case 4: return;
        case 5: y = x << 4; break;
        case 6: y = -x; break;
        default: y = 99;
    }
    if (x != 3) out[i] = y;
}

// The sum of a row by one thread, and by a warp: strides.
extern "C" __global__ void matvec(const float* a, const float* x, float* y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += a[r * columns + c] * x[c];
    y[r] = sum;
}

// Which of two buffers is chosen by an argument.
extern "C" __global__ void chosen(const float* a, const float* b, float* out, int which) {
    const float* p = which & 1 ? a : b;
    __shared__ float s[32];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    const float* q = which & 2 ? s : p;
    out[threadIdx.x] = q[31 - threadIdx.x];
}

// An index of 64 bits, a negative one, and one that passes through a pointer that moves.
extern "C" __global__ void walks(const float* in, float* out, long long n) {
    const float* end = in + n;
    float sum = 0;
    for (const float* p = in + threadIdx.x; p < end; p += blockDim.x) sum += *p;
    out[threadIdx.x] = sum + end[-1 - (long long)threadIdx.x];
}

// Two buffers of shared memory in turns, by a pointer that is chosen.
extern "C" __global__ void two_buffers(const float* in, float* out, int rounds) {
    __shared__ float a[64], b[64];
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        float* from = r & 1 ? b : a;
        float* to = r & 1 ? a : b;
        to[t] = from[(t + 1) & 63] * 2;
        __syncthreads();
    }
    out[t] = (rounds & 1 ? b : a)[t];
}
