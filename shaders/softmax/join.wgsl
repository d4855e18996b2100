// The maximum and the sum of any part of a row, and how two
// parts become one.

// x: the maximum of some logits; y: the sum of
// e^(logit - maximum) over them. One access moves both.
alias MaxSum = vec2<f32>;

// Each sum is scaled to the larger of the two maxima.
fn join(a: MaxSum, b: MaxSum) -> MaxSum {
    let larger = max(a.x, b.x);
    let sum = a.y * exp(a.x - larger) + b.y * exp(b.x - larger);
    return MaxSum(larger, sum);
}
