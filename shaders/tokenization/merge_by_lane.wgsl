// The words that are no tokens, a lane a word.
// #include "by_rank.wgsl"
// #include "merges.wgsl"

override N: u32 = 4096;  // bytes
const END = 255u;        // what stands behind the text
const NOTHING = 0xffffffffu;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> wall: array<u32>;
@group(0) @binding(2) var<storage, read> merges: array<u32>;
// The token of each single byte.
@group(0) @binding(3) var<storage, read> of_byte: array<u32>;
// The first bytes of the words; waiting[0] is their number.
@group(0) @binding(4) var<storage, read> words: array<u32>;
@group(0) @binding(5) var<storage, read> waiting: array<u32>;
@group(0) @binding(6) var<storage, read_write> ids: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= waiting[0]) {
        return;
    }
    let start = words[gid.x];
    var end = start;
    loop {
        ids[end] = of_byte[text[end]];
        end++;
        if (end >= N) {
            break;
        }
        if (wall[end] != 0u || text[end] == END) {
            break;
        }
    }
    merge_word(start, end);
}
