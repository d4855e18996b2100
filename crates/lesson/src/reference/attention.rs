//! Attention and its derivatives in f64, as *FlashAttention-2* (Dao, arXiv 2307.08691) has them.
//!
//! With s_ij = q_i · k_j / √d over the keys that query i sees: p_ij = e^(s_ij - lse_i), lse_i = log Σ_j e^s_ij, o_i =
//! Σ_j p_ij v_j. With ∂p_ij = ∂o_i · v_j and D_i = Σ_j p_ij ∂p_ij: ∂s_ij = p_ij (∂p_ij - D_i), ∂q_i = Σ_j ∂s_ij k_j /
//! √d, ∂k_j = Σ_i ∂s_ij q_i / √d, and ∂v_j = Σ_i p_ij ∂o_i. The last two are sums over all query heads that share a
//! head of keys and values.
//!
//! A query that sees no key has the output 0, no gradient, and [`MASKED`] as its lse.

use super::given::{Expected, Given};
use crate::base::tensor::{MASKED, Tensor};

/// The error of a score, as a share of a check's tolerance (10⁻⁴), per size of the score's products: in f32 it is about
/// 10⁻⁶ of that size. The weight e^s has the score's absolute error as its relative one.
const SCORE: f64 = 0.01;

/// The least magnitude that errors of outputs and gradients are relative to: f32 may flush smaller ones to zero.
const LEAST: f64 = 1e-30;

/// The arguments, in the order of the table's signatures.
struct Sizes<'a> {
    given: &'a Given<'a>,
    /// Query heads that share a head of keys and values.
    group: usize,
}

/// The names of the arguments.
pub(super) const ARGS: [&str; 8] = ["batch", "heads", "kv_heads", "queries", "keys", "room", "d", "causal"];

/// Elements of the queries and of the keys; None where they are too many, or the heads have no equal groups.
pub(super) fn sizes(args: &[usize]) -> Option<[usize; 2]> {
    let [batch, heads, kv_heads, queries, keys, room, d] = [0, 1, 2, 3, 4, 5, 6].map(|i| args[i]);
    let all = |heads: usize, rows: usize| batch.checked_mul(heads)?.checked_mul(rows)?.checked_mul(d);
    let fits = keys <= room && kv_heads > 0 && heads.is_multiple_of(kv_heads);
    fits.then_some([all(heads, queries)?, all(kv_heads, room)?])
}

/// Rows of the output that are compared: about 2³⁰ multiplications, and at least 8.
pub(super) fn most(args: &[usize]) -> usize {
    ((1 << 30) / args[5].saturating_mul(args[6]).max(1)).max(8)
}

/// A query's result from the keys that it sees.
struct Seen {
    /// p_ij, for each of them.
    weights: Vec<f64>,
    lse: f64,
    /// The size of a score's products: the greatest root of their squares' sum, over the keys.
    size: f64,
}

/// ∂s_ij of a query, and the magnitude that its error is relative to.
struct Slope {
    value: f64,
    size: f64,
}

impl<'a> Sizes<'a> {
    fn new(given: &'a Given<'a>) -> Self {
        Self { given, group: given.args[1] / given.args[2] }
    }

    fn at(&self, arg: usize) -> usize {
        self.given.args[arg]
    }

    fn d(&self) -> usize {
        self.at(6)
    }

    fn row(&self, input: usize, row: usize) -> Vec<f64> {
        let tensor: &Tensor = self.given.inputs[input];
        (row * self.d()..(row + 1) * self.d()).map(|i| tensor.get(i)).collect()
    }

    /// The rows of input `input` that the query of row `row` sees: the first keys of its head; if causal, those up to
    /// its own position. The queries are the last positions of `room`.
    fn rows(&self, input: usize, row: usize) -> Vec<Vec<f64>> {
        let [queries, keys, room] = [3, 4, 5].map(|i| self.at(i));
        let reach = if self.at(7) == 0 { room } else { (row % queries + 1 + room).saturating_sub(queries) };
        let first = row / queries / self.group * room;
        (0..keys.min(reach)).map(|j| self.row(input, first + j)).collect()
    }

