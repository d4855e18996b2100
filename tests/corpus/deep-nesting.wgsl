// runs
// out[0..] = 24

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var n = 0u;
    if n < 1u { n++; if n < 2u { n++; if n < 3u { n++; if n < 4u { n++;
    loop { n++; loop { n++; loop { n++; loop { n++;
    for (;;) { n++; for (;;) { n++; for (;;) { n++; for (;;) { n++;
    switch n { default: { n++; switch n { default: { n++; switch n { default: { n++; switch n { default: { n++;
    while true { n++; while true { n++; while true { n++; while true { n++;
    { n++; { n++; { n++; { n++;
    }}}}
    break; } break; } break; } break; }
    }} }} }} }}
    break; } break; } break; } break; }
    break; } break; } break; } break; }
    }}}}
    out[0] = n;
}
