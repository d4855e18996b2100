//! Softmax, its derivative and cross-entropy in f64, a row at a time.
//!
//! A logit of [`MASKED`] or less is ignored. A row of only such logits has zeros as its softmax, its loss and its
//! gradients.

use super::given::{Expected, Given};
use crate::base::tensor::{MASKED, Tensor};

/// The floor of the denominator in relative errors of probabilities. WGSL may flush numbers below the smallest normal
/// one, 1.2e-38, to zero, and such an error is then far below any tolerance.
const LEAST: f64 = 1e-30;

/// The elements of row `row` of `tensor`, which has `cols` columns.
fn elements(tensor: &Tensor, row: usize, cols: usize) -> impl Iterator<Item = f64> + Clone + '_ {
    (row * cols..(row + 1) * cols).map(|i| tensor.get(i))
}

/// The maximum and the sum of exponentials of a row's logits.
struct Row {
    greatest: f64,
    /// The sum of e^(x - greatest).
    sum: f64,
}

impl Row {
    /// None if all logits are masked.
    fn of(x: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let greatest = x.clone().fold(f64::NEG_INFINITY, f64::max);
        (greatest > f64::from(MASKED)).then(|| Self { greatest, sum: x.map(|x| (x - greatest).exp()).sum() })
    }

    fn softmax(&self, x: f64) -> f64 {
        (x - self.greatest).exp() / self.sum
    }

    /// The logarithm of the sum of e^x.
    fn lse(&self) -> f64 {
        self.greatest + self.sum.ln()
    }
}

/// The softmax of row `row` of `x`.
pub(super) fn forward(given: &Given<'_>, row: usize, out: &mut [Expected]) {
    let x = elements(given.inputs[0], row, given.args[1]);
    let Some(found) = Row::of(x.clone()) else { return };
    out.iter_mut().zip(x).for_each(|(out, x)| *out = Expected { value: found.softmax(x), scale: LEAST });
}

/// dx = y ∘ (dy - y · dy) in row `row`. Each term of the difference has rounding errors of its own size: for y · dy,
/// that is the norm of its products, the magnitude of a sum of as many with random signs.
pub(super) fn backward(given: &Given<'_>, row: usize, out: &mut [Expected]) {
    let [y, dy] = [0, 1].map(|input| elements(given.inputs[input], row, given.args[1]));
    let products = y.clone().zip(dy.clone()).map(|(y, dy)| y * dy);
    let along: f64 = products.clone().sum();
    let norm = products.map(|product| product * product).sum::<f64>().sqrt();
    for (out, (y, dy)) in out.iter_mut().zip(y.zip(dy)) {
        *out = Expected { value: y * (dy - along), scale: y.abs() * (dy.abs() + norm) };
    }
}

/// Element `at` of the row-major Jacobian diag(y) - y yᵀ.
pub(super) fn jacobian(given: &Given<'_>, at: usize) -> f64 {
    let [i, k] = [at / given.args[0], at % given.args[0]];
    let y = |i| given.inputs[0].get(i);
    y(i) * (if i == k { 1.0 } else { 0.0 } - y(k))
}

/// The parts of a row's loss.
struct Loss {
    row: Row,
    target: usize,
    z: f64,
}

impl Loss {
    /// None if all logits are masked.
    fn of(given: &Given<'_>, row: usize) -> Option<Self> {
        let found = Row::of(elements(given.inputs[0], row, given.args[1]))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a u32's value, compared with the columns"
        )]
        let target = given.inputs[1].get(row) as usize;
        #[expect(clippy::cast_precision_loss, reason = "a small whole number")]
        let z = given.args[2] as f64 * 1e-6;
        Some(Self { row: found, target, z })
    }
}

/// lse - x[target] + z lse² of row `row`; NaN if there is no such column.
pub(super) fn cross_entropy(given: &Given<'_>, row: usize, out: &mut [Expected]) {
    let Some(loss) = Loss::of(given, row) else { return };
    let cols = given.args[1];
    let lse = loss.row.lse();
    let chosen = if loss.target < cols { given.inputs[0].get(row * cols + loss.target) } else { f64::NAN };
    let (apart, squared) = (lse - chosen, loss.z * lse * lse);
    out[0] = Expected { value: apart + squared, scale: lse.abs() + chosen.abs() + squared };
}

