// rejected: passed into functions at line 7

struct Item { id: u32, at: vec2<u32> }
@group(0) @binding(0) var<storage, read_write> out: array<array<u32, 3>>;
@group(0) @binding(1) var<storage, read> data: array<u32>;

fn bump(p: ptr<storage, array<u32, 3>, read_write>, first: u32) {
    for (var k = 0u; k < 3u; k++) {
        (*p)[k] = data[first + k];
    }
    p[0] += 100u + first / 3u;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    bump(&out[i], i * 3u);
}
