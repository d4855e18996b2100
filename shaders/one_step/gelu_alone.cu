// GELU of each number, and nothing else: it is loaded, changed
// and stored.
// A thread has one element.
// Constant: N, elements.

extern "C" __global__ void __launch_bounds__(256)
gelu_alone(const float* __restrict__ x, float* __restrict__ y) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i < N) {
        float u = x[i];
        float z =
            0.7978845608f * u * (1.0f + 0.044715f * u * u);
        y[i] = u / (1.0f + expf(-2.0f * z));
    }
}
