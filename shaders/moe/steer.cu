// Balance without a loss: the bias of an expert with more than
// its fair share goes down by a fixed step, that of one with
// less goes up. A lane has one expert.
// Constants: E, the experts; STEP.

extern "C" __global__ void __launch_bounds__(64)
steer(const float* __restrict__ loads,
      float* __restrict__ bias) {
    unsigned expert = blockIdx.x * 64 + threadIdx.x;
    if (expert < E) {
        float missing = 1.0f - loads[expert];
        float sign = (missing > 0.0f) - (missing < 0.0f);
        bias[expert] += STEP * sign;
    }
}
