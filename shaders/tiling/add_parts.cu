// Adds up the parts of C that `split_k` stored: SPLIT matrices,
// one after the other. A thread computes one element of C.
// Constants: M, the rows of C; N, its columns; SPLIT, the
// parts.

extern "C" __global__ void __launch_bounds__(256)
add_parts(const float* __restrict__ parts,
          float* __restrict__ c) {
    unsigned row = blockIdx.y;
    unsigned column = blockIdx.x * 256 + threadIdx.x;
    if (column < N) {
        float sum = 0.0f;
        for (unsigned part = 0; part < SPLIT; part++) {
            sum += parts[(part * M + row) * N + column];
        }
        c[row * N + column] = sum;
    }
}
