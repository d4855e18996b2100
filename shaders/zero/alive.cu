// Bytes in memory after each pass of a training step, if each
// tensor is freed as soon as nothing needs it any more. A row
// of `alive` is a pass: the batch is loaded, layers go forward,
// the loss, layers go backward, the update.
// One thread walks through all of them.
// Constants: LAYERS; PARAMS, of a layer; RESULT, numbers that a
// layer gives.

struct Walk {
    float* alive;
    unsigned* peak;
    unsigned pass_now;
    float most;
    // Tensors in memory: results in 16 bits, the loss's targets
    // in 32 bits, and layers that have gradients.
    unsigned results;
    unsigned targets;
    unsigned gradients;

    __device__ void note() {
        float all = LAYERS * PARAMS;
        float row[8] = {};  // 5 and 6 belong to later pages
        row[0] = 2.0f * all;
        row[1] = 2.0f * gradients * PARAMS;
        row[2] = 4.0f * all;
        row[3] = 4.0f * all;
        row[4] = 4.0f * all;
        row[7] = (2 * results + 4 * targets) * RESULT;
        float sum = 0.0f;
        for (unsigned part = 0; part < 8; part++) {
            alive[8 * pass_now + part] = row[part];
            sum += row[part];
        }
        if (sum > most) {
            most = sum;
            peak[0] = pass_now;
        }
        pass_now += 1;
    }
};

extern "C" __global__ void __launch_bounds__(1)
alive(float* __restrict__ alive, unsigned* __restrict__ peak) {
    // The batch is the first layer's input.
    Walk walk = {alive, peak, 0, 0.0f, 1, 1, 0};
    walk.note();
    for (unsigned layer = 0; layer < LAYERS; layer++) {
        walk.results += 1;
        walk.note();
    }
    // The result's gradient takes the result's place.
    walk.targets = 0;
    walk.note();
    for (unsigned layer = 0; layer < LAYERS; layer++) {
        // The input's gradient takes the input's place.
        walk.gradients += 1;
        walk.results -= 1;
        walk.note();
    }
    walk.gradients = 0;
    walk.results = 0;
    walk.note();
}
