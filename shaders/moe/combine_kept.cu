// Adds up what a token's experts gave, where choices may have
// been dropped. A dropped choice has no row in its expert's
// bucket, and adds nothing. A lane computes one element of y.
// Constants: T, the tokens; K, the experts that a token goes
// to; D, the columns of y. NOWHERE is the slot of a dropped
// choice.
constexpr unsigned NOWHERE = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(256)
combine_kept(const float* __restrict__ rows,
             const unsigned* __restrict__ slot_of,
             const float* __restrict__ weight,
             float* __restrict__ y) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= T * D) {
        return;
    }
    unsigned token = i / D;
    float sum = 0.0f;
    for (unsigned place = 0; place < K; place++) {
        unsigned choice = token * K + place;
        unsigned slot = slot_of[choice];
        if (slot != NOWHERE) {
            sum += weight[choice] * rows[slot * D + i % D];
        }
    }
    y[i] = sum;
}
