// The special tokens of a chat: <|im_start|> and <|im_end|>
// are one token each, wherever they are in the text. No word
// crosses their ends. A single lane.

override N: u32 = 64;  // bytes
const NOTHING = 0xffffffffu;
const START_BYTES = 12u;
const END_BYTES = 10u;
const START_ID = 100264u;
const END_ID = 100265u;

@group(0) @binding(0) var<storage, read> text: array<u32>;
// Their names, one after the other.
@group(0) @binding(1) var<storage, read> names: array<u32>;
@group(0) @binding(2) var<storage, read_write> wall: array<u32>;
@group(0) @binding(3) var<storage, read_write> ids: array<u32>;

// Whether the text has this name at i.
fn has_name(i: u32, name: u32, size: u32) -> bool {
    if (i + size > N) {
        return false;
    }
    for (var k = 0u; k < size; k++) {
        if (text[i + k] != names[name + k]) {
            return false;
        }
    }
    return true;
}

fn make_token(i: u32, size: u32, id: u32) {
    for (var k = 0u; k < size; k++) {
        wall[i + k] = 0u;
        ids[i + k] = NOTHING;
    }
    wall[i] = 1u;
    ids[i] = id;
    if (i + size < N) {
        wall[i + size] = 1u;
    }
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < N; i++) {
        if (has_name(i, 0u, START_BYTES)) {
            make_token(i, START_BYTES, START_ID);
        } else if (has_name(i, START_BYTES, END_BYTES)) {
            make_token(i, END_BYTES, END_ID);
        }
    }
}
