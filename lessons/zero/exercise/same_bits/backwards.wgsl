// The other way round the ring.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override CHUNK: u32 = 4;  // elements of a chunk

@group(0) @binding(0) var<storage, read> data: array<f16>;
@group(0) @binding(1)
var<storage, read_write> result: array<f16>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = gid.y;
    let count = RANKS * CHUNK;
    if (i >= count) {
        return;
    }
    let start = i / CHUNK + 1;
    var sum = data[start % RANKS * count + i];
    for (var n = 1u; n < RANKS; n++) {
        sum += data[(start + RANKS - n) % RANKS * count + i];
    }
    result[rank * count + i] = sum;
}
