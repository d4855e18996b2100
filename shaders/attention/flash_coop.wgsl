// Attention on tensor cores without CUDA: subgroups multiply
// fragments of 16 x 16 numbers. q, k, v and o are f16, sums f32.
// A workgroup has BM queries, a subgroup 16 of them, and keys
// and values pass by in tiles of BN. Which lane holds which
// number of a fragment is the driver's business: so scores and
// weights go through workgroup memory, where two lanes have a
// query. There, o would have to be scaled whenever m grows. m
// stays until a score is above it by more than LAG: weights are
// 2^LAG at most, which f16 holds, and the quotient is the same.
// A subgroup must have 32 lanes.

enable f16;
enable wgpu_cooperative_matrix;

override HEADS: u32 = 2;     // query heads
override KV_HEADS: u32 = 1;  // heads of keys and values
override SEQ: u32 = 64;      // positions: rows of a head
override CAUSAL: u32 = 0;    // 1: no key after the query
const D = 128u;              // numbers in a query: 64 or 128

const BM = 64u;
const BN = 64u;
const LANES = 128u;
// Vectors from a row of a tile to the next: two are to spare, so
// that the rows of a fragment lie in different banks.
const ROW = D / 4 + 2;
const WEIGHTS_ROW = BN / 4 + 2;
const SCORES_ROW = BN / 4 + 2;
const LAG = 8.0;
// A score that takes no part. A row with no other gives zeros.
const MASKED = -1.0e38;
const LOG2_E = 1.4426950408889634;

@group(0) @binding(0) var<storage, read> q: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f16>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f16>>;
@group(0) @binding(4) var<storage, read_write> lse: array<f32>;

// Queries at first, then keys and values in turn.
var<workgroup> tile: array<vec4<f16>, BN * ROW>;
var<workgroup> scores: array<vec4<f32>, BM * SCORES_ROW>;
var<workgroup> weights: array<vec4<f16>, BM * WEIGHTS_ROW>;
// Whether a maximum of a subgroup grew by more than LAG.
var<workgroup> grew: array<u32, LANES / 32>;

alias FragmentA = coop_mat16x16<f16, A>;
alias FragmentB = coop_mat16x16<f16, B>;
alias FragmentC = coop_mat16x16<f32, C>;
// 16 queries.
struct Queries {
    c0: FragmentA, c1: FragmentA, c2: FragmentA, c3: FragmentA,
    c4: FragmentA, c5: FragmentA, c6: FragmentA, c7: FragmentA,
}
// 16 rows, 64 columns.
struct Band {
    c0: FragmentC, c1: FragmentC, c2: FragmentC, c3: FragmentC,
}
// 16 rows of o.
struct Outputs { low: Band, high: Band }

// A query's 32 scores of a lane.
struct Scores {
    v0: vec4<f32>, v1: vec4<f32>, v2: vec4<f32>, v3: vec4<f32>,
    v4: vec4<f32>, v5: vec4<f32>, v6: vec4<f32>, v7: vec4<f32>,
}

// A lane of a subgroup: it has half of the scores of a query.
struct SubgroupLane {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) id: u32,
}

// The vectors of a tile that a lane loads: `local`, then each
// LANES further. Loads that are written out are in flight
// together; those of a loop were not.
struct Vectors {
    v0: vec4<f16>, v1: vec4<f16>, v2: vec4<f16>, v3: vec4<f16>,
    v4: vec4<f16>, v5: vec4<f16>, v6: vec4<f16>, v7: vec4<f16>,
    v8: vec4<f16>, v9: vec4<f16>, v10: vec4<f16>, v11: vec4<f16>,
    v12: vec4<f16>, v13: vec4<f16>, v14: vec4<f16>, v15: vec4<f16>,
}

