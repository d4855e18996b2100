// What CHUNK points say of the line w[0] * x + w[1]: the sums of both derivatives of the squared error, and of the error itself.
extern "C" __global__ void __launch_bounds__(256) gradient(const float* x, const float* y, const float* w, float* parts) {
    __shared__ float3 part[256];
    unsigned int lane = threadIdx.x;
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    unsigned int end = min(N, (blockIdx.x + 1) * CHUNK);
    for (unsigned int i = blockIdx.x * CHUNK + lane; i < end; i += 256) {
        float error = w[0] * x[i] + w[1] - y[i];
        sum.x += 2.0f * error * x[i];
        sum.y += 2.0f * error;
        sum.z += error * error;
    }
    part[lane] = sum;
    for (unsigned int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            part[lane].x += part[lane + half].x;
            part[lane].y += part[lane + half].y;
            part[lane].z += part[lane + half].z;
        }
    }
    if (lane == 0) {
        parts[3 * blockIdx.x] = part[0].x;
        parts[3 * blockIdx.x + 1] = part[0].y;
        parts[3 * blockIdx.x + 2] = part[0].z;
    }
}
