// The parameters of a model, in billions: those that every
// token uses, those of the experts that a token chooses, and
// those of the other experts. A thread has one of the three.
// Constants: D, numbers in a token's row; F, numbers in an
// expert's hidden row; E, experts of a layer to choose from; K,
// experts that a token chooses; S, shared experts of a layer;
// L, layers that have experts; REST, parameters outside of
// experts, in billions.

extern "C" __global__ void __launch_bounds__(3)
model_size(float* __restrict__ size) {
    unsigned part = threadIdx.x;
    // An expert has three matrices of D x F.
    float expert = 3.0f * (float)D * (float)F / 1.0e9f;
    float experts = (float)S;
    if (part == 1) {
        experts = (float)K;
    }
    if (part == 2) {
        experts = (float)E - (float)K;
    }
    float others = part == 0 ? (float)REST : 0.0f;
    size[part] = others + (float)L * experts * expert;
}
