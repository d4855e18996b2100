// runs
// out[0..] = 11087 11087 11087 11087 11087 11087 11087 11087
// real[0..] = 28 28 0 7

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> real: array<vec2<f32>, 2>;

// Eight invocations are one warp at every width.
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAdd(i) + subgroupMul(i | 1u) + subgroupMin(i + 2u) + subgroupMax(i + 2u);
    out[i] += subgroupAnd(i | 8u) + subgroupOr(i) + subgroupXor(i + 3u);
    let sums = subgroupAdd(vec2(f32(i)));
    let ends = vec2(subgroupMin(f32(i)), subgroupMax(f32(i)));
    if i == 0u { real[0] = sums; real[1] = ends; }
}
