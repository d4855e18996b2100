// The next token: the one whose logit, with noise added, is the
// greatest. The noise is T times -ln(-ln u), with the random
// number u of each token. So a token is picked with its
// probability in softmax(logits / T). At T = 0 there is no noise,
// and the greatest logit wins. Of equal ones the first does.
// A workgroup picks one token.
// #include "max_lanes.wgsl"

override VOCAB: u32 = 256;
override AT: u32 = 0;    // where the first row of logits is
override EACH: u32 = 0;  // from a row to the next
override T: f32 = 0.0;   // the temperature
override BLOCK: u32 = 256;  // lanes of a row, a power of 2

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> chance: array<f32>;
@group(0) @binding(2)
var<storage, read_write> picked: array<u32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.x;
    var best = -1.0e38;
    var token = 0u;
    for (var c = lane; c < VOCAB; c += BLOCK) {
        let noise = -log(-log(chance[row * VOCAB + c]));
        let score = logits[AT + row * EACH + c] + T * noise;
        if (score > best) {
            best = score;
            token = c;
        }
    }
    let greatest = max_lanes(lane, best);
    // A token's number, less than 2^24, is exact as a float.
    let mine = select(-1.0e38, -f32(token), best == greatest);
    let first = max_lanes(lane, mine);
    if (lane == 0) {
        picked[row] = u32(-first);
    }
}
