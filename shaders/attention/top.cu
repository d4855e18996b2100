// The greatest weight of each row: a lane has a row.
// Constants: ROWS, rows of weights; SEQ, weights in a row.

extern "C" __global__ void __launch_bounds__(64)
top(const float* __restrict__ probs,
    float* __restrict__ top) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS) {
        return;
    }
    float greatest = 0.0f;
    for (unsigned j = 0; j < SEQ; j++) {
        greatest = fmaxf(greatest, probs[row * SEQ + j]);
    }
    top[row] = greatest;
}
