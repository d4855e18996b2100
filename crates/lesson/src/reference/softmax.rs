//! Softmax and functions derived from it, in f64: its Jacobian, the product with it, cross-entropy, z-loss.
//!
//! Throughout, `a` are logits and `t` is the temperature, above zero: y_i = exp(a_i / t) / Σ_k exp(a_k / t).

/// log Σ_k exp(a_k / t). The greatest logit is subtracted first, so that no exponential overflows.
#[must_use]
pub fn log_sum_exp(a: &[f64], t: f64) -> f64 {
    let most = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most / t + a.iter().map(|a| ((a - most) / t).exp()).sum::<f64>().ln()
}

/// y_i = exp((a_i − max a) / t) / Σ_k exp((a_k − max a) / t).
#[must_use]
pub fn softmax(a: &[f64], t: f64) -> Vec<f64> {
    let most = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = a.iter().map(|a| ((a - most) / t).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|p| p / sum).collect()
}

/// The intermediate results of a softmax in f32.
#[derive(Clone, Debug, PartialEq)]
pub struct InF32 {
    /// exp(z_i − c).
    pub powers: Vec<f32>,
    /// Their sum, in order.
    pub sum: f32,
    /// Each power divided by the sum.
    pub quotients: Vec<f32>,
}

/// exp(z_i − c) / Σ_k exp(z_k − c) in f32: with c = max z no exponential is above 1.
#[must_use]
pub fn in_f32(z: &[f32], c: f32) -> InF32 {
    let powers: Vec<f32> = z.iter().map(|z| (z - c).exp()).collect();
    let sum: f32 = powers.iter().sum();
    InF32 { quotients: powers.iter().map(|power| power / sum).collect(), powers, sum }
}

/// J_ij = ∂y_i/∂a_j = y_i (δ_ij − y_j) / t, row by row.
#[must_use]
pub fn jacobian(y: &[f64], t: f64) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| y[i] * (f64::from(u8::from(i == j)) - y[j]) / t;
    (0..y.len()).map(|i| (0..y.len()).map(|j| entry(i, j)).collect()).collect()
}

/// The Jacobian by central differences: each column is (softmax(a + h e_j) − softmax(a − h e_j)) / 2h.
///
/// h is t · 10⁻⁵: the formula's own error is then of order h²/t³, and rounding adds about 10⁻¹¹/t.
#[must_use]
pub fn finite_differences(a: &[f64], t: f64) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; a.len()]; a.len()];
    for j in 0..a.len() {
        let (mut above, mut below) = (a.to_vec(), a.to_vec());
        above[j] += t * 1e-5;
        below[j] -= t * 1e-5;
        // Large logits round off a part of h: the actual step is this difference.
        let step = above[j] - below[j];
        for (i, (up, down)) in softmax(&above, t).iter().zip(softmax(&below, t)).enumerate() {
            matrix[i][j] = (up - down) / step;
        }
    }
    matrix
}

/// J·v from the whole matrix: Σ_j J_ij v_j. 2n² − n operations.
#[must_use]
pub fn explicit_product(matrix: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(v).map(|(j, v)| j * v).sum()).collect()
}

/// J·v without the matrix: y_i (v_i − y·v) / t. 4n − 1 operations at t = 1. J is symmetric, so this is also vᵀ·J.
#[must_use]
pub fn product(y: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    let dot = dot(y, v);
    y.iter().zip(v).map(|(y, v)| y * (v - dot) / t).collect()
}

/// Σ_i a_i b_i.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// −Σ_i target_i log y_i, as Σ_i target_i (lse − a_i / t): the logarithm of a zero y is never taken.
#[must_use]
pub fn cross_entropy(a: &[f64], target: &[f64], t: f64) -> f64 {
    let lse = log_sum_exp(a, t);
    target.iter().zip(a).filter(|(p, _)| **p != 0.0).map(|(p, a)| p * (lse - a / t)).sum()
}

/// ∂(cross-entropy)/∂a_i = (y_i Σ_k target_k − target_i) / t: for a distribution (y − target) / t.
#[must_use]
pub fn cross_entropy_gradient(a: &[f64], target: &[f64], t: f64) -> Vec<f64> {
    let whole: f64 = target.iter().sum();
    softmax(a, t).iter().zip(target).map(|(y, p)| (y * whole - p) / t).collect()
}

