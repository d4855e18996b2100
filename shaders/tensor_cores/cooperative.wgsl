// Against `double_buffered`: subgroups multiply fragments of 16 x 16 elements on tensor cores. Factors are f16, sums f32.
// What `double_buffered` does in loops is written out here: a driver keeps fragments in registers if each has a name of its own.

enable f16;
enable wgpu_cooperative_matrix;

override M: u32 = 1024;    // rows of A and C
override N: u32 = 1024;    // columns of B and C
override K: u32 = 1024;    // columns of A, rows of B

const BM = 128u;           // a workgroup's tile of C has BM rows
const BN = 128u;           // and BN columns
const BK = 32u;            // columns of A's tile, rows of B's
const DOWN = BM / 64;      // subgroups, of 32 lanes, below each other: each computes 64 x 64 elements of C
const ACROSS = BN / 64;    // and side by side
const LANES = 32 * DOWN * ACROSS;
const A_ROW = BK / 4 + 2;  // vectors from a row of A's tile to the next: two to spare, so that eight rows lie in different banks
const B_ROW = BN / 4 + 2;  // and of B's

@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<vec4<f16>, BM * A_ROW>;
var<workgroup> tile_b: array<vec4<f16>, BK * B_ROW>;
var<workgroup> fragments: array<f32, LANES / 32 * 256>;    // one of C for each subgroup

// What a lane moves of a tile: vector `lane`, `lane + LANES` and so on.
struct Part { v0: vec4<f16>, v1: vec4<f16>, v2: vec4<f16>, v3: vec4<f16>,
              v4: vec4<f16>, v5: vec4<f16>, v6: vec4<f16>, v7: vec4<f16> }

// Four elements of A, by their vector's number in the tile. Beyond the edges stand zeros: they add nothing to a sum. Where the tiles
// divide the matrix there are no edges, and no lane asks.
fn load_a(top: u32, begin: u32, vector: u32) -> vec4<f16> {
    let row = top + vector / (BK / 4);
    let k = begin + vector % (BK / 4) * 4;
    let at = row * K + k;
    var four = vec4<f16>();
    if (K % 4 == 0) {
        if ((M % BM == 0 && K % BK == 0) || (row < M && k < K)) { four = a[at / 4]; }
    } else {    // rows begin anywhere in a vector: one element after the other
        for (var i = 0u; i < 4; i++) {
            if (row < M && k + i < K) { four[i] = a[(at + i) / 4][(at + i) % 4]; }
        }
    }
    return four;
}

// The same of B.
fn load_b(begin: u32, left: u32, vector: u32) -> vec4<f16> {
    let k = begin + vector / (BN / 4);
    let column = left + vector % (BN / 4) * 4;
    let at = k * N + column;
    var four = vec4<f16>();
    if (N % 4 == 0) {
        if ((N % BN == 0 && K % BK == 0) || (k < K && column < N)) { four = b[at / 4]; }
    } else {
        for (var i = 0u; i < 4; i++) {
            if (k < K && column + i < N) { four[i] = b[(at + i) / 4][(at + i) % 4]; }
        }
    }
    return four;
}

fn part_of_a(top: u32, k: u32, lane: u32) -> Part {
    return Part(load_a(top, k, lane), load_a(top, k, lane + LANES),
                load_a(top, k, lane + 2 * LANES), load_a(top, k, lane + 3 * LANES),
                load_a(top, k, lane + 4 * LANES), load_a(top, k, lane + 5 * LANES),
                load_a(top, k, lane + 6 * LANES), load_a(top, k, lane + 7 * LANES));
}

fn part_of_b(k: u32, left: u32, lane: u32) -> Part {
    return Part(load_b(k, left, lane), load_b(k, left, lane + LANES),
                load_b(k, left, lane + 2 * LANES), load_b(k, left, lane + 3 * LANES),
                load_b(k, left, lane + 4 * LANES), load_b(k, left, lane + 5 * LANES),
                load_b(k, left, lane + 6 * LANES), load_b(k, left, lane + 7 * LANES));
}

// Where a vector of a tile lies.
fn in_a(vector: u32) -> u32 { return vector / (BK / 4) * A_ROW + vector % (BK / 4); }
fn in_b(vector: u32) -> u32 { return vector / (BN / 4) * B_ROW + vector % (BN / 4); }

fn put_a(part: Part, lane: u32) {
    tile_a[in_a(lane)] = part.v0;
    tile_a[in_a(lane + LANES)] = part.v1;
    tile_a[in_a(lane + 2 * LANES)] = part.v2;
    tile_a[in_a(lane + 3 * LANES)] = part.v3;
    tile_a[in_a(lane + 4 * LANES)] = part.v4;
    tile_a[in_a(lane + 5 * LANES)] = part.v5;
    tile_a[in_a(lane + 6 * LANES)] = part.v6;
    tile_a[in_a(lane + 7 * LANES)] = part.v7;
}

