// Stencils, transposes, convolutions, and games on grids.

extern "C" __global__ void heat_1d(const float* in, float* out, int n) {
    __shared__ float s[128 + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    if (i < n) s[t] = in[i];
    if (threadIdx.x == 0) s[0] = i > 0 && i <= n ? in[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1 || i == n - 1) s[t + 1] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    if (i < n) out[i] = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
}

// The halo of the last block is read one past the end.
extern "C" __global__ void heat_past(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * in[i] + 0.5f * in[i + 1];
}

extern "C" __global__ void jacobi_2d(const float* in, float* out, int width, int height) {
    __shared__ float s[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int j = threadIdx.y; j < 18; j += 16)
        for (int i = threadIdx.x; i < 18; i += 16) {
            int gx = blockIdx.x * 16 + i - 1, gy = blockIdx.y * 16 + j - 1;
            s[j][i] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0;
        }
    __syncthreads();
    if (x < width && y < height) {
        int i = threadIdx.x + 1, j = threadIdx.y + 1;
        out[y * width + x] = 0.25f * (s[j][i - 1] + s[j][i + 1] + s[j - 1][i] + s[j + 1][i]);
    }
}

// Planes of a volume pass through registers.
extern "C" __global__ void stencil_3d(const float* in, float* out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, at = y * nx + x;
    float below = in[at], here = in[at + plane], above;
    for (int z = 1; z < nz - 1; z++) {
        above = in[(z + 1) * plane + at];
        const float* p = in + z * plane + at;
        out[z * plane + at] = here * -6 + below + above + p[-1] + p[1] + p[-nx] + p[nx];
        below = here;
        here = above;
    }
}

extern "C" __global__ void transpose_naive(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

template <int PADDING> __device__ void tiled(const float* in, float* out, int width, int height) {
    __shared__ float tile[32][32 + PADDING];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_tiled(const float* in, float* out, int w, int h) { tiled<0>(in, out, w, h); }
extern "C" __global__ void transpose_padded(const float* in, float* out, int w, int h) { tiled<1>(in, out, w, h); }

__constant__ float filter[25];
extern "C" __global__ void set_nothing(float* out) { out[threadIdx.x] = filter[threadIdx.x]; }

// The filter comes as an argument, as a struct.
struct Filter {
    float weights[9];
};
extern "C" __global__ void conv2d(const float* in, float* out, Filter f, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
#pragma unroll
    for (int j = -1; j <= 1; j++)
#pragma unroll
        for (int i = -1; i <= 1; i++) {
            int cx = min(max(x + i, 0), width - 1), cy = min(max(y + j, 0), height - 1);
            sum += in[cy * width + cx] * f.weights[(j + 1) * 3 + i + 1];
        }
    out[y * width + x] = sum;
}

// The same with an index that is known only when it runs.
extern "C" __global__ void conv2d_dynamic(const float* in, float* out, Filter f, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            int cx = min(max(x + i, 0), width - 1), cy = min(max(y + j, 0), height - 1);
            sum += in[cy * width + cx] * f.weights[(j + radius) * (2 * radius + 1) + i + radius];
        }
    out[y * width + x] = sum;
}

extern "C" __global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j) alive += in[(y + j + height) % height * width + (x + i + width) % width];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}
