// The embedding's gradient from the lookup, added to that from
// the head: each row's gradient belongs to its token. The first
// row of a token adds up all rows of that token, in their order:
// no atomic adds, and the same bits in every run.
// A block has one row, and its threads look BLOCK rows through
// at a time.
// Constants: ROWS; WIDTH; BLOCK.

__shared__ unsigned found[BLOCK];

extern "C" __global__ void __launch_bounds__(BLOCK)
lookup_gradient(const unsigned* __restrict__ ids,
                const float* __restrict__ d_x,
                float* __restrict__ grads) {
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned id = ids[row];
    bool is_later = false;
    for (unsigned r = lane; r < row; r += BLOCK) {
        is_later = is_later || ids[r] == id;
    }
    // If any thread found an earlier row with the token.
    if (__syncthreads_or(is_later)) {
        return;
    }
    for (unsigned first = row; first < ROWS; first += BLOCK) {
        found[lane] =
            first + lane < ROWS && ids[first + lane] == id;
        __syncthreads();  // all have looked
        unsigned count = min(BLOCK, ROWS - first);
        for (unsigned c = lane; c < WIDTH; c += BLOCK) {
            float sum = grads[id * WIDTH + c];
            for (unsigned j = 0; j < count; j++) {
                if (found[j] == 1) {
                    sum += d_x[(first + j) * WIDTH + c];
                }
            }
            grads[id * WIDTH + c] = sum;
        }
        __syncthreads();  // nobody reads it any more
    }
}
