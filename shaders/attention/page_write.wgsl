// A cache is cut into pages: each row of keys or values goes to
// the page of the pool that the table names. A lane has a word.

override ROWS: u32 = 512;  // rows of all heads' caches
override CACHE: u32 = 256; // rows of a head's cache
override KV_HEADS: u32 = 1; // heads of keys and values
override D: u32 = 32;      // numbers in a row
override PAGE: u32 = 16;   // positions of a page

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> pool: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 64u + lane;
    let row = i / D;
    if (row < ROWS) {
        let at = row % CACHE;
        let pages = (CACHE + PAGE - 1u) / PAGE;
        let head = row / CACHE;  // through the batch
        let page = table[head / KV_HEADS * pages + at / PAGE];
        let slot = (page * KV_HEADS + head % KV_HEADS) * PAGE + at % PAGE;
        pool[slot * D + i % D] = rows[i];
    }
}
