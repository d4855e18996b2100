// Which K experts each token goes to, and with which weights.
// The bias is to help to choose, and to be no part of the
// weight: affinity divided by the sum of the K affinities.

override T: u32 = 1024;  // tokens
override E: u32 = 8;     // experts
const K: u32 = 2;        // experts that a token goes to
override SCORE: u32 = 2; // the sigmoid: there is no other

@group(0) @binding(0)
var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> bias: array<f32>;
@group(0) @binding(2)
var<storage, read_write> chosen: array<u32>;
@group(0) @binding(3)
var<storage, read_write> weight: array<f32>;

fn affinity(row: u32, e: u32) -> f32 {
    return 1.0 / (1.0 + exp(-logits[row + e]));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let token = gid.x;
    if (token >= T) {
        return;
    }
    let row = token * E;
    var picked: array<u32, K>;
    var kept: array<f32, K>;
    var last = E;  // none yet
    var last_score = 0.0;
    for (var place = 0u; place < K; place++) {
        var best = E;
        var best_score = 0.0;
        var best_own = 0.0;
        for (var e = 0u; e < E; e++) {
            let own = affinity(row, e);
            let score = own + bias[e];
            let after = last == E || score < last_score
                || (score == last_score && e > last);
            if (after && (best == E || score > best_score)) {
                best = e;
                best_score = score;
                best_own = own;
            }
        }
        picked[place] = best;
        kept[place] = best_own;
        last = best;
        last_score = best_score;
    }
    var all = 0.0;
    for (var place = 0u; place < K; place++) {
        all += kept[place];
    }
    for (var place = 0u; place < K; place++) {
        chosen[token * K + place] = picked[place];
        weight[token * K + place] = kept[place] / all;
    }
}
