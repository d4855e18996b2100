// Each lane computes one element of C = A · B.
extern "C" __global__ void naive(const float* a, const float* b, float* c) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= N || y >= M) {
        return;
    }
    float sum = 0.0f;
    for (unsigned j = 0; j < K; j++) {
        sum += a[y * K + j] * b[j * N + x];
    }
    c[y * N + x] = sum;
}
