// runs
// out[0..] = 100 1 2 104 4 5 108 7 8 112 10 11

struct Item { id: u32, at: vec2<u32> }
@group(0) @binding(0) var<storage, read_write> out: array<array<u32, 3>>;
@group(0) @binding(1) var<storage, read> data: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let row = &out[i];
    for (var k = 0u; k < 3u; k++) {
        let cell = &(*row)[k];
        *cell = data[i * 3u + k];
    }
    (*row)[0] += 100u;
    row[0] += i;
}
