// The largest change of any element, in millionths.
extern "C" __global__ void most_changed(const float* now, const float* next, unsigned int* change) {
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) {
        atomicMax(change, (unsigned int)(1e6f * fabsf(next[i] - now[i])));
    }
}