    /// None if it sees no key.
    fn seen(&self, query: &[f64], keys: &[Vec<f64>]) -> Option<Seen> {
        let scale = 1.0 / (self.d() as f64).sqrt();
        let products = |key: &[f64]| query.iter().zip(key).map(|(q, k)| q * k).collect::<Vec<_>>();
        let scores: Vec<f64> = keys.iter().map(|key| scale * products(key).iter().sum::<f64>()).collect();
        let sizes = keys.iter().map(|key| scale * products(key).iter().map(|p| p * p).sum::<f64>().sqrt());
        let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = scores.iter().map(|s| (s - greatest).exp()).collect();
        let sum: f64 = powers.iter().sum();
        let weights = powers.into_iter().map(|power| power / sum).collect();
        (!keys.is_empty()).then(|| Seen { weights, lse: greatest + sum.ln(), size: sizes.fold(0.0, f64::max) })
    }

    /// ∂s_ij for each key that the query sees, given its weights.
    fn slopes(seen: &Seen, values: &[Vec<f64>], d_o: &[f64]) -> Vec<Slope> {
        let products = |value: &[f64]| d_o.iter().zip(value).map(|(a, b)| a * b).collect::<Vec<_>>();
        let found = values.iter().map(|value| {
            let products = products(value);
            (products.iter().sum::<f64>(), products.iter().map(|p| p * p).sum::<f64>().sqrt())
        });
        let found: Vec<(f64, f64)> = found.collect();
        let along: f64 = seen.weights.iter().zip(&found).map(|(p, (sum, _))| p * sum).sum();
        let size: f64 = seen.weights.iter().zip(&found).map(|(p, (sum, size))| p * sum.abs().max(*size)).sum();
        let slope = |(p, (sum, own)): (&f64, &(f64, f64))| Slope {
            value: p * (sum - along),
            size: p * (own.max(sum.abs()) + size) * (1.0 + SCORE * seen.size),
        };
        seen.weights.iter().zip(&found).map(slope).collect()
    }
}

/// Adds `factor` · `row` to `out`, and the square of `size` · `row` to the squares of the magnitudes.
fn add(out: &mut [Expected], factor: f64, size: f64, row: &[f64]) {
    for (out, x) in out.iter_mut().zip(row) {
        out.value += factor * x;
        out.scale += (size * x).powi(2);
    }
}

/// Makes magnitudes of their squares.
fn finish(out: &mut [Expected]) {
    out.iter_mut().for_each(|out| out.scale = out.scale.sqrt().max(LEAST));
}

/// The output of query `row`; inputs q, k, v.
pub(super) fn forward(given: &Given<'_>, row: usize, out: &mut [Expected]) {
    let sizes = Sizes::new(given);
    if let Some(seen) = sizes.seen(&sizes.row(0, row), &sizes.rows(1, row)) {
        for (p, value) in seen.weights.iter().zip(sizes.rows(2, row)) {
            for (out, v) in out.iter_mut().zip(value) {
                out.value += p * v;
                out.scale += (p * v).abs() * (1.0 + SCORE * seen.size);
            }
        }
    }
    out.iter_mut().for_each(|out| out.scale = out.scale.max(LEAST));
}

/// The lse of query `row`; inputs q, k.
pub(super) fn lse(given: &Given<'_>, row: usize, out: &mut [Expected]) {
    let sizes = Sizes::new(given);
    let seen = sizes.seen(&sizes.row(0, row), &sizes.rows(1, row));
    out[0] = seen.map_or(Expected { value: f64::from(MASKED), scale: 0.0 }, |seen| Expected {
        value: seen.lse,
        scale: 1.0 + SCORE * seen.size,
    });
}