fn put_b(part: Part, lane: u32) {
    tile_b[in_b(lane)] = part.v0;
    tile_b[in_b(lane + LANES)] = part.v1;
    tile_b[in_b(lane + 2 * LANES)] = part.v2;
    tile_b[in_b(lane + 3 * LANES)] = part.v3;
    tile_b[in_b(lane + 4 * LANES)] = part.v4;
    tile_b[in_b(lane + 5 * LANES)] = part.v5;
    tile_b[in_b(lane + 6 * LANES)] = part.v6;
    tile_b[in_b(lane + 7 * LANES)] = part.v7;
}

// Fragments, whose elements the lanes of a subgroup share.
alias OfA = coop_mat16x16<f16, A>;
alias OfB = coop_mat16x16<f16, B>;
alias OfC = coop_mat16x16<f32, C>;
struct Columns { c0: OfB, c1: OfB, c2: OfB, c3: OfB }     // 16 rows of B, 64 columns
struct Band { c0: OfC, c1: OfC, c2: OfC, c3: OfC }        // 16 rows of C, 64 columns
struct Square { b0: Band, b1: Band, b2: Band, b3: Band }  // 64 rows of C, 64 columns

// The fragment of A's tile that begins at this row and column.
fn of_a(row: u32, k: u32) -> OfA { return coopLoadT<OfA>(&tile_a[row * A_ROW + k / 4], A_ROW); }

// And of B's.
fn of_b(k: u32, column: u32) -> OfB { return coopLoadT<OfB>(&tile_b[k * B_ROW + column / 4], B_ROW); }

// Adds the product of 16 columns of A with 16 rows of B: one fragment of A with each of B's.
fn add_band(rows: OfA, columns: Columns, sum: Band) -> Band {
    return Band(coopMultiplyAdd(rows, columns.c0, sum.c0), coopMultiplyAdd(rows, columns.c1, sum.c1),
                coopMultiplyAdd(rows, columns.c2, sum.c2), coopMultiplyAdd(rows, columns.c3, sum.c3));
}

fn add_square(k: u32, row: u32, column: u32, sum: Square) -> Square {
    let columns = Columns(of_b(k, column), of_b(k, column + 16), of_b(k, column + 32), of_b(k, column + 48));
    return Square(add_band(of_a(row, k), columns, sum.b0), add_band(of_a(row + 16, k), columns, sum.b1),
                  add_band(of_a(row + 32, k), columns, sum.b2), add_band(of_a(row + 48, k), columns, sum.b3));
}

// Stores a fragment to C. Which lane holds which element is the driver's business, so it goes through workgroup memory.
fn store(fragment: OfC, row: u32, column: u32, lane: u32, subgroup: u32) {
    coopStoreT(fragment, &fragments[subgroup * 256], 16);
    workgroupBarrier();
    for (var at = lane % 32; at < 256; at += 32) {
        if (row + at / 16 < M && column + at % 16 < N) {
            c[(row + at / 16) * N + column + at % 16] = fragments[subgroup * 256 + at];
        }
    }
    workgroupBarrier();
}

fn store_band(band: Band, row: u32, column: u32, lane: u32, subgroup: u32) {
    store(band.c0, row, column, lane, subgroup);
    store(band.c1, row, column + 16, lane, subgroup);
    store(band.c2, row, column + 32, lane, subgroup);
    store(band.c3, row, column + 48, lane, subgroup);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let top = group.y * BM;                  // the workgroup's tile of C begins here
    let left = group.x * BN;
    let row = subgroup / ACROSS * 64;        // and the subgroup's square here within it
    let column = subgroup % ACROSS * 64;

    var sum: Square;
    var next_a = part_of_a(top, 0, lane);
    var next_b = part_of_b(0, left, lane);
    for (var k = 0u; k < K; k += BK) {
        put_a(next_a, lane);
        put_b(next_b, lane);
        workgroupBarrier();
        if (k + BK < K) {                    // on their way while these are multiplied
            next_a = part_of_a(top, k + BK, lane);
            next_b = part_of_b(k + BK, left, lane);
        }
        sum = add_square(0, row, column, sum);
        sum = add_square(16, row, column, sum);
        workgroupBarrier();
    }

    store_band(sum.b0, top + row, left + column, lane, subgroup);
    store_band(sum.b1, top + row + 16, left + column, lane, subgroup);
    store_band(sum.b2, top + row + 32, left + column, lane, subgroup);
    store_band(sum.b3, top + row + 48, left + column, lane, subgroup);
}
