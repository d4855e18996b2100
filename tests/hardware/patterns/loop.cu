// The twin of shaders/ceilings/loop.wgsl.
extern "C" __global__ void kernel(unsigned *out) {
    unsigned x = 1;
    for (unsigned turn = 0; turn < turns; turn++) {
        x = x * 1664525 + 1013904223;
    }
    out[0] = x;
}
