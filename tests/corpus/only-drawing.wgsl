// no compute entry point

@vertex
fn corners() -> @builtin(position) vec4<f32> {
    return vec4(0.0);
}

@fragment
fn colour() -> @location(0) vec4<f32> {
    return vec4(0.0);
}
