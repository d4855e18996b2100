// Most words are tokens: they are looked up as a whole. A lane
// has one byte; that of a word's first byte looks for the word.
// If it is no token, it waits to be merged.

override N: u32 = 4096;      // bytes
override PLACES: u32 = 256;  // of the table, a power of two
override LOOK: u32 = 1;      // 0: all words wait
const END = 255u;            // what stands behind the text
const NOTHING = 0xffffffffu;
// A longer word is left to the processor.
const LONGEST = 1024u;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> wall: array<u32>;
// The table: each place has a token's hash and id, where its
// bytes begin in `spelling`, and how many they are, 0 if none.
@group(0) @binding(2) var<storage, read> whole: array<u32>;
// The bytes of all tokens, four in a u32.
@group(0) @binding(3) var<storage, read> spelling: array<u32>;
// The token that begins at each byte, or NOTHING.
@group(0) @binding(4) var<storage, read_write> ids: array<u32>;
// The first bytes of the words that wait.
@group(0) @binding(5)
var<storage, read_write> words: array<u32>;
// [0]: how many wait; [1]: 1 if a word is too long.
@group(0) @binding(6)
var<storage, read_write> waiting: array<atomic<u32>>;

fn is_spelled(first: u32, start: u32, length: u32) -> bool {
    for (var k = 0u; k < length; k++) {
        let four = spelling[(first + k) / 4u];
        let byte = (four >> (8u * ((first + k) % 4u))) & 255u;
        if (byte != text[start + k]) {
            return false;
        }
    }
    return true;
}

// The token of such a word; NOTHING if there is none.
fn find(hash: u32, start: u32, length: u32) -> u32 {
    var place = hash ^ (hash >> 15u);
    var id = NOTHING;
    while (id == NOTHING) {
        place &= PLACES - 1u;
        let of_token = whole[4u * place + 3u];
        if (of_token == 0u) {
            break;
        }
        if (of_token == length && whole[4u * place] == hash
            && is_spelled(whole[4u * place + 2u], start,
                length)) {
            id = whole[4u * place + 1u];
        }
        place++;
    }
    return id;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let start = gid.x;
    if (start >= N) {
        return;
    }
    if (wall[start] == 0u) {
        return;
    }
    // FNV-1a, a hash of bytes.
    var hash = 2166136261u;
    var end = start;
    loop {
        hash = (hash ^ text[end]) * 16777619u;
        end++;
        if (end >= N || end - start > LONGEST) {
            break;
        }
        if (wall[end] != 0u || text[end] == END) {
            break;
        }
    }
    if (end - start > LONGEST) {
        atomicStore(&waiting[1], 1u);
        return;
    }
    if (LOOK == 1u) {
        let id = find(hash, start, end - start);
        if (id != NOTHING) {
            ids[start] = id;
            return;
        }
    }
    words[atomicAdd(&waiting[0], 1u)] = start;
}
