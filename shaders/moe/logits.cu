// The router: a token's logit for each expert is the product of
// the token's row of x and the expert's column of w.
// A lane computes one logit. `shift` is a number per expert
// that is learnt as w is. TILT subtracts a multiple of
// ln(expert + 1), so that the first experts are chosen more
// often: a router that has lost its balance.
// Constants: T, the tokens, rows of x; D, columns of x and rows
// of w; E, the experts, columns of w; TILT.

extern "C" __global__ void __launch_bounds__(256)
logits(const float* __restrict__ x,
       const float* __restrict__ w,
       const float* __restrict__ shift,
       float* __restrict__ logits) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= T * E) {
        return;
    }
    unsigned token = i / E;
    unsigned expert = i % E;
    float sum = 0.0f;
    for (unsigned j = 0; j < D; j++) {
        sum += x[token * D + j] * w[j * E + expert];
    }
    sum += shift[expert];
    logits[i] = sum - TILT * logf((float)(expert + 1));
}
