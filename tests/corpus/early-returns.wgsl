// runs
// out[0..] = 100 1 2 13 104 15 16 107

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn inner(i: u32) -> u32 {
    if i % 2u == 0u {
        return i;
    }
    for (var k = 0u; k < 10u; k++) {
        if k == i {
            return 10u + k;
        }
    }
    return 0u;
}

fn middle(i: u32) -> u32 {
    let a = inner(i);
    if i == 0u || i == 4u || i == 7u {
        return i + 100u;
    } else if i < 3u {
        return i;
    }
    loop {
        if i == 6u {
            return 10u + a;
        }
        break;
    }
    return a;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = 99u;
    let r = middle(i);
    if i > 99u {
        return;
    }
    out[i] = r;
    if i < 4u { return; } else { return; }
}
