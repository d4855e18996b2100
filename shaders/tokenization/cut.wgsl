// Where words begin, by the rule of a real tokenizer. Such a
// rule reads from the left: what a word is depends on where the
// one before it ended. But at some places a word begins for
// sure. A lane has SEGMENT bytes: it goes from the first such
// place in them to the first one behind them, word by word.
// #include "rules.wgsl"

override N: u32 = 4096;  // bytes
const SEGMENT = 64u;
// A lane goes no further than this behind its bytes.
const REACH = 65536u;

@group(0) @binding(0) var<storage, read> text: array<u32>;
// The classes of each character, four in a u32.
@group(0) @binding(1) var<storage, read> classes: array<u32>;
// 1 for a byte at which a word begins.
@group(0) @binding(2)
var<storage, read_write> wall: array<u32>;
// [1]: 1 if something is too long for these kernels.
@group(0) @binding(3)
var<storage, read_write> waiting: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    var at = gid.x * SEGMENT;
    if (at >= N) {
        return;
    }
    let end = at + SEGMENT;
    last = min(N, end + REACH);
    while (at > 0u && at < end && !begins_surely(at)) {
        at++;
    }
    if (at == end) {
        return;
    }
    while (byte_at(at) != 255u
        && (at < end || !begins_surely(at))) {
        wall[at] = 1u;
        at = word_end(at);
    }
    // Of a character that `last` cuts, the class is not known.
    if (at + 3u >= last && last < N) {
        atomicStore(&waiting[1], 1u);
    }
}
