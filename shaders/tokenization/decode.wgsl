// The way back: each token becomes its bytes. A lane has one
// byte's place; if a token stands there, it writes all bytes
// of the token.
// #include "bytes_of.wgsl"

override N: u32 = 4096;  // bytes
const NOTHING = 0xffffffffu;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> merges: array<u32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;
@group(0) @binding(3)
var<storage, read_write> decoded: array<u32>;
// How many bytes come from the token at this place.
@group(0) @binding(4)
var<storage, read_write> covered: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    covered[i] = 0u;
    if (ids[i] == NOTHING) {
        return;
    }
    let size = sizes[ids[i]];
    for (var j = 0u; j < size; j++) {
        decoded[i + j] = byte_of(ids[i], j);
    }
    covered[i] = size;
}
