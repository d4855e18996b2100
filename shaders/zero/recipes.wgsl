// How many bytes of each tensor a parameter takes, by the
// formats in which a model is trained.
// A lane has one recipe.

// A tensor: its recipe, its place in the row, and the bytes
// before and after it.
@group(0) @binding(0)
var<storage, read_write> tensors: array<vec4<f32>>;
@group(0) @binding(1)
var<storage, read_write> state: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) recipe: u32) {
    // Parameter, gradient, master copy, m and v.
    var bytes = array<u32, 5>(2, 2, 4, 4, 4);
    if (recipe == 0) {
        // f32 throughout: the parameter is its own master copy.
        bytes = array<u32, 5>(4, 4, 0, 4, 4);
    } else if (recipe == 3) {
        bytes[1] = 4;  // gradients are added up in f32
    } else if (recipe == 4) {
        bytes = array<u32, 5>(2, 2, 0, 2, 2);
    }
    var sum = 0u;
    for (var part = 0u; part < 5; part++) {
        let end = sum + bytes[part];
        tensors[5 * recipe + part] = vec4(
            f32(recipe), f32(part), f32(sum), f32(end));
        sum = end;
    }
    state[recipe] = sum;
}
