// How many bytes of each tensor a parameter takes, by the
// formats in which a model is trained.
// A thread has one recipe.

// tensors: the recipe, the place in the row, and the bytes
// before and after each; state: the bytes of each recipe.
extern "C" __global__ void __launch_bounds__(5)
recipes(float4* __restrict__ tensors,
        unsigned* __restrict__ state) {
    unsigned recipe = threadIdx.x;
    // Parameter, gradient, master copy, m and v.
    unsigned bytes[5] = {2, 2, 4, 4, 4};
    if (recipe == 0) {
        // f32 throughout: the parameter is its own master copy.
        bytes[0] = bytes[1] = 4;
        bytes[2] = 0;
    } else if (recipe == 3) {
        bytes[1] = 4;  // gradients are added up in f32
    } else if (recipe == 4) {
        bytes[2] = 0;
        bytes[3] = bytes[4] = 2;
    }
    unsigned sum = 0;
    for (unsigned part = 0; part < 5; part++) {
        unsigned end = sum + bytes[part];
        tensors[5 * recipe + part] =
            make_float4(recipe, part, sum, end);
        sum = end;
    }
    state[recipe] = sum;
}
