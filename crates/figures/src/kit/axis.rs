//! A plot's axes: their ranges, their marks, where values lie along them, and their drawing.

use super::MARGIN;
use crate::base::units::{count, digits3};
use crate::frame::{Anchor, Frame};
use crate::palette::Ink;
use crate::plot::{Axis, Scale};
use crate::text;

/// An axis made ready: its range, its marks, and where it lies in the frame.
pub struct Ruler {
    pub(crate) scale: Scale,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) from: f32,
    pub(crate) to: f32,
    /// Marked values and what to write there.
    pub(crate) ticks: Vec<(f64, String)>,
    /// The divisor with which a value is written.
    pub(crate) scaled: f64,
    /// The unit with its prefix.
    pub(crate) unit: String,
}

impl Ruler {
    pub(crate) fn new(axis: &Axis, values: &[f64], from: f32, to: f32, apart: f32) -> Self {
        let values: Vec<f64> = values.iter().copied().chain(axis.reach.into_iter().flatten()).collect();
        let (scaled, prefix) = prefix(values.iter().copied().fold(0.0, f64::max), &axis.unit);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let room = ((to - from).abs() / apart).floor().max(1.0);
        let (low, high, marks) = match axis.scale {
            Scale::Linear => {
                let (low, high) = (least.min(0.0), if most > least.min(0.0) { most } else { least.min(0.0) + 1.0 });
                let step = nice((high - low) / f64::from(room));
                let marks: Vec<f64> =
                    ((low / step).floor() as i64..=(high / step).ceil() as i64).map(|i| i as f64 * step).collect();
                let ends = [marks.first().copied().unwrap_or(low), marks.last().copied().unwrap_or(high)];
                (ends[0].min(low), ends[1].max(high), marks)
            }
            Scale::Log2 => {
                // Powers of two of the unit as it is written, so that the marks are round figures.
                let (low, high) = ((least / scaled).log2().floor(), (most / scaled).log2().ceil());
                let (low, high) = if high > low { (low, high) } else { (low - 1.0, low + 1.0) };
                let step = ((high - low) / f64::from(room)).ceil().max(1.0) as usize;
                let marks = (low as i32..=high as i32).step_by(step).map(|i| f64::from(i).exp2() * scaled).collect();
                (low.exp2() * scaled, high.exp2() * scaled, marks)
            }
            Scale::Log10 => {
                let (low, high) = ((least / scaled).log10().floor(), (most / scaled).log10().ceil());
                let (low, high) = if high > low { (low, high) } else { (low - 1.0, low + 1.0) };
                let step = ((high - low) / f64::from(room)).ceil().max(1.0) as usize;
                let power = |i: f64| 10_f64.powf(i) * scaled;
                let marks = (low as i32..=high as i32).step_by(step).map(|i| power(f64::from(i))).collect();
                (power(low), power(high), marks)
            }
        };
        let marks = if axis.ticks.is_empty() { marks } else { axis.ticks.clone() };
        let ticks = marks
            .into_iter()
            .filter(|v| v.is_finite() && (axis.scale == Scale::Linear || *v > 0.0) && *v >= low && *v <= high)
            .map(|v| match (axis.unit.as_str(), axis.scale) {
                ("", Scale::Log10) => (v, decade(v.log10().round() as i32)),
                ("", _) => (v, whole(v)),
                _ => (v, trimmed(v / scaled)),
            })
            .collect();
        let unit = if axis.unit.is_empty() { String::new() } else { format!("{prefix}{}", axis.unit) };
        Self { scale: axis.scale, low, high, from, to, ticks, scaled, unit }
    }

    /// Where a value lies.
    #[must_use]
    pub fn place(&self, value: f64) -> f32 {
        let (value, low, high) = match self.scale {
            Scale::Linear => (value, self.low, self.high),
            Scale::Log2 | Scale::Log10 => (value.log2(), self.low.log2(), self.high.log2()),
        };
        self.from + (self.to - self.from) * ((value - low) / (high - low)) as f32
    }

    /// The value at a place, within the ruler's ends.
    #[must_use]
    pub fn value_at(&self, place: f32) -> f64 {
        let share = f64::from((place - self.from) / (self.to - self.from));
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        match self.scale {
            Scale::Linear => self.low + share * (self.high - self.low),
            Scale::Log2 | Scale::Log10 => {
                (self.low.log2() + share * (self.high / self.low).log2()).exp2().clamp(self.low, self.high)
            }
        }
    }

    pub(crate) fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// The name of its quantity with the unit of its marks.
    fn named(&self, quantity: &str) -> String {
        if self.unit.is_empty() { quantity.to_owned() } else { format!("{quantity} ({})", self.unit) }
    }

    /// A value of this axis with the axis's own prefix.
    #[must_use]
    pub fn write(&self, value: f64) -> String {
        if self.unit.is_empty() { whole(value) } else { format!("{} {}", digits3(value / self.scaled), self.unit) }
    }
}

