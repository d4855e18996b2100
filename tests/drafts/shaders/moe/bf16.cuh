// bf16 in CUDA C++ without a header: the upper half of a float.
#pragma once

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
