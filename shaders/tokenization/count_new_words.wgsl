// The words that this text has for the first time, and their
// bytes: how many of each block of 256 bytes. A lane has one
// byte, and that of a new word's first byte keeps its slot.

override N: u32 = 4096;  // bytes
const END = 255u;        // what stands behind the text
const NOTHING = 0xffffffffu;
const TAKEN = 0x80000000u;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> wall: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<u32>;
@group(0) @binding(3)
var<storage, read_write> slot: array<u32>;
// The bytes of the new word that begins at each byte, or 0.
@group(0) @binding(4)
var<storage, read_write> size: array<u32>;
@group(0) @binding(5)
var<storage, read_write> new_words: array<u32>;
@group(0) @binding(6)
var<storage, read_write> new_bytes: array<u32>;

var<workgroup> words: atomic<u32>;
var<workgroup> bytes: atomic<u32>;

fn size_at(start: u32) -> u32 {
    var end = start + 1u;
    while (end < N && text[end] != END && wall[end] == 0u) {
        end++;
    }
    return end - start;
}

fn is_new(i: u32) -> bool {
    let at = slot[i];
    if (at == NOTHING) {
        return false;
    }
    // Later ones of the same word are not the first.
    return (table[3u * at] & TAKEN) != 0u
        && table[3u * at + 2u] == ~i;
}

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    if (i < N) {
        size[i] = 0u;
        if (is_new(i)) {
            size[i] = size_at(i);
            atomicAdd(&words, 1u);
            atomicAdd(&bytes, size[i]);
        } else {
            slot[i] = NOTHING;
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        new_words[group.x] = atomicLoad(&words);
        new_bytes[group.x] = atomicLoad(&bytes);
    }
}
