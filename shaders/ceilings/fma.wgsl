// Chains of fused multiply-adds: four independent ones a lane, each of vec4, so that the arithmetic units and not their latency
// set the pace. A lane does 4 * 4 * 8 = 128 of them in each turn of the loop; one counts as two floating-point operations.
override turns: u32 = 256u;

@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // Values that no compiler can know, and that neither overflow nor become denormal: x -> 0.999 x + 0.001 goes to 1.
    let a = vec4<f32>(0.999 - 1e-6 * f32(id.x & 15u));
    let b = vec4<f32>(0.001);
    // No two chains start alike: equal ones would be computed once.
    var w = vec4<f32>(0.0, 0.25, 0.5, 0.75) + f32(id.x & 7u) * 4.0;
    var x = w + 1.0;
    var y = w + 2.0;
    var z = w + 3.0;
    for (var turn = 0u; turn < turns; turn++) {
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
        w = fma(w, a, b); x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b);
    }
    // Every chain reaches memory, so that none can be left out.
    let sum = w + x + y + z;
    out[id.x] = sum.x + sum.y + sum.z + sum.w;
}
