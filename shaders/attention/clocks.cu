// Clocks that one SM of an H100 needs for 1,024 scores of each
// head size: for both products on its tensor cores, and for the
// exponentials. A row has the two; rows are 32, 64, 128, 256.
// Constants: EXPONENTIALS, per clock and SM; PRODUCTS, bf16
// operations likewise.

extern "C" __global__ void __launch_bounds__(4)
clocks(float* __restrict__ clocks) {
    unsigned lane = threadIdx.x;
    unsigned d = 32 << lane;
    clocks[2 * lane] = float(4 * d * 1024) / float(PRODUCTS);
    clocks[2 * lane + 1] = 1024.0f / float(EXPONENTIALS);
}
