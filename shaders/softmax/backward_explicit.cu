// Softmax backward by its Jacobian: dx = J dy, where
// J = diag(y) - y yᵀ, as the chain rule says it.
// The start. A lane has an element of dx: it makes its row of
// J, an entry at a time, and multiplies. n columns take n²
// entries.
// Constants: ROWS and COLS of y, dy and dx; BLOCK, the
// workgroup size.

extern "C" __global__ void __launch_bounds__(BLOCK)
backward_explicit(const float* __restrict__ y,
                  const float* __restrict__ dy,
                  float* __restrict__ dx) {
    unsigned row = blockIdx.y + blockIdx.z * gridDim.y;
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= ROWS || i >= COLS) {
        return;
    }
    unsigned start = row * COLS;
    float y_i = y[start + i];
    float dx_i = 0.0f;
    for (unsigned k = 0; k < COLS; k++) {
        float delta = i == k ? 1.0f : 0.0f;
        float j_ik = y_i * (delta - y[start + k]);
        dx_i += j_ik * dy[start + k];
    }
    dx[start + i] = dx_i;
}
