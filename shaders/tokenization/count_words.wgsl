// How often each word occurs. A lane has one byte; that of a
// word's first byte looks the word up in a hash table. A new
// word takes a free slot: whichever lane comes first takes it,
// and the others that have the same word find it there.

override N: u32 = 4096;      // bytes
override SLOTS: u32 = 4096;  // of the table, a power of two
const END = 255u;            // what stands behind the text
const NOTHING = 0xffffffffu;
// A slot that was taken for the word at a byte of this text.
const TAKEN = 0x80000000u;
// So many slots are tried.
const TRIES = 4096u;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> wall: array<u32>;
// Words with a number: first token, tokens, times.
@group(0) @binding(2) var<storage, read> word: array<u32>;
@group(0) @binding(3) var<storage, read> tokens: array<u32>;
// A slot: 0 if it is free, the word's number and 1, or TAKEN
// and a byte; how often the word occurs; ~ the first byte.
@group(0) @binding(4)
var<storage, read_write> table: array<atomic<u32>>;
// The slot of the word that begins at each byte, or NOTHING.
@group(0) @binding(5)
var<storage, read_write> slot: array<u32>;
// 1 if the table is too small.
@group(0) @binding(6)
var<storage, read_write> trouble: array<atomic<u32>>;

fn ends(i: u32) -> bool {
    if (i >= N) {
        return true;
    }
    return wall[i] != 0u || text[i] == END;
}

// Whether a slot has the word of such a size at byte `start`.
fn has_word(held: u32, start: u32, size: u32) -> bool {
    if ((held & TAKEN) != 0u) {
        let other = held & ~TAKEN;
        for (var k = 0u; k < size; k++) {
            if (k > 0u && ends(other + k)) {
                return false;
            }
            if (text[other + k] != text[start + k]) {
                return false;
            }
        }
        return ends(other + size);
    }
    let numbered = held - 1u;
    if (word[3u * numbered + 1u] != size) {
        return false;
    }
    let first = word[3u * numbered];
    for (var k = 0u; k < size; k++) {
        if (tokens[first + k] != text[start + k]) {
            return false;
        }
    }
    return true;
}

// The slot of a word; NOTHING if there is no room.
fn slot_of(hash: u32, start: u32, size: u32) -> u32 {
    var at = hash ^ (hash >> 15u);
    for (var tries = 0u; tries < TRIES; tries++) {
        at &= SLOTS - 1u;
        var held = atomicLoad(&table[3u * at]);
        if (held == 0u) {
            let mine = TAKEN | start;
            let tried = atomicCompareExchangeWeak(
                &table[3u * at], 0u, mine);
            held = tried.old_value;
            if (tried.exchanged) {
                held = mine;
            }
        }
        // The exchange may fail for no reason: once more then.
        if (held != 0u) {
            if (has_word(held, start, size)) {
                return at;
            }
            at++;
        }
    }
    atomicStore(&trouble[0], 1u);
    return NOTHING;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let start = gid.x;
    if (start >= N) {
        return;
    }
    slot[start] = NOTHING;
    if (wall[start] == 0u) {
        return;
    }
    // FNV-1a, a hash of bytes.
    var hash = 2166136261u;
    var end = start;
    loop {
        hash = (hash ^ text[end]) * 16777619u;
        end++;
        if (ends(end)) {
            break;
        }
    }
    let at = slot_of(hash, start, end - start);
    slot[start] = at;
    if (at != NOTHING) {
        atomicAdd(&table[3u * at + 1u], 1u);
        // The earliest byte has the greatest ~, and 0 is none.
        atomicMax(&table[3u * at + 2u], ~start);
    }
}
