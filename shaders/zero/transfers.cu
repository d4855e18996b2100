// What a GPU sends in a step of several micro-batches, in the
// order in which it is sent. In a transfer, 2 bytes of each
// parameter are gathered or reduced.
// A thread has one stage.
// Constants: MICRO, micro-batches of a step; BYTES, that a GPU
// sends in a transfer.

// Kinds of transfers.
constexpr unsigned PARAMETERS = 0;  // they are gathered
constexpr unsigned REDUCES = 1;     // and gradients reduced
constexpr unsigned SUMS = 2;        // and gradients gathered

struct Step {
    float4* transfers;
    unsigned stage;
    // Transfers so far, in all and of each kind.
    unsigned all;
    unsigned of_kind[3];

    __device__ void send(unsigned kind) {
        transfers[stage * (3 * MICRO + 1) + all] = make_float4(
            stage, kind, all * BYTES, (all + 1) * BYTES);
        all += 1;
        of_kind[kind] += 1;
    }
};

// transfers: the stage, the kind, and the bytes that were sent
// before and after each; sent: of each stage the bytes of each
// kind.
extern "C" __global__ void __launch_bounds__(4)
transfers(float4* __restrict__ transfers,
          float* __restrict__ sent) {
    unsigned stage = threadIdx.x;
    Step step = {transfers, stage, 0, {0, 0, 0}};
    for (unsigned micro = 0; micro < MICRO; micro++) {
        if (stage == 3) {
            step.send(PARAMETERS);  // before forward
            step.send(PARAMETERS);  // before backward
        }
        // Whole gradients can wait, a shard of them cannot.
        if (stage >= 2 || micro == MICRO - 1) {
            step.send(REDUCES);
        }
    }
    if (stage == 0) {
        step.send(SUMS);
    } else if (stage < 3) {
        step.send(PARAMETERS);  // those that were updated
    }
    for (unsigned kind = 0; kind < 3; kind++) {
        sent[3 * stage + kind] = step.of_kind[kind] * BYTES;
    }
}
