// What experts are chosen by, and what their weights are made
// of. `row` is where a token's logits start.
// #include "usable.wgsl"

fn sigmoid(logit: f32) -> f32 {
    return 1.0 / (1.0 + exp(-clamp(logit, -80.0, 80.0)));
}

fn choice_score(row: u32, e: u32) -> f32 {
    let logit = usable_logit(row, e);
    if (SCORE == 2u) {
        return sigmoid(logit) + bias[e];
    }
    return logit;
}

// `first` is the expert with the greatest logit.
fn raw_weight(row: u32, e: u32, first: u32) -> f32 {
    let logit = usable_logit(row, e);
    if (SCORE == 2u) {
        return sigmoid(logit);
    }
    return exp(logit - usable_logit(row, first));
}
