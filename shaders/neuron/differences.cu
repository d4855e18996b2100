// The same gradient with no derivative at all. A thread has one
// parameter: it computes the loss with a little more of it, and
// with a little less, and divides the difference.
// Constants: ROWS, examples; HIDDEN, neurons; ACT, 1: tanh,
// 2: sigmoid; NUDGE, how little.

__device__ float activation(float s) {
    if (ACT == 1) {
        return tanhf(s);
    }
    return 1.0f / (1.0f + expf(-s));
}

// The mean loss with one parameter changed.
__device__ float loss(const float* x, const float* t,
                      const float* w, unsigned nudged,
                      float by) {
    auto at = [=](unsigned i) {
        return w[i] + (i == nudged ? by : 0.0f);
    };
    float sum = 0.0f;
    for (unsigned r = 0; r < ROWS; r++) {
        float y = at(4 * HIDDEN);
        for (unsigned j = 0; j < HIDDEN; j++) {
            float s = x[2 * r] * at(j)
                + x[2 * r + 1] * at(HIDDEN + j)
                + at(2 * HIDDEN + j);
            y += activation(s) * at(3 * HIDDEN + j);
        }
        sum += (y - t[r]) * (y - t[r]);
    }
    return sum / ROWS;
}

extern "C" __global__ void __launch_bounds__(32)
differences(const float* __restrict__ x,
            const float* __restrict__ t,
            const float* __restrict__ w,
            const float* __restrict__ g,
            float* __restrict__ numeric,
            float* __restrict__ apart) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i > 4 * HIDDEN) {
        return;
    }
    float more = loss(x, t, w, i, NUDGE);
    float less = loss(x, t, w, i, -NUDGE);
    numeric[i] = (more - less) / (2.0f * NUDGE);
    apart[i] = fabsf(numeric[i] - g[i]);
}
