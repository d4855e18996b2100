// Chains of fused multiply-adds: four independent ones a lane, each of float4, so that the arithmetic units and not their latency
// set the pace. A lane does 4 * 4 * 8 = 128 of them in each turn of the loop; one counts as two floating-point operations.
// turns: how often the loop goes round.

__device__ float4 fma4(float4 x, float a, float b) {
    return make_float4(fmaf(x.x, a, b), fmaf(x.y, a, b), fmaf(x.z, a, b), fmaf(x.w, a, b));
}

__device__ float4 add4(float4 x, float4 y) {
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__device__ float4 chain(float start) {
    return make_float4(start, start + 0.25f, start + 0.5f, start + 0.75f);
}

extern "C" __global__ void fma_chains(float* out) {
    unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    // Values that no compiler can know, and that neither overflow nor become denormal: x -> 0.999 x + 0.001 goes to 1.
    float a = 0.999f - 1e-6f * (id & 15u);
    float b = 0.001f;
    // No two chains start alike: equal ones would be computed once.
    float first = (id & 7u) * 4.0f;
    float4 w = chain(first);
    float4 x = chain(first + 1.0f);
    float4 y = chain(first + 2.0f);
    float4 z = chain(first + 3.0f);
    for (unsigned int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < 8; i++) {    // of a known length: the compiler unrolls it
            w = fma4(w, a, b);
            x = fma4(x, a, b);
            y = fma4(y, a, b);
            z = fma4(z, a, b);
        }
    }
    // Every chain reaches memory, so that none can be left out.
    float4 sum = add4(add4(add4(w, x), y), z);
    out[id] = sum.x + sum.y + sum.z + sum.w;
}
