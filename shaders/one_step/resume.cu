// The parts of a checkpoint. After the first part of a training
// its state goes to the file. After the second part the weights
// are what they should be. Each later part begins from the file,
// of which something is left out: nothing, m, v, the count of
// updates, or all three. `gap` is how far its weights are from
// what they should be, as a share of the way they went.
// One block goes through all weights.
// Constants: N, weights; BLOCK, threads, a power of 2.
#include "sum_lanes.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
resume(const unsigned* __restrict__ part,
       float* __restrict__ weights, float* __restrict__ m,
       float* __restrict__ v, unsigned* __restrict__ updates,
       float* __restrict__ file, float* __restrict__ whole,
       float* __restrict__ gap) {
    unsigned lane = threadIdx.x;
    unsigned p = part[0];
    if (p == 0) {
        for (unsigned i = lane; i < N; i += BLOCK) {
            file[i] = weights[i];
            file[N + i] = m[i];
            file[2 * N + i] = v[i];
        }
        if (lane == 0) {
            file[3 * N] = float(updates[0]);
        }
        return;
    }
    if (p == 1) {
        for (unsigned i = lane; i < N; i += BLOCK) {
            whole[i] = weights[i];
        }
    } else {
        float off = 0.0f;
        float way = 0.0f;
        for (unsigned i = lane; i < N; i += BLOCK) {
            off += fabsf(weights[i] - whole[i]);
            way += fabsf(whole[i] - file[i]);
        }
        off = sum_lanes(lane, off);
        way = sum_lanes(lane, way);
        if (lane == 0) {
            gap[p - 2] = off / fmaxf(way, 1e-30f);
        }
    }
    // The next part begins.
    bool no_m = p == 2 || p == 5;
    bool no_v = p == 3 || p == 5;
    bool no_count = p == 4 || p == 5;
    for (unsigned i = lane; i < N; i += BLOCK) {
        weights[i] = file[i];
        m[i] = no_m ? 0.0f : file[N + i];
        v[i] = no_v ? 0.0f : file[2 * N + i];
    }
    if (lane == 0) {
        updates[0] = no_count ? 0 : unsigned(file[3 * N]);
    }
}
