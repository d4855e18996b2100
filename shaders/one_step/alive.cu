// Bytes in memory at each launch of a step, if each tensor is
// allocated by the launch that makes it and freed after the last
// one that needs it. A row of `alive` is a launch, and launches
// that only count are left out. `most` is the most that each
// tensor has at once, and `peak` the launch at which all of
// them together have most, and their bytes.
// One thread walks through the step.
// Constants: LAYERS, WIDTH, HEADS, ROWS, VOCAB, STREAM; AGAIN,
// 1 if activations are computed again.

enum Tensor : unsigned {
    WEIGHTS,  // and m and v
    GRADS,
    IDS,  // and the text
    X,
    N1,  // and factor1
    N2,  // and factor2
    QKV,
    O,
    LSE,
    U,
    G,
    N_LAST,  // and factor_last
    LOGITS,
    LOSSES,
    MID,
    BRANCH,
    D_X,
    D_N,
    D_O,
    D_QKV,
    D_U,
    DELTA,
    TENSORS,
};

struct Walk {
    float* alive;
    float* most;
    float* peak;
    unsigned launch;
    float words[TENSORS];

    __device__ void born(Tensor tensor, float count) {
        words[tensor] += count;
        most[tensor] = fmaxf(most[tensor], words[tensor]);
    }

    __device__ void freed(Tensor tensor, float count) {
        words[tensor] -= count;
    }

    __device__ void note() {
        float row[8] = {
            words[WEIGHTS],
            words[GRADS],
            words[IDS] + words[X],
            words[N1] + words[N2],
            words[QKV] + words[O] + words[LSE],
            words[U] + words[G],
            words[N_LAST] + words[LOGITS] + words[LOSSES],
            0.0f,
        };
        for (unsigned tensor = MID; tensor <= DELTA; tensor++) {
            row[7] += words[tensor];
        }
        float sum = 0.0f;
        for (unsigned part = 0; part < 8; part++) {
            alive[8 * launch + part] = 4.0f * row[part];
            sum += 4.0f * row[part];
        }
        if (sum > peak[1]) {
            peak[0] = launch;
            peak[1] = sum;
        }
        launch += 1;
    }

    // The first nine launches of a layer, up to GELU. What they
    // make is kept for the way back, or only the layer's input.
    __device__ void forward(bool keeps) {
        const float rows = ROWS;
        const float d = rows * WIDTH;
        born(N1, d + rows);
        note();  // norm_1
        born(QKV, 3.0f * d);
        note();  // qkv
        if (!keeps) {
            freed(N1, d + rows);
        }
        note();  // rope, in place
        born(O, d);
        born(LSE, rows * HEADS);
        note();  // attention
        if (!keeps) {
            freed(QKV, 3.0f * d);
            freed(LSE, rows * HEADS);
        }
        born(BRANCH, d);
        note();  // projection
        if (!keeps) {
            freed(O, d);
        }
        born(MID, d);
        note();  // residual_1
        freed(BRANCH, d);
        if (keeps) {
            freed(X, d);
        }
        born(N2, d + rows);
        note();  // norm_2
        born(U, 4.0f * d);
        note();  // up
        if (!keeps) {
            freed(N2, d + rows);
        }
        born(G, 4.0f * d);
        note();  // gelu
        if (!keeps) {
            freed(U, 4.0f * d);
        }
    }

    __device__ void backward() {
        const float rows = ROWS;
        const float d = rows * WIDTH;
        const float width = WIDTH;
        const float square = width * width;
        born(GRADS, 4.0f * square);
        note();  // down_weight_gradient
        freed(G, 4.0f * d);
        born(D_U, 4.0f * d);
        note();  // down_input_gradient
        note();  // gelu_gradient, in place
        freed(U, 4.0f * d);
        born(GRADS, 4.0f * square);
        note();  // up_weight_gradient
        born(D_N, d);
        note();  // up_input_gradient
        freed(D_U, 4.0f * d);
        note();  // norm_2_gradient
        freed(D_N, d);
        freed(N2, d + rows);
        born(GRADS, square);
        note();  // projection_weight_gradient
        born(D_O, d);
        note();  // projection_input_gradient
        born(DELTA, rows * HEADS);
        note();  // delta
        freed(O, d);
        born(D_QKV, 3.0f * d);
        note();  // query_gradient
        note();  // key_value_gradient
        freed(D_O, d);
        freed(DELTA, rows * HEADS);
        freed(LSE, rows * HEADS);
        freed(QKV, 3.0f * d);
        note();  // rope_gradient, in place
        born(GRADS, 3.0f * square);
        note();  // qkv_weight_gradient
        born(D_N, d);
        note();  // qkv_input_gradient
        freed(D_QKV, 3.0f * d);
        note();  // norm_1_gradient
        freed(D_N, d);
        freed(N1, d + rows);
    }
};

extern "C" __global__ void __launch_bounds__(1)
alive(float* __restrict__ alive,
      float* __restrict__ most,
      float* __restrict__ peak) {
    Walk walk = {alive, most, peak, 0, {}};
    const float rows = ROWS;
    const float d = rows * WIDTH;
    const float width = WIDTH;
    const float embedding = VOCAB * width;
    const float layers = 12.0f * width * width * LAYERS;
    walk.born(WEIGHTS, 3.0f * (embedding + layers));
    walk.born(IDS, STREAM + 2.0f * rows + 2.0f);
    walk.note();  // gather
    walk.born(X, d);
    walk.note();  // embed
    for (unsigned layer = 0; layer < LAYERS; layer++) {
        walk.forward(AGAIN == 0);
        walk.born(BRANCH, d);
        walk.note();  // down
        walk.born(X, d);
        walk.note();  // residual_2
        walk.freed(MID, d);
        walk.freed(BRANCH, d);
        if (AGAIN == 1) {
            walk.freed(G, 4.0f * d);
        }
    }
    walk.born(N_LAST, d + rows);
    walk.note();  // last_norm
    walk.freed(X, d);
    walk.born(LOGITS, rows * VOCAB);
    walk.note();  // head
    walk.born(LOSSES, rows);
    walk.note();  // cross_entropy, in place
    walk.born(GRADS, embedding);
    walk.note();  // head_weight_gradient
    walk.born(D_N, d);
    walk.note();  // head_input_gradient
    walk.freed(LOGITS, rows * VOCAB);
    walk.born(D_X, d);
    walk.note();  // last_norm_gradient
    walk.freed(D_N, d);
    walk.freed(N_LAST, d + rows);
    for (unsigned layer = 0; layer < LAYERS; layer++) {
        if (AGAIN == 1) {
            walk.forward(true);
            walk.freed(MID, d);
        }
        walk.backward();
    }
    walk.note();  // lookup_gradient, added to the head's
    walk.freed(D_X, d);
    walk.note();  // adamw
    walk.freed(GRADS, embedding + layers);
}
