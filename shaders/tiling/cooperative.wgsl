// Over the tiled product: a subgroup multiplies 16 x 16 fragments of the tiles on tensor cores. Factors are f16, sums f32.

enable f16;
enable wgpu_cooperative_matrix;

@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

override M: u32 = 512;
override N: u32 = 512;
override K: u32 = 512;

// A workgroup makes BM x BN elements of C from tiles BK deep; each of its subgroups, of 32 lanes, makes WM x WN of them.
const BM: u32 = 128;
const BN: u32 = 128;
const BK: u32 = 32;
const WM: u32 = 64;
const WN: u32 = 32;

const LANES = 32 * (BM / WM) * (BN / WN);
// Fragments of a subgroup, down and across.
const DOWN = WM / 16;
const ACROSS = WN / 16;
// From one row of a tile to the next, in groups of four elements: two more than it has, so that eight rows lie in different banks.
const A_ROW = BK / 4 + 2;
const B_ROW = BN / 4 + 2;
// Groups of four that a lane brings of each tile.
const A_GROUPS = BM * BK / 4 / LANES;
const B_GROUPS = BK * BN / 4 / LANES;

var<workgroup> a_tile: array<vec4<f16>, BM * A_ROW>;
var<workgroup> b_tile: array<vec4<f16>, BK * B_ROW>;
var<workgroup> fragments: array<f32, LANES / 32 * 256>;

// Four elements of A from here on; zeros beyond its edges.
fn four_of_a(row: u32, column: u32) -> vec4<f16> {
    var four = vec4<f16>();
    if K % 4 == 0 {
        if row < M && column < K {
            four = a[(row * K + column) / 4];
        }
    } else {
        for (var i = 0u; i < 4; i++) {
            if row < M && column + i < K {
                let at = row * K + column + i;
                four[i] = a[at / 4][at % 4];
            }
        }
    }
    return four;
}

// The same of B.
fn four_of_b(row: u32, column: u32) -> vec4<f16> {
    var four = vec4<f16>();
    if N % 4 == 0 {
        if row < K && column < N {
            four = b[(row * N + column) / 4];
        }
    } else {
        for (var i = 0u; i < 4; i++) {
            if row < K && column + i < N {
                let at = row * N + column + i;
                four[i] = b[at / 4][at % 4];
            }
        }
    }
    return four;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let top = group.y * BM;
    let left = group.x * BN;
    // Where the subgroup's part begins within the workgroup's.
    let down = subgroup / (BN / WN) * WM;
    let across = subgroup % (BN / WN) * WN;

    // What comes next waits in registers while the tiles are multiplied.
    var next_a: array<vec4<f16>, A_GROUPS>;
    var next_b: array<vec4<f16>, B_GROUPS>;
    for (var i = 0u; i < A_GROUPS; i++) {
        let at = i * LANES + lane;
        next_a[i] = four_of_a(top + at / (BK / 4), at % (BK / 4) * 4);
    }
    for (var i = 0u; i < B_GROUPS; i++) {
        let at = i * LANES + lane;
        next_b[i] = four_of_b(at / (BN / 4), left + at % (BN / 4) * 4);
    }

    var sums: array<coop_mat16x16<f32, C>, DOWN * ACROSS>;
    for (var k = 0u; k < K; k += BK) {
        for (var i = 0u; i < A_GROUPS; i++) {
            let at = i * LANES + lane;
            a_tile[at / (BK / 4) * A_ROW + at % (BK / 4)] = next_a[i];
        }
        for (var i = 0u; i < B_GROUPS; i++) {
            let at = i * LANES + lane;
            b_tile[at / (BN / 4) * B_ROW + at % (BN / 4)] = next_b[i];
        }
        workgroupBarrier();

        for (var i = 0u; i < A_GROUPS; i++) {
            let at = i * LANES + lane;
            next_a[i] = four_of_a(top + at / (BK / 4), k + BK + at % (BK / 4) * 4);
        }
        for (var i = 0u; i < B_GROUPS; i++) {
            let at = i * LANES + lane;
            next_b[i] = four_of_b(k + BK + at / (BN / 4), left + at % (BN / 4) * 4);
        }

        for (var step = 0u; step < BK; step += 16) {
            var rows: array<coop_mat16x16<f16, A>, DOWN>;
            for (var i = 0u; i < DOWN; i++) {
                rows[i] = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[(down + i * 16) * A_ROW + step / 4], A_ROW);
            }
            for (var j = 0u; j < ACROSS; j++) {
                let columns = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[step * B_ROW + (across + j * 16) / 4], B_ROW);
                for (var i = 0u; i < DOWN; i++) {
                    sums[i * ACROSS + j] = coopMultiplyAdd(rows[i], columns, sums[i * ACROSS + j]);
                }
            }
        }
        workgroupBarrier();
    }

    // Each fragment goes through workgroup memory, since a lane cannot tell which elements of it are its own.
    for (var i = 0u; i < DOWN * ACROSS; i++) {
        coopStoreT(sums[i], &fragments[subgroup * 256], 16);
        workgroupBarrier();
        for (var at = lane % 32; at < 256; at += 32) {
            let row = top + down + i / ACROSS * 16 + at / 16;
            let column = left + across + i % ACROSS * 16 + at % 16;
            if row < M && column < N {
                c[row * N + column] = fragments[subgroup * 256 + at];
            }
        }
        workgroupBarrier();
    }
}
