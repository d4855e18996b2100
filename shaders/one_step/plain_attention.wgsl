// Causal attention, as plainly as can be. A lane has one row of
// a head, and makes each score again where it needs it.

override ROWS: u32 = 16;
override TOKENS: u32 = 8;  // rows of a sequence
override WIDTH: u32 = 16;
override HEADS: u32 = 2;
override D: u32 = 8;       // numbers of a head

@group(0) @binding(0) var<storage, read> qkv: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;

fn weight(query: u32, key: u32, head: u32) -> f32 {
    var score = 0.0;
    for (var c = head * D; c < (head + 1) * D; c++) {
        score += qkv[query * 3 * WIDTH + c]
            * qkv[(key * 3 + 1) * WIDTH + c];
    }
    return exp(score / sqrt(f32(D)));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x / HEADS;
    let head = gid.x % HEADS;
    if (row >= ROWS) {
        return;
    }
    var total = 0.0;
    for (var key = row / TOKENS * TOKENS; key <= row; key++) {
        total += weight(row, key, head);
    }
    for (var c = head * D; c < (head + 1) * D; c++) {
        var sum = 0.0;
        for (var key = row / TOKENS * TOKENS; key <= row; key++) {
            sum += weight(row, key, head)
                * qkv[(key * 3 + 2) * WIDTH + c];
        }
        o[row * WIDTH + c] = sum / total;
    }
}
