// Cross-entropy of each row and its gradient, in one kernel:
// with lse = log of the sum of e^x,
// loss = lse - x[target] + z lse², dx = (1 + 2 z lse) y - t.
// The softmax y and the one-hot t are never stored: 8 bytes an
// element, as many as a copy moves.
// Constants: ROWS and COLS of x and dx; BLOCK, the workgroup
// size, a power of 2 and 32 or more;
// Z, the weight of the z-loss, lse²; PER_LANE, the vectors that
// a lane keeps: COLS / 4 / BLOCK, rounded up.
#include "workgroup_max.cuh"
#include "workgroup_sum.cuh"
#include "vec4.cuh"

// A logit that takes no part. A row with no other gives zeros,
// also as its loss.
constexpr float MASKED = -1.0e38f;

// The elements of the one-hot target that are in vector i of
// the row: 1 at the target's column, 0 elsewhere.
__device__ float4 one_hot(unsigned column, unsigned i) {
    auto element = [=](unsigned k) {
        return 4 * i + k == column ? 1.0f : 0.0f;
    };
    return {element(0), element(1), element(2), element(3)};
}

extern "C" __global__ void __launch_bounds__(BLOCK)
cross_entropy(const float4* __restrict__ x,
              const unsigned* __restrict__ targets,
              float4* __restrict__ dx,
              float* __restrict__ loss) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    // From here on, pointers are to the row.
    unsigned start = row * COLS / 4;
    x += start;
    dx += start;
    float4 cells[PER_LANE];
    float row_max = MASKED;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        cells[k] = {MASKED, MASKED, MASKED, MASKED};
        if (4 * i < COLS) {
            cells[k] = x[i];  // one access of 16 bytes
        }
        row_max = fmaxf(row_max, max_component(cells[k]));
    }
    row_max = workgroup_max(row_max);

    float row_sum = 0.0f;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        // Beyond the row's end this is 0.
        cells[k] = exp(cells[k] - row_max);
        row_sum += sum_components(cells[k]);
    }
    row_sum = workgroup_sum(row_sum);

    // A row in which all logits are masked has no loss, and no
    // target either: column COLS is in no vector.
    bool is_any_unmasked = row_max > MASKED;
    float row_lse = row_max + logf(row_sum);
    float lse = is_any_unmasked ? row_lse : 0.0f;
    unsigned column = targets[row];
    if (local == 0) {
        auto x_row = reinterpret_cast<const float*>(x);
        float row_loss = lse - x_row[column] + Z * lse * lse;
        loss[row] = is_any_unmasked ? row_loss : 0.0f;
    }
    float factor = (1.0f + 2.0f * Z * lse) / row_sum;
    float y_factor = is_any_unmasked ? factor : 0.0f;
    unsigned hot_column = is_any_unmasked ? column : COLS;
    #pragma unroll
    for (unsigned k = 0; k < PER_LANE; k++) {
        unsigned i = local + k * BLOCK;
        if (4 * i < COLS) {
            float4 t = one_hot(hot_column, i);
            dx[i] = cells[k] * y_factor - t;
        }
    }
}
