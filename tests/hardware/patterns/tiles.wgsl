// Transposes of a matrix of 64 x 64 through a tile of TILE x TILE whose rows are PAD elements longer, or swizzled.
override TILE: u32 = 32;
override PAD: u32 = 0;

@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

const WIDTH = 64u;

var<workgroup> cells: array<u32, 1184>;    // 32 rows of 37 at most

@compute @workgroup_size(TILE, TILE)
fn padded(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = TILE + PAD;
    cells[local.y * row + local.x] = src[(tile.y * TILE + local.y) * WIDTH + tile.x * TILE + local.x];
    workgroupBarrier();
    dst[(tile.x * TILE + local.y) * WIDTH + tile.y * TILE + local.x] = cells[local.x * row + local.y];
}

// Row y keeps column x at place x ^ y: no padding, and both a row and a column lie in all banks.
@compute @workgroup_size(TILE, TILE)
fn swizzled(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let place = local.x ^ local.y;
    cells[local.y * TILE + place] = src[(tile.y * TILE + local.y) * WIDTH + tile.x * TILE + local.x];
    workgroupBarrier();
    dst[(tile.x * TILE + local.y) * WIDTH + tile.y * TILE + local.x] = cells[local.x * TILE + place];
}
