// Against `double_buffered`: subgroups multiply fragments of
// 16 x 16 elements on tensor cores. Factors are f16, sums f32.
// What `double_buffered` does in loops is written out here: a
// driver keeps fragments in registers if each has a name.
// A subgroup must have 32 lanes: of narrower or wider ones, a
// part of C would not be computed.

enable f16;
enable wgpu_cooperative_matrix;

override M: u32 = 1024;  // rows of A and C
override N: u32 = 1024;  // columns of B and C
override K: u32 = 1024;  // columns of A, rows of B

const BM = 128u;         // a workgroup's tile of C has BM rows
const BN = 128u;         // and BN columns
const BK = 32u;          // columns of A's tile, rows of B's
// Subgroups below each other, and side by side: each computes
// 64 x 64 elements of C.
const DOWN = BM / 64;
const ACROSS = BN / 64;
const LANES = 32 * DOWN * ACROSS;
// Vectors from a row of A's tile to the next, and of B's. Two
// are to spare, so that the rows of a fragment lie in different
// banks. Stores to A's tile, and of fragments, still meet.
const A_ROW = BK / 4 + 2;
const B_ROW = BN / 4 + 2;

@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<vec4<f16>, BM * A_ROW>;
var<workgroup> tile_b: array<vec4<f16>, BK * B_ROW>;
// A fragment of C for each subgroup.
var<workgroup> c_fragments: array<f32, LANES / 32 * 256>;

// What a lane moves of a tile: vector `lane`, `lane + LANES`
// and so on.
struct Vectors {
    v0: vec4<f16>, v1: vec4<f16>, v2: vec4<f16>, v3: vec4<f16>,
    v4: vec4<f16>, v5: vec4<f16>, v6: vec4<f16>, v7: vec4<f16>,
}

// Four elements of A, by their vector's number in the tile.
// Beyond the edges there are zeros, which add nothing to a sum.
// Where the tiles divide the matrix there are no edges, and no
// lane compares.
fn load_a(top: u32, begin: u32, vector: u32) -> vec4<f16> {
    let row = top + vector / (BK / 4);
    let k = begin + vector % (BK / 4) * 4;
    let first = row * K + k;
    let has_edges = M % BM != 0 || K % BK != 0;
    var values = vec4<f16>();
    if (K % 4 == 0) {
        if (!has_edges || (row < M && k < K)) {
            values = a[first / 4];
        }
    } else {
        // Rows begin anywhere in a vector: one element after
        // the other.
        for (var i = 0u; i < 4; i++) {
            if (row < M && k + i < K) {
                values[i] = a[(first + i) / 4][(first + i) % 4];
            }
        }
    }
    return values;
}

// The same of B.
fn load_b(begin: u32, left: u32, vector: u32) -> vec4<f16> {
    let k = begin + vector / (BN / 4);
    let column = left + vector % (BN / 4) * 4;
    let first = k * N + column;
    let has_edges = N % BN != 0 || K % BK != 0;
    var values = vec4<f16>();
    if (N % 4 == 0) {
        if (!has_edges || (k < K && column < N)) {
            values = b[first / 4];
        }
    } else {
        for (var i = 0u; i < 4; i++) {
            if (k < K && column + i < N) {
                values[i] = b[(first + i) / 4][(first + i) % 4];
            }
        }
    }
    return values;
}

fn fetch_a(top: u32, k: u32, lane: u32) -> Vectors {
    return Vectors(
        load_a(top, k, lane),
        load_a(top, k, lane + LANES),
        load_a(top, k, lane + 2 * LANES),
        load_a(top, k, lane + 3 * LANES),
        load_a(top, k, lane + 4 * LANES),
        load_a(top, k, lane + 5 * LANES),
        load_a(top, k, lane + 6 * LANES),
        load_a(top, k, lane + 7 * LANES));
}

fn fetch_b(k: u32, left: u32, lane: u32) -> Vectors {
    return Vectors(
        load_b(k, left, lane),
        load_b(k, left, lane + LANES),
        load_b(k, left, lane + 2 * LANES),
        load_b(k, left, lane + 3 * LANES),
        load_b(k, left, lane + 4 * LANES),
        load_b(k, left, lane + 5 * LANES),
        load_b(k, left, lane + 6 * LANES),
        load_b(k, left, lane + 7 * LANES));
}

// Where a vector of a tile lies.
fn index_a(vector: u32) -> u32 {
    return vector / (BK / 4) * A_ROW + vector % (BK / 4);
}

fn index_b(vector: u32) -> u32 {
    return vector / (BN / 4) * B_ROW + vector % (BN / 4);
}

fn store_tile_a(vectors: Vectors, lane: u32) {
    tile_a[index_a(lane)] = vectors.v0;
    tile_a[index_a(lane + LANES)] = vectors.v1;
    tile_a[index_a(lane + 2 * LANES)] = vectors.v2;
    tile_a[index_a(lane + 3 * LANES)] = vectors.v3;
    tile_a[index_a(lane + 4 * LANES)] = vectors.v4;
    tile_a[index_a(lane + 5 * LANES)] = vectors.v5;
    tile_a[index_a(lane + 6 * LANES)] = vectors.v6;
    tile_a[index_a(lane + 7 * LANES)] = vectors.v7;
}

