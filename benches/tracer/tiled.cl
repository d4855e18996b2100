// C = A·B through 32x32 tiles in local memory: tests/kernels/tiled_matmul.wgsl in OpenCL.
kernel void run(global const float *a, global const float *b, global float *c, const uint n) {
    local float tile_a[32 * 32];
    local float tile_b[32 * 32];
    const uint x = get_local_id(0), y = get_local_id(1);
    const uint row = get_group_id(1) * 32 + y, col = get_group_id(0) * 32 + x;
    float sum = 0.0f;
    for (uint t = 0; t < n; t += 32) {
        tile_a[y * 32 + x] = a[row * n + t + x];
        tile_b[y * 32 + x] = b[(t + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 32; k++) {
            sum += tile_a[y * 32 + k] * tile_b[k * 32 + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