/// Draws the axes around `rect` (left, top, right, bottom) with their marks, lines across it at those of y, and of x if `is_grid`, and
/// the names of both quantities. As many marks of x have their values as keep apart.
pub(crate) fn draw(
    frame: &mut Frame,
    [x, y]: [&Ruler; 2],
    [left, top, right, bottom]: [f32; 4],
    names: [&str; 2],
    is_grid: bool,
) {
    for (value, label) in &y.ticks {
        let at = y.place(*value).round() + 0.5;
        frame.line([left, at], [right, at], 1.0, Ink::Faint, None);
        frame.text([left - 8.0, at], 12.0, Anchor::End, Ink::Muted, label.clone());
    }
    let ends = |(value, label): &(f64, String)| {
        let half = text::width(label, 12.0, false) / 2.0;
        (x.place(*value) - half, x.place(*value) + half)
    };
    // The last mark has its figure; of the others as many as keep apart from it and from each other.
    let (mut free, last) = (0.0, x.ticks.last().map_or(right, |tick| ends(tick).0));
    for (i, tick) in x.ticks.iter().enumerate() {
        let at = x.place(tick.0);
        if is_grid {
            frame.line([at, top], [at, bottom], 1.0, Ink::Faint, None);
        }
        frame.line([at, bottom], [at, bottom + 5.0], 1.0, Ink::Muted, None);
        let (from, to) = ends(tick);
        let is_last = i + 1 == x.ticks.len();
        if from >= free && to <= frame.width && (is_last || to + 8.0 <= last) {
            frame.text([at, bottom + 16.0], 12.0, Anchor::Middle, Ink::Muted, tick.1.clone());
            free = to + 8.0;
        }
    }
    frame.line([left, bottom + 0.5], [right, bottom + 0.5], 1.0, Ink::Muted, None);
    let (at, room) = ([MARGIN, top - 16.0], frame.width - 2.0 * MARGIN);
    frame.fitted(at, 12.0, Anchor::Start, Ink::Muted, room, &y.named(names[1]));
    frame.fitted([right, bottom + 36.0], 12.0, Anchor::End, Ink::Muted, right - left, &x.named(names[0]));
}

/// A power of ten with its prefix: `0.1`, `10`, `100 G`.
fn decade(power: i32) -> String {
    const PREFIXES: [&str; 7] = ["", " k", " M", " G", " T", " P", " E"];
    let digits = |power: i32| format!("1{}", "0".repeat(usize::try_from(power).unwrap_or(0)));
    match usize::try_from(power / 3).ok().and_then(|i| PREFIXES.get(i)) {
        Some(prefix) if power >= 0 => format!("{}{prefix}", digits(power % 3)),
        _ if (-4..0).contains(&power) => format!("{:.*}", usize::try_from(-power).unwrap_or(0), 10_f64.powi(power)),
        _ => format!("{:e}", 10_f64.powi(power)),
    }
}

/// The next of 1, 2, 5 times a power of ten that is at least `step`.
pub(crate) fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|n| *n >= step * 0.999).unwrap_or(step)
}

/// The SI prefix that suits `largest`, and what to divide by. A per cent has none.
fn prefix(largest: f64, unit: &str) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 7] =
        [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")];
    if unit == "%" || unit.is_empty() || largest <= 0.0 {
        return (1.0, "");
    }
    PREFIXES.into_iter().find(|(scale, _)| largest >= *scale * 0.999).unwrap_or((1e-9, "n"))
}

/// A count: whole powers of 1,024 as such, others with their thousands apart.
pub(crate) fn whole(value: f64) -> String {
    for (scale, name) in [(f64::from(1 << 30), "Gi"), (f64::from(1 << 20), "Mi"), (1024.0, "Ki")] {
        if value >= 4.0 * 1024.0 && value >= scale && value % scale == 0.0 {
            return format!("{} {name}", trimmed(value / scale));
        }
    }
    if value >= 0.0 && value.fract() == 0.0 { count(value as u64) } else { trimmed(value) }
}

/// Three digits without zeros after the point.
pub(crate) fn trimmed(value: f64) -> String {
    if value.abs() < 1e-12 {
        return "0".to_owned();
    }
    let text = digits3(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_powers_of_two_read_as_such() {
        assert_eq!([32.0, 1024.0, 65536.0, 1_048_576.0, 1000.0].map(whole), ["32", "1,024", "64 Ki", "1 Mi", "1,000"]);
    }

    #[test]
    fn decades_have_their_prefix() {
        let written: Vec<String> = [-2, -1, 0, 2, 3, 11, 13, -7].into_iter().map(decade).collect();
        assert_eq!(written, ["0.01", "0.1", "1", "100", "1 k", "100 G", "10 T", "1e-7"]);
    }

    #[test]
    fn a_place_gives_its_value_and_never_more_than_the_axis() {
        for scale in [Scale::Linear, Scale::Log2, Scale::Log10] {
            let axis =
                Axis { label: String::new(), unit: String::new(), scale, ticks: Vec::new(), reach: Some([1.0, 64.0]) };
            let ruler = Ruler::new(&axis, &[], 300.0, 20.0, 48.0);
            assert!(ruler.low <= 1.0 && ruler.high >= 64.0, "{scale:?}");
            for value in [1.0, 5.0, 40.0, 64.0] {
                let back = ruler.value_at(ruler.place(value));
                assert!((back / value - 1.0).abs() < 1e-4, "{scale:?}: {value} became {back}");
            }
            let ends = [ruler.value_at(-1e9) / ruler.high, (ruler.value_at(f32::NAN) + 1.0) / (ruler.low + 1.0)];
            assert!(ends.iter().all(|end| (end - 1.0).abs() < 1e-9), "{scale:?}: {ends:?}");
        }
    }
}
