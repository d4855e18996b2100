// Softmax backward by its Jacobian: dx = J dy with J = diag(y) - y yᵀ, as the chain rule says it.
// The start. A lane has an element of dx: it makes its row of J, an entry at a time, and multiplies. n columns take n² entries.
// From outside: ROWS and COLS of y, dy and dx, and BLOCK, the lanes in a workgroup.

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_explicit(const float* __restrict__ y, const float* __restrict__ dy, float* __restrict__ dx) {
    unsigned int row = blockIdx.y + blockIdx.z * gridDim.y;
    unsigned int i = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= ROWS || i >= COLS) {
        return;
    }
    unsigned int start = row * COLS;
    float own = y[start + i];
    float sum = 0.0f;
    for (unsigned int k = 0; k < COLS; k++) {
        float entry = own * ((i == k ? 1.0f : 0.0f) - y[start + k]);    // J[i][k]
        sum += entry * dy[start + k];
    }
    dx[start + i] = sum;
}
