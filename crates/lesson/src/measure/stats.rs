//! Order statistics of samples: nothing here assumes that times are normally distributed.

/// The `q`-quantile of `sorted` (ascending), `q` in [0, 1]; linear between samples: definition 7 of
/// Hyndman & Fan, "Sample quantiles in statistical packages", 1996. NaN where there are no samples.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index into a slice, clamped to it"
)]
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}

/// The samples in ascending order.
#[must_use]
pub fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The 95% confidence interval of the median of `sorted` (ascending): `[x(k), x(n+1-k)]` with the largest `k` for which
/// `2 * P(Binomial(n, 1/2) < k) <= 0.05`. It holds for any distribution (David & Nagaraja, "Order Statistics",
/// 3rd ed., section 7.1). Fewer than six samples have no such interval: then it is the whole range, and
/// [`interval_holds`] is false.
#[must_use]
pub fn median_interval(sorted: &[f64]) -> [f64; 2] {
    let n = sorted.len();
    if n == 0 {
        return [f64::NAN; 2];
    }
    let k = interval_rank(n).max(1);
    [sorted[k - 1], sorted[n - k]]
}

/// Whether `n` samples are enough for a 95% interval of the median.
#[must_use]
pub fn interval_holds(n: usize) -> bool {
    interval_rank(n) > 0
}

/// The `k` of [`median_interval`]; 0 where even the whole range covers the median less often than 95%.
fn interval_rank(n: usize) -> usize {
    let mut tail = 0.0;
    for (k, p) in half_binomial(n).enumerate() {
        tail += p;
        if 2.0 * tail > 0.05 {
            return k;
        }
    }
    0
}

/// `P(Binomial(n, 1/2) = i)` for i = 0, 1, …, n; in logarithms, since 2^-n underflows for large n.
#[expect(clippy::cast_precision_loss, reason = "sample counts are far below 2^52")]
fn half_binomial(n: usize) -> impl Iterator<Item = f64> {
    let mut log_p = -(n as f64) * std::f64::consts::LN_2;
    (0..=n).map(move |i| {
        let p = log_p.exp();
        log_p += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
        p
    })
}

/// How much later samples differ from earlier ones, as a fraction of the earlier half's median: positive when later
/// ones are slower. None if the samples do not show a trend: Cox & Stuart's sign test ("Some quick sign tests for trend
/// in location and dispersion", 1955) pairs each sample of the first half with its counterpart in the second, and asks
/// for p < 0.01. Fewer than 16 samples never show one.
#[must_use]
pub fn drift(samples: &[f64]) -> Option<f64> {
    let half = samples.len() / 2;
    if half < 8 {
        return None;
    }
    let (early, late) = (&samples[..half], &samples[samples.len() - half..]);
    let slower = early.iter().zip(late).filter(|(a, b)| b > a).count();
    let faster = early.iter().zip(late).filter(|(a, b)| b < a).count();
    let untied = slower + faster;
    let tail: f64 = half_binomial(untied).take(slower.min(faster) + 1).sum();
    if untied == 0 || 2.0 * tail >= 0.01 {
        return None;
    }
    let before = quantile(&sorted(early), 0.5);
    let after = quantile(&sorted(late), 0.5);
    (before > 0.0).then(|| after / before - 1.0)
}

/// Samples of a cluster, at least; and at least a tenth of all.
const CLUSTER: usize = 5;

/// Samples that lie in two groups with nothing between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clusters {
    /// The median of each, the lower one first.
    pub medians: [f64; 2],
    pub samples: [usize; 2],
}