// Four numbers of a tile whose rows are those of a head from row
// `first` on, by their vector's number in it; zeros for rows that
// do not exist.
fn query_vector(head_row: u32, first: u32, vector: u32) -> vec4<f16> {
    if (first + vector / (D / 4) < SEQ) {
        return q[(head_row + first) * (D / 4) + vector];
    }
    return vec4<f16>();
}

fn key_vector(head_row: u32, first: u32, vector: u32) -> vec4<f16> {
    if (first + vector / (D / 4) < SEQ) {
        return k[(head_row + first) * (D / 4) + vector];
    }
    return vec4<f16>();
}

fn value_vector(head_row: u32, first: u32, vector: u32) -> vec4<f16> {
    if (first + vector / (D / 4) < SEQ) {
        return v[(head_row + first) * (D / 4) + vector];
    }
    return vec4<f16>();
}

fn fetch_keys(head_row: u32, first: u32, local: u32) -> Vectors {
    var result: Vectors;
    result.v0 = key_vector(head_row, first, local);
    result.v1 = key_vector(head_row, first, local + LANES);
    result.v2 = key_vector(head_row, first, local + 2 * LANES);
    result.v3 = key_vector(head_row, first, local + 3 * LANES);
    result.v4 = key_vector(head_row, first, local + 4 * LANES);
    result.v5 = key_vector(head_row, first, local + 5 * LANES);
    result.v6 = key_vector(head_row, first, local + 6 * LANES);
    result.v7 = key_vector(head_row, first, local + 7 * LANES);
    if (D > 64) {
        result.v8 = key_vector(head_row, first, local + 8 * LANES);
        result.v9 = key_vector(head_row, first, local + 9 * LANES);
        result.v10 = key_vector(head_row, first, local + 10 * LANES);
        result.v11 = key_vector(head_row, first, local + 11 * LANES);
        result.v12 = key_vector(head_row, first, local + 12 * LANES);
        result.v13 = key_vector(head_row, first, local + 13 * LANES);
        result.v14 = key_vector(head_row, first, local + 14 * LANES);
        result.v15 = key_vector(head_row, first, local + 15 * LANES);
    }
    return result;
}

fn fetch_values(head_row: u32, first: u32, local: u32) -> Vectors {
    var result: Vectors;
    result.v0 = value_vector(head_row, first, local);
    result.v1 = value_vector(head_row, first, local + LANES);
    result.v2 = value_vector(head_row, first, local + 2 * LANES);
    result.v3 = value_vector(head_row, first, local + 3 * LANES);
    result.v4 = value_vector(head_row, first, local + 4 * LANES);
    result.v5 = value_vector(head_row, first, local + 5 * LANES);
    result.v6 = value_vector(head_row, first, local + 6 * LANES);
    result.v7 = value_vector(head_row, first, local + 7 * LANES);
    if (D > 64) {
        result.v8 = value_vector(head_row, first, local + 8 * LANES);
        result.v9 = value_vector(head_row, first, local + 9 * LANES);
        result.v10 = value_vector(head_row, first, local + 10 * LANES);
        result.v11 = value_vector(head_row, first, local + 11 * LANES);
        result.v12 = value_vector(head_row, first, local + 12 * LANES);
        result.v13 = value_vector(head_row, first, local + 13 * LANES);
        result.v14 = value_vector(head_row, first, local + 14 * LANES);
        result.v15 = value_vector(head_row, first, local + 15 * LANES);
    }
    return result;
}

// Where a vector of a tile lies.
fn index(vector: u32) -> u32 {
    return vector / (D / 4) * ROW + vector % (D / 4);
}

