// runs
// out[0..] = 7 6 5 4 3 2 1 0

var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> between: array<u32>;

fn wait() {
    workgroupBarrier();
    storageBarrier();
    textureBarrier();
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i;
    wait();
    between[i] = tile[7u - i];
    wait();
    for (var k = 0u; k < 3u; k++) {
        workgroupBarrier();
    }
    out[i] = between[i];
}
