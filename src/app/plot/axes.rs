//! A plot's axes: how values lie along them, and which marks keep apart.

use egui_plot::GridMark;

use crate::base::units::{digits3, number, si};
use crate::figures::plot::Scale;

/// The coordinate of a value on an axis.
#[must_use]
pub(super) fn along(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log2 => value.log2(),
        Scale::Log10 => value.log10(),
    }
}

/// The value at a coordinate: a whole number on a scale of powers of two, which only settings use.
#[must_use]
pub(super) fn value(scale: Scale, at: f64) -> f64 {
    match scale {
        Scale::Linear => at,
        Scale::Log2 => at.exp2().round(),
        Scale::Log10 => 10_f64.powf(at),
    }
}

/// A mark at each power of ten from one exponent to another, or at every second, third, … one if they would be too
/// close.
pub(super) fn decades((low, high): (f64, f64), height: f32) -> Vec<GridMark> {
    let step = ((high - low) / f64::from((height / 24.0).max(2.0))).ceil().max(1.0);
    (0..64).map(|i| low + f64::from(i) * step).take_while(|at| *at <= high).map(mark).collect()
}

/// Those marks of the x axis whose labels keep apart at `width` points from `low` to `high`; the ends come first.
pub(super) fn apart(ticks: &[f64], labels: &[String], (low, high): (f64, f64), width: f32) -> Vec<GridMark> {
    let mut order: Vec<usize> = (0..ticks.len()).collect();
    if order.len() > 1 {
        let last = order.remove(order.len() - 1);
        order.insert(1, last);
    }
    #[expect(clippy::cast_possible_truncation, reason = "points on a screen")]
    let at = |i: usize| ((ticks[i] - low) / (high - low).max(1e-9)) as f32 * width;
    #[expect(clippy::cast_precision_loss, reason = "a label has few characters")]
    let half = |i: usize| labels[i].chars().count() as f32 * 3.6 + 4.0;
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        if kept.iter().all(|&k| (at(k) - at(i)).abs() >= half(k) + half(i)) {
            kept.push(i);
        }
    }
    kept.iter().map(|&i| mark(ticks[i])).collect()
}

/// Round values up the y axis, about 36 points apart.
pub(super) fn rising(highest: f64, height: f32) -> Vec<GridMark> {
    let wanted = f64::from((height / 36.0).max(2.0));
    let Some(step) = round_step(highest / wanted) else { return vec![mark(0.0)] };
    (0..32).map(|i| f64::from(i) * step).take_while(|v| *v <= highest * 1.001).map(mark).collect()
}

/// The least of 1, 2, 2.5, 5, 10, … that is at least `rough`; None if that is not positive.
fn round_step(rough: f64) -> Option<f64> {
    if !(rough.is_finite() && rough > 0.0) {
        return None;
    }
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
    Some(steps.into_iter().find(|step| *step >= rough).unwrap_or(power * 10.0))
}

/// The marks between two ends of an axis: those of the whole plot, or round values if it is zoomed in so far that fewer
/// than two are left.
pub(super) fn zoomed(whole: &[GridMark], (low, high): (f64, f64)) -> Vec<GridMark> {
    let inside = whole.iter().filter(|mark| (low..=high).contains(&mark.value)).count();
    match round_step((high - low) / 5.0) {
        Some(step) if inside < 2 && inside < whole.len() => {
            let first = (low / step).ceil();
            (0..8).map(|i| (first + f64::from(i)) * step).take_while(|at| *at <= high).map(mark).collect()
        }
        _ => whole.to_vec(),
    }
}

/// A mark whose label is always drawn, in full strength: egui_plot fades those that it takes to be too near to others.
fn mark(value: f64) -> GridMark {
    GridMark { value, step_size: 1e30 }
}

/// A mark on the x axis: large powers of two in their own units, so that neighbours keep apart.
pub(super) fn tick(value: f64) -> String {
    let units = [(1_073_741_824.0, "Gi"), (1_048_576.0, "Mi"), (1024.0, "Ki")];
    match units.iter().find(|(size, _)| value >= 65_536.0 && (value / size).fract() == 0.0) {
        Some((size, name)) => format!("{} {name}", number(value / size)),
        None => number(value),
    }
}

/// A value of the y axis, with its unit.
pub(super) fn axis_figure(value: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{}%", digits3(value)),
        "" => number(value),
        unit => si(value, unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_finer_between_two_of_the_whole_plot() {
        let whole: Vec<GridMark> = (0..4).map(|exponent| mark(f64::from(exponent))).collect();
        let at = |ends| zoomed(&whole, ends).iter().map(|mark| mark.value).collect::<Vec<_>>();
        assert_eq!(at((-0.5, 3.5)), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(at((0.9, 2.1)), [0.0, 1.0, 2.0, 3.0], "two are left");
        assert_eq!(at((1.0, 1.5)), [1.0, 1.1, 1.2000000000000002, 1.3, 1.4000000000000001, 1.5]);
        assert_eq!(at((f64::NAN, f64::NAN)), [0.0, 1.0, 2.0, 3.0], "nothing is drawn yet");
        assert_eq!(zoomed(&whole[..1], (-1.0, 1.0)).len(), 1, "a plot of one value is not zoomed");
    }
}
