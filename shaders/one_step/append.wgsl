// The token that was picked goes to the end of the text, and into
// the window: its tokens move one place to the left, and the
// first one is gone. A sample is a line of the text: the prompt,
// WRITTEN tokens, and an end of the line. `cut` says where the
// prompt and each token begin.
// One lane does it.

override TOKENS: u32 = 8;    // tokens of the window
override WRITTEN: u32 = 32;  // tokens of a sample

@group(0) @binding(0) var<storage, read> picked: array<u32>;
@group(0) @binding(1)
var<storage, read_write> picks: array<u32>;
@group(0) @binding(2)
var<storage, read_write> window: array<u32>;
@group(0) @binding(3)
var<storage, read_write> text: array<u32>;
@group(0) @binding(4)
var<storage, read_write> cut: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let line = picks[0] / WRITTEN;
    let column = picks[0] % WRITTEN;
    let start = line * (TOKENS + WRITTEN + 1);
    let cell = line * (WRITTEN + 2);
    if (column == 0) {
        for (var t = 0u; t < TOKENS; t++) {
            text[start + t] = window[t];
        }
        cut[cell] = start;
        cut[cell + 1] = start + TOKENS;
    }
    for (var t = 1u; t < TOKENS; t++) {
        window[t - 1] = window[t];
    }
    window[TOKENS - 1] = picked[0];
    let end = start + TOKENS + column + 1;
    text[end - 1] = picked[0];
    cut[cell + column + 2] = end;
    if (column == WRITTEN - 1) {
        text[end] = 10;  // the end of a line
        cut[cell + WRITTEN + 2] = end + 1;
    }
    picks[0] += 1;
}
