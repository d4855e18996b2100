// The loss of each row, lse - x[target], and the gradient of the
// mean loss, (softmax - one-hot) / ROWS, which takes the place
// of the logits.
// A block has one row.
// Constants: ROWS; VOCAB, logits of a row; BLOCK, threads of a
// row, a power of 2.
#include "sum_lanes.cuh"
#include "max_lanes.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
cross_entropy(const unsigned* __restrict__ targets,
              float* __restrict__ logits,
              float* __restrict__ losses) {
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned start = row * VOCAB;
    float greatest = -1.0e38f;
    for (unsigned c = lane; c < VOCAB; c += BLOCK) {
        greatest = fmaxf(greatest, logits[start + c]);
    }
    greatest = max_lanes(lane, greatest);
    float sum = 0.0f;
    for (unsigned c = lane; c < VOCAB; c += BLOCK) {
        sum += expf(logits[start + c] - greatest);
    }
    sum = sum_lanes(lane, sum);
    for (unsigned c = lane; c < VOCAB; c += BLOCK) {
        float x = logits[start + c];
        bool is_target = c == targets[row];
        if (is_target) {
            losses[row] = greatest + logf(sum) - x;
        }
        float t = is_target ? 1.0f : 0.0f;
        logits[start + c] = (expf(x - greatest) / sum - t) / ROWS;
    }
}
