// Logits that comparisons and exponentials can use. `logits`
// are a token's.
#pragma once

// Larger than any sensible logit. Differences stay finite.
constexpr float LARGEST = 1.0e18f;

// A logit that comparisons can use: a NaN counts as the least,
// and an infinity as the largest number here.
__device__ float usable_logit(const float* logits, unsigned e) {
    float logit = logits[e];
    bool is_nan = (__float_as_uint(logit) & 0x7fffffffu)
                  > 0x7f800000u;
    return is_nan ? -LARGEST
                  : fminf(fmaxf(logit, -LARGEST), LARGEST);
}
