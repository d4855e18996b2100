// A step down the gradient, for the router's matrix and for its
// shifts. A lane has one element of w, or one shift: the last
// row, whose factor is 1 instead of an element of x.
// Constants: T, the tokens; D, columns of x and rows of w; E,
// the experts; RATE.

extern "C" __global__ void __launch_bounds__(64)
descend(const float* __restrict__ x,
        const float* __restrict__ gradient,
        float* __restrict__ w, float* __restrict__ shift) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i >= (D + 1) * E) {
        return;
    }
    unsigned row = i / E;
    unsigned expert = i % E;
    float sum = 0.0f;
    for (unsigned token = 0; token < T; token++) {
        float factor = row < D ? x[token * D + row] : 1.0f;
        sum += factor * gradient[token * E + expert];
    }
    if (row < D) {
        w[i] -= RATE * sum;
    } else {
        shift[expert] -= RATE * sum;
    }
}
