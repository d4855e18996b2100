// The largest component of a vector, and the sum of its
// components.

fn max_component(v: vec4<f32>) -> f32 {
    return max(max(v.x, v.y), max(v.z, v.w));
}

fn sum_components(v: vec4<f32>) -> f32 {
    return dot(v, vec4<f32>(1.0));
}