/// ∂q of query `row`; inputs q, k, v, d_o.
pub(super) fn d_q(given: &Given<'_>, row: usize, out: &mut [Expected]) {
    let sizes = Sizes::new(given);
    let scale = 1.0 / (sizes.d() as f64).sqrt();
    let keys = sizes.rows(1, row);
    if let Some(seen) = sizes.seen(&sizes.row(0, row), &keys) {
        let slopes = Sizes::slopes(&seen, &sizes.rows(2, row), &sizes.row(3, row));
        for (slope, key) in slopes.iter().zip(&keys) {
            add(out, scale * slope.value, scale * slope.size, key);
        }
    }
    finish(out);
}

/// The queries that share the keys and values of head `head`, counted through the batch.
fn sharing(sizes: &Sizes<'_>, head: usize) -> std::ops::Range<usize> {
    let rows = sizes.group * sizes.at(3);
    head * rows..(head + 1) * rows
}

/// ∂k of head `head`, counted through the batch; inputs q, k, v, d_o.
pub(super) fn d_k(given: &Given<'_>, head: usize, out: &mut [Expected]) {
    let sizes = Sizes::new(given);
    let scale = 1.0 / (sizes.d() as f64).sqrt();
    for row in sharing(&sizes, head) {
        let query = sizes.row(0, row);
        let Some(seen) = sizes.seen(&query, &sizes.rows(1, row)) else { continue };
        let slopes = Sizes::slopes(&seen, &sizes.rows(2, row), &sizes.row(3, row));
        for (slope, out) in slopes.iter().zip(out.chunks_exact_mut(sizes.d())) {
            add(out, scale * slope.value, scale * slope.size, &query);
        }
    }
    finish(out);
}

