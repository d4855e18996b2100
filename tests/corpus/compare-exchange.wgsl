// runs
// out[0..] = 0 1 5 0 5 7
// add: out[5..] = 8

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> lock: atomic<u32>;
var<workgroup> taken: atomic<u32>;

@compute @workgroup_size(1)
fn one() {
    atomicStore(&lock, 0u);
    let a = atomicCompareExchangeWeak(&lock, 0u, 5u);
    out[0] = a.old_value;
    out[1] = u32(a.exchanged);
    let b = atomicCompareExchangeWeak(&lock, 0u, 6u);
    out[2] = b.old_value;
    out[3] = u32(b.exchanged);
    out[4] = atomicLoad(&lock);
    out[5] = 7u;
}

@compute @workgroup_size(8)
fn add(@builtin(local_invocation_index) i: u32) {
    atomicStore(&taken, 0u);
    workgroupBarrier();
    // Each lane adds one by trying until nobody came between.
    loop {
        let old = atomicLoad(&taken);
        if atomicCompareExchangeWeak(&taken, old, old + 1u).exchanged {
            break;
        }
    }
    workgroupBarrier();
    if i == 0u { out[5] = atomicLoad(&taken); }
}
