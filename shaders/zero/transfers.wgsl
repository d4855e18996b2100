// What a GPU sends in a step of several micro-batches, in the
// order in which it is sent. In a transfer, 2 bytes of each
// parameter are gathered or reduced.
// A lane has one stage.

override MICRO: u32 = 4;    // micro-batches of a step
override BYTES: f32 = 1e9;  // that a GPU sends in a transfer

// A transfer: its stage, its kind, and the bytes that were sent
// before and after it.
@group(0) @binding(0)
var<storage, read_write> transfers: array<vec4<f32>>;
// Of each stage the bytes of each kind.
@group(0) @binding(1)
var<storage, read_write> sent: array<f32>;

// Kinds of transfers.
const PARAMETERS = 0u;  // parameters are gathered
const REDUCES = 1u;     // gradients are reduced and scattered
const SUMS = 2u;        // summed gradients are gathered

// Transfers so far, in all and of each kind.
var<private> all: u32;
var<private> of_kind: array<u32, 3>;

fn send(stage: u32, kind: u32) {
    transfers[stage * (3 * MICRO + 1) + all] = vec4(
        f32(stage), f32(kind),
        f32(all) * BYTES, f32(all + 1) * BYTES);
    all += 1;
    of_kind[kind] += 1;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) stage: u32) {
    for (var micro = 0u; micro < MICRO; micro++) {
        if (stage == 3) {
            send(stage, PARAMETERS);  // before forward
            send(stage, PARAMETERS);  // before backward
        }
        // Whole gradients can wait, a shard of them cannot.
        if (stage >= 2 || micro == MICRO - 1) {
            send(stage, REDUCES);
        }
    }
    if (stage == 0) {
        send(stage, SUMS);
    } else if (stage < 3) {
        send(stage, PARAMETERS);  // those that were updated
    }
    for (var kind = 0u; kind < 3; kind++) {
        sent[3 * stage + kind] = f32(of_kind[kind]) * BYTES;
    }
}
