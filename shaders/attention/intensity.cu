// Operations for each byte of keys and values, in 16 bits: of a
// prefill in the first row, and of decode in the others, for a
// cache per query head, per group of heads, and for all heads.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, queries of the prefill.

extern "C" __global__ void __launch_bounds__(4)
intensity(float* __restrict__ intensity) {
    unsigned lane = threadIdx.x;
    // Queries that use a key: each takes 4 operations for each
    // of its numbers, and key and value have 2 bytes for each.
    unsigned users = SEQ * HEADS / KV_HEADS;
    if (lane == 1) { users = 1; }
    if (lane == 2) { users = HEADS / KV_HEADS; }
    if (lane == 3) { users = HEADS; }
    intensity[lane] = float(4 * users) / 4.0f;
}
