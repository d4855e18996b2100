// The twin of shaders/ceilings/empty.wgsl.
extern "C" __global__ void kernel() {}
