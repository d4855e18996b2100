// Each lane computes TM × TN elements of C = A · B, from tiles of A and B in shared memory.
extern "C" __global__ void blocks(const float* a, const float* b, float* c) {
    constexpr unsigned LANES = (BM / TM) * (BN / TN);
    __shared__ float tile_a[BM * BK];
    __shared__ float tile_b[BK * BN];
    const unsigned lane = threadIdx.y * blockDim.x + threadIdx.x;
    float sums[TM * TN] = {};
    for (unsigned k = 0; k < K; k += BK) {
        for (unsigned i = lane; i < BM * BK; i += LANES) {
            const unsigned row = blockIdx.y * BM + i / BK;
            const unsigned column = k + i % BK;
            tile_a[i] = row < M && column < K ? a[row * K + column] : 0.0f;
        }
        for (unsigned i = lane; i < BK * BN; i += LANES) {
            const unsigned row = k + i / BN;
            const unsigned column = blockIdx.x * BN + i % BN;
            tile_b[i] = row < K && column < N ? b[row * N + column] : 0.0f;
        }
        __syncthreads();
        for (unsigned j = 0; j < BK; j++) {
            for (unsigned y = 0; y < TM; y++) {
                for (unsigned x = 0; x < TN; x++) {
                    sums[y * TN + x] += tile_a[(threadIdx.y * TM + y) * BK + j] * tile_b[j * BN + threadIdx.x * TN + x];
                }
            }
        }
        __syncthreads();
    }
    for (unsigned y = 0; y < TM; y++) {
        for (unsigned x = 0; x < TN; x++) {
            const unsigned row = blockIdx.y * BM + threadIdx.y * TM + y;
            const unsigned column = blockIdx.x * BN + threadIdx.x * TN + x;
            if (row < M && column < N) {
                c[row * N + column] = sums[y * TN + x];
            }
        }
    }
}