/// ∂v of head `head`, counted through the batch; inputs q, k, d_o.
pub(super) fn d_v(given: &Given<'_>, head: usize, out: &mut [Expected]) {
    let sizes = Sizes::new(given);
    for row in sharing(&sizes, head) {
        let Some(seen) = sizes.seen(&sizes.row(0, row), &sizes.rows(1, row)) else { continue };
        let d_o = sizes.row(2, row);
        for (p, out) in seen.weights.iter().zip(out.chunks_exact_mut(sizes.d())) {
            add(out, *p, p * (1.0 + SCORE * seen.size), &d_o);
        }
    }
    finish(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::unit_f32;
    use crate::base::tensor::Elem;

    type Fill = fn(&Given<'_>, usize, &mut [Expected]);

    fn tensor(values: &[f64]) -> Tensor {
        Tensor { elem: Elem::F32, words: values.iter().map(|v| Elem::F32.encode(*v)).collect() }
    }

    /// `n` random multiples of 1/1024 below 1, so that a step of one of them is exact in f32.
    fn random(seed: u64, n: usize) -> Vec<f64> {
        (0..n as u64).map(|i| (f64::from(unit_f32(seed, i)) * 1024.0).round() / 1024.0).collect()
    }

    fn all(fill: Fill, args: &[usize], inputs: &[&[f64]], len: usize, width: usize) -> Vec<f64> {
        let tensors: Vec<Tensor> = inputs.iter().map(|input| tensor(input)).collect();
        let given = Given { args: args.to_vec(), inputs: tensors.iter().collect() };
        let mut out = vec![Expected::default(); len];
        out.chunks_mut(width).enumerate().for_each(|(row, out)| fill(&given, row, out));
        out.iter().map(|out| out.value).collect()
    }

    fn near(a: &[f64], b: &[f64], tolerance: f64) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance), "{a:?}\n{b:?}");
    }

    #[test]
    fn two_keys_by_hand() {
        // Scores 1 · 4 / 2 = 2 and 0 at d = 4: the weights are those of a difference of 2.
        let (q, k) = ([1.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
        let v = [1.0, 2.0, 0.0, 0.0, 3.0, -2.0, 0.0, 1.0];
        let p = 1.0 / (1.0 + (-2.0_f64).exp());
        let args = [1, 1, 1, 1, 2, 2, 4, 1];
        let mixed: Vec<f64> = (0..4).map(|c| p * v[c] + (1.0 - p) * v[4 + c]).collect();
        near(&all(forward, &args, &[&q, &k, &v], 4, 4), &mixed, 1e-12);
        near(&all(lse, &args, &[&q, &k], 1, 1), &[2.0 - p.ln()], 1e-12);
        // Scores of 10⁴ and 0 overflow nothing: all of the weight is at the first key.
        let large = [2e4, 0.0, 0.0, 0.0];
        near(&all(forward, &args, &[&large, &k, &v], 4, 4), &v[..4], 1e-12);
        near(&all(lse, &args, &[&large, &k], 1, 1), &[4e4], 1e-9);
    }

    #[test]
    fn a_causal_query_sees_nothing_behind_itself_and_a_masked_one_nothing() {
        let (q, k, v) = (random(1, 12), random(2, 12), random(3, 12));
        let o = all(forward, &[1, 1, 1, 3, 3, 3, 4, 1], &[&q, &k, &v], 12, 4);
        near(&o[..4], &v[..4], 1e-12);
        // The first key alone, without a mask, is what the first query sees.
        near(&all(forward, &[1, 1, 1, 1, 1, 1, 4, 0], &[&q, &k, &v], 4, 4), &o[..4], 1e-12);
        // A query alone is the last of its keys.
        near(&all(forward, &[1, 1, 1, 1, 3, 3, 4, 1], &[&q[8..], &k, &v], 4, 4), &o[8..], 1e-12);
        // With no key that counts: zeros, and the mask's number.
        let none = [1, 1, 1, 3, 0, 3, 4, 0];
        assert_eq!(all(forward, &none, &[&q, &k, &v], 12, 4), [0.0; 12]);
        assert_eq!(all(lse, &none, &[&q, &k], 3, 1), [f64::from(MASKED); 3]);
        assert_eq!(all(d_q, &none, &[&q, &k, &v, &q], 12, 4), [0.0; 12]);
        assert_eq!(all(d_k, &none, &[&q, &k, &v, &q], 12, 12), [0.0; 12]);
        assert_eq!(all(d_v, &none, &[&q, &k, &q], 12, 12), [0.0; 12]);
        assert_eq!(sizes(&[1, 4, 3, 1, 1, 1, 4, 0]), None, "four heads in three groups");
        assert_eq!(sizes(&[1, 4, 2, 1, 3, 2, 4, 0]), None, "more keys than there is room for");
    }

    #[test]
    fn gradients_equal_finite_differences() {
        for (causal, keys) in [(0, 5), (1, 5), (1, 3), (0, 1)] {
            // Two sequences, four query heads in two groups, five positions of three numbers.
            let args = [2, 4, 2, 5, keys, 5, 3, causal];
            let of = [2 * 4 * 5 * 3, 2 * 2 * 5 * 3, 2 * 2 * 5 * 3];
            let inputs: Vec<Vec<f64>> = (0..3).map(|i| random(i as u64 + 10, of[i])).collect();
            let d_o = random(20, of[0]);
            let loss = |inputs: &[Vec<f64>]| {
                let o = all(forward, &args, &[&inputs[0], &inputs[1], &inputs[2]], of[0], 3);
                o.iter().zip(&d_o).map(|(o, d_o)| o * d_o).sum::<f64>()
            };
            let slope = |which: usize| {
                let moved = |i: usize, by: f64| {
                    let mut inputs = inputs.clone();
                    inputs[which][i] += by;
                    loss(&inputs)
                };
                let h = 1.0 / 1024.0;
                (0..of[which]).map(|i| (moved(i, h) - moved(i, -h)) / (2.0 * h)).collect::<Vec<f64>>()
            };
            let [q, k, v] = [0, 1, 2].map(|i| inputs[i].as_slice());
            near(&all(d_q, &args, &[q, k, v, &d_o], of[0], 3), &slope(0), 1e-6);
            near(&all(d_k, &args, &[q, k, v, &d_o], of[1], 15), &slope(1), 1e-6);
            near(&all(d_v, &args, &[q, k, &d_o], of[2], 15), &slope(2), 1e-6);
        }
    }
}
