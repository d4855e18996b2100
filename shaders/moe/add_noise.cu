// Noise on the logits, so that a token does not always go to
// the same experts. How much is learnt, for each token and
// expert: `amount` is a product of the token's row, as a logit
// is, and softplus makes it positive. A lane has one logit.
// Constants: N, the logits, tokens times experts; STRENGTH, 0
// for no noise at all.

extern "C" __global__ void __launch_bounds__(256)
add_noise(const float* __restrict__ amount,
          const float* __restrict__ noise,
          float* __restrict__ logits) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    float a = amount[i];
    float softplus = fmaxf(a, 0.0f) + log1pf(expf(-fabsf(a)));
    logits[i] += STRENGTH * noise[i] * softplus;
}
