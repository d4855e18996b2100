// Adds up the gradients of many micro-batches, all of them 1,
// and rounds each sum to the bits that a format keeps.
// A thread has one format: bf16, f16, f32.
// Constants: MICRO, micro-batches of a step.

// The nearest number of so many bits; of two, the even one.
__device__ float rounded(float x, unsigned bits) {
    unsigned dropped = 24 - bits;
    if (dropped == 0) {
        return x;
    }
    unsigned word = __float_as_uint(x);
    unsigned odd = (word >> dropped) & 1;
    unsigned up = word + (1u << (dropped - 1)) - 1 + odd;
    return __uint_as_float(up >> dropped << dropped);
}

extern "C" __global__ void __launch_bounds__(3)
add_rounded(float* __restrict__ sums) {
    unsigned format = threadIdx.x;
    unsigned kept = format == 0 ? 8 : format == 1 ? 11 : 24;
    float sum = 0.0f;
    for (unsigned micro = 0; micro < MICRO; micro++) {
        sum = rounded(sum + 1.0f, kept);
    }
    sums[format] = sum;
}
