// Which passes a stage has. A thread writes the grids of all
// that not every stage needs: a pass with an empty grid is not
// launched.
// Constants: STAGE; RANKS; LAYERS; OWN_BLOCKS, of what a rank
// updates; SHARD_BLOCKS, of a chunk.

__device__ void grid(unsigned* plan, unsigned at, bool needed,
                     unsigned blocks, unsigned layers) {
    plan[3 * at] = needed ? blocks : 0;
    plan[3 * at + 1] = RANKS;
    plan[3 * at + 2] = layers;
}

extern "C" __global__ void __launch_bounds__(1)
plan(unsigned* __restrict__ plan) {
    // Cast to copies; cast to shards.
    grid(plan, 0, STAGE < 3, OWN_BLOCKS, 1);
    grid(plan, 1, STAGE == 3, OWN_BLOCKS, 1);
    // Gather parameters; gather gradients.
    grid(plan, 2, STAGE >= 1, SHARD_BLOCKS, 1);
    grid(plan, 3, STAGE == 0, SHARD_BLOCKS, 1);
    // Keep a chunk of the gradient.
    grid(plan, 4, STAGE >= 2, SHARD_BLOCKS, 1);
    // Update from copies; update from shards.
    grid(plan, 5, STAGE < 2, OWN_BLOCKS, LAYERS);
    grid(plan, 6, STAGE >= 2, OWN_BLOCKS, LAYERS);
}
