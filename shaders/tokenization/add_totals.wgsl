// How many words and tokens there are now, and in how many
// workgroups of 256 words, and of 1,024, they are gone through
// from here on.

override BLOCKS: u32 = 16;  // blocks of 256 bytes of the text

@group(0) @binding(0)
var<storage, read> word_starts: array<u32>;
@group(0) @binding(1)
var<storage, read> byte_starts: array<u32>;
@group(0) @binding(2)
var<storage, read_write> totals: array<u32>;
@group(0) @binding(3)
var<storage, read_write> word_grid: array<u32>;

@compute @workgroup_size(1)
fn main() {
    totals[0] += word_starts[BLOCKS];
    totals[1] += byte_starts[BLOCKS];
    word_grid[0] = (totals[0] + 255u) / 256u;
    word_grid[1] = 1u;
    word_grid[2] = 1u;
    word_grid[3] = (totals[0] + 1023u) / 1024u;
    word_grid[4] = 1u;
    word_grid[5] = 1u;
}
