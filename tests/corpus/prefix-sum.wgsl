// runs
// out[0..] = 0 1 3 6 10 15 21 28 36 45

var<workgroup> a: array<array<u32, 32>, 2>;
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var now = 0u;
    a[0][i] = data[i];
    workgroupBarrier();
    for (var step = 1u; step < 32u; step <<= 1u) {
        var x = a[now][i];
        if i >= step {
            x += a[now][i - step];
        }
        a[1u - now][i] = x;
        now = 1u - now;
        workgroupBarrier();
    }
    out[i] = a[now][i];
}
