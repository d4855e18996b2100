// The embedding's gradient from the lookup, added to that from
// the head: each row's gradient belongs to its token. The first
// row of a token adds up all rows of that token, in their order:
// no atomic adds, and the same bits in every run.
// A workgroup has one row, and its lanes look BLOCK rows through
// at a time.

override ROWS: u32 = 16;
override WIDTH: u32 = 16;
override BLOCK: u32 = 16;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> d_x: array<f32>;
@group(0) @binding(2)
var<storage, read_write> grads: array<f32>;

var<workgroup> found: array<u32, BLOCK>;
// 1 if an earlier row has the token.
var<workgroup> is_later: atomic<u32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let id = ids[row];
    for (var r = lane; r < row; r += BLOCK) {
        if (ids[r] == id) {
            atomicStore(&is_later, 1u);
        }
    }
    workgroupBarrier();
    if (atomicLoad(&is_later) == 1) {
        return;
    }
    for (var first = row; first < ROWS; first += BLOCK) {
        found[lane] = 0;
        if (first + lane < ROWS) {
            found[lane] = select(0u, 1u, ids[first + lane] == id);
        }
        workgroupBarrier();  // all have looked
        for (var c = lane; c < WIDTH; c += BLOCK) {
            var sum = grads[id * WIDTH + c];
            for (var j = 0u; j < min(BLOCK, ROWS - first); j++) {
                if (found[j] == 1) {
                    sum += d_x[(first + j) * WIDTH + c];
                }
            }
            grads[id * WIDTH + c] = sum;
        }
        workgroupBarrier();  // nobody reads it any more
    }
}
