//! An experiment's sweep as a plot: measured times if a device measured it, else those predicted from traces.

use super::recording::Shown;
use super::sweep::Sweep;
use crate::figures::palette::Ink;
use crate::figures::plot::{Axis, Plot, Point, Scale, Series};
use crate::lesson::{Curve, Domain, Experiment, Lesson, Quantity, Value};
use crate::measure::roofline;
use crate::session::run::output::{KernelOutput, LibraryOutput, SweepPoint, TimeOutput};
use crate::trace::record::{Backend, Ceilings};

/// The program on the bench as a point of its experiment.
#[derive(Clone, Copy)]
pub struct Own<'a> {
    /// The value of what the experiment varies.
    pub x: f64,
    pub kernel: &'a KernelOutput,
    /// Its time on the modelled device, in seconds.
    pub predicted_s: Option<f64>,
}

/// The plot of an experiment: its latest sweep, and the learner's own point.
///
/// `measures` says whether there is a device to measure. Without one, the times are those predicted for the modelled
/// device.
#[must_use]
pub fn plot(
    lesson: &Lesson,
    experiment: &Experiment,
    sweep: Option<&Sweep>,
    ceilings: Option<&Ceilings>,
    current: Option<Own<'_>>,
    measures: bool,
) -> Plot {
    let measured = sweep.map_or(measures, |s| s.backend != Backend::Simt);
    let y = YAxis::of(lesson, &experiment.quantity, measured);
    let param = lesson.param(&experiment.over);
    let label = param.map_or(experiment.over.as_str(), |p| p.label.as_str()).to_owned();
    let scale = match (param.map(|p| &p.domain), experiment.values.as_slice()) {
        (Some(Domain::PowersOfTwo { .. }), _) => Scale::Log2,
        (_, [first, .., last]) if *first > 0.0 && last / first >= 16.0 => Scale::Log2,
        _ => Scale::Linear,
    };
    // Over many doublings of a setting, times and counts that follow it span decades.
    let far = match experiment.values.as_slice() {
        [first, .., last] => scale == Scale::Log2 && last / first >= 64.0,
        _ => false,
    };
    let rises = far && matches!(y.quantity, Quantity::Time | Quantity::Value(_)) && y.unit() != "%";
    let scale_y = if rises { Scale::Log10 } else { Scale::Linear };
    let points = sweep.map(|s| s.points.as_slice()).unwrap_or_default();
    let curve = |(curve, index): (&Curve, u8)| Series {
        id: curve.id.clone(),
        name: format!("{}{}", curve.title, if y.is_predicted { PREDICTED } else { "" }),
        ink: Ink::Series(index),
        recorded: false,
        points: points.iter().filter(|p| p.kernel.id == curve.id).filter_map(|p| y.point(p)).collect(),
    };
    let mut series: Vec<Series> = experiment.curves.iter().zip(0_u8..).map(curve).collect();
    series.extend(libraries(points, y));
    let copy = ceilings.filter(|_| measured).and_then(roofline::bandwidth);
    let ceilings = copy.filter(|_| experiment.quantity == Quantity::BytesPerSecond);
    let ceilings = ceilings.map(|copy| ("a large copy".to_owned(), copy)).into_iter().collect();
    Plot {
        title: match sweep.and_then(|sweep| sweep.modelled.as_ref()) {
            Some(device) => format!("{}, predicted for {device}", experiment.title),
            None => experiment.title.clone(),
        },
        x: Axis {
            label: label.clone(),
            unit: param.map(|p| p.unit.clone()).unwrap_or_default(),
            scale,
            ticks: experiment.values.clone(),
            reach: None,
        },
        y: Axis {
            label: y.label().to_owned(),
            unit: y.unit().to_owned(),
            scale: scale_y,
            ticks: Vec::new(),
            reach: None,
        },
        series,
        ceilings,
        // A setting beyond the experiment's values would squeeze its curves.
        current: current
            .filter(|own| is_within(own.x, &experiment.values))
            .and_then(|own| Some((own.x, y.value(own.kernel, None, own.predicted_s)?))),
        trail: Vec::new(),
    }
}

fn is_within(x: f64, values: &[f64]) -> bool {
    values.iter().any(|v| *v <= x) && values.iter().any(|v| *v >= x)
}

