// What an expert does between its two products: the left half
// of a row, through x / (1 + exp(-x)), times the right half.
// A lane computes one element.
// Constants: N, the rows: choices, tokens times K; F, the
// columns of hidden, half of those of gates.

extern "C" __global__ void __launch_bounds__(256)
swiglu(const float* __restrict__ gates,
       float* __restrict__ hidden) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= N * F) {
        return;
    }
    unsigned left = i / F * (2 * F) + i % F;
    float gate = gates[left];
    float share = 1.0f / (1.0f + expf(-gate));
    hidden[i] = gate * share * gates[left + F];
}