/// weight · lse², which keeps the logits from drifting. With the cross-entropy of a distribution its gradient is
/// ((1 + 2 · weight · lse) y − target) / t.
#[must_use]
pub fn z_loss(a: &[f64], weight: f64, t: f64) -> f64 {
    weight * log_sum_exp(a, t).powi(2)
}

/// ∂(z-loss)/∂a_i = 2 · weight · lse · y_i / t, since ∂lse/∂a_i = y_i / t.
#[must_use]
pub fn z_loss_gradient(a: &[f64], weight: f64, t: f64) -> Vec<f64> {
    let factor = 2.0 * weight * log_sum_exp(a, t) / t;
    softmax(a, t).into_iter().map(|y| factor * y).collect()
}

/// The greatest singular value of a symmetric positive semi-definite matrix, by power iteration from its longest
/// column. Never above the true one, except for rounding.
#[must_use]
pub fn spectral_norm(matrix: &[Vec<f64>]) -> f64 {
    let length = |v: &[f64]| dot(v, v).sqrt();
    let longest = matrix.iter().max_by(|a, b| length(a).total_cmp(&length(b)));
    let Some(mut v) = longest.cloned() else { return 0.0 };
    let mut norm = 0.0;
    for _ in 0..500 {
        let long = length(&v);
        if long == 0.0 {
            return 0.0;
        }
        v.iter_mut().for_each(|x| *x /= long);
        v = explicit_product(matrix, &v);
        let now = length(&v);
        if (now - norm).abs() <= 1e-15 * now {
            return now;
        }
        norm = now;
    }
    norm
}