/// (1 + 2 z lse) y - t in row `row`.
pub(super) fn cross_entropy_backward(given: &Given<'_>, row: usize, out: &mut [Expected]) {
    let Some(loss) = Loss::of(given, row) else { return };
    let factor = 1.0 + 2.0 * loss.z * loss.row.lse();
    for (i, (out, x)) in out.iter_mut().zip(elements(given.inputs[0], row, given.args[1])).enumerate() {
        let (y, t) = (factor * loss.row.softmax(x), if i == loss.target { 1.0 } else { 0.0 });
        *out = Expected { value: y - t, scale: (y.abs() + t).max(LEAST) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::tensor::{Elem, Init};

    fn tensor(values: &[f64]) -> Tensor {
        Tensor { elem: Elem::F32, words: values.iter().map(|v| Elem::F32.encode(*v)).collect() }
    }

    fn rows(row: fn(&Given<'_>, usize, &mut [Expected]), args: &[usize], inputs: &[&Tensor], width: usize) -> Vec<f64> {
        let given = Given { args: args.to_vec(), inputs: inputs.to_vec() };
        let mut all = Vec::new();
        for i in 0..args[0] {
            let mut out = vec![Expected::default(); width];
            row(&given, i, &mut out);
            all.extend(out.iter().map(|out| out.value));
        }
        all
    }

    fn near(got: &[f64], expected: &[f64]) {
        assert_eq!(got.len(), expected.len());
        assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?} {expected:?}");
    }

    #[test]
    fn rows_sum_to_one_and_masked_ones_to_zero() {
        let masked = f64::from(MASKED);
        let x = tensor(&[1e4, 1e4, masked, -1e4, masked, masked, masked, masked, 5.0, masked, masked, masked]);
        let y = rows(forward, &[3, 4], &[&x], 4);
        near(&y, &[0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        near(&rows(forward, &[2, 1], &[&tensor(&[7.0, masked])], 1), &[1.0, 0.0]);
    }

    /// The derivative of `loss` by each element of `x`, by finite differences.
    fn slope(x: &[f64], loss: &dyn Fn(&[f64]) -> f64) -> Vec<f64> {
        let h = 1.0 / 1024.0;
        let moved = |i: usize, by: f64| {
            let mut x = x.to_vec();
            x[i] += by;
            loss(&x)
        };
        (0..x.len()).map(|i| (moved(i, h) - moved(i, -h)) / (2.0 * h)).collect()
    }

    #[test]
    fn derivatives_are_those_of_the_forward_pass() {
        // Multiples of 1/1024, so that they are exact in f32 after a step of one of them.
        let x = [0.5, -1.0, 2.0, 0.25];
        let dy = [1.0, -2.0, 0.5, 3.0];
        let y = |x: &[f64]| rows(forward, &[1, 4], &[&tensor(x)], 4);
        let along = |x: &[f64]| y(x).iter().zip(dy).map(|(y, dy)| y * dy).sum::<f64>();
        let y_here = tensor(&y(&x));
        let dx = rows(backward, &[1, 4], &[&y_here, &tensor(&dy)], 4);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close(&dx, &slope(&x, &along)), "{dx:?}");
        let given = Given { args: vec![4], inputs: vec![&y_here] };
        let by_jacobian: Vec<f64> = (0..4).map(|i| (0..4).map(|k| jacobian(&given, i * 4 + k) * dy[k]).sum()).collect();
        assert!(close(&dx, &by_jacobian) && dx.iter().sum::<f64>().abs() < 1e-6);

        let targets = Tensor { elem: Elem::U32, words: vec![2] };
        let loss = |x: &[f64]| rows(cross_entropy, &[1, 4, 50_000], &[&tensor(x), &targets], 1)[0];
        let gradient = rows(cross_entropy_backward, &[1, 4, 50_000], &[&tensor(&x), &targets], 4);
        assert!(close(&gradient, &slope(&x, &loss)), "{gradient:?}");
        assert!((rows(cross_entropy, &[1, 4, 0], &[&tensor(&x), &targets], 1)[0] + y(&x)[2].ln()).abs() < 1e-12);
    }

    #[test]
    fn a_target_beyond_the_columns_and_a_masked_row() {
        let masked = Tensor::new(Elem::F32, 3, Init::Value(f64::from(MASKED)), 0, 0);
        let target = |word| Tensor { elem: Elem::U32, words: vec![word] };
        assert!(rows(cross_entropy, &[1, 3, 0], &[&tensor(&[1.0; 3]), &target(u32::MAX)], 1)[0].is_nan());
        near(&rows(cross_entropy, &[1, 3, 100], &[&masked, &target(0)], 1), &[0.0]);
        near(&rows(cross_entropy_backward, &[1, 3, 100], &[&masked, &target(0)], 3), &[0.0; 3]);
    }
}
