// Which K experts each token goes to, and with which weights.
// A lane has one token, and searches its logits once for each
// place: the greatest score that comes after the one before.
// Of equal scores the lower expert comes first.
// #include "score.wgsl"

override T: u32 = 1024;  // tokens
override E: u32 = 8;     // experts
const K: u32 = 2;        // experts that a token goes to
// 0: the softmax over all experts.
// 1: the softmax over the K that were chosen.
// 2: the sigmoid, divided by the sum of the K; the bias helps
//    to choose, and is no part of the weight.
override SCORE: u32 = 0;

@group(0) @binding(0)
var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> bias: array<f32>;
@group(0) @binding(2)
var<storage, read_write> chosen: array<u32>;
@group(0) @binding(3)
var<storage, read_write> weight: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let token = gid.x;
    if (token >= T) {
        return;
    }
    let row = token * E;
    var picked: array<u32, K>;
    var last = E;  // none yet
    var last_score = 0.0;
    for (var place = 0u; place < K; place++) {
        var best = E;
        var best_score = 0.0;
        for (var e = 0u; e < E; e++) {
            let score = choice_score(row, e);
            let after = last == E || score < last_score
                || (score == last_score && e > last);
            if (after && (best == E || score > best_score)) {
                best = e;
                best_score = score;
            }
        }
        picked[place] = best;
        last = best;
        last_score = best_score;
    }
    var all = 0.0;
    if (SCORE == 0u) {
        for (var e = 0u; e < E; e++) {
            all += raw_weight(row, e, picked[0]);
        }
    } else {
        for (var place = 0u; place < K; place++) {
            all += raw_weight(row, picked[place], picked[0]);
        }
    }
    for (var place = 0u; place < K; place++) {
        let expert = picked[place];
        let raw = raw_weight(row, expert, picked[0]);
        chosen[token * K + place] = expert;
        weight[token * K + place] = raw / all;
    }
}