/// The largest difference between two matrices' entries.
#[must_use]
pub fn largest_difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let entries = a.iter().flatten().zip(b.iter().flatten());
    entries.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::unit_f32;

    /// `n` random numbers within ±`scale`.
    fn random(seed: u64, n: usize, scale: f64) -> Vec<f64> {
        (0..n as u64).map(|i| scale * f64::from(unit_f32(seed, i))).collect()
    }

    fn distribution(seed: u64, n: usize) -> Vec<f64> {
        softmax(&random(seed, n, 2.0), 1.0)
    }

    /// Logits of many sizes and ranges, each with a temperature.
    fn cases() -> impl Iterator<Item = (u64, Vec<f64>, f64)> {
        (0..120).map(|seed| {
            let n = 1 + seed as usize % 9;
            let scale = [0.0, 1.0, 5.0, 50.0, 1e4][seed as usize % 5];
            let t = [1.0, 0.1, 0.7, 3.0, 10.0, 1.0, 0.25][seed as usize % 7];
            (seed, random(seed, n, scale), t)
        })
    }

    /// The gradient of `f` by central differences with the step `h`.
    fn gradient(f: impl Fn(&[f64]) -> f64, a: &[f64], h: f64) -> Vec<f64> {
        let at = |j: usize, h: f64| {
            let mut a = a.to_vec();
            a[j] += h;
            (a[j], f(&a))
        };
        (0..a.len())
            .map(|j| {
                let ((above, up), (below, down)) = (at(j, h), at(j, -h));
                (up - down) / (above - below)
            })
            .collect()
    }

    fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
    }

    #[test]
    fn softmax_is_a_distribution_that_a_common_shift_leaves_alone() {
        for (seed, a, t) in cases() {
            let y = softmax(&a, t);
            assert!(y.iter().all(|y| (0.0..=1.0).contains(y)), "{seed}: {y:?}");
            assert!((y.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{seed}");
            let shifted: Vec<f64> = a.iter().map(|a| a + 1e4).collect();
            assert!(near(&softmax(&shifted, t), &y, 1e-9), "{seed}");
            // y = exp(a/t − lse): the two functions agree.
            let lse = log_sum_exp(&a, t);
            let same: Vec<f64> = a.iter().map(|a| (a / t - lse).exp()).collect();
            assert!(near(&same, &y, 1e-9), "{seed}");
        }
        assert_eq!(softmax(&[1e4, -1e4], 1.0), [1.0, 0.0]);
        assert_eq!(log_sum_exp(&[-1e4, -1e4], 1.0), -1e4 + 2_f64.ln());
    }

    #[test]
    fn the_jacobian_equals_its_differences_and_has_its_properties() {
        for (seed, a, t) in cases() {
            let y = softmax(&a, t);
            let j = jacobian(&y, t);
            let off = largest_difference(&j, &finite_differences(&a, t));
            assert!(off <= 1e-8 / t, "{seed}: {off:e}");
            for (i, row) in j.iter().enumerate() {
                assert!(row.iter().sum::<f64>().abs() <= 1e-15 / t, "{seed}");
                for (k, entry) in row.iter().enumerate() {
                    assert!(entry.abs() <= 0.25 / t, "{seed}: {entry}");
                    assert!((entry - j[k][i]).abs() <= 1e-16 / t, "{seed}");
                }
            }
        }
        // The bounds are reached.
        let half = jacobian(&softmax(&[3.0, 3.0, -1e4], 0.5), 0.5);
        assert_eq!((half[0][0], half[0][1], spectral_norm(&half)), (0.5, -0.5, 1.0));
    }

    #[test]
    fn both_products_agree() {
        for (seed, a, t) in cases() {
            let (y, v) = (softmax(&a, t), random(seed + 1000, a.len(), 2.0));
            let explicit = explicit_product(&jacobian(&y, t), &v);
            assert!(near(&explicit, &product(&y, &v, t), 1e-14 / t), "{seed}");
        }
    }

    #[test]
    fn the_spectral_norm_is_no_longer_than_half_and_no_shorter_than_any_stretch() {
        for (seed, a, t) in cases() {
            let j = jacobian(&softmax(&a, t), t);
            let norm = spectral_norm(&j);
            assert!(norm <= 0.5 / t + 1e-15, "{seed}: {norm}");
            for trial in 0..20 {
                let v = random(seed * 100 + trial, a.len(), 1.0);
                let w = explicit_product(&j, &v);
                assert!(dot(&w, &w).sqrt() <= norm * dot(&v, &v).sqrt() * (1.0 + 1e-6) + 1e-18, "{seed}");
            }
        }
        // Of two entries: (y_0 y_1) · [[1, −1], [−1, 1]], whose norm is 2 y_0 y_1.
        let y = softmax(&[0.3, -1.1], 1.0);
        assert!((spectral_norm(&jacobian(&y, 1.0)) - 2.0 * y[0] * y[1]).abs() < 1e-15);
        assert_eq!(spectral_norm(&[]), 0.0);
    }

    #[test]
    fn gradients_equal_their_differences() {
        for (seed, a, t) in cases().filter(|(_, a, _)| a.iter().all(|a| a.abs() <= 50.0)) {
            let target = distribution(seed + 77, a.len());
            let numeric = gradient(|a| cross_entropy(a, &target, t), &a, 1e-4 * t);
            assert!(near(&cross_entropy_gradient(&a, &target, t), &numeric, 2e-6 / t), "{seed}");
            let weight = 0.02;
            let numeric = gradient(|a| z_loss(a, weight, t), &a, 1e-4 * t);
            let scale = 1.0 + log_sum_exp(&a, t).powi(2);
            assert!(near(&z_loss_gradient(&a, weight, t), &numeric, 2e-8 * scale / t), "{seed}");
        }
    }

    #[test]
    fn both_losses_together_have_the_closed_gradient() {
        for (seed, a, t) in cases() {
            let (target, weight) = (distribution(seed, a.len()), 0.01);
            let (y, lse) = (softmax(&a, t), log_sum_exp(&a, t));
            let closed: Vec<f64> =
                y.iter().zip(&target).map(|(y, p)| ((1.0 + 2.0 * weight * lse) * y - p) / t).collect();
            let (entropy, z) = (cross_entropy_gradient(&a, &target, t), z_loss_gradient(&a, weight, t));
            let sum: Vec<f64> = entropy.iter().zip(&z).map(|(e, z)| e + z).collect();
            assert!(near(&sum, &closed, 1e-12 * (1.0 + lse.abs()) / t), "{seed}");
        }
    }

    #[test]
    fn a_loss_at_large_logits_is_finite() {
        let (a, target) = ([1e4, -1e4, 0.0], [0.0, 1.0, 0.0]);
        assert_eq!(cross_entropy(&a, &target, 1.0), 2e4);
        assert_eq!(cross_entropy(&a, &[1.0, 0.0, 0.0], 1.0), 0.0);
        assert_eq!(cross_entropy_gradient(&a, &target, 2.0), [0.5, -0.5, 0.0]);
        assert_eq!(z_loss_gradient(&a, 0.5, 1.0), [1e4, 0.0, 0.0]);
    }
}
