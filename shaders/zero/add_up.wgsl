// The ledger's sums: a rank's model state, which is the first
// five columns, and all that it has.
// A lane has one rank.

override RANKS: u32 = 4;

@group(0) @binding(0) var<storage, read> ledger: array<u32>;
@group(0) @binding(1)
var<storage, read_write> state: array<u32>;
@group(0) @binding(2)
var<storage, read_write> all: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let rank = gid.x;
    if (rank >= RANKS) {
        return;
    }
    var sum = 0u;
    for (var column = 0u; column < 8; column++) {
        sum += ledger[rank * 8 + column];
        if (column == 4) {
            state[rank] = sum;
        }
    }
    all[rank] = sum;
}
