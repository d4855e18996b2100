// The ledger: how many bytes of each tensor belong to a rank.
// It asks the buffers themselves how long they are, and leaves
// out the half word behind an odd number of f16. A buffer that
// a stage does not use has one element, and is left out.
// Sums are in pairs of bytes: 4 GB do not fit in 32 bits.
// A lane has one rank.

enable f16;

override RANKS: u32 = 4;
override STAGE: u32 = 0;
// Elements of a rank. The twin in CUDA C++ is not told how long
// a buffer is, and has only these.
override WEIGHTS: u32 = 1088;
override GRADS: u32 = 1088;
override SHARDS: u32 = 272;
override OWN: u32 = 1088;
override X: u32 = 224;
override H: u32 = 1120;
override LOSSES: u32 = 14;

@group(0) @binding(0) var<storage, read> weights: array<f16>;
@group(0) @binding(1)
var<storage, read> weight_shard: array<f16>;
@group(0) @binding(2) var<storage, read> grads: array<f16>;
@group(0) @binding(3) var<storage, read> grad_shard: array<f16>;
@group(0) @binding(4) var<storage, read> master: array<f32>;
@group(0) @binding(5) var<storage, read> m: array<f32>;
@group(0) @binding(6) var<storage, read> v: array<f32>;
@group(0) @binding(7) var<storage, read> x: array<f32>;
@group(0) @binding(8) var<storage, read> h: array<f16>;
@group(0) @binding(9) var<storage, read> losses: array<f32>;
@group(0) @binding(10)
var<storage, read_write> ledger: array<u32>;
@group(0) @binding(11)
var<storage, read_write> state_halves: array<u32>;
@group(0) @binding(12)
var<storage, read_write> all_halves: array<u32>;

// What a rank has of a buffer of so many elements.
fn own(length: u32, wanted: u32) -> u32 {
    return min(length / RANKS, wanted);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let rank = gid.x;
    if (rank >= RANKS) {
        return;
    }
    var bytes: array<u32, 8>;
    bytes[0] = 2 * own(arrayLength(&weights), WEIGHTS);
    bytes[1] = 2 * own(arrayLength(&grads), GRADS);
    bytes[2] = 4 * own(arrayLength(&master), OWN);
    bytes[3] = 4 * own(arrayLength(&m), OWN);
    bytes[4] = 4 * own(arrayLength(&v), OWN);
    if (STAGE == 3) {
        // A layer that is gathered is no state of the model.
        bytes[5] = bytes[0];
        bytes[0] = 2 * own(arrayLength(&weight_shard), SHARDS);
    }
    if (STAGE >= 2) {
        // Nor is the bucket in which gradients are summed.
        bytes[6] = bytes[1];
        bytes[1] = 2 * own(arrayLength(&grad_shard), SHARDS);
    }
    bytes[7] = 4 * own(arrayLength(&x), X)
        + 2 * own(arrayLength(&h), H)
        + 4 * own(arrayLength(&losses), LOSSES);
    var sum = 0u;
    for (var tensor = 0u; tensor < 8; tensor++) {
        ledger[rank * 8 + tensor] = bytes[tensor];
        sum += bytes[tensor] / 2;
        if (tensor == 4) {
            state_halves[rank] = sum;
        }
    }
    all_halves[rank] = sum;
}
