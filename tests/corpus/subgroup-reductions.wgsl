// refused: subgroup operations at line 8

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> real: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAdd(i) + subgroupMul(i | 1u) + subgroupMin(i) + subgroupMax(i);
    out[i] += subgroupAnd(i) + subgroupOr(i) + subgroupXor(i);
    real[i] = subgroupAdd(vec2(f32(i))) + subgroupMax(vec2(1.0));
}
