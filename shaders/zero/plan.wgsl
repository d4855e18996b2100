// Which passes a stage has. A lane writes the grids of all that
// not every stage needs: a pass with an empty grid is not
// launched.

override STAGE: u32 = 0;
override RANKS: u32 = 4;
override LAYERS: u32 = 2;
override OWN_BLOCKS: u32 = 2;    // of what a rank updates
override SHARD_BLOCKS: u32 = 1;  // of a chunk

@group(0) @binding(0)
var<storage, read_write> plan: array<u32>;

fn grid(at: u32, needed: bool, blocks: u32, layers: u32) {
    plan[3 * at] = select(0u, blocks, needed);
    plan[3 * at + 1] = RANKS;
    plan[3 * at + 2] = layers;
}

@compute @workgroup_size(1)
fn main() {
    // Cast to copies; cast to shards.
    grid(0, STAGE < 3, OWN_BLOCKS, 1);
    grid(1, STAGE == 3, OWN_BLOCKS, 1);
    // Gather parameters; gather gradients.
    grid(2, STAGE >= 1, SHARD_BLOCKS, 1);
    grid(3, STAGE == 0, SHARD_BLOCKS, 1);
    // Keep a chunk of the gradient.
    grid(4, STAGE >= 2, SHARD_BLOCKS, 1);
    // Update from copies; update from shards.
    grid(5, STAGE < 2, OWN_BLOCKS, LAYERS);
    grid(6, STAGE >= 2, OWN_BLOCKS, LAYERS);
}
