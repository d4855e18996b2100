// Decode, the cache read once: a workgroup has a chunk of the
// cache and all query heads that share it. It loads 16 keys and
// uses them for each head, and then their values.

override CACHE: u32 = 256;   // keys and values of a head
override CHUNK: u32 = 64;    // keys of a workgroup
override D: u32 = 32;        // numbers in a row
// Query heads that share a cache.
const GROUP: u32 = 4;
// Columns of o that a lane has of each head: D / 64, rounded up.
const COLUMNS: u32 = 1;

const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> part_m: array<f32>;
@group(0) @binding(4) var<storage, read_write> part_d: array<f32>;
@group(0) @binding(5) var<storage, read_write> part_o: array<f32>;

// Keys, then values. Rows have one word more.
var<workgroup> tile: array<f32, 16u * (D + 1u)>;
var<workgroup> query: array<f32, GROUP * D>;
var<workgroup> scores: array<f32, GROUP * 16u>;
var<workgroup> m: array<f32, GROUP>;
var<workgroup> d: array<f32, GROUP>;
var<workgroup> factor: array<f32, GROUP>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let cache = group.y;  // through the batch
    let end = min(CACHE, (group.x + 1u) * CHUNK);
    for (var i = lane; i < GROUP * D; i += 64u) {
        query[i] = q[cache * GROUP * D + i];
    }
    for (var h = lane; h < GROUP; h += 64u) {
        m[h] = MASKED;
        d[h] = 0.0;
    }
    var out: array<f32, GROUP * COLUMNS>;
    for (var first = group.x * CHUNK; first < end; first += 16u) {
        let count = min(16u, end - first);
        let start = (cache * CACHE + first) * D;
        for (var i = lane; i < count * D; i += 64u) {
            tile[i / D * (D + 1u) + i % D] = k[start + i];
        }
        workgroupBarrier();  // the keys are there
        for (var i = lane; i < GROUP * 16u; i += 64u) {
            if (i % 16u < count) {
                var score = 0.0;
                for (var c = 0u; c < D; c++) {
                    score += query[i / 16u * D + c] * tile[i % 16u * (D + 1u) + c];
                }
                scores[i] = score / sqrt(f32(D));
            }
        }
        workgroupBarrier();  // the scores are there, the keys done
        for (var i = lane; i < count * D; i += 64u) {
            tile[i / D * (D + 1u) + i % D] = v[start + i];
        }
        // A lane has the row of a head: m, d, and the weights.
        for (var h = lane; h < GROUP; h += 64u) {
            var new_m = m[h];
            for (var j = 0u; j < count; j++) {
                new_m = max(new_m, scores[h * 16u + j]);
            }
            factor[h] = exp(m[h] - new_m);
            var sum = d[h] * factor[h];
            for (var j = 0u; j < count; j++) {
                let weight = exp(scores[h * 16u + j] - new_m);
                scores[h * 16u + j] = weight;
                sum += weight;
            }
            m[h] = new_m;
            d[h] = sum;
        }
        workgroupBarrier();  // values, weights and factors are there
        for (var h = 0u; h < GROUP; h++) {
            for (var i = 0u; i < COLUMNS; i++) {
                let c = lane + 64u * i;
                var sum = out[h * COLUMNS + i] * factor[h];
                if (c < D) {
                    for (var j = 0u; j < count; j++) {
                        sum += scores[h * 16u + j] * tile[j * (D + 1u) + c];
                    }
                }
                out[h * COLUMNS + i] = sum;
            }
        }
        workgroupBarrier();  // nobody reads the values any more
    }
    workgroupBarrier();  // m and d are there, with no key, too
    for (var h = 0u; h < GROUP; h++) {
        let slot = (cache * GROUP + h) * groups.x + group.x;
        for (var i = 0u; i < COLUMNS; i++) {
            let c = lane + 64u * i;
            if (c < D) {
                part_o[slot * D + c] = out[h * COLUMNS + i];
            }
        }
        if (lane == 0u) {
            part_m[slot] = m[h];
            part_d[slot] = d[h];
        }
    }
}
