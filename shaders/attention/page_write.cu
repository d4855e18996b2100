// A cache is cut into pages: each row of keys or values goes to
// the page of the pool that the table names. A lane has a word.
// Constants: ROWS, rows of all heads' caches; CACHE, rows of a
// head's cache; KV_HEADS, heads of keys and values; D, numbers
// in a row; PAGE, positions of a page.

extern "C" __global__ void __launch_bounds__(64)
page_write(const float* __restrict__ rows,
           const unsigned* __restrict__ table,
           float* __restrict__ pool) {
    unsigned lane = threadIdx.x;
    unsigned i = (blockIdx.x + blockIdx.y * gridDim.x) * 64 + lane;
    unsigned row = i / D;
    if (row < ROWS) {
        unsigned at = row % CACHE;
        unsigned pages = (CACHE + PAGE - 1) / PAGE;
        unsigned head = row / CACHE;  // through the batch
        unsigned page = table[head / KV_HEADS * pages + at / PAGE];
        unsigned slot = (page * KV_HEADS + head % KV_HEADS) * PAGE + at % PAGE;
        pool[slot * D + i % D] = rows[i];
    }
}
