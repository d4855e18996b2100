// The gradient of the router's logits, with weights that are
// the softmax over the chosen. A workgroup has one token. If an
// expert's weight grows, the loss grows by the product of dy
// and that expert's row. A chosen logit gets its weight times
// the difference between its product and their weighted mean.
// All other logits get 0.

override T: u32 = 1024;  // tokens
override E: u32 = 8;     // experts
const K: u32 = 2;        // experts that a token goes to
override D: u32 = 64;    // columns of dy

@group(0) @binding(0) var<storage, read> dy: array<f32>;
// The experts' outputs, a row per choice, sorted by expert.
@group(0) @binding(1) var<storage, read> rows: array<f32>;
@group(0) @binding(2) var<storage, read> row_of: array<u32>;
@group(0) @binding(3) var<storage, read> chosen: array<u32>;
@group(0) @binding(4) var<storage, read> weight: array<f32>;
@group(0) @binding(5)
var<storage, read_write> dlogits: array<f32>;

// 64 sums for each choice.
var<workgroup> sums: array<f32, 64 * K>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let token = group.x + group.y * groups.x;
    if (token >= T) {
        return;
    }
    for (var place = 0u; place < K; place++) {
        let row = row_of[token * K + place];
        var sum = 0.0;
        for (var j = lane; j < D; j += 64u) {
            sum += dy[token * D + j] * rows[row * D + j];
        }
        sums[64u * place + lane] = sum;
    }
    for (var step = 32u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if (lane < step) {
            for (var i = lane; i < 64u * K; i += 64u) {
                sums[i] += sums[i + step];
            }
        }
    }
    workgroupBarrier();
    var mean = 0.0;
    for (var place = 0u; place < K; place++) {
        mean += weight[token * K + place] * sums[64u * place];
    }
    for (var e = lane; e < E; e += 64u) {
        var gradient = 0.0;
        for (var place = 0u; place < K; place++) {
            let choice = token * K + place;
            if (chosen[choice] == e) {
                gradient = weight[choice]
                    * (sums[64u * place] - mean);
            }
        }
        dlogits[token * E + e] = gradient;
    }
}
