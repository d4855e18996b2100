// Against `move_rows`: a lane reads 16 bytes of a token's row
// once, and stores them to all rows that the token got.
// Constants: T, the tokens; K, the experts that a token goes
// to; D, the columns of x, a multiple of 8; all in bf16.
using bf16 = unsigned short;

extern "C" __global__ void __launch_bounds__(256)
copy_rows(const bf16* __restrict__ x,
          const unsigned* __restrict__ row_of,
          bf16* __restrict__ rows) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned token = i / (D / 8);
    unsigned column = i % (D / 8) * 8;
    if (token >= T) {
        return;
    }
    size_t from = (size_t)token * D + column;
    uint4 eight = *(const uint4*)(x + from);
    #pragma unroll
    for (unsigned place = 0; place < K; place++) {
        size_t row = row_of[token * K + place];
        *(uint4*)(rows + row * D + column) = eight;
    }
}
