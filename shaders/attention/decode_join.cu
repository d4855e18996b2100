// The chunks of a cache become one: each chunk's d and o are
// scaled to the greatest m, and added. A workgroup has a query
// head, and a lane every 64th column of its o.
// Constants: SPLITS, chunks of a cache; D, numbers in a row.
// __expf is the hardware's approximation of the exponential.

constexpr float MASKED = -1.0e38f;

extern "C" __global__ void __launch_bounds__(64)
decode_join(const float* __restrict__ part_m,
            const float* __restrict__ part_d,
            const float* __restrict__ part_o,
            float* __restrict__ o,
            float* __restrict__ lse) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.x;  // through the batch
    float m = MASKED;
    for (unsigned s = 0; s < SPLITS; s++) {
        m = fmaxf(m, part_m[head * SPLITS + s]);
    }
    float d = 0.0f;
    for (unsigned s = 0; s < SPLITS; s++) {
        d += part_d[head * SPLITS + s] * __expf(part_m[head * SPLITS + s] - m);
    }
    for (unsigned c = lane; c < D; c += 64) {
        float sum = 0.0f;
        for (unsigned s = 0; s < SPLITS; s++) {
            unsigned slot = head * SPLITS + s;
            sum += part_o[slot * D + c] * __expf(part_m[slot] - m);
        }
        o[head * D + c] = sum / d;
    }
    if (lane == 0) {
        lse[head] = m + __logf(d);
    }
}
