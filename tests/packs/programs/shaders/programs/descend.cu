// Adds up the parts, and takes a step down the mean error's slope. The loss is that of the line before the step.
extern "C" __global__ void descend(const float* parts, float* w, float* loss) {
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (unsigned int i = 0; i < PARTS; i++) {
        sum.x += parts[3 * i];
        sum.y += parts[3 * i + 1];
        sum.z += parts[3 * i + 2];
    }
    loss[0] = sum.z / N;
    w[0] -= RATE * sum.x / N;
    w[1] -= RATE * sum.y / N;
}
