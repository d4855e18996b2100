// runs
// out[0..] = 5 4 10 3 7 0

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var a = 0u;
    loop {
        a += 1u;
        continuing {
            break if a >= 5u;
        }
    }
    out[0] = a;
    var b = 0u;
    loop {
        if b == 4u { break; }
        b++;
    }
    out[1] = b;
    var c = 0u;
    var n = 0u;
    loop {
        if n >= 5u { break; }
        if n % 2u == 1u { continue; }
        c += n;
        continuing {
            let one = 1u;
            n += one;
            c += 0u;
        }
    }
    out[2] = c + 4u;
    var d = 0u;
    while d < 3u {
        d++;
    }
    out[3] = d;
    var e = 0u;
    loop {
        loop {
            e += 7u;
            break;
        }
        break;
    }
    out[4] = e;
    loop { break; }
    while false {}
}
