// The batch of a step: its rows are tokens that follow each
// other in the text, and the next step goes on where this one
// ends. After the text's end it begins again. A row's target is
// the token after its own.
// A lane has one row.

override ROWS: u32 = 16;      // tokens of all sequences
override STREAM: u32 = 4096;  // tokens of the text
override VOCAB: u32 = 256;

@group(0) @binding(0) var<storage, read> updates: array<u32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read_write> ids: array<u32>;
@group(0) @binding(3)
var<storage, read_write> targets: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x;
    if (row >= ROWS) {
        return;
    }
    let place = updates[0] * ROWS + row;
    // A token that the vocabulary does not have would read a
    // layer's weights. A check of the program reports it.
    ids[row] = min(tokens[place % STREAM], VOCAB - 1);
    targets[row] = min(tokens[(place + 1) % STREAM], VOCAB - 1);
}
