// How evenly the experts are used. A block has one expert: f is
// its share of the choices, p its mean probability over the
// tokens. E times the sum of f * p over the experts is the
// auxiliary loss.
// Constants: T, the tokens; E, the experts; N, the choices,
// tokens times K. `loads` is E times f, 1 for an expert with
// its fair share; `terms` is E times f times p; `used` is 1
// for an expert that a token has chosen, else 0.
#include "usable.cuh"

extern "C" __global__ void __launch_bounds__(256)
loads(const float* __restrict__ logits,
      const float* __restrict__ lse,
      const unsigned* __restrict__ chosen,
      float* __restrict__ loads,
      float* __restrict__ terms,
      unsigned* __restrict__ used) {
    __shared__ float counts[256], sums[256];
    unsigned lane = threadIdx.x;
    unsigned expert = blockIdx.x;
    float count = 0.0f;
    for (unsigned i = lane; i < N; i += 256) {
        count += chosen[i] == expert ? 1.0f : 0.0f;
    }
    float sum = 0.0f;
    for (unsigned token = lane; token < T; token += 256) {
        float logit = usable_logit(logits + token * E, expert);
        sum += expf(logit - lse[token]);
    }
    counts[lane] = count;
    sums[lane] = sum;
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step) {
            counts[lane] += counts[lane + step];
            sums[lane] += sums[lane + step];
        }
    }
    if (lane == 0) {
        float load = (float)E * counts[0] / (float)N;
        loads[expert] = load;
        used[expert] = counts[0] > 0.0f ? 1 : 0;
        terms[expert] = load * sums[0] / (float)T;
    }
}
