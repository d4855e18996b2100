// The next token: the one whose logit, with noise added, is the
// greatest. The noise is T times -ln(-ln u), with the random
// number u of each token. So a token is picked with its
// probability in softmax(logits / T). At T = 0 there is no noise,
// and the greatest logit wins. Of equal ones the first does.
// A block picks one token.
// Constants: VOCAB, logits of a row; AT, where the first row is;
// EACH, from a row to the next; T, the temperature; BLOCK,
// threads of a row, a power of 2.
#include "max_lanes.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
pick(const float* __restrict__ logits,
     const float* __restrict__ chance,
     unsigned* __restrict__ picked) {
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x;
    const float t = T;
    float best = -1.0e38f;
    unsigned token = 0;
    for (unsigned c = lane; c < VOCAB; c += BLOCK) {
        float noise = -logf(-logf(chance[row * VOCAB + c]));
        float score = logits[AT + row * EACH + c] + t * noise;
        if (score > best) {
            best = score;
            token = c;
        }
    }
    float greatest = max_lanes(lane, best);
    // A token's number, less than 2^24, is exact as a float.
    float mine = best == greatest ? -float(token) : -1.0e38f;
    float first = max_lanes(lane, mine);
    if (lane == 0) {
        picked[row] = unsigned(-first);
    }
}
