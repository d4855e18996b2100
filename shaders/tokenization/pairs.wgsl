// A hash table of pairs of tokens: of each place the pair,
// plus 1, and how often it occurs. Places belong to tiles, and
// of each tile the most frequent pair is kept. If another one
// may be that now, the tile is stale, and is listed.
// #include "pair_hash.wgsl"

const NOTHING = 0xffffffffu;
const TILE = 256u;  // places of a tile
// So many places are tried.
const TRIES = 1024u;

// The place of a pair, which takes a free one if it has none;
// NOTHING if there is no room.
fn place_of(pair: u32) -> u32 {
    var place = hash_of(pair);
    for (var tries = 0u; tries < TRIES; tries++) {
        place &= PLACES - 1u;
        var held = atomicLoad(&pairs[2u * place]);
        if (held == 0u) {
            let tried = atomicCompareExchangeWeak(
                &pairs[2u * place], 0u, pair + 1u);
            held = tried.old_value;
            if (tried.exchanged) {
                held = pair + 1u;
            }
        }
        if (held == pair + 1u) {
            return place;
        }
        // The exchange may fail for no reason: once more then.
        if (held != 0u) {
            place++;
        }
    }
    atomicStore(&trouble[0], 3u);
    return NOTHING;
}

// Lists the tile of a place, unless it is listed already.
fn make_stale(place: u32) {
    let tile = place / TILE;
    let flag = 1u + PLACES / TILE + tile;
    if (atomicExchange(&stale[flag], 1u) == 0u) {
        let listed = atomicAdd(&stale[0], 1u);
        atomicStore(&stale[1u + listed], tile);
    }
}

// The pair occurs so many times more.
fn add_pair(pair: u32, times: u32) {
    let place = place_of(pair);
    if (place == NOTHING) {
        return;
    }
    let before = atomicAdd(&pairs[2u * place + 1u], times);
    if (before + times >= tile_best[place / TILE].x) {
        make_stale(place);
    }
}

// A word has 64 bits as hints. That of each pair in it is set,
// so a word without a pair's bit does not have the pair. This
// is the number of a pair's bit.
fn hint_of(pair: u32) -> u32 {
    return hash_of(pair) >> 26u;
}

fn hints_of_word(first: u32, end: u32) -> vec2<u32> {
    var bits = vec2(0u);
    for (var i = first; i + 1u < end; i++) {
        let bit = hint_of(pair_of(tokens[i], tokens[i + 1u]));
        bits[bit / 32u] |= 1u << (bit % 32u);
    }
    return bits;
}
