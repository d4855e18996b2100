// A copy, tile by tile: one lane asks the hardware for a tile, all lanes store it.
// From outside: ROWS and COLS, the rows and columns of src.
// PTX ISA, "cp.async.bulk.tensor" and "mbarrier".
constexpr unsigned int SIDE = 64;
constexpr unsigned int BYTES = SIDE * SIDE * 2;

extern "C" __global__ void tile_copy(const unsigned short*, unsigned short* dst, const __grid_constant__ CUtensorMap map) {
    extern __shared__ __align__(128) unsigned char given[];
    // A tile begins at a multiple of 128 bytes.
    unsigned int start = (static_cast<unsigned int>(__cvta_generic_to_shared(given)) + 127) & ~127u;
    const unsigned short* tile = reinterpret_cast<unsigned short*>(given + (start - __cvta_generic_to_shared(given)));
    __shared__ unsigned long long arrived;
    unsigned int barrier = static_cast<unsigned int>(__cvta_generic_to_shared(&arrived));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("fence.proxy.async.shared::cta;");
    }
    __syncthreads();

    unsigned int across = (COLS + SIDE - 1) / SIDE;
    unsigned int tiles = across * ((ROWS + SIDE - 1) / SIDE);
    unsigned int phase = 0;
    for (unsigned int t = blockIdx.x; t < tiles; t += gridDim.x) {
        unsigned int column = t % across * SIDE;
        unsigned int row = t / across * SIDE;
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(BYTES));
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                ::"r"(start), "l"(&map), "r"(column), "r"(row), "r"(barrier) : "memory");
        }
        unsigned int done = 0;
        while (!done) {
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                : "=r"(done) : "r"(barrier), "r"(phase) : "memory");
        }
        phase ^= 1;
        for (unsigned int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
            unsigned int x = column + i % SIDE, y = row + i / SIDE;
            if (x < COLS && y < ROWS) {
                dst[y * COLS + x] = tile[i];
            }
        }
        // The next tile takes this one's place.
        __syncthreads();
    }
}
