// Decode from a cache in pages: a table says which page of the
// pool has each piece of a sequence. A page has PAGE positions
// of all heads. Otherwise it is the kernel with one piece.

override HEADS: u32 = 8;     // query heads
override KV_HEADS: u32 = 2;  // heads of keys and values
override CACHE: u32 = 256;   // keys and values of a head
override CHUNK: u32 = 64;    // keys of a workgroup
override D: u32 = 32;        // numbers in a row
override PAGE: u32 = 16;     // positions of a page
// Columns of o that a lane has: D / 64, rounded up.
const COLUMNS: u32 = 1;

const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> part_m: array<f32>;
@group(0) @binding(4) var<storage, read_write> part_d: array<f32>;
@group(0) @binding(5) var<storage, read_write> part_o: array<f32>;
@group(0) @binding(6) var<storage, read> table: array<u32>;

var<workgroup> query: array<f32, D>;
var<workgroup> part: array<array<f32, 4>, 16>;
var<workgroup> weights: array<f32, 16>;

// The row of the pool in which position `at` of a cache is.
fn row_of(cache: u32, at: u32) -> u32 {
    let pages = (CACHE + PAGE - 1u) / PAGE;
    let page = table[cache / KV_HEADS * pages + at / PAGE];
    return (page * KV_HEADS + cache % KV_HEADS) * PAGE + at % PAGE;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.y;  // through the batch
    let cache = head / (HEADS / KV_HEADS);
    let end = min(CACHE, (group.x + 1u) * CHUNK);
    for (var c = lane; c < D; c += 64u) {
        query[c] = q[head * D + c];
    }
    workgroupBarrier();
    var m = MASKED;
    var d = 0.0;
    var out: array<f32, COLUMNS>;
    for (var first = group.x * CHUNK; first < end; first += 16u) {
        let count = min(16u, end - first);
        // A key has 4 lanes, each with a quarter of its columns.
        if (lane / 4u < count) {
            let row = row_of(cache, first + lane / 4u);
            var sum = 0.0;
            for (var c = lane % 4u; c < D; c += 4u) {
                sum += query[c] * k[row * D + c];
            }
            part[lane / 4u][lane % 4u] = sum;
        }
        workgroupBarrier();  // all quarters are there
        var new_m = m;
        for (var j = 0u; j < count; j++) {
            let score = part[j][0] + part[j][1] + part[j][2] + part[j][3];
            new_m = max(new_m, score / sqrt(f32(D)));
        }
        if (lane < count) {
            let score = part[lane][0] + part[lane][1] + part[lane][2] + part[lane][3];
            weights[lane] = exp(score / sqrt(f32(D)) - new_m);
        }
        let factor = exp(m - new_m);
        d *= factor;
        for (var i = 0u; i < COLUMNS; i++) {
            out[i] *= factor;
        }
        m = new_m;
        workgroupBarrier();  // the weights are there
        for (var j = 0u; j < count; j++) {
            let row = row_of(cache, first + j);
            d += weights[j];
            for (var i = 0u; i < COLUMNS; i++) {
                let c = lane + 64u * i;
                if (c < D) {
                    out[i] += weights[j] * v[row * D + c];
                }
            }
        }
    }
    // The sums stay undivided: the other chunks are not in them.
    let slot = head * groups.x + group.x;
    for (var i = 0u; i < COLUMNS; i++) {
        let c = lane + 64u * i;
        if (c < D) {
            part_o[slot * D + c] = out[i];
        }
    }
    if (lane == 0u) {
        part_m[slot] = m;
        part_d[slot] = d;
    }
}