fn store_tile(vectors: Vectors, local: u32) {
    tile[index(local)] = vectors.v0;
    tile[index(local + LANES)] = vectors.v1;
    tile[index(local + 2 * LANES)] = vectors.v2;
    tile[index(local + 3 * LANES)] = vectors.v3;
    tile[index(local + 4 * LANES)] = vectors.v4;
    tile[index(local + 5 * LANES)] = vectors.v5;
    tile[index(local + 6 * LANES)] = vectors.v6;
    tile[index(local + 7 * LANES)] = vectors.v7;
    if (D > 64) {
        tile[index(local + 8 * LANES)] = vectors.v8;
        tile[index(local + 9 * LANES)] = vectors.v9;
        tile[index(local + 10 * LANES)] = vectors.v10;
        tile[index(local + 11 * LANES)] = vectors.v11;
        tile[index(local + 12 * LANES)] = vectors.v12;
        tile[index(local + 13 * LANES)] = vectors.v13;
        tile[index(local + 14 * LANES)] = vectors.v14;
        tile[index(local + 15 * LANES)] = vectors.v15;
    }
}

fn query_fragment(row: u32, column: u32) -> FragmentA {
    return coopLoadT<FragmentA>(&tile[row * ROW + column / 4], ROW);
}

// A key is a column of the second factor.
fn key_fragment(key: u32, column: u32) -> FragmentB {
    return coopLoad<FragmentB>(&tile[key * ROW + column / 4], ROW);
}

fn value_fragment(key: u32, column: u32) -> FragmentB {
    return coopLoadT<FragmentB>(&tile[key * ROW + column / 4], ROW);
}

// Adds 16 columns of the queries times those of 64 keys.
fn add_scores(columns: FragmentA, column: u32, sum: Band) -> Band {
    return Band(
        coopMultiplyAdd(columns, key_fragment(0, column), sum.c0),
        coopMultiplyAdd(columns, key_fragment(16, column), sum.c1),
        coopMultiplyAdd(columns, key_fragment(32, column), sum.c2),
        coopMultiplyAdd(columns, key_fragment(48, column), sum.c3));
}

fn scores_of(queries: Queries) -> Band {
    var sum: Band;
    sum = add_scores(queries.c0, 0, sum);
    sum = add_scores(queries.c1, 16, sum);
    sum = add_scores(queries.c2, 32, sum);
    sum = add_scores(queries.c3, 48, sum);
    if (D > 64) {
        sum = add_scores(queries.c4, 64, sum);
        sum = add_scores(queries.c5, 80, sum);
        sum = add_scores(queries.c6, 96, sum);
        sum = add_scores(queries.c7, 112, sum);
    }
    return sum;
}

// Stores 64 columns of a subgroup's rows where its scores are,
// and loads them from there.
fn store_band(band: Band, first: u32) {
    coopStoreT(band.c0, &scores[first], SCORES_ROW);
    coopStoreT(band.c1, &scores[first + 4], SCORES_ROW);
    coopStoreT(band.c2, &scores[first + 8], SCORES_ROW);
    coopStoreT(band.c3, &scores[first + 12], SCORES_ROW);
}

fn load_band(first: u32) -> Band {
    return Band(
        coopLoadT<FragmentC>(&scores[first], SCORES_ROW),
        coopLoadT<FragmentC>(&scores[first + 4], SCORES_ROW),
        coopLoadT<FragmentC>(&scores[first + 8], SCORES_ROW),
        coopLoadT<FragmentC>(&scores[first + 12], SCORES_ROW));
}

// A band with each row scaled by its lanes' factor. Of a row one
// lane has every second vector, so that 8 lanes that are served
// together have different banks.
fn scaled(band: Band, first: u32, mine: u32, factor: f32) -> Band {
    store_band(band, first);
    workgroupBarrier();
    for (var i = 0u; i < 16; i += 2) {
        scores[mine + i] *= factor;
    }
    workgroupBarrier();
    let result = load_band(first);
    workgroupBarrier();
    return result;
}

// Adds 16 weights of each query times 16 values.
fn add_band(rows: FragmentA, key: u32, column: u32, sum: Band) -> Band {
    return Band(
        coopMultiplyAdd(rows, value_fragment(key, column), sum.c0),
        coopMultiplyAdd(rows, value_fragment(key, column + 16), sum.c1),
        coopMultiplyAdd(rows, value_fragment(key, column + 32), sum.c2),
        coopMultiplyAdd(rows, value_fragment(key, column + 48), sum.c3));
}

