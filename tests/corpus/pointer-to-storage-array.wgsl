// rejected: passed into functions at line 7

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

fn length_of(p: ptr<storage, array<u32>, read>) -> u32 {
    return arrayLength(p);
}

fn inner(p: ptr<storage, array<u32>, read_write>) -> u32 {
    return arrayLength(p);
}

fn outer(p: ptr<storage, array<u32>, read_write>) -> u32 {
    return inner(p);
}

@compute @workgroup_size(1)
fn main() {
    let pa = &a;
    out[0] = arrayLength(pa);
    out[1] = arrayLength(&b) / 2u;
    out[2] = arrayLength(&b) / 4u;
    out[3] = length_of(pa);
    out[4] = outer(&out);
}
