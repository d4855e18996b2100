// The twin of shaders/ceilings/fma.wgsl: its vectors of four are sixteen chains.
extern "C" __global__ void kernel(float *out) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.999f - 1e-6f * float(id & 15);
    float chain[4][4];    // w, x, y and z, by component
    for (int v = 0; v < 4; v++) {
        for (int c = 0; c < 4; c++) {
            chain[v][c] = 0.25f * c + float(id & 7) * 4.0f + v;
        }
    }
    for (unsigned turn = 0; turn < turns; turn++) {
        for (int times = 0; times < 8; times++) {
            for (int v = 0; v < 4; v++) {
                for (int c = 0; c < 4; c++) {
                    chain[v][c] = fmaf(chain[v][c], a, 0.001f);
                }
            }
        }
    }
    float sum[4];
    for (int c = 0; c < 4; c++) {
        sum[c] = chain[0][c] + chain[1][c] + chain[2][c] + chain[3][c];
    }
    out[id] = sum[0] + sum[1] + sum[2] + sum[3];
}
