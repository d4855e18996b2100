// An einsum as a loop nest with strides. A lane has one element
// of the result: p, q and r are its letters, r the fastest, and
// s is the letter that is summed over.
// An operand is addressed by a stride for each letter: by how
// many elements it goes on when the letter goes on by one. The
// stride is 0 for a letter that the operand does not have.

// How far each letter runs; 1 for a letter that is not there.
override P: u32 = 1;
override Q: u32 = 16;
override R: u32 = 16;
override S: u32 = 16;
// Strides of the first operand, and of the second.
override A_P: u32 = 0;
override A_Q: u32 = 16;
override A_R: u32 = 0;
override A_S: u32 = 1;
override B_P: u32 = 0;
override B_Q: u32 = 0;
override B_R: u32 = 1;
override B_S: u32 = 16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let element = id.x;
    if (element >= P * Q * R) {
        return;
    }
    let r = element % R;
    let q = element / R % Q;
    let p = element / R / Q;
    var sum = 0.0;
    for (var s = 0u; s < S; s++) {
        let of_a = a[p * A_P + q * A_Q + r * A_R + s * A_S];
        let of_b = b[p * B_P + q * B_Q + r * B_R + s * B_S];
        sum += of_a * of_b;
    }
    c[element] = sum;
}
