// What a model takes of a GPU, in GB: a bar for each stage, of
// parameters, gradients, the optimizer's state and activations.
// What is kept in the CPU's memory goes into `host`.
// A thread has one stage.
// Constants: MODEL, parameters, in billions; RANKS;
// ACTIVATIONS, of a GPU, in GB; OFFLOAD, 1: optimizer, 2:
// parameters as well.

extern "C" __global__ void __launch_bounds__(4)
fit_stages(float* __restrict__ gpu, float* __restrict__ host) {
    unsigned stage = threadIdx.x;
    float slice = MODEL / RANKS;
    float own = stage == 0 ? MODEL : slice;
    float grads = stage >= 2 ? slice : MODEL;
    float params = stage == 3 ? slice : MODEL;
    gpu[4 * stage] = 2.0f * (OFFLOAD == 2 ? 0.0f : params);
    gpu[4 * stage + 1] = 2.0f * grads;
    gpu[4 * stage + 2] = 12.0f * (OFFLOAD > 0 ? 0.0f : own);
    gpu[4 * stage + 3] = ACTIVATIONS;
    host[2 * stage] = 2.0f * (OFFLOAD == 2 ? params : 0.0f);
    host[2 * stage + 1] = 12.0f * (OFFLOAD > 0 ? own : 0.0f);
}