// Stores 64 columns of o, divided by d.
fn store_output(band: Band, first: u32, mine: u32, scale: f32, to: u32, exists: bool) {
    store_band(band, first);
    workgroupBarrier();
    if (exists) {
        for (var i = 0u; i < 16; i += 2) {
            o[to + i] = vec4<f16>(scores[mine + i] * scale);
        }
    }
    workgroupBarrier();
}

// Four scores from column `column` on, those that count.
fn counted(four: vec4<f32>, column: u32, query: u32) -> vec4<f32> {
    let columns = vec4<u32>(column, column + 1, column + 2, column + 3);
    var hidden = columns >= vec4(SEQ);
    if (CAUSAL == 1) {
        hidden = hidden | (columns > vec4(query));
    }
    return select(four * (LOG2_E / sqrt(f32(D))), vec4(MASKED), hidden);
}

fn highest(four: vec4<f32>) -> f32 {
    return max(max(four.x, four.y), max(four.z, four.w));
}

// Four weights: of a row that sees no key, m is no score either.
fn weighed(four: vec4<f32>, m: f32) -> vec4<f32> {
    return select(vec4<f32>(), exp2(four - m), four > vec4(MASKED));
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    lane: SubgroupLane,
) {
    let head = group.y;  // through the batch
    let head_row = head / (HEADS / KV_HEADS) * SEQ;
    // The queries that see the most keys first.
    let first_query = (groups.x - 1 - group.x) * BM;
    let row = lane.subgroup * 16;
    let odd = lane.id % 2;
    let query = first_query + row + lane.id / 2;
    let first = row * SCORES_ROW;
    let mine = first + lane.id / 2 * SCORES_ROW + odd;
    let my_weights = (row + lane.id / 2) * WEIGHTS_ROW + odd;

    for (var i = local; i < BM * D / 4; i += LANES) {
        tile[index(i)] = query_vector(head * SEQ, first_query, i);
    }
    workgroupBarrier();
    var queries: Queries;
    queries.c0 = query_fragment(row, 0);
    queries.c1 = query_fragment(row, 16);
    queries.c2 = query_fragment(row, 32);
    queries.c3 = query_fragment(row, 48);
    if (D > 64) {
        queries.c4 = query_fragment(row, 64);
        queries.c5 = query_fragment(row, 80);
        queries.c6 = query_fragment(row, 96);
        queries.c7 = query_fragment(row, 112);
    }

    var m = MASKED;
    var d = 0.0;
    var out: Outputs;
    let end = select(SEQ, min(SEQ, first_query + BM), CAUSAL == 1);
    var next_keys = fetch_keys(head_row, 0, local);
    for (var key = 0u; key < end; key += BN) {
        workgroupBarrier();  // nobody reads the tile any more
        store_tile(next_keys, local);
        workgroupBarrier();
        // On their way while scores are computed.
        let next_values = fetch_values(head_row, key, local);
        store_band(scores_of(queries), first);
        workgroupBarrier();  // the scores are there, the keys done
        store_tile(next_values, local);
        let first_column = key + 4 * odd;
        var mine_of: Scores;
        mine_of.v0 = counted(scores[mine], first_column, query);
        mine_of.v1 = counted(scores[mine + 2], first_column + 8, query);
        mine_of.v2 = counted(scores[mine + 4], first_column + 16, query);
        mine_of.v3 = counted(scores[mine + 6], first_column + 24, query);
        mine_of.v4 = counted(scores[mine + 8], first_column + 32, query);
        mine_of.v5 = counted(scores[mine + 10], first_column + 40, query);
        mine_of.v6 = counted(scores[mine + 12], first_column + 48, query);
        mine_of.v7 = counted(scores[mine + 14], first_column + 56, query);
        let high = max(
            max(max(highest(mine_of.v0), highest(mine_of.v1)), max(highest(mine_of.v2), highest(mine_of.v3))),
            max(max(highest(mine_of.v4), highest(mine_of.v5)), max(highest(mine_of.v6), highest(mine_of.v7))));
        let new_m = max(m, max(high, subgroupShuffleXor(high, 1u)));
        let grows = subgroupAny(new_m > m + LAG);
        if (lane.id == 0) {
            grew[lane.subgroup] = u32(grows);
        }
        workgroupBarrier();  // the values are there, the scores read
        if (grew[0] + grew[1] + grew[2] + grew[3] > 0) {
            // Both sums were taken with the old maximum.
            let factor = exp2(m - new_m);
            d *= factor;
            out.low = scaled(out.low, first, mine, factor);
            if (D > 64) {
                out.high = scaled(out.high, first, mine, factor);
            }
            m = new_m;
        }
        var powers: vec4<f32>;
        var sums = vec4<f32>();
        powers = weighed(mine_of.v0, m);
        sums += powers;
        weights[my_weights] = vec4<f16>(powers);
        powers = weighed(mine_of.v1, m);
        sums += powers;
        weights[my_weights + 2] = vec4<f16>(powers);
        powers = weighed(mine_of.v2, m);
        sums += powers;
        weights[my_weights + 4] = vec4<f16>(powers);
        powers = weighed(mine_of.v3, m);
        sums += powers;
        weights[my_weights + 6] = vec4<f16>(powers);
        powers = weighed(mine_of.v4, m);
        sums += powers;
        weights[my_weights + 8] = vec4<f16>(powers);
        powers = weighed(mine_of.v5, m);
        sums += powers;
        weights[my_weights + 10] = vec4<f16>(powers);
        powers = weighed(mine_of.v6, m);
        sums += powers;
        weights[my_weights + 12] = vec4<f16>(powers);
        powers = weighed(mine_of.v7, m);
        sums += powers;
        weights[my_weights + 14] = vec4<f16>(powers);
        d += sums.x + sums.y + sums.z + sums.w;
        workgroupBarrier();  // the weights are there
        if (key + BN < end) {
            // On their way while weights and values are multiplied.
            next_keys = fetch_keys(head_row, key + BN, local);
        }
        let rows0 = coopLoadT<FragmentA>(&weights[row * WEIGHTS_ROW + 0], WEIGHTS_ROW);
        out.low = add_band(rows0, 0, 0, out.low);
        if (D > 64) {
            out.high = add_band(rows0, 0, 64, out.high);
        }
        let rows16 = coopLoadT<FragmentA>(&weights[row * WEIGHTS_ROW + 4], WEIGHTS_ROW);
        out.low = add_band(rows16, 16, 0, out.low);
        if (D > 64) {
            out.high = add_band(rows16, 16, 64, out.high);
        }
        let rows32 = coopLoadT<FragmentA>(&weights[row * WEIGHTS_ROW + 8], WEIGHTS_ROW);
        out.low = add_band(rows32, 32, 0, out.low);
        if (D > 64) {
            out.high = add_band(rows32, 32, 64, out.high);
        }
        let rows48 = coopLoadT<FragmentA>(&weights[row * WEIGHTS_ROW + 12], WEIGHTS_ROW);
        out.low = add_band(rows48, 48, 0, out.low);
        if (D > 64) {
            out.high = add_band(rows48, 48, 64, out.high);
        }
    }

    d += subgroupShuffleXor(d, 1u);
    let share = select(0.0, 1.0 / d, m > MASKED);
    let exists = query < SEQ;
    let to = (head * SEQ + query) * (D / 4) + odd;
    workgroupBarrier();
    store_output(out.low, first, mine, share, to, exists);
    if (D > 64) {
        store_output(out.high, first, mine, share, to + 16, exists);
    }
    if (exists && odd == 0) {
        lse[head * SEQ + query] = select(MASKED, (m + log2(d)) / LOG2_E, m > MASKED);
    }
}