/// The curves of libraries' calls, which were timed beside the kernels; one for each library.
fn libraries(points: &[SweepPoint], y: YAxis<'_>) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for point in points {
        let Some((library, place)) = point.kernel.library.as_ref().zip(y.library(point)) else { continue };
        let name = library.words();
        match series.iter_mut().find(|s| s.name == name) {
            // Several kernels may have had the same call timed beside them.
            Some(known) if known.points.iter().any(|p| p.x == point.x) => {}
            Some(known) => known.points.push(place),
            None => {
                let id = library_id(library);
                // Not one of the kernels' colours: the line to reach.
                series.push(Series { id, name, ink: Ink::Accent, recorded: false, points: vec![place] });
            }
        }
    }
    series
}

/// The id of the curve of a library's call.
#[must_use]
pub fn library_id(library: &LibraryOutput) -> String {
    format!("library {}", library.name)
}

/// The curves of a recording, in the colours of their kernels. Their names and ids say that they are no measurement of
/// this machine.
#[must_use]
pub fn recorded(lesson: &Lesson, experiment: &Experiment, shown: &Shown) -> Plot {
    let mut plot = plot(lesson, experiment, Some(&shown.sweep), None, None, true);
    for series in &mut plot.series {
        series.recorded = true;
        series.id = recorded_id(&series.id);
        series.name.push_str(RECORDED);
    }
    plot.series.retain(|series| !series.points.is_empty());
    plot
}

/// Suffix of the names of recorded curves.
pub const RECORDED: &str = ", recorded";

/// Suffix of the names of predicted curves.
pub const PREDICTED: &str = ", predicted";

/// The id of a kernel's recorded curve.
#[must_use]
pub fn recorded_id(kernel: &str) -> String {
    format!("recorded {kernel}")
}

/// A curve's name without the suffix, for places that already say that it was recorded or predicted.
#[must_use]
pub fn plain_name(name: &str) -> &str {
    name.trim_end_matches(RECORDED).trim_end_matches(PREDICTED)
}

/// Whether both can be read on the same axes: they show the same quantity, and neither is a line at the bottom of the
/// other.
#[must_use]
pub fn share_axes(own: &Plot, recorded: &Plot) -> bool {
    let top = |plot: &Plot| {
        let points = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p.y));
        points.chain(plot.current.map(|c| c.1)).fold(0.0, f64::max)
    };
    let (own_top, its_top) = (top(own), top(recorded));
    let far = own.y.scale == Scale::Log10;
    own.y == recorded.y && (far || own_top == 0.0 || its_top == 0.0 || (0.1..=10.0).contains(&(own_top / its_top)))
}

/// The quantity on the y axis.
#[derive(Clone, Copy)]
struct YAxis<'a> {
    quantity: &'a Quantity,
    /// The lesson's value, where one is plotted; None if it is missing.
    value: Option<&'a Value>,
    /// Whether times are those predicted for the modelled device.
    is_predicted: bool,
}

impl<'a> YAxis<'a> {
    fn of(lesson: &'a Lesson, quantity: &'a Quantity, measured: bool) -> Self {
        let value = match quantity {
            Quantity::Value(id) => lesson.values.iter().find(|value| value.id == *id),
            _ => None,
        };
        Self { quantity, value, is_predicted: !measured && !quantity.is_traced() }
    }

