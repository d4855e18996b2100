// Operations for each byte of keys and values, in 16 bits: of a
// prefill in the first row, and of decode in the others, for a
// cache per query head, per group of heads, and for all heads.

override HEADS: u32 = 32;    // query heads
override KV_HEADS: u32 = 8;  // heads of keys and values
override SEQ: u32 = 512;     // queries of the prefill

@group(0) @binding(0) var<storage, read_write> intensity: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    // Queries that use a key: each takes 4 operations for each
    // of its numbers, and key and value have 2 bytes for each.
    var users = SEQ * HEADS / KV_HEADS;
    if (lane == 1u) { users = 1u; }
    if (lane == 2u) { users = HEADS / KV_HEADS; }
    if (lane == 3u) { users = HEADS; }
    intensity[lane] = f32(4u * users) / 4.0;
}
