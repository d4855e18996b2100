// GELU with a tanh: u / 2 * (1 + tanh z), where
// z = sqrt(2 / pi) * (u + 0.044715 u³). Half of 1 + tanh z is
// 1 / (1 + e^(-2 z)), which cancels nothing.
// A thread has one element.
// Constants: N, elements of a layer; HELD, layers that the
// buffers have.

extern "C" __global__ void __launch_bounds__(256)
gelu(const unsigned* __restrict__ layer,
     const float* __restrict__ u, float* __restrict__ g) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i < N) {
        unsigned at = layer[0] % HELD * N + i;
        float x = u[at];
        float z =
            0.7978845608f * x * (1.0f + 0.044715f * x * x);
        g[at] = x / (1.0f + expf(-2.0f * z));
    }
}
