// What the gradient of a row of scores needs of the whole row:
// the product of the head's result with its gradient.
// A thread has one row of a head.
// Constants: ROWS; WIDTH; HEADS; D, numbers of a head; HELD,
// layers that `o` has.

extern "C" __global__ void __launch_bounds__(64)
delta(const unsigned* __restrict__ layer,
      const float* __restrict__ o,
      const float* __restrict__ d_o,
      float* __restrict__ delta) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 64 + threadIdx.x;
    if (i >= ROWS * HEADS) {
        return;
    }
    unsigned at = layer[0] % HELD * ROWS * WIDTH + i * D;
    float sum = 0.0f;
    for (unsigned c = 0; c < D; c++) {
        sum += o[at + c] * d_o[i * D + c];
    }
    delta[i] = sum;
}
