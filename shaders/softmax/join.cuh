// The maximum and the sum of any part of a row, and how two
// parts become one.
#pragma once

// x: the maximum of some logits; y: the sum of
// e^(logit - maximum) over them. One access moves both.
using MaxSum = float2;

// Each sum is scaled to the larger of the two maxima. __expf is
// the hardware's approximation of the exponential.
__device__ MaxSum join(MaxSum a, MaxSum b) {
    float larger = fmaxf(a.x, b.x);
    float a_sum = a.y * __expf(a.x - larger);
    return {larger, a_sum + b.y * __expf(b.x - larger)};
}
