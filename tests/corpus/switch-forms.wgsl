// runs
// out[0..] = 10 21 21 99 30 99 30 99

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
const four = 4;

fn choose(i: i32) -> u32 {
    switch i {
        case 0: { return 10u; }
        case 1, 2 { return 21u; }
        default: { }
        case four, 6, { return 30u; }
        case -1: { return 40u; }
    }
    return 99u;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = choose(i32(i));
}
