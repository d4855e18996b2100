// The most frequent pair becomes a token. One workgroup. First
// it finds the most frequent pair of each stale tile anew, with
// 64 lanes a tile; then that of all tiles.
// #include "ranking.wgsl"
// #include "add_token.wgsl"

override TILES: u32 = 256;
override M: u32 = 32;  // merges to learn
// Of pairs that occur equally often: 0: the one with the
// smallest ids; 1: the one that is seen first; 2: the one with
// the greatest bytes. By rule 1 only the count is known here:
// see first_place.
override RULE: u32 = 0;
override LANES: u32 = 256;
const TILE = 256u;  // slots of a tile
const TEAM = 64u;   // lanes that have a tile
const NOTHING = 0xffffffffu;

// Two slots in a vec4: each has its pair, plus 1, and its
// count. A free slot has 0 and 0, and never wins.
@group(0) @binding(0)
var<storage, read> pairs: array<vec4<u32>>;
// How many tiles are stale, a list of them, and a flag of each.
@group(0) @binding(1)
var<storage, read_write> stale: array<u32>;
// Of each tile the greatest count, and its pair.
@group(0) @binding(2)
var<storage, read_write> tile_best: array<vec2<u32>>;
// The greatest count of all; behind it, where the first of the
// pairs is that have it.
@group(0) @binding(3)
var<storage, read_write> best: array<u32>;
// How many merges there have been.
@group(0) @binding(4)
var<storage, read_write> turn: array<u32>;
@group(0) @binding(5)
var<storage, read_write> merges: array<u32>;
// How often each winner occurred.
@group(0) @binding(6) var<storage, read_write> won: array<u32>;
@group(0) @binding(7)
var<storage, read_write> sizes: array<u32>;
// The pair that is merged in this round, and its token.
@group(0) @binding(8)
var<storage, read_write> pair: array<u32>;

// A count and its pair, of each lane.
var<workgroup> winners: array<vec2<u32>, 1024>;
var<workgroup> many: u32;

// The winner of each team of lanes, for the first of them.
fn tree(lane: u32, own: vec2<u32>, team: u32) -> vec2<u32> {
    winners[lane] = own;
    for (var step = team / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if (lane % team < step) {
            winners[lane] =
                winner(winners[lane], winners[lane + step]);
        }
    }
    let first = winners[lane];
    workgroupBarrier();
    return first;
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        many = stale[0];
    }
    let listed = workgroupUniformLoad(&many);
    for (var done = 0u; done < listed; done += LANES / TEAM) {
        let k = done + lane / TEAM;
        var tile = 0u;
        var most = vec2(0u);
        if (k < listed) {
            tile = stale[1u + k];
            for (var i = lane % TEAM; i < TILE / 2u;
                i += TEAM) {
                let two = pairs[tile * (TILE / 2u) + i];
                most = winner(most, vec2(two.y, two.x - 1u));
                most = winner(most, vec2(two.w, two.z - 1u));
            }
        }
        most = tree(lane, most, TEAM);
        if (k < listed && lane % TEAM == 0u) {
            tile_best[tile] = most;
            stale[1u + TILES + tile] = 0u;
        }
    }
    // The winners of tiles are read by other lanes.
    storageBarrier();
    var most = vec2(0u);
    for (var tile = lane; tile < TILES; tile += LANES) {
        most = winner(most, tile_best[tile]);
    }
    most = tree(lane, most, LANES);
    if (lane > 0u) {
        return;
    }
    stale[0] = 0u;
    // No more merges than were asked for: 0 ends the rounds.
    best[0] = select(most.x, 0u, turn[0] == M);
    best[1] = NOTHING;
    pair[0] = NOTHING;
    pair[1] = NOTHING;
    if (best[0] > 0u && RULE != 1u) {
        add_token(most.y >> 16u, most.y & 0xffffu, most.x);
    }
}
