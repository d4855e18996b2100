// The parameters of a model, in billions: those that every
// token uses, those of the experts that a token chooses, and
// those of the other experts. A lane has one of the three.

override D: f32 = 4096.0;   // numbers in a token's row
override F: f32 = 14336.0;  // numbers in an expert's hidden row
override E: f32 = 8.0;      // experts of a layer to choose from
override K: f32 = 2.0;      // experts that a token chooses
override S: f32 = 0.0;      // shared experts of a layer
override L: f32 = 32.0;     // layers that have experts
override REST: f32 = 1.6;   // outside of experts, in billions

@group(0) @binding(0)
var<storage, read_write> size: array<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) part: u32) {
    // An expert has three matrices of D x F.
    let expert = 3.0 * D * F / 1.0e9;
    var experts = S;
    if (part == 1u) {
        experts = K;
    }
    if (part == 2u) {
        experts = E - K;
    }
    let others = select(0.0, REST, part == 0u);
    size[part] = others + L * experts * expert;
}
