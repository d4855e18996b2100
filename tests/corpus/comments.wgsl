// runs
// out[0..] = 2

/* one /* within */ another /* and /* deeper */ */ */
@group(0) @binding(0) /* here */ var<storage, /**/ read_write> out: array<u32>; // there
@compute /* // not a line comment */ @workgroup_size(1)
fn main(/* nothing */) {
    out[0] = 1u /* + 5u */ + 1u; // + 7u
    // */ a stray end
}
/* the last line has no end of line */
