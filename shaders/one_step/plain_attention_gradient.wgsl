// The gradient of causal attention, as plainly as can be: each
// lane has one row of a head, as a query, a key and a value, and
// makes all weights and slopes again from the softmax's formula.

override ROWS: u32 = 16;
override TOKENS: u32 = 8;  // rows of a sequence
override WIDTH: u32 = 16;
override HEADS: u32 = 2;
override D: u32 = 8;       // numbers of a head

@group(0) @binding(0) var<storage, read> qkv: array<f32>;
@group(0) @binding(1) var<storage, read> d_o: array<f32>;
@group(0) @binding(2)
var<storage, read_write> d_qkv: array<f32>;

// Part 0 of a row is its query, 1 its key, 2 its value.
fn at(row: u32, part: u32, c: u32) -> u32 {
    return (row * 3 + part) * WIDTH + c;
}

// The softmax's weights of a query and what they weigh: x is the
// weight of `key`, y the gradient of its score.
fn slope(query: u32, key: u32, head: u32) -> vec2<f32> {
    var total = 0.0;
    var mean = 0.0;
    var own = vec2(0.0, 0.0);
    for (var other = query / TOKENS * TOKENS; other <= query; other++) {
        var score = 0.0;
        var d_weight = 0.0;
        for (var c = head * D; c < (head + 1) * D; c++) {
            score += qkv[at(query, 0, c)] * qkv[at(other, 1, c)];
            d_weight += d_o[query * WIDTH + c] * qkv[at(other, 2, c)];
        }
        let e = exp(score / sqrt(f32(D)));
        total += e;
        mean += e * d_weight;
        if (other == key) {
            own = vec2(e, d_weight);
        }
    }
    let weight = own.x / total;
    return vec2(weight, weight * (own.y - mean / total));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x / HEADS;
    let head = gid.x % HEADS;
    if (row >= ROWS) {
        return;
    }
    for (var c = head * D; c < (head + 1) * D; c++) {
        for (var part = 0u; part < 3; part++) {
            d_qkv[at(row, part, c)] = 0.0;
        }
    }
    let start = row / TOKENS * TOKENS;
    for (var other = start; other < start + TOKENS; other++) {
        var to_key = vec2(0.0, 0.0);
        var of_query = vec2(0.0, 0.0);
        if (other <= row) {
            to_key = slope(row, other, head);
        }
        if (other >= row) {
            of_query = slope(other, row, head);
        }
        for (var c = head * D; c < (head + 1) * D; c++) {
            let scale = 1.0 / sqrt(f32(D));
            d_qkv[at(row, 0, c)] += to_key.y * qkv[at(other, 1, c)] * scale;
            d_qkv[at(row, 1, c)] += of_query.y * qkv[at(other, 0, c)] * scale;
            d_qkv[at(row, 2, c)] += of_query.x * d_o[other * WIDTH + c];
        }
    }
}
