// runs
// out[0..] = 0 1 2 3 4 5 6 7

@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

fn take() -> u32 {
    let p = &next;
    return atomicAdd(p, 1u);
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[take()] = i;
}
