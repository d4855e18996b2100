// runs
// finds race at line 13
// out[0..] = 0 1 2 11 12 13 14 21 22 23 24 31 32 33 34 1000 1000 2000 2000
// out[31..] = 7

struct Row { cells: array<u32, 4> }
struct Table { id: vec3<u32>, rows: array<Row, 3>, more: array<array<u32, 2>, 8>, last: u32 }
@group(0) @binding(0) var<storage, read_write> out: Table;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 3u {
        out.id[i] = i;
    }
    workgroupBarrier();
    storageBarrier();
    for (var r = 0u; r < 3u; r++) {
        out.rows[r].cells[i] = r * 10u + i + 11u;
    }
    for (var k = 0u; k < 2u; k++) {
        out.more[i * 2u][k] = 1000u;
        out.more[i * 2u + 1u][k] = 2000u;
    }
    if i == 0u {
        out.last = 7u;
    }
}