    fn label(self) -> &'a str {
        match self.quantity {
            Quantity::BytesPerSecond => "useful bytes per second",
            Quantity::FlopsPerSecond => "useful operations per second",
            Quantity::Time => "time",
            Quantity::SectorsPerRequest => "sectors per load request, traced",
            Quantity::LoadedBytes => "bytes loaded by lanes, traced",
            Quantity::Value(_) => self.value.map_or("", |value| value.label.as_str()),
        }
    }

    fn unit(self) -> &'a str {
        match self.quantity {
            Quantity::BytesPerSecond => "B/s",
            Quantity::FlopsPerSecond => "FLOP/s",
            Quantity::Time => "s",
            Quantity::SectorsPerRequest => "",
            Quantity::LoadedBytes => "B",
            Quantity::Value(_) => self.value.map_or("", |value| value.unit.as_str()),
        }
    }

    fn value(self, kernel: &KernelOutput, value: Option<f64>, predicted_s: Option<f64>) -> Option<f64> {
        if !kernel.is_ok() {
            return None;
        }
        let rate = |work: f64, measured: Option<f64>| match self.is_predicted {
            true => predicted_s.map(|seconds| work / seconds),
            false => measured,
        };
        match self.quantity {
            Quantity::Value(_) => Some(value? * if self.value?.unit == "%" { 100.0 } else { 1.0 }),
            Quantity::BytesPerSecond => rate(kernel.bytes, kernel.bytes_per_s),
            Quantity::FlopsPerSecond => rate(kernel.flops, kernel.flops_per_s),
            Quantity::Time if self.is_predicted => predicted_s,
            Quantity::Time => kernel.time.as_ref().map(|t| t.median_s),
            #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
            Quantity::LoadedBytes => Some(kernel.trace.as_ref()?.global.load.bytes as f64),
            Quantity::SectorsPerRequest => {
                let load = kernel.trace.as_ref()?.global.load;
                #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
                let ratio = load.sectors as f64 / load.requests as f64;
                Some(ratio).filter(|r| r.is_finite())
            }
        }
    }

    /// The point of the library's call beside a kernel.
    fn library(self, point: &SweepPoint) -> Option<Point> {
        let library = point.kernel.library.as_ref().filter(|library| library.ok)?;
        let time = library.time.as_ref()?;
        let y = match self.quantity {
            Quantity::BytesPerSecond => library.bytes_per_s?,
            Quantity::FlopsPerSecond => library.flops_per_s?,
            Quantity::Time => time.median_s,
            Quantity::SectorsPerRequest | Quantity::LoadedBytes | Quantity::Value(_) => return None,
        };
        Some(self.spread(point.x, y, Some(time)))
    }

    /// The point with its spread: the tenth to the ninetieth percentile of the samples.
    fn point(self, point: &SweepPoint) -> Option<Point> {
        let kernel = &point.kernel;
        let y = self.value(kernel, point.value, point.predicted_s)?;
        Some(self.spread(point.x, y, kernel.time.as_ref()))
    }

    fn spread(self, x: f64, y: f64, time: Option<&TimeOutput>) -> Point {
        let (low, high) = match (time, self.quantity) {
            (Some(t), Quantity::BytesPerSecond | Quantity::FlopsPerSecond) => {
                (y * t.median_s / t.p90_s, y * t.median_s / t.p10_s)
            }
            (Some(t), Quantity::Time) => (t.p10_s, t.p90_s),
            _ => (y, y),
        };
        Point { x, y, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::run::output::{LibraryOutput, TimeOutput};
    use crate::trace::record::CacheState;

    fn point(x: f64, kernel: &str, name: &str, ok: bool) -> SweepPoint {
        let time = TimeOutput {
            median_s: 2.0,
            p10_s: 1.0,
            p90_s: 4.0,
            samples: 9,
            each_s: Vec::new(),
            cache: CacheState::Cold,
        };
        let library = LibraryOutput {
            name: name.to_owned(),
            version: Some("1.2".to_owned()),
            ok,
            check: None,
            time: Some(time),
            bytes_per_s: Some(8.0),
            flops_per_s: Some(16.0),
        };
        let kernel = KernelOutput { id: kernel.to_owned(), library: Some(library), ..KernelOutput::default() };
        SweepPoint { x, kernel, value: None, predicted_s: None, warnings: Vec::new() }
    }

    #[test]
    fn without_a_device_a_rate_is_the_work_over_the_predicted_time() {
        let kernel = KernelOutput { ok: Some(true), bytes: 64.0, ..KernelOutput::default() };
        let axis = |quantity, is_predicted| YAxis { quantity, value: None, is_predicted };
        let of = |quantity, is_predicted| axis(quantity, is_predicted).value(&kernel, None, Some(4.0));
        assert_eq!(of(&Quantity::BytesPerSecond, true), Some(16.0));
        assert_eq!((of(&Quantity::Time, true), of(&Quantity::Time, false)), (Some(4.0), None));
        assert_eq!(axis(&Quantity::Time, true).value(&kernel, None, None), None);
    }

    #[test]
    fn a_library_has_one_curve_whichever_kernels_it_was_timed_beside() {
        let points = [
            point(1.0, "naive", "cuBLAS", true),
            point(1.0, "tiled", "cuBLAS", true),
            point(2.0, "tiled", "cuBLAS", true),
            point(3.0, "tiled", "cuBLAS", false),
            point(1.0, "copy", "other", true),
        ];
        let axis = |quantity| YAxis { quantity, value: None, is_predicted: false };
        let found = libraries(&points, axis(&Quantity::FlopsPerSecond));
        let names: Vec<&str> = found.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["cuBLAS 1.2 (library)", "other 1.2 (library)"]);
        assert_eq!(
            found[0].points.iter().map(|p| (p.x, p.y, p.low, p.high)).collect::<Vec<_>>(),
            [(1.0, 16.0, 8.0, 32.0), (2.0, 16.0, 8.0, 32.0)]
        );
        assert_eq!((found[0].ink, found[1].ink), (Ink::Accent, Ink::Accent));
        assert!(libraries(&points, axis(&Quantity::SectorsPerRequest)).is_empty());
    }
}