fn store_tile_b(vectors: Vectors, lane: u32) {
    tile_b[index_b(lane)] = vectors.v0;
    tile_b[index_b(lane + LANES)] = vectors.v1;
    tile_b[index_b(lane + 2 * LANES)] = vectors.v2;
    tile_b[index_b(lane + 3 * LANES)] = vectors.v3;
    tile_b[index_b(lane + 4 * LANES)] = vectors.v4;
    tile_b[index_b(lane + 5 * LANES)] = vectors.v5;
    tile_b[index_b(lane + 6 * LANES)] = vectors.v6;
    tile_b[index_b(lane + 7 * LANES)] = vectors.v7;
}

// Fragments, whose elements the lanes of a subgroup share.
alias FragmentA = coop_mat16x16<f16, A>;
alias FragmentB = coop_mat16x16<f16, B>;
alias FragmentC = coop_mat16x16<f32, C>;
// 16 rows of B, 64 columns.
struct BandB {
    c0: FragmentB, c1: FragmentB, c2: FragmentB, c3: FragmentB,
}
// 16 rows of C, 64 columns.
struct BandC {
    c0: FragmentC, c1: FragmentC, c2: FragmentC, c3: FragmentC,
}
// 64 rows of C, 64 columns.
struct SquareC {
    b0: BandC, b1: BandC, b2: BandC, b3: BandC,
}

// The fragment of A's tile that begins at this row and column.
fn fragment_a(row: u32, k: u32) -> FragmentA {
    let first = row * A_ROW + k / 4;
    return coopLoadT<FragmentA>(&tile_a[first], A_ROW);
}

// And of B's.
fn fragment_b(k: u32, column: u32) -> FragmentB {
    let first = k * B_ROW + column / 4;
    return coopLoadT<FragmentB>(&tile_b[first], B_ROW);
}

// Adds the product of 16 columns of A with 16 rows of B: one
// fragment of A with each of B's.
fn add_band(rows: FragmentA, band: BandB, sum: BandC) -> BandC {
    return BandC(
        coopMultiplyAdd(rows, band.c0, sum.c0),
        coopMultiplyAdd(rows, band.c1, sum.c1),
        coopMultiplyAdd(rows, band.c2, sum.c2),
        coopMultiplyAdd(rows, band.c3, sum.c3));
}

fn add_square(
    k: u32,
    row: u32,
    column: u32,
    sum: SquareC,
) -> SquareC {
    let band = BandB(
        fragment_b(k, column), fragment_b(k, column + 16),
        fragment_b(k, column + 32), fragment_b(k, column + 48));
    return SquareC(
        add_band(fragment_a(row, k), band, sum.b0),
        add_band(fragment_a(row + 16, k), band, sum.b1),
        add_band(fragment_a(row + 32, k), band, sum.b2),
        add_band(fragment_a(row + 48, k), band, sum.b3));
}

// A lane of a subgroup.
struct SubgroupLane {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) id: u32,
}

// Stores a fragment to C. Which lane holds which element is the
// driver's business, so it goes through workgroup memory.
fn store_fragment(
    fragment: FragmentC,
    row: u32,
    column: u32,
    lane: SubgroupLane,
) {
    let first = lane.subgroup * 256;
    coopStoreT(fragment, &c_fragments[first], 16);
    workgroupBarrier();
    for (var e = lane.id; e < 256; e += 32) {
        let c_row = row + e / 16;
        let c_column = column + e % 16;
        if (c_row < M && c_column < N) {
            c[c_row * N + c_column] = c_fragments[first + e];
        }
    }
    workgroupBarrier();
}

fn store_band(
    band: BandC,
    row: u32,
    column: u32,
    lane: SubgroupLane,
) {
    store_fragment(band.c0, row, column, lane);
    store_fragment(band.c1, row, column + 16, lane);
    store_fragment(band.c2, row, column + 32, lane);
    store_fragment(band.c3, row, column + 48, lane);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    lane: SubgroupLane,
) {
    // Where the workgroup's tile of C begins, and the square of
    // its subgroup within it.
    let top = group.y * BM;
    let left = group.x * BN;
    let row = lane.subgroup / ACROSS * 64;
    let column = lane.subgroup % ACROSS * 64;

    var sum: SquareC;
    var next_a = fetch_a(top, 0, local);
    var next_b = fetch_b(0, left, local);
    for (var k = 0u; k < K; k += BK) {
        store_tile_a(next_a, local);
        store_tile_b(next_b, local);
        workgroupBarrier();
        if (k + BK < K) {
            // On their way while these are multiplied.
            next_a = fetch_a(top, k + BK, local);
            next_b = fetch_b(k + BK, left, local);
        }
        sum = add_square(0, row, column, sum);
        sum = add_square(16, row, column, sum);
        workgroupBarrier();
    }

    let c_row = top + row;
    let c_column = left + column;
    store_band(sum.b0, c_row, c_column, lane);
    store_band(sum.b1, c_row + 16, c_column, lane);
    store_band(sum.b2, c_row + 32, c_column, lane);
    store_band(sum.b3, c_row + 48, c_column, lane);
}
