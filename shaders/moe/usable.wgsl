// Logits that comparisons and exponentials can use. `row` is
// where a token's logits start.

// Larger than any sensible logit. Differences stay finite.
const LARGEST = 1.0e18;

// A logit that comparisons can use: a NaN counts as the least,
// and an infinity as the largest number here.
fn usable_logit(row: u32, e: u32) -> f32 {
    let logit = logits[row + e];
    let is_nan = (bitcast<u32>(logit) & 0x7fffffffu)
        > 0x7f800000u;
    return select(clamp(logit, -LARGEST, LARGEST), -LARGEST,
                  is_nan);
}
