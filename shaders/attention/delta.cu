// D of each query: the product of its row of o with that row's
// gradient. 32 lanes have a row, and meet in a tree.
// Constants: SEQ, queries of a head; D, numbers in a row.

__shared__ float part[4][32];

extern "C" __global__ void __launch_bounds__(32 * 4)
delta(const float* __restrict__ o,
      const float* __restrict__ d_o,
      float* __restrict__ delta) {
    unsigned query = blockIdx.x * 4 + threadIdx.y;
    unsigned row = blockIdx.y * SEQ + query;
    float sum = 0.0f;
    if (query < SEQ) {
        for (unsigned c = threadIdx.x; c < D; c += 32) {
            sum += o[row * D + c] * d_o[row * D + c];
        }
    }
    part[threadIdx.y][threadIdx.x] = sum;
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            part[threadIdx.y][threadIdx.x] += part[threadIdx.y][threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0 && query < SEQ) {
        delta[row] = part[threadIdx.y][0];
    }
}
