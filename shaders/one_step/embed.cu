// Each token becomes its row of the embedding, with which the
// weights begin: the input of the first layer.
// A thread has one element.
// Constants: ROWS and WIDTH of x.

extern "C" __global__ void __launch_bounds__(256)
embed(const unsigned* __restrict__ ids,
      const float* __restrict__ weights,
      float* __restrict__ x) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i < ROWS * WIDTH) {
        x[i] = weights[ids[i / WIDTH] * WIDTH + i % WIDTH];
    }
}
