// The maximum of some scores and the sum of their exponentials,
// and how two such pairs become one.
#pragma once

// A score that takes no part.
constexpr float MASKED = -1.0e38f;

// x: the greatest score m; y: the sum of e^(score - m).
// Each sum is scaled to the greater of the two maxima.
__device__ float2 join(float2 a, float2 b) {
    float m = fmaxf(a.x, b.x);
    return {m, a.y * __expf(a.x - m) + b.y * __expf(b.x - m)};
}
