// What the ranks send to each other: the tokens are spread over
// RANKS GPUs, and so are the experts, in order. A lane has one
// choice, and adds a row's bytes to what its token's rank sends
// to its expert's. What stays on its rank is not sent.

override N: u32 = 2048;  // choices: tokens times K
override K: u32 = 2;     // experts that a token goes to
override T: u32 = 1024;  // tokens
override E: u32 = 8;     // experts
override RANKS: u32 = 8;
override ROW_BYTES: u32 = 128;

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1)
var<storage, read_write> sent: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    let origin = i / K * RANKS / T;
    let to = chosen[i] * RANKS / E;
    if (origin != to) {
        atomicAdd(&sent[origin * RANKS + to], ROW_BYTES);
    }
}
