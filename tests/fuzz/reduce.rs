//! Making a failing text small: lines first, then tokens, as long as it still fails in the same way.

use std::time::{Duration, Instant};

use super::mutate::tokens;

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A part of `text` for which `fails` still holds.
pub fn reduce(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let started = Instant::now();
    let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let lines = smaller(lines, &fails, started).concat();
    smaller(tokens(&lines), &fails, started).concat()
}

/// Takes out ever shorter runs of parts.
fn smaller(mut parts: Vec<String>, fails: &impl Fn(&str) -> bool, started: Instant) -> Vec<String> {
    let mut run = parts.len().next_power_of_two();
    while run > 0 {
        let mut at = 0;
        while at < parts.len() {
            if started.elapsed() > PATIENCE {
                return parts;
            }
            let without = [&parts[..at], &parts[(at + run).min(parts.len())..]].concat();
            if fails(&without.concat()) {
                parts = without;
            } else {
                at += run;
            }
        }
        run /= 2;
    }
    parts
}
