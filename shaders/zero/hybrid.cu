// Shards in groups of GPUs: the model state that a GPU keeps,
// and the bytes that leave a node in a step. Rings go through
// the GPUs node after node, so each crosses a node's border
// once.
// A thread has one size of a group: a GPU, GROUP GPUs, all.
// Constants: PARAMS; RANKS, GPUs in all; NODE, of a node;
// GROUP, of a group; MICRO, micro-batches of a step.

// bars: the track, the part, the beginning and the end of each.
extern "C" __global__ void __launch_bounds__(3)
hybrid(float4* __restrict__ bars, float* __restrict__ keeps,
       float* __restrict__ sends) {
    unsigned lane = threadIdx.x;
    float size = lane == 0 ? 1.0f : lane == 1 ? GROUP : RANKS;
    float state = 16.0f * PARAMS / size;
    float gradients = 0.0f;
    float parameters = 0.0f;
    if (size > NODE) {
        // The group's own rings leave the node.
        float ring = 2.0f * PARAMS * (size - 1.0f) / size;
        gradients = MICRO * ring;
        parameters = 2.0f * MICRO * ring;
    }
    if (RANKS > fmaxf(size, NODE)) {
        // Each shard's gradients are all-reduced over the groups
        // once, and a node has so many shards.
        float shards = fminf(size, NODE);
        float groups = RANKS / size;
        gradients += shards * 2.0f * 2.0f * PARAMS / size
            * (groups - 1.0f) / groups;
    }
    float keep = 2 * lane;
    float send = 2 * lane + 1;
    float all = gradients + parameters;
    bars[3 * lane] = make_float4(keep, 2.0f, 0.0f, state);
    bars[3 * lane + 1] =
        make_float4(send, 1.0f, 0.0f, gradients);
    bars[3 * lane + 2] =
        make_float4(send, 0.0f, gradients, all);
    keeps[lane] = state;
    sends[lane] = all;
}
