// The gradient of the router's logits, with weights that are
// the softmax over the chosen. A block has one token. If an
// expert's weight grows, the loss grows by the product of dy
// and that expert's row. A chosen logit gets its weight times
// the difference between its product and their weighted mean.
// All other logits get 0.
// Constants: T, the tokens; E, the experts; K, the experts that
// a token goes to; D, the columns of dy. `rows` are what the
// experts gave, in their order.

extern "C" __global__ void __launch_bounds__(64)
gate_gradient(const float* __restrict__ dy,
              const float* __restrict__ rows,
              const unsigned* __restrict__ row_of,
              const unsigned* __restrict__ chosen,
              const float* __restrict__ weight,
              float* __restrict__ dlogits) {
    __shared__ float sums[64 * K];  // 64 for each choice
    unsigned lane = threadIdx.x;
    unsigned token = blockIdx.x + blockIdx.y * gridDim.x;
    if (token >= T) {
        return;
    }
    for (unsigned place = 0; place < K; place++) {
        unsigned row = row_of[token * K + place];
        float sum = 0.0f;
        for (unsigned j = lane; j < D; j += 64) {
            sum += dy[token * D + j] * rows[row * D + j];
        }
        sums[64 * place + lane] = sum;
    }
    for (unsigned step = 32; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step) {
            for (unsigned i = lane; i < 64 * K; i += 64) {
                sums[i] += sums[i + step];
            }
        }
    }
    __syncthreads();
    float mean = 0.0f;
    for (unsigned place = 0; place < K; place++) {
        mean += weight[token * K + place] * sums[64 * place];
    }
    for (unsigned e = lane; e < E; e += 64) {
        float gradient = 0.0f;
        for (unsigned place = 0; place < K; place++) {
            unsigned choice = token * K + place;
            if (chosen[choice] == e) {
                gradient = weight[choice]
                           * (sums[64 * place] - mean);
            }
        }
        dlogits[token * E + e] = gradient;
    }
}