/// The two clusters that `sorted` (ascending) falls into at its widest gap. None unless the gap is twice as wide as
/// either cluster from p10 to p90 and more than a twentieth of the median, and each cluster has at least five samples
/// and a tenth of all.
#[must_use]
pub fn clusters(sorted: &[f64]) -> Option<Clusters> {
    let n = sorted.len();
    let least = CLUSTER.max(n.div_ceil(10));
    let spread = |part: &[f64]| quantile(part, 0.9) - quantile(part, 0.1);
    let apart = |split: &usize| {
        let (low, high) = sorted.split_at(*split);
        let gap = sorted[*split] - sorted[split - 1];
        gap > 2.0 * spread(low).max(spread(high)) && gap > quantile(sorted, 0.5) / 20.0
    };
    let gap = |split: &usize| sorted[*split] - sorted[split - 1];
    let splits = (least..(n + 1).saturating_sub(least)).filter(apart);
    let split = splits.max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let (low, high) = sorted.split_at(split);
    Some(Clusters { medians: [quantile(low, 0.5), quantile(high, 0.5)], samples: [low.len(), high.len()] })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::rng;

    #[test]
    fn quantiles_of_a_known_list() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&x, 0.5), 2.5);
        assert_eq!(quantile(&x, 0.0), 1.0);
        assert_eq!(quantile(&x, 1.0), 4.0);
        assert!((quantile(&x, 0.1) - 1.3).abs() < 1e-12);
        assert_eq!(quantile(&[7.0], 0.9), 7.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn clusters_are_far_apart_and_of_some_size() {
        let of = |low: usize, high: usize, at: f64| {
            let around = |middle: f64, n: usize| (0..n).map(move |i| middle + 0.01 * (i % 7) as f64);
            clusters(&sorted(&around(1.0, low).chain(around(at, high)).collect::<Vec<_>>()))
        };
        let found = of(33, 17, 1.5).map(|c| c.samples);
        assert_eq!(found, Some([33, 17]));
        assert_eq!(of(6, 5, 1.5).map(|c| c.samples), Some([6, 5]));
        // Outliers, a gap as wide as the clusters, a gap that is no part of the median, one group, too few samples.
        assert_eq!(of(46, 4, 1.5), None);
        assert_eq!(of(90, 9, 1.5), None);
        assert_eq!(of(25, 25, 1.13), None);
        assert_eq!(clusters(&[[100.0; 20], [101.0; 20]].concat()), None);
        assert_eq!(of(50, 0, 1.0), None);
        assert_eq!(clusters(&[1.0, 2.0]), None);
        assert_eq!(clusters(&[]), None);
    }

    /// The ranks of published tables of this interval, for instance n = 10 gives [x(2), x(9)].
    #[test]
    fn ranks_as_tabulated() {
        let ranks = [(5, 0), (6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8), (50, 18), (100, 40)];
        for (n, k) in ranks {
            assert_eq!(interval_rank(n), k, "n = {n}");
        }
        assert!(interval_rank(5000) > 2400);
    }

    #[test]
    fn the_interval_covers_the_median_about_as_often_as_it_says() {
        let n = 25_u64;
        let trials = 4000_u64;
        let covered = (0..trials)
            .filter(|t| {
                // A skewed distribution of median 0: the sign of the cube is that of the uniform number.
                let x: Vec<f64> = (0..n).map(|i| f64::from(rng::unit_f32(3, t * n + i)).powi(3)).collect();
                let [low, high] = median_interval(&sorted(&x));
                low <= 0.0 && 0.0 <= high
            })
            .count();
        // 95.7% is the exact coverage for n = 25.
        assert!((3770..=3890).contains(&covered), "{covered} of {trials}");
    }

    #[test]
    fn a_trend_is_seen_and_noise_is_not() {
        let noise: Vec<f64> = (0..60).map(|i| 1.0 + 0.1 * f64::from(rng::unit_f32(11, i))).collect();
        assert_eq!(drift(&noise), None);
        let falling: Vec<f64> = noise.iter().zip(0..).map(|(x, i)| x * (2.0 - f64::from(i) / 60.0)).collect();
        assert!(drift(&falling).is_some_and(|d| d < -0.2));
        assert_eq!(drift(&[1.0; 40]), None);
        assert_eq!(drift(&[1.0, 2.0, 3.0, 4.0]), None);
    }

    proptest! {
        #[test]
        fn order_holds(samples in prop::collection::vec(1e-9_f64..1.0, 1..200)) {
            let s = sorted(&samples);
            let [low, high] = median_interval(&s);
            let median = quantile(&s, 0.5);
            prop_assert!(s[0] <= low && low <= median && median <= high && high <= s[s.len() - 1]);
            prop_assert!(quantile(&s, 0.1) <= median && median <= quantile(&s, 0.9));
        }

        #[test]
        fn units_do_not_matter(samples in prop::collection::vec(0.5_f64..2.0, 6..100)) {
            // A power of two scales exactly, so the results are equal and not only near.
            let scaled: Vec<f64> = samples.iter().map(|x| x * 1024.0).collect();
            let (a, b) = (median_interval(&sorted(&samples)), median_interval(&sorted(&scaled)));
            prop_assert_eq!([a[0] * 1024.0, a[1] * 1024.0], b);
            prop_assert_eq!(drift(&samples), drift(&scaled));
        }
    }
}
