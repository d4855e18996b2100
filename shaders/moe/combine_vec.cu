// Against `combine`: a lane has eight columns, in vectors of 16
// bytes; rows and y are bf16, sums f32.
// Constants: T, the tokens; K, the experts that a token goes
// to; D, the columns of y, a multiple of 8.
using bf16 = unsigned short;

// The two numbers in 32 bits, the first in the low half.
__device__ float low(unsigned two) {
    return __uint_as_float(two << 16);
}

__device__ float high(unsigned two) {
    return __uint_as_float(two & 0xffff0000u);
}

// Two floats, each rounded to the nearest bf16.
__device__ unsigned pack(float first, float second) {
    unsigned packed;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(packed) : "f"(second), "f"(first));
    return packed;
}

extern "C" __global__ void __launch_bounds__(256)
combine_vec(const bf16* __restrict__ rows,
            const unsigned* __restrict__ row_of,
            const float* __restrict__ weight,
            bf16* __restrict__ y) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned token = i / (D / 8);
    unsigned column = i % (D / 8) * 8;
    if (token >= T) {
        return;
    }
    float sums[8] = {};
    #pragma unroll
    for (unsigned place = 0; place < K; place++) {
        unsigned choice = token * K + place;
        size_t row = row_of[choice];
        float own = weight[choice];
        uint4 eight = *(const uint4*)(rows + row * D + column);
        #pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            unsigned two = (&eight.x)[j];
            sums[2 * j] += own * low(two);
            sums[2 * j + 1] += own * high(two);
        }
    }
    uint4 packed;
    #pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        (&packed.x)[j] = pack(sums[2 * j], sums[2 * j + 1]);
    }
    *(uint4*)(y + (size_t)token * D + column) = packed;
}
