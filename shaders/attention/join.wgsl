// The maximum of some scores and the sum of their exponentials,
// and how two such pairs become one.

// A score that takes no part.
const MASKED = -1.0e38;

// x: the greatest score m; y: the sum of e^(score - m).
// Each sum is scaled to the greater of the two maxima.
fn join(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let m = max(a.x, b.x);
    return vec2(m, a.y * exp(a.x - m) + b.y * exp(b.x - m));
}
