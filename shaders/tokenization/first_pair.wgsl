// The pair at the first place becomes a token. One lane.
// #include "add_token.wgsl"

@group(0) @binding(0) var<storage, read> best: array<u32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
// How many merges there have been.
@group(0) @binding(2)
var<storage, read_write> turn: array<u32>;
@group(0) @binding(3)
var<storage, read_write> merges: array<u32>;
// How often each winner occurred.
@group(0) @binding(4) var<storage, read_write> won: array<u32>;
@group(0) @binding(5)
var<storage, read_write> sizes: array<u32>;
// The pair that is merged in this round, and its token.
@group(0) @binding(6)
var<storage, read_write> pair: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let place = best[1];
    if (best[0] > 0u) {
        add_token(tokens[place], tokens[place + 1u], best[0]);
    }
}
